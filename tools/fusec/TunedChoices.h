// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caches of Fast-Run know of a model's groups and choices.
#ifndef FUSEC_TOOLS_FUSEC_TUNEDCHOICES_H
#define FUSEC_TOOLS_FUSEC_TUNEDCHOICES_H

#include "compiler/CompileOptions.h"
#include "fusec/abi.h"
#include "passes/lock/Advisor.h"
#include "runtime/fast_run/Cache.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// What a compilation with `options` wants of algorithms.
fast_run::Wish getWish(const CompileOptions &options);

/// What was answered about a group or a choice.
struct TunedAnswer {
  lock::Subject::Kind kind = lock::Subject::Kind::group;
  std::string name, key, isa;
  unsigned threads = 0;      ///< of sessions that have as many; 0: any
  std::string algorithm;     ///< empty where nothing is known
  std::string kernel;        ///< its hash
  bool isDefault = false;    ///< it is what is taken without records
  bool keepsDefault = false; ///< nothing is known but that this model does
  bool isUsed = true;        ///< what is known is what is taken
  uint64_t picoseconds = 0;  ///< that it took
  std::string source;        ///< the cache
  std::string reason;        ///< why nothing is known, or what the record is of
};

/// Looks groups and choices up in caches, of which those that were added first
/// go before the others.
class TunedChoices : public lock::Advisor {
public:
  /// `backend` is whose records count, and of kernels for GPUs `gpu` if it is
  /// given; fields that are empty may be any. Where `isForOthers`, what is
  /// compiled runs on other machines, too: of a CPU, records of these count
  /// for what there are none of this one.
  TunedChoices(fast_run::Backend backend, fast_run::Wish wish,
               std::optional<fast_run::Backend> gpu = std::nullopt,
               bool isForOthers = false)
      : backend(std::move(backend)), gpu(std::move(gpu)), wish(wish),
        isForOthers(isForOthers) {}

  void add(std::string name, fast_run::Records records);

  /// Says nothing of what has these keys, whatever the verdict on a model.
  void keepDefaults(std::vector<std::string> keys) {
    forcedDefaults = std::move(keys);
  }

  void begin() override { answers.clear(); }
  void enter(llvm::StringRef model) override;
  std::vector<lock::Advice> advise(const lock::Subject &subject) override;
  std::string getDigest() const override;

  /// The record of a group or a choice that counts, newest first, or null.
  const fast_run::Record *find(const std::string &key, llvm::StringRef isa,
                               TunedAnswer &answer) const;
  /// The verdict on the model of this key, or null.
  const fast_run::Record *findVerdict(const std::string &modelKey) const;

  /// Of the model that was emitted into `folder`: asks about each of its
  /// choices and groups, if nobody has since it was built, and finds out which
  /// answers are used.
  llvm::Error compareWith(llvm::StringRef folder);

  /// What was answered since the compilation began.
  llvm::ArrayRef<TunedAnswer> getAnswers() const { return answers; }

private:
  void askAbout(const llvm::json::Object &model);

  struct Source {
    std::string name;
    fast_run::Records records;
  };
  struct Found {
    const Source *source;
    const fast_run::Record *record;
  };
  /// The fields in which what was measured is not what is asked for.
  std::string getDifferences(const fast_run::Backend &measured,
                             llvm::StringRef isa) const;
  /// The records that count, newest first in each source; `reason` says why
  /// there are none.
  std::vector<Found> list(const std::string &key, llvm::StringRef isa,
                          std::string &reason) const;
  /// Of one record: what it says of `answer`, or null.
  const fast_run::Timing *answerBy(const Found &found,
                                   TunedAnswer &answer) const;
  bool keepsDefault(const fast_run::Record &record, llvm::StringRef key) const;

  fast_run::Backend backend;
  std::optional<fast_run::Backend> gpu;
  fast_run::Wish wish;
  bool isForOthers;
  std::vector<Source> sources;
  std::vector<std::string> forcedDefaults;
  /// What the model's own times say, by whose they are.
  llvm::StringMap<llvm::StringSet<>> keptDefaults;
  std::vector<TunedAnswer> answers;
};

/// The members of a list of a model.json that have a key.
std::vector<const llvm::json::Object *>
listKeyed(const llvm::json::Object &model, llvm::StringRef list);

/// Of `answers` those that are about what runs where `strongest` is the
/// strongest instruction set: of those on one subject, which come weakest
/// first, the last that the machine has, or the first.
std::vector<TunedAnswer> selectFor(fusec_isa strongest,
                                   llvm::ArrayRef<TunedAnswer> answers);

/// A line for each answer: key, hit or miss and why, the algorithm, its time;
/// "heuristic" where nobody was there to ask. `variant` is what is run whatever
/// the answers are, if it is not empty.
void printAnswers(llvm::ArrayRef<TunedAnswer> answers, llvm::StringRef variant,
                  llvm::raw_ostream &os);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNEDCHOICES_H

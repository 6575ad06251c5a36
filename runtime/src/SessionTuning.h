// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session whose variants a tuner chooses.
#ifndef FUSEC_RUNTIME_SESSIONTUNING_H
#define FUSEC_RUNTIME_SESSIONTUNING_H

#include "Setup.h"
#include "Tuner.h"

namespace fusec::rt {

/// Lets a session's groups run another variant from now on.
class VariantSwitch {
public:
  virtual void takeVariant(uint32_t group, uint32_t variant) = 0;

protected:
  ~VariantSwitch() = default;
};

class SessionTuning {
public:
  /// Looks the groups of the model up that `setup` leaves to the tuner, and
  /// sets what they begin with. May throw std::bad_alloc.
  void begin(fusec_tuner *tuner, const fusec_model_desc &desc, uint32_t threads,
             Setup &setup);
  /// Sizes for whatever may run. `setup` has the variants that it had before.
  fusec_status plan(const fusec_model_desc &desc, const int64_t *symbols,
                    Setup &setup, Error &error) const;

  bool isActive() const { return tuner; }
  /// The variants that a group may have yet; none where that is settled.
  std::vector<uint32_t> getCandidates(uint32_t group) const;
  /// Says that there is nothing to search, if that is so.
  void warn(const fusec_model_desc &desc) const;

  /// Runs the model once, with the variants whose turn it is.
  fusec_status run(const fusec_model_desc &desc, fusec_run_ctx &ctx,
                   VariantSwitch &variants);

private:
  struct Candidate {
    uint32_t variant;
    TunedVariant *tuned;
  };
  struct Group {
    TunedGroup *tuned = nullptr; ///< null: not the tuner's
    /// Whether it was open when the session began: then the session has room
    /// for each of its candidates, whenever another session ends the search.
    bool mayChange = false;
    bool isChoice = false; ///< its variants are alternatives of the program
    std::vector<Candidate> candidates;
    TunedVariant *current = nullptr; ///< in a run that is timed
    uint64_t nanoseconds = 0;        ///< of that run
    bool ran = false;                ///< in it
  };

  /// The groups that the time of an entry of a list of launches counts for.
  std::vector<uint32_t> &getGroups(uint32_t launch);
  /// Whether the alternatives that `selection` takes make a launch.
  bool isLaunched(const fusec_model_desc &desc, const uint32_t *selection,
                  uint32_t launch) const;
  HitRate getRate(const fusec_model_desc &desc,
                  const uint32_t *selection) const;
  /// Gives each group that is searched the variant that ran least often.
  void takeTurns(VariantSwitch &variants);
  /// Gives each group what was found out about it.
  void settle(VariantSwitch &variants);
  fusec_status runTimed(const fusec_model_desc &desc, fusec_run_ctx &ctx);

  static void beginStep(void *self, uint32_t step);
  static void endStep(void *self, uint32_t step);

  fusec_tuner *tuner = nullptr;
  std::vector<Group> groups; ///< of the model
  /// Of each launch its group, and the choice that it is an alternative's of.
  std::vector<std::vector<uint32_t>> groupsOfLaunch;
  /// Of each call of the library the choices that it is an alternative's of.
  std::vector<std::vector<uint32_t>> choicesOfCall;
  const fusec_profile_hook *inner = nullptr; ///< the caller's, in a timed run
  uint64_t started = 0;
  bool isSettled = false;
};

} // namespace fusec::rt

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TunedChoices.h"

#include "passes/lock/GroupKey.h"
#include "runtime/fast_run/RecordText.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/VariantText.h"

#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <map>

namespace fusec::tool {

using fast_run::Backend;
using fast_run::BackendField;
using fast_run::Record;
using fast_run::RecordKind;

fast_run::Wish getWish(const CompileOptions &options) {
  fast_run::Wish wish;
  wish.reproducible = options.numerics != "fast";
  wish.workspaceLimit = options.workspaceLimit;
  return wish;
}

void TunedChoices::add(std::string name, fast_run::Records records) {
  sources.push_back({std::move(name), std::move(records)});
}

/// Kernels of a GPU are tiled for warps, whatever its capability.
static bool isOfCpu(llvm::StringRef isa) {
  for (unsigned known = 0; known < FUSEC_ISA_COUNT; ++known)
    if (isa == rt::isaName(fusec_isa(known)))
      return true;
  return false;
}

std::string TunedChoices::getDifferences(const Backend &measured,
                                         llvm::StringRef isa) const {
  Backend asked = backend;
  if (isOfCpu(isa))
    asked.isa = isa.str();
  else if (gpu)
    asked = *gpu;
  for (const BackendField &field : fast_run::getBackendFields())
    if ((asked.*field.member).empty())
      asked.*field.member = measured.*field.member;
  return asked.getDifferences(measured);
}

std::vector<TunedChoices::Found> TunedChoices::list(const std::string &key,
                                                    llvm::StringRef isa,
                                                    std::string &reason) const {
  reason = sources.empty() ? "" : "is in no cache";
  // Of the record that comes nearest: what is there to be done about it.
  size_t fewest = fast_run::getBackendFields().size();
  std::vector<Found> here, elsewhere;
  for (const Source &source : sources)
    for (const Record *record : source.records.find(RecordKind::group, key)) {
      std::string differences = getDifferences(record->backend, isa);
      if (differences.empty()) {
        here.push_back({&source, record});
        continue;
      }
      const size_t more = llvm::count(differences, ',');
      if (more < fewest)
        reason = "was measured with different " + differences;
      fewest = std::min(fewest, more);
      Backend moved = record->backend;
      for (std::string Backend::*field :
           {&Backend::device, &Backend::caches, &Backend::cores})
        moved.*field = backend.*field;
      if (isForOthers && isOfCpu(isa) && getDifferences(moved, isa).empty())
        elsewhere.push_back({&source, record});
    }
  return here.empty() ? elsewhere : here;
}

const Record *TunedChoices::find(const std::string &key, llvm::StringRef isa,
                                 TunedAnswer &answer) const {
  std::vector<Found> found = list(key, isa, answer.reason);
  if (found.empty())
    return nullptr;
  answer.source = found.front().source->name;
  return found.front().record;
}

const Record *TunedChoices::findVerdict(const std::string &key) const {
  for (const Source &source : sources)
    for (const Record *record : source.records.find(RecordKind::model, key))
      if (getDifferences(record->backend, record->backend.isa).empty())
        return record;
  return nullptr;
}

/// A text that is the same for the same backend.
static std::string describe(const Backend &backend) {
  std::string text;
  for (const BackendField &field : fast_run::getBackendFields())
    text += backend.*field.member + "\n";
  return text;
}

void TunedChoices::enter(llvm::StringRef model) {
  keptDefaults.clear();
  for (const Source &source : sources)
    for (const Record *record :
         source.records.find(RecordKind::model, model.str()))
      if (auto [place, isNew] =
              keptDefaults.try_emplace(describe(record->backend));
          isNew)
        place->second.insert_range(record->keptDefaults);
}

bool TunedChoices::keepsDefault(const Record &record,
                                llvm::StringRef key) const {
  auto known = keptDefaults.find(describe(record.backend));
  return llvm::is_contained(forcedDefaults, key) ||
         (known != keptDefaults.end() && known->second.contains(key));
}

const fast_run::Timing *TunedChoices::answerBy(const Found &found,
                                               TunedAnswer &answer) const {
  const Record &record = *found.record;
  answer.source = found.source->name;
  // Where any GPU or other machines will do, it matters which one it was.
  const bool isHere =
      isOfCpu(answer.isa) &&
      (backend.device.empty() || record.backend.device == backend.device);
  answer.reason =
      (isHere ? "" : record.backend.device + ", ") + record.backend.compiler;
  if (keepsDefault(record, answer.key)) {
    answer.reason = "its default is faster in this model";
    answer.keepsDefault = true;
    return record.findDefault();
  }
  const fast_run::Timing *timing = fast_run::choose(record, wish);
  if (!timing) {
    answer.reason = record.timings.empty()
                        ? "it has one algorithm"
                        : "no algorithm of its record is as asked for";
    return nullptr;
  }
  answer.algorithm = timing->name;
  answer.kernel = timing->kernel;
  answer.isDefault = timing->isDefault;
  answer.picoseconds = timing->picoseconds;
  return timing;
}

/// Whether, as `record` has it, what sessions of fewer threads take is as fast
/// as `timing`, up to the spread of either.
static bool isAsFast(const Record &record, const fast_run::Timing &timing,
                     const fast_run::Timing &ofFewer) {
  const auto same =
      llvm::find_if(record.timings, [&](const fast_run::Timing &one) {
        return one.kernel == ofFewer.kernel && one.failure.empty();
      });
  if (same == record.timings.end())
    return false;
  fast_run::Timing before = *same, other = timing;
  before.isDefault = true;
  other.isDefault = false;
  return same->kernel == timing.kernel ||
         fast_run::decide({&before, &other}) == &before;
}

std::vector<lock::Advice> TunedChoices::advise(const lock::Subject &subject) {
  TunedAnswer asked;
  asked.kind = subject.kind;
  asked.name = subject.name.str();
  asked.key = subject.key.str();
  asked.isa = subject.isa.str();
  // Where it was asked before, in another round, this is what is used.
  llvm::erase_if(answers, [&](const TunedAnswer &one) {
    return one.kind == asked.kind && one.key == asked.key &&
           one.name == asked.name && one.isa == asked.isa;
  });
  // Of each number of threads the record that counts, the fewest first.
  std::map<unsigned, Found> byThreads;
  for (const Found &found : list(asked.key, subject.isa, asked.reason)) {
    unsigned threads = 0;
    if (isOfCpu(subject.isa))
      (void)llvm::to_integer(found.record->backend.threads, threads, 10);
    byThreads.try_emplace(threads, found);
  }
  if (byThreads.empty())
    answers.push_back(asked);
  std::vector<lock::Advice> advice;
  const fast_run::Timing *ofFewer = nullptr;
  for (auto [threads, found] : byThreads) {
    TunedAnswer &answer = answers.emplace_back(asked);
    const bool isFirst = threads == byThreads.begin()->first;
    answer.threads = isFirst ? 0 : threads;
    const fast_run::Timing *timing = answerBy(found, answer);
    if (!timing)
      continue;
    if (!isFirst && ofFewer && isAsFast(*found.record, *timing, *ofFewer))
      continue;
    ofFewer = timing;
    // What is the default by itself needs no advice, and what is the only
    // algorithm has none.
    if (!timing->choice.empty() && !(isFirst && answer.keepsDefault))
      advice.push_back({answer.threads, timing->choice});
  }
  return advice;
}

std::vector<const llvm::json::Object *>
listKeyed(const llvm::json::Object &model, llvm::StringRef list) {
  std::vector<const llvm::json::Object *> keyed;
  if (const llvm::json::Array *items = model.getArray(list))
    for (const llvm::json::Value &item : *items)
      if (item.getAsObject()->getString("key"))
        keyed.push_back(item.getAsObject());
  return keyed;
}

/// What a model.json says of each entry for its first target.
static std::vector<const llvm::json::Object *>
listEntries(const llvm::json::Object &model) {
  std::vector<const llvm::json::Object *> entries{&model};
  if (const llvm::json::Array *others = model.getArray("others"))
    for (const llvm::json::Value &other : *others)
      if (const llvm::json::Object *entry = other.getAsObject();
          entry && entry->getString("cpu") == model.getString("cpu"))
        entries.push_back(entry);
  return entries;
}

void TunedChoices::askAbout(const llvm::json::Object &model) {
  using Kind = lock::Subject::Kind;
  std::set<std::string> keys;
  for (const llvm::json::Object *group : listKeyed(model, "groups"))
    keys.insert(group->getString("key")->str());
  begin();
  if (auto key = model.getString("key"))
    enter(*key);
  else
    enter(lock::getModelKey(model.getString("cpu").value_or(""), keys));
  const TargetInfo *row = getTargetInfo(model.getString("cpu").value_or(""));
  const llvm::StringRef isa = row && row->platform->isDevice
                                  ? llvm::StringRef(row->sets.front()->name)
                                  : rt::isaName(detectIsa());
  for (auto [kind, list] :
       {std::pair(Kind::choice, "choices"), std::pair(Kind::group, "groups")})
    for (const llvm::json::Object *item : listKeyed(model, list))
      (void)advise({kind, *item->getString("key"), isa,
                    item->getString("name").value_or("")});
}

llvm::Error TunedChoices::compareWith(llvm::StringRef folder) {
  llvm::Expected<EmittedModel> emitted = readEmittedModel(folder);
  if (!emitted)
    return emitted.takeError();
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(emitted->text));
  const llvm::json::Object &model = *json.getAsObject();
  if (answers.empty())
    askAbout(model);
  // Of each key that the model has, in any of its entries, what is taken of a
  // choice anywhere, and whether a group has another config than its default.
  // Those of further targets are not in it.
  std::map<std::string, const llvm::json::Object *> choices;
  std::map<std::string, bool> groups;
  for (const llvm::json::Object *entry : listEntries(model)) {
    for (const llvm::json::Object *choice : listKeyed(*entry, "choices"))
      choices[choice->getString("key")->str()] = choice;
    for (const llvm::json::Object *group : listKeyed(*entry, "groups"))
      groups[group->getString("key")->str()] |=
          group->getBoolean("locked").value_or(false);
  }
  for (TunedAnswer &answer : answers) {
    if (answer.algorithm.empty())
      continue;
    if (auto choice = choices.find(answer.key); choice != choices.end())
      answer.isUsed = takes(*choice->second, answer.algorithm);
    else if (auto group = groups.find(answer.key); group != groups.end())
      answer.isUsed = answer.isDefault || group->second;
  }
  return llvm::Error::success();
}

std::string TunedChoices::getDigest() const {
  if (llvm::all_of(sources,
                   [](const Source &source) { return source.records.empty(); }))
    return "";
  std::string text = fmt::format("{} {} {} ", wish.reproducible, wish.naive,
                                 wish.workspaceLimit.value_or(UINT64_MAX));
  text += isForOthers ? "others " : "";
  text += describe(backend) + (gpu ? describe(*gpu) : "");
  text += llvm::join(forcedDefaults, ",") + "\n";
  for (const Source &source : sources)
    text += source.records.print();
  return fast_run::hash(text);
}

std::vector<TunedAnswer> selectFor(fusec_isa strongest,
                                   llvm::ArrayRef<TunedAnswer> answers) {
  const auto isThere = [&](llvm::StringRef isa) {
    for (unsigned known = 0; known <= strongest; ++known)
      if (isa == rt::isaName(fusec_isa(known)))
        return true;
    return false;
  };
  std::vector<TunedAnswer> selected;
  const TunedAnswer *last = nullptr;
  for (const TunedAnswer &answer : answers) {
    const bool isSame = last && last->kind == answer.kind &&
                        last->key == answer.key && last->name == answer.name &&
                        last->isa != answer.isa;
    last = &answer;
    if (!isSame)
      selected.push_back(answer);
    else if (isThere(answer.isa))
      selected.back() = answer;
  }
  return selected;
}

void printAnswers(llvm::ArrayRef<TunedAnswer> answers, llvm::StringRef variant,
                  llvm::raw_ostream &os) {
  for (const TunedAnswer &answer : answers) {
    os << (answer.kind == lock::Subject::Kind::choice ? "choice " : "group ")
       << answer.key << " " << answer.name << " for " << answer.isa
       << (answer.threads ? fmt::format(", {} threads", answer.threads) : "")
       << ": ";
    if (answer.reason.empty())
      os << "heuristic: no cache is named\n";
    else if (answer.algorithm.empty())
      os << "miss: " << answer.reason << "\n";
    else if (!answer.isUsed)
      os << "miss: " << answer.algorithm << " from " << answer.source
         << " does not fit it, and its default is taken\n";
    else if (!variant.empty() && answer.kind == lock::Subject::Kind::group)
      os << "miss: --variant " << variant << " goes before " << answer.algorithm
         << " from " << answer.source << "\n";
    else
      os << "hit: " << answer.algorithm << ", "
         << fmt::format("{:.4g}", double(answer.picoseconds) / 1e6)
         << " us, from " << answer.source << " (" << answer.reason << ")\n";
  }
}

} // namespace fusec::tool

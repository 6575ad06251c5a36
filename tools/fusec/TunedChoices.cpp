// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TunedChoices.h"

#include "runtime/fast_run/RecordText.h"
#include "runtime/src/Cpu.h"

#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

namespace fusec::tool {

using fast_run::Backend;
using fast_run::BackendField;
using fast_run::Record;
using fast_run::RecordKind;

fast_run::Wish getWish(const CompileOptions &options) {
  fast_run::Wish wish;
  wish.reproducible = options.numerics == "reproducible";
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

std::string TunedChoices::getDifferences(const Record &record,
                                         llvm::StringRef isa) const {
  Backend asked = backend;
  if (isOfCpu(isa))
    asked.isa = isa.str();
  else if (gpu)
    asked = *gpu;
  for (const BackendField &field : fast_run::getBackendFields())
    if ((asked.*field.member).empty())
      asked.*field.member = record.backend.*field.member;
  return asked.getDifferences(record.backend);
}

const Record *TunedChoices::find(const std::string &key, llvm::StringRef isa,
                                 TunedAnswer &answer) const {
  answer.reason = "is in no cache";
  // Of the record that comes nearest: what is there to be done about it.
  size_t fewest = fast_run::getBackendFields().size();
  for (const Source &source : sources)
    for (const Record *record : source.records.find(RecordKind::group, key)) {
      std::string differences = getDifferences(*record, isa);
      if (!differences.empty()) {
        const size_t more = llvm::count(differences, ',');
        if (more < fewest)
          answer.reason = "was measured with different " + differences;
        fewest = std::min(fewest, more);
        continue;
      }
      answer.source = source.name;
      // Where any GPU will do, it matters which one it was.
      answer.reason = (isOfCpu(isa) ? "" : record->backend.device + ", ") +
                      record->backend.compiler;
      return record;
    }
  return nullptr;
}

const Record *TunedChoices::findVerdict(const std::string &key) const {
  for (const Source &source : sources)
    for (const Record *record : source.records.find(RecordKind::model, key))
      if (getDifferences(*record, record->backend.isa).empty())
        return record;
  return nullptr;
}

void TunedChoices::enter(llvm::StringRef model) {
  keptDefaults.clear();
  keptDefaults.insert_range(forcedDefaults);
  if (const Record *verdict = findVerdict(model.str()))
    for (const std::string &key : verdict->keptDefaults)
      keptDefaults.insert(key);
}

std::string TunedChoices::advise(const lock::Subject &subject) {
  TunedAnswer &answer = answers.emplace_back();
  answer.kind = subject.kind;
  answer.name = subject.name.str();
  answer.key = subject.key.str();
  answer.isa = subject.isa.str();
  const Record *record = find(answer.key, subject.isa, answer);
  if (!record)
    return "";
  if (keptDefaults.contains(subject.key)) {
    answer.reason = "its default is faster in this model";
    answer.keepsDefault = true;
    return "";
  }
  const fast_run::Timing *timing = fast_run::choose(*record, wish);
  if (!timing) {
    answer.reason = record->timings.empty()
                        ? "it has one algorithm"
                        : "no algorithm of its record is as asked for";
    return "";
  }
  answer.algorithm = timing->name;
  answer.kernel = timing->kernel;
  answer.isDefault = timing->isDefault;
  answer.picoseconds = timing->picoseconds;
  return timing->choice;
}

std::string TunedChoices::getDigest() const {
  if (llvm::all_of(sources,
                   [](const Source &source) { return source.records.empty(); }))
    return "";
  std::string text = fmt::format("{} {} {} ", wish.reproducible, wish.naive,
                                 wish.workspaceLimit.value_or(UINT64_MAX));
  for (const BackendField &field : fast_run::getBackendFields()) {
    text += backend.*field.member + "\n";
    if (gpu)
      text += *gpu.*field.member + "\n";
  }
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

void printAnswers(llvm::ArrayRef<TunedAnswer> answers, llvm::raw_ostream &os) {
  for (const TunedAnswer &answer : answers) {
    os << (answer.kind == lock::Subject::Kind::choice ? "choice " : "group ")
       << answer.key << " " << answer.name << " for " << answer.isa << ": ";
    if (answer.algorithm.empty())
      os << "miss: " << answer.reason << "\n";
    else
      os << "hit: " << answer.algorithm << ", "
         << fmt::format("{:.4g}", double(answer.picoseconds) / 1e6)
         << " us, from " << answer.source << " (" << answer.reason << ")\n";
  }
}

} // namespace fusec::tool

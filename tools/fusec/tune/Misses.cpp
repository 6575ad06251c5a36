// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of fusec tune, why what a cache knows of a group or a choice is not enough.
#include "tools/fusec/tune/Tuner.h"

namespace fusec::tool {

using fast_run::Record;

/// Whether a choice was measured before one of its kernels was.
bool Tuner::hasNewerKernels(const TunedChoices &known, const Record &record,
                            const TunedGroup &group) const {
  for (const TunedAlternative &alternative : group.alternatives)
    for (const std::string &key : alternative.groups) {
      TunedAnswer answer;
      const Record *kernel = known.find(key, backend.isa, answer);
      if (kernel && kernel->at > record.at)
        return true;
    }
  return false;
}

std::string Tuner::explainMiss(const TunedChoices &known, const Record *record,
                               const TunedGroup &group,
                               const std::string &reason) {
  if (options.retune == "all" || options.retune == group.key) {
    foundRetuned |= options.retune == group.key;
    return "is to be measured again";
  }
  if (!record)
    return reason;
  if (hasNewerKernels(known, *record, group))
    return "was measured before its kernels";
  // Who tries what a library has knows nothing of further algorithms.
  if (record->search == "online")
    return "was found while a model ran";
  // Of a choice all are measured anyway.
  return options.exhaustive && !group.isChoice() &&
                 record->search != "exhaustive"
             ? "was found by a heuristic search"
             : "";
}

} // namespace fusec::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/LockRow.h"

#include "compiler/import/Hints.h"
#include "dialects/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec {

std::string describeLackOfRow(const lock::Lock &lock) {
  if (lock.hasRow)
    return "";
  std::vector<std::string> rows;
  for (const auto &[row, section] : lock.others)
    rows.push_back(row);
  return "has no section for target '" + lock.row + "' (" +
         (rows.empty() ? "nor any other"
                       : "only for " + llvm::join(rows, ", ")) +
         "), so it ";
}

std::string adviseRow(const CompileOptions &options, const lock::Lock &lock) {
  std::string advice;
  for (const auto &[row, section] : lock.others)
    if (const TargetInfo *info = getTargetInfo(row);
        !lock.hasRow && info && !info->platform->isDevice &&
        !getTargetInfo(lock.row)->platform->isDevice)
      advice += (advice.empty() ? "" : " or ") +
                optionText(options.import.hints, "cpu", {row});
  return advice.empty() ? ""
                        : addHint(options.import.hints, {advice}) +
                              ", for which it was written; or ";
}

} // namespace fusec

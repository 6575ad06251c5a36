// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/RuleList.h"

#include "compiler/Pipelines.h"
#include "compiler/Rules.h"
#include "compiler/import/Message.h"
#include "tools/fusec/Command.h"

#include "llvm/Support/FormatVariadic.h"

namespace fusec::tool {

void printRules(llvm::ArrayRef<Rule> rules, llvm::raw_ostream &os) {
  size_t width = 0;
  for (const Rule &rule : rules)
    width = std::max(width, rule.name.size());
  for (RuleArea area : {RuleArea::Compute, RuleArea::Layout, RuleArea::QDQ,
                        RuleArea::Transposes, RuleArea::Selectors}) {
    os << getName(area) << "\n";
    for (const Rule &rule : rules) {
      if (rule.area != area)
        continue;
      os << "  " << llvm::left_justify(rule.name, width) << "  O" << rule.level
         << "  " << (rule.bits == Bits::Kept ? "keeps bits  " : "changes bits")
         << "  " << rule.summary;
      if (!rule.needs.empty())
        os << " Needs " << rule.needs << ".";
      os << "\n";
    }
  }
}

void printPipeline(const CompileOptions &options, llvm::raw_ostream &os) {
  size_t last = getStages().size() - 1;
  if (!options.until.empty()) {
    std::optional<size_t> found = findStage(options.until);
    if (!found)
      throw UsageError{"there is no stage '" + options.until +
                       "'; fusec compile --list-stages lists them"};
    last = *found;
  }
  os << describePipeline(options, last) << "\n";
}

} // namespace fusec::tool

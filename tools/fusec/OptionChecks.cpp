// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/OptionChecks.h"

#include "tools/fusec/Command.h"

namespace fusec::tool {

/// What must be as the model is written, or as in any batch, has no other
/// precision.
static void checkAllowed(const CompileOptions &options) {
  const HintStyle hints = options.import.hints;
  const std::string allow = optionName(hints, "allow");
  auto refuse = [&](const std::string &option, const std::string &reason) {
    throw UsageError{option + " " + reason + ", and " + allow +
                     " offers lower precisions; leave one of the two out"};
  };
  if (options.numerics == kBatchInvariant)
    refuse("--numerics=batch-invariant",
           "takes no algorithm by what it costs, which depends on the batch");
  if (options.precision == "strict")
    refuse("--precision=strict", "rounds as the model is written");
  if (options.noFuse)
    refuse("--no-fuse", "computes each operation as it is");
  if (options.level < 2)
    refuse(optionText(hints, "level", {std::to_string(options.level)}),
           "keeps the bits of the model");
}

void checkMeanings(const CompileOptions &options) {
  if (options.numerics == kBatchInvariant && options.precision == "relaxed")
    throw UsageError{"--numerics=batch-invariant rounds as the model is "
                     "written, and --precision=relaxed does not; leave one of "
                     "the two out"};
  if (options.numerics == kBatchInvariant && !options.vendors.empty())
    throw UsageError{"--numerics=batch-invariant: " +
                     optionName(options.import.hints, "vendor") +
                     " offers products whose sums depend on the batch; leave "
                     "one of the two out"};
  if (!options.allowed.empty())
    checkAllowed(options);
  if (options.level >= 2)
    return;
  const HintStyle hints = options.import.hints;
  std::string level =
      optionText(hints, "level", {std::to_string(options.level)});
  if (options.numerics == "fast")
    throw UsageError{"--numerics=fast takes sums in other orders, and " +
                     level + " keeps them; leave one of the two out"};
  if (!options.vendors.empty())
    throw UsageError{optionName(hints, "vendor") +
                     " offers other algorithms, and " + level +
                     " takes none; leave one of the two out"};
}

} // namespace fusec::tool

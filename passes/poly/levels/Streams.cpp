// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/Streams.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/levels/Prefetch.h"
#include "passes/poly/tree/Strides.h"

#include <fmt/format.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Why no config can stream `argument`; empty if one can.
static std::string findMisfit(ScopOp scop, BlockArgument argument) {
  int64_t number = argument.getArgNumber(), inputs = scop.getNumInputs();
  if (number < inputs || number >= inputs + int64_t(scop.getNumOutputs()))
    return "it is no output";
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    if (llvm::is_contained(stmt.getReads(), argument))
      return "statement @" + stmt.getSymName().str() + " reads it";
  auto type = cast<MemRefType>(argument.getType());
  if (type.getRank() == 0)
    return "it has one element";
  int64_t row = getBytes(type, type.getShape().back());
  int64_t vector = getBytes(type, getTargetInfo(scop).lanes);
  int64_t line = getTargetInfo(scop).cacheLine;
  // Halves of lines are written one at a time, where none waits for the other.
  for (auto [what, bytes] : {std::pair("vectors", vector), {"rows", row}})
    if (bytes % line != 0)
      return fmt::format("its {} of {} bytes are no whole cache lines of {}",
                         what, bytes, line);
  return "";
}

SmallVector<int64_t> findStreams(ScopOp scop) {
  SmallVector<int64_t> result;
  for (BlockArgument output : scop.getOutputs()) {
    auto type = cast<MemRefType>(output.getType());
    if (getBytes(type, type.getNumElements()) > getTargetInfo(scop).lastCache &&
        findMisfit(scop, output).empty())
      result.push_back(output.getArgNumber());
  }
  return result;
}

std::string findStreamMisfit(ScopOp scop, ConfigAttr config) {
  for (int64_t number : config.getStream()) {
    auto refuse = [&](const std::string &reason) {
      return fmt::format("argument {} cannot be streamed past the caches: {}",
                         number, reason);
    };
    if (number >= int64_t(scop.getBody().getNumArguments()))
      return refuse("there is none of this number");
    BlockArgument argument = scop.getBody().getArgument(unsigned(number));
    if (std::string misfit = findMisfit(scop, argument); !misfit.empty())
      return refuse(misfit);
    for (auto [index, stmt] :
         llvm::enumerate(scop.getBody().getOps<StmtOp>())) {
      int64_t lanes = config.getLanes().empty() ? -1 : config.getLanes()[index];
      for (const Access &access : getAccesses(stmt))
        if (access.write && access.memref == argument &&
            (lanes < 0 || getStride(access, unsigned(lanes)) != 1))
          return refuse("statement @" + stmt.getSymName().str() +
                        " does not write whole vectors of it");
    }
  }
  return "";
}

double getOwnershipCost(ScopOp scop, ArrayRef<int64_t> arguments) {
  return countLines(scop, arguments) * getTargetInfo(scop).costs.ownership;
}

} // namespace fusec::poly

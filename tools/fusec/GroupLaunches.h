// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launch of a program computes which fusion group of the graph that it
// was made from.
#ifndef FUSEC_TOOLS_FUSEC_GROUPLAUNCHES_H
#define FUSEC_TOOLS_FUSEC_GROUPLAUNCHES_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace fusec::tool {

/// Where operations are among the alternatives of choices: the choice and the
/// alternative of each that is around it, each in front of a line break.
using Branch = std::string;

/// What a program has of the choices of the module that it was made from.
class ChoicesLeft {
public:
  explicit ChoicesLeft(mlir::func::FuncOp program);

  /// Whether the program has what alternative `algorithm` of choice `name` is.
  bool has(llvm::StringRef name, llvm::StringRef algorithm) const;
  /// Where `op` of that module is in the program; nothing if it is gone.
  std::optional<Branch> find(mlir::Operation *op) const;

private:
  /// Of choices that sessions make, their alternatives.
  std::set<std::pair<std::string, std::string>> made;
  /// Of the others, by name, the only one that is left.
  std::map<std::string, std::string> settled;
};

/// A launch, and its number among all of its program.
using NumberedLaunch = std::pair<uint32_t, kernel::LaunchOp>;

/// The groups of `function` that `program` has something of, in order, with the
/// launch of each; nothing where it became none, as a fill of memory, or where
/// nobody knows which of several it is.
std::vector<std::pair<fuse::GroupOp, std::optional<NumberedLaunch>>>
findGroupLaunches(mlir::func::FuncOp function, mlir::func::FuncOp program,
                  const ChoicesLeft &choices);

/// Bytes of a tensor, or of memory, of this type.
uint64_t countBytes(mlir::Type type);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GROUPLAUNCHES_H

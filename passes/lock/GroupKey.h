// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes two groups, or two choices, the same: what they compute on which
// shapes, layouts and types, which operands of their reductions are weights,
// and for which target. Names, places and models do not count, and neither does
// what is wanted of the kernels that are chosen, such as that they be
// reproducible.
#ifndef FUSEC_PASSES_LOCK_GROUPKEY_H
#define FUSEC_PASSES_LOCK_GROUPKEY_H

#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include <set>

namespace fusec::lock {

/// The version of the set of algorithms: what was measured of another one says
/// nothing of this one. It goes up with each change of what is emitted for a
/// config, or of what a config means.
inline constexpr unsigned kAlgorithmSet = 8;

/// 16 hexadecimal digits.
std::string hash(llvm::StringRef text);

/// A text that two kernels (`sched.scop` or `kernel.func`) have in common
/// exactly if they are equal but for the names of themselves, their arrays,
/// statements and iterators.
std::string getStructure(mlir::Operation *kernel);

/// The kernels that the host program launches by itself: those that only other
/// alternatives of its choices than the first launch are for who tries them,
/// and what is decided about a model does not speak of them.
llvm::DenseSet<mlir::StringAttr> getLaunched(mlir::ModuleOp module);

/// The key of a model: of those of its groups and choices, whatever their
/// order, and of the row of targets that their defaults are decided by.
std::string getModelKey(llvm::StringRef row, const std::set<std::string> &keys);

/// The keys for a target.
class GroupKeys {
public:
  explicit GroupKeys(llvm::StringRef target) : target(target) {}

  /// The key of a group: 16 hexadecimal digits of a hash of its structure
  /// without what was decided about it. (Where two groups had one key, an entry
  /// of the one would at worst be refused for the other: each is checked
  /// against the group that takes it.)
  std::string get(sched::ScopOp scop) const;

  /// The key of a choice: of its algorithms, with what each computes. `symbols`
  /// has the scops that it launches.
  std::string get(kernel::ChoiceOp choice,
                  const mlir::SymbolTable &symbols) const;

  /// The key of a model: the one that its attribute says, or of its choices and
  /// the groups that it launches outside of them.
  std::string get(mlir::ModuleOp module) const;

private:
  std::string hash(const std::string &structure) const {
    return lock::hash(target + "\n" + structure);
  }

  std::string target;
};

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_GROUPKEY_H

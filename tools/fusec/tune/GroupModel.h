// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group of a model, or a choice between graphs, as a model of its own: what
// is measured of it then is that and nothing else.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H
#define FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H

#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>
#include <string>
#include <vector>

namespace fusec::tool {

/// An alternative of a choice.
struct TunedAlternative {
  std::string algorithm;
  std::set<std::string> groups; ///< keys of those that it launches
};

/// What is measured of a module that has schedules: a group, or a choice.
struct TunedGroup {
  std::string key, name;
  sched::ScopOp scop;      ///< null of a choice
  kernel::ChoiceOp choice; ///< null of a group
  /// Of a group: whether nothing but alternatives of choices launches it.
  bool isChild = false;
  /// Of a choice, the default first.
  std::vector<TunedAlternative> alternatives = {};
  /// Of a choice: whether all that takes time in it are kernels.
  bool isOfKernels = true;

  bool isChoice() const { return bool(choice); }
};

/// The groups of `module` in order, each key once, those of all alternatives of
/// its choices among them. `target` is what keys are for.
std::vector<TunedGroup> listGroups(mlir::ModuleOp module,
                                   llvm::StringRef target);

/// The choices of `module` in order, each key once, that neither the command
/// line nor a lock decides.
std::vector<TunedGroup> listChoices(mlir::ModuleOp module,
                                    llvm::StringRef target);

/// What it computes: the nodes of a group, or of a choice.
std::vector<std::string> listNodes(const TunedGroup &group);
/// "8x32xf32, 32x48xf32 -> 8x48xf32": what a group reads and writes; of a
/// choice "direct or split_reduce".
std::string describeOperands(const TunedGroup &group);

/// "group product_y (product, bias, y; 8x32xf32, 32x48xf32 -> 8x48xf32)": its
/// name, its nodes, and the shapes of what it reads and writes; or "choice sum
/// (sum; direct or split_reduce)".
std::string describeGroup(const TunedGroup &group);

/// A module of the same stage and target whose host program launches the group
/// once, or is the choice. What the model gives it as weights are weights, the
/// same, and each alternative's own, for those that are not taken have no say
/// in how a weight is stored; all else are inputs and outputs. Null, with why
/// in `refusal`, where it cannot stand alone.
mlir::OwningOpRef<mlir::ModuleOp> makeGroupModel(const TunedGroup &group,
                                                 std::string &refusal);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H

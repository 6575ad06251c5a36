// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group of a model as a model of its own: what is measured of it then is a
// launch and nothing else.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H
#define FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H

#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace fusec::tool {

/// A group of a module that has schedules.
struct TunedGroup {
  std::string key, name;
  sched::ScopOp scop;
};

/// The groups of `module` in order, each key once. `target` is what keys are
/// for.
std::vector<TunedGroup> listGroups(mlir::ModuleOp module,
                                   llvm::StringRef target);

/// "group product_y (product, bias, y; 8x32xf32, 32x48xf32 -> 8x48xf32)": its
/// name, its nodes, and the shapes of what it reads and writes.
std::string describeGroup(const TunedGroup &group);

/// A module of the same stage and target whose host program launches `scop`
/// once. What the model gives it as weights are weights, the same; all else are
/// inputs and outputs.
mlir::OwningOpRef<mlir::ModuleOp> makeGroupModel(sched::ScopOp scop);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_GROUPMODEL_H

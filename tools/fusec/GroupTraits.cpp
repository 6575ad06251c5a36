// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/GroupTraits.h"

#include "dialects/TypeInfo.h"
#include "passes/poly/tree/Strides.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <fmt/format.h>

using namespace mlir;
using fusec::sched::GatherOp;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::tool {

llvm::StringRef getName(GroupClass kind) {
  switch (kind) {
  case GroupClass::contraction:
    return "contraction";
  case GroupClass::reduction:
    return "reduction";
  case GroupClass::elementwise:
    return "elementwise";
  case GroupClass::movement:
    return "movement";
  }
  llvm_unreachable("a class without a name");
}

double countPoints(StmtOp stmt) {
  double points = 1;
  for (int64_t extent : stmt.getExtents())
    points *= double(extent);
  return points;
}

/// Whether `stmt` writes what it reads, or constants.
static bool isMovement(StmtOp stmt) {
  if (stmt.isReduction())
    return false;
  llvm::SetVector<Value> pending;
  for (Value value : stmt.getBody().front().getTerminator()->getOperands())
    pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    if (!op || isa<GatherOp, arith::ConstantOp>(op))
      continue;
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select)
      return false;
    pending.insert(select.getTrueValue());
    pending.insert(select.getFalseValue());
  }
  return true;
}

static GroupClass classify(StmtOp stmt) {
  if (stmt.getContraction())
    return GroupClass::contraction;
  if (stmt.isReduction())
    return GroupClass::reduction;
  return isMovement(stmt) ? GroupClass::movement : GroupClass::elementwise;
}

static double countOperations(StmtOp stmt) {
  double operations = 0;
  for (Operation &op : stmt.getBody().front())
    if (!isa<arith::ConstantOp, sched::IndexOp, GatherOp, sched::YieldOp>(op))
      operations += isa<math::FmaOp>(op) ? 2 : 1;
  return operations;
}

/// Bytes of the operands of `scop` that its statements access.
static double countBytes(ScopOp scop) {
  llvm::MapVector<Value, double> accessed;
  for (auto stmt : scop.getOps<StmtOp>())
    for (const poly::Access &access : poly::getAccesses(stmt))
      if (!llvm::is_contained(scop.getArrays(), access.memref))
        accessed[access.memref] += countPoints(stmt);
  double bytes = 0;
  for (auto [memref, points] : accessed) {
    auto type = cast<MemRefType>(memref.getType());
    double all = double(type.getNumElements());
    bytes += double(poly::getBytes(type, type.getNumElements())) *
             (all > points ? points / all : 1);
  }
  return bytes;
}

/// The iterator of statement `number` along which neighbours are computed
/// together: that on lanes, else the innermost.
static std::optional<unsigned> getInnermost(ScopOp scop, StmtOp stmt,
                                            size_t number) {
  ArrayRef<int64_t> lanes = scop.getConfigAttr().getLanes();
  if (number < lanes.size() && lanes[number] >= 0)
    return unsigned(lanes[number]);
  if (stmt.getNumIterators() == 0)
    return std::nullopt;
  return stmt.getNumIterators() - 1;
}

/// Whether kernels find operand `memref` in their own order anyway.
static bool isPacked(ScopOp scop, Value memref) {
  auto argument = cast<BlockArgument>(memref);
  std::optional<ArrayRef<int64_t>> weights = scop.getWeights();
  return weights &&
         llvm::is_contained(*weights, int64_t(argument.getArgNumber()));
}

/// The first access of `stmt` along `dim` that is not from one element to the
/// next, in words.
static std::string describeApart(ScopOp scop, StmtOp stmt, unsigned dim) {
  for (auto gather : stmt.getBody().getOps<GatherOp>())
    if (stmt.dependsOn(gather.getResult(), dim) &&
        poly::getStride({gather.getArray(), gather.getMap(), false}, dim) != 1)
      return "gathers from " + scop.getArrayName(gather.getArray());
  for (const poly::Access &access : poly::getAccesses(stmt)) {
    if (llvm::is_contained(scop.getArrays(), access.memref) ||
        isPacked(scop, access.memref))
      continue;
    std::optional<int64_t> stride = poly::getStride(access, dim);
    if (stride && std::abs(*stride) <= 1)
      continue;
    std::string what = (access.write ? "writes " : "reads ") +
                       scop.getArrayName(access.memref);
    return stride ? fmt::format("{} {} apart", what, std::abs(*stride))
                  : what + " unevenly";
  }
  return "";
}

GroupClass findClass(ScopOp scop) {
  GroupClass found = GroupClass::movement;
  double most = 0;
  for (StmtOp stmt : scop.getOps<StmtOp>()) {
    double points = countPoints(stmt);
    GroupClass kind = classify(stmt);
    if (points < most || (points == most && found <= kind))
      continue;
    most = points;
    found = kind;
  }
  return found;
}

GroupTraits findTraits(ScopOp scop) {
  GroupTraits traits;
  traits.kind = findClass(scop);
  for (auto [number, stmt] : llvm::enumerate(scop.getOps<StmtOp>())) {
    traits.operations += countPoints(stmt) * countOperations(stmt);
    std::optional<unsigned> dim = getInnermost(scop, stmt, number);
    if (dim && stmt.getExtents()[*dim] > 1 && traits.layout.empty())
      traits.layout = describeApart(scop, stmt, *dim);
  }
  if (traits.kind == GroupClass::movement)
    traits.layout = "only moves data";
  traits.bytes = countBytes(scop);
  for (BlockArgument argument : scop.getBody().getArguments().take_front(
           scop.getNumInputs() + scop.getNumOutputs()))
    traits.hasF32 |=
        cast<MemRefType>(argument.getType()).getElementType().isF32();
  return traits;
}

} // namespace fusec::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value's presence is computed as the value is, from the presence of its
// operands: what moves elements moves it, and what combines elements is there
// where all of them are.
#include "compiler/import/Presence.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Library.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace fusec {
namespace {

bool moves(Operation *op) {
  return op->hasTrait<fuse::MovesElements>() || isa<fuse::ReshapeOp>(op);
}

bool isElementwise(Operation *op) {
  auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op);
  return primitive && primitive.isElementwise();
}

/// Whether each extent of the result is the operand's or, reduced, 1.
bool keepsExtents(Operation *op) {
  auto from = fuse::getTensorType(op->getOperand(0));
  auto to = fuse::getTensorType(op->getResult(0));
  return from.getRank() == to.getRank() &&
         llvm::all_of_zip(
             from.getShape(), to.getShape(),
             [](int64_t a, int64_t b) { return b == a || b == 1; });
}

/// On a select: what it picks from its first value is there.
constexpr llvm::StringLiteral kPresenceAttr = "fuse.presence";

} // namespace

bool leavesOpen(Operation *op) {
  if (op->hasAttr(kPresenceAttr))
    return true;
  auto call = dyn_cast<fuse::CallOp>(op);
  const library::Routine *routine =
      call ? library::find(call.getCallee()) : nullptr;
  return routine && routine->leavesOpen;
}

/// The operands that elements of the one result of `op` are made of: not the
/// positions that they are read at, nor what decides whether they are there.
static SmallVector<unsigned> getSources(Operation *op) {
  SmallVector<unsigned> found;
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return found;
  if (op->hasAttr(kPresenceAttr))
    return {1};
  auto primitive = dyn_cast<fuse::PrimitiveOpInterface>(op);
  bool isComposite = op->hasTrait<fuse::Composite>() &&
                     op->getNumOperands() == 1 && keepsExtents(op);
  if (!moves(op) && !isElementwise(op) && !isComposite)
    return found;
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    bool isPosition = false;
    for (unsigned j = 0; primitive && j < e; ++j)
      isPosition |= llvm::is_contained(primitive.getIndirect(j), i);
    if (!isPosition)
      found.push_back(i);
  }
  return found;
}

namespace {

/// The presence of the result of `op`, from that of its sources.
class Deriver {
public:
  Deriver(OpBuilder &builder, Operation *op)
      : b(builder, op->getLoc()), op(op),
        result(fuse::getTensorType(op->getResult(0))),
        type(result.clone(builder.getI1Type())) {}

  /// Where rows are left open.
  Value begin(Value before) {
    if (isa<fuse::CallOp>(op))
      return b.compare(fuse::CmpPredicate::ge, op->getResult(0), 0);
    Value own = op->getOperand(0);
    return before ? b.binary<fuse::AndOp>(own, before) : own;
  }

  Value derive(ArrayRef<unsigned> sources,
               const DenseMap<Value, Value> &known) {
    SmallVector<Value> found;
    for (unsigned source : sources)
      if (Value presence = known.lookup(op->getOperand(source)))
        found.push_back(presence);
    if (found.empty())
      return {};
    if (moves(op))
      return move(sources, known);
    if (!isElementwise(op))
      return reduce(found.front());
    Value all = found.front();
    for (Value presence : llvm::drop_begin(found))
      all = b.binary<fuse::AndOp>(all, presence);
    return all;
  }

private:
  /// The same movement of booleans; what is filled in is there.
  Value move(ArrayRef<unsigned> sources, const DenseMap<Value, Value> &known) {
    IRMapping mapping;
    for (unsigned source : sources) {
      Value from = op->getOperand(source);
      Value presence = known.lookup(from);
      mapping.map(from, presence ? presence
                                 : b.splat(1, fuse::getTensorType(from).clone(
                                                  b.builder.getI1Type())));
    }
    Operation *moved = b.builder.clone(*op, mapping);
    moved->getResult(0).setType(type);
    if (moved->hasAttr("fill"))
      moved->setAttr("fill", b.builder.getBoolAttr(true));
    return moved->getResult(0);
  }

  /// What is made of several elements is there if one of them is.
  Value reduce(Value presence) {
    SmallVector<int64_t> dims;
    ArrayRef<int64_t> from = fuse::getTensorType(presence).getShape();
    for (auto [d, extent] : llvm::enumerate(type.getShape()))
      if (extent != from[d])
        dims.push_back(int64_t(d));
    if (dims.empty())
      return presence;
    Value numbers = b.cast(presence, b.builder.getI32Type());
    Value any = b.reduce(Combiner::Max, numbers, dims);
    return b.reshape(b.compare(fuse::CmpPredicate::ne, any, 0),
                     type.getShape());
  }

  fuse::TensorBuilder b;
  Operation *op;
  RankedTensorType result, type;
};

} // namespace

Value findPresence(OpBuilder &builder, Value value) {
  OpBuilder::InsertionGuard guard(builder);
  DenseMap<Value, Value> known;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.back();
    Operation *op = next.getDefiningOp();
    SmallVector<unsigned> from = op ? getSources(op) : SmallVector<unsigned>();
    size_t before = open.size();
    for (unsigned source : from)
      if (Value operand = op->getOperand(source); !known.contains(operand))
        open.push_back(operand);
    if (open.size() != before)
      continue;
    open.pop_back();
    if (!op || known.contains(next))
      known.try_emplace(next, Value());
    else {
      builder.setInsertionPointAfter(op);
      Deriver deriver(builder, op);
      known[next] =
          leavesOpen(op)
              ? deriver.begin(from.empty() ? Value()
                                           : known.lookup(op->getOperand(1)))
              : deriver.derive(from, known);
    }
  }
  return known.lookup(value);
}

bool comesFrom(Value value, llvm::function_ref<bool(Operation *)> holds) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (holds(op))
      return true;
    for (unsigned source : getSources(op))
      if (seen.insert(op->getOperand(source)).second)
        open.push_back(op->getOperand(source));
  }
  return false;
}

Value selectPresent(fuse::TensorBuilder &b, Value presence, Value value) {
  Value picked = b.select(presence, value, 0);
  picked.getDefiningOp()->setAttr(kPresenceAttr, b.builder.getUnitAttr());
  return picked;
}

Value leaveRowsOpen(fuse::TensorBuilder &b, Value value, int64_t dim,
                    Value count) {
  RankedTensorType type = fuse::getTensorType(value);
  Value row = b.iota(type.clone(b.builder.getI64Type()), dim);
  Value presence = b.compare(fuse::CmpPredicate::lt, row,
                             b.broadcast(count, type.getShape()));
  return selectPresent(b, presence, value);
}

void forgetPresence(Operation *op) { op->removeAttr(kPresenceAttr); }

} // namespace fusec

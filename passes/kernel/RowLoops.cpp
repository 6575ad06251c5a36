// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/RowLoops.h"

#include "dialects/TargetInfo.h"

using namespace mlir;

namespace fusec::kernel {

int64_t countSharingThreads(ForOp loop) {
  auto func = loop->getParentOfType<FuncOp>();
  for (auto around = loop->getParentOfType<ForOp>(); around;
       around = around->getParentOfType<ForOp>())
    if (around.getMapping() == Mapping::warp)
      return getTargetInfo(func).multiprocessor->warp;
  return *func.getThreads() / countColumns(loop);
}

bool RowLoop::runsForAll(Operation *op) const {
  return op->getParentOp() == (each ? each : loop);
}

/// The only loop in `loop`, which is all of its body, if its iterations are a
/// group.
static ForOp findGroup(ForOp loop) {
  Block &body = loop.getBody().front();
  if (!llvm::hasNItems(body.without_terminator(), 1))
    return {};
  auto each = dyn_cast<ForOp>(body.front());
  return each && each.getMapping() == Mapping::unroll && each.getStep() == 1 &&
                 each.getConstantLower() == 0 && each.getConstantTripCount()
             ? each
             : ForOp();
}

std::optional<RowLoop> matchRowLoop(ForOp loop) {
  if (loop.getMapping() != Mapping::thread || loop.getStep() != 1 ||
      loop.getConstantLower() != 0 || !loop.getConstantTripCount())
    return std::nullopt;
  ForOp each = findGroup(loop);
  WalkResult others = loop->walk([&](Operation *op) {
    const bool isOther = op != loop && op != each &&
                         isa<ForOp, BarrierOp, CombineOp, LastBlockOp>(op);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (others.wasInterrupted())
    return std::nullopt;
  return RowLoop{loop, each, countSharingThreads(loop),
                 *loop.getConstantTripCount(),
                 each ? *each.getConstantTripCount() : 1};
}

Value RowAccess::getMemref() const {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getMemref();
  return cast<StoreOp>(op).getMemref();
}

bool RowAccess::isOfSameRow(const RowAccess &other) const {
  return loop->width == other.loop->width &&
         loop->threads == other.loop->threads &&
         place.exprs == other.place.exprs &&
         place.operands == other.place.operands;
}

bool RowAccess::isOfOneTeam() const {
  for (auto around = op->getParentOfType<ForOp>(); around;
       around = around->getParentOfType<ForOp>()) {
    if (around.getMapping() != Mapping::warp &&
        around.getMapping() != Mapping::column)
      continue;
    AffineForm form = place;
    AffineExpr team = form.getDim(around.getIndex());
    // One subscript counts the teams.
    if (llvm::none_of(form.exprs, [&](AffineExpr expr) {
          AffineExpr rest =
              simplifyAffineExpr(expr - team, form.operands.size(), 0);
          return !rest.isFunctionOfDim(cast<AffineDimExpr>(team).getPosition());
        }))
      return false;
  }
  return true;
}

std::optional<RowAccess> matchRowAccess(Operation *op, const RowLoop &row) {
  RowAccess access{op, &row, {}};
  AffineForm &form = access.place;
  if (auto load = dyn_cast<LoadOp>(op); load && !load.getMask())
    form = AffineForm(load.getMap(), load.getIndices());
  else if (auto store = dyn_cast<StoreOp>(op); store && !store.getMask())
    form = AffineForm(store.getMap(), store.getIndices());
  if (form.exprs.empty())
    return std::nullopt;
  form.compose();
  ForOp loop = row.loop, each = row.each;
  AffineExpr element = form.getDim(loop.getIndex()) * row.width;
  if (each)
    element = element + form.getDim(each.getIndex());
  const AffineExpr last = form.exprs.pop_back_val();
  if (simplifyAffineExpr(last - element, form.operands.size(), 0) !=
      getAffineConstantExpr(0, op->getContext()))
    return std::nullopt;
  form.compose();
  const bool moves = llvm::any_of(form.operands, [&](Value index) {
    return loop.getBody().isAncestor(index.getParentRegion());
  });
  return moves ? std::nullopt : std::optional(std::move(access));
}

Value takeTurns(const RowLoop &row) {
  const int64_t turns = row.countTurns();
  if (turns <= 1)
    return {};
  ForOp loop = row.loop;
  OpBuilder builder(loop);
  Location loc = loop.getLoc(), indexLoc = loop.getIndex().getLoc();
  auto threads =
      ForOp::create(builder, loc, 0, row.threads, 1, Mapping::thread);
  threads.getIndex().setLoc(indexLoc);
  threads.copyCarries(loop);
  builder.setInsertionPointToStart(&threads.getBody().front());
  auto each = ForOp::create(builder, loc, 0, turns, 1, Mapping::unroll);
  StringRef name = getNameOf(indexLoc);
  name.consume_back("_thread");
  each.getIndex().setLoc(NameLoc::get(
      builder.getStringAttr((name + "_turn").str()), builder.getUnknownLoc()));
  each.copyCarries(loop);
  builder.setInsertionPointToStart(&each.getBody().front());
  AffineExpr turn = builder.getAffineDimExpr(0),
             thread = builder.getAffineDimExpr(1),
             group = turn * row.threads + thread;
  const Value indices[] = {each.getIndex(), threads.getIndex()};
  auto number =
      ApplyOp::create(builder, loc, AffineMap::get(2, 0, group), indices);
  Block *body = &each.getBody().front();
  if (row.groups % row.threads != 0) {
    auto inside = IfOp::create(
        builder, loc, IntegerSet::get(2, 0, {-group + (row.groups - 1)}, false),
        indices);
    body = &inside.getBody().front();
  }
  Block &content = loop.getBody().front();
  content.getTerminator()->erase();
  body->getOperations().splice(body->getTerminator()->getIterator(),
                               content.getOperations());
  loop.getIndex().replaceAllUsesWith(number);
  threads->walk([](Operation *op) {
    rewriteForms(op, [](AffineForm &form) { form.compose(); });
  });
  if (number->use_empty())
    number->erase();
  loop.erase();
  return each.getIndex();
}

} // namespace fusec::kernel

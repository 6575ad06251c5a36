// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of attention whose mask compares iterators: what it hides need not
// run. Two walks over a scop: forward, in the order of the program, what the
// values of arrays are where a comparison hides others, and so which reductions
// add nothing there; backward, which elements nobody reads then.
#include "dialects/TargetInfo.h"
#include "passes/schedule/MaskedValues.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace fusec::sched {
#define GEN_PASS_DEF_SKIPMASKED
#include "passes/schedule/Passes.h.inc"
} // namespace fusec::sched

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

const Rule fusec::sched::kMaskedRule = {
    "attention.skip-masked", RuleArea::Compute, /*level=*/2, Bits::Changed,
    "Leaves out scores, and terms of their product with values, that a causal "
    "mask or a sliding window hides."};

using Exprs = llvm::SmallSetVector<AffineExpr, 2>;

namespace {

class MaskFinder {
public:
  MaskFinder(ScopOp scop, MemorySources &memory)
      : scop(scop), stmts(scop.getBody().getOps<StmtOp>()) {
    known.memory = &memory;
  }

  /// Sets what statements need; returns how many do not need all.
  unsigned run();

private:
  Exprs getCandidates(StmtOp stmt);
  /// Those of `candidates` where `stmt` leaves what it reduces into as it is.
  Exprs findUnchanged(StmtOp stmt, const Exprs &candidates, bool isOrdinary);
  /// Says where what a statement writes into `array` comes from.
  void addSource(Value array, Source source) {
    Source &all = known.sources.try_emplace(array, source).first->second;
    all = std::max(all, source);
  }
  void visitReduction(StmtOp stmt);
  void visitOther(StmtOp stmt);
  void findReaders(StmtOp stmt);
  /// What is 0 or more of the subscripts of `map` where `expr`, of the
  /// iterators, is; null where these are not among them.
  AffineExpr toSubscripts(AffineExpr expr, AffineMap map);
  void remark(StmtOp stmt, const Twine &why);

  ScopOp scop;
  SmallVector<StmtOp> stmts;
  KnownValues known;
  /// How many statements write an array: a reduction, and what it begins with.
  llvm::DenseMap<Value, unsigned> writers;
  /// The numbers that reductions begin with.
  llvm::DenseMap<Value, double> begins;
  llvm::DenseMap<Operation *, Exprs> needed;
};

} // namespace

static AffineExpr simplify(AffineExpr expr, StmtOp stmt) {
  return simplifyAffineExpr(expr, stmt.getNumIterators(), 0);
}

/// What is 0 or more where a comparison of `stmt` holds, where one does not,
/// and what decides of the elements that it reads.
Exprs MaskFinder::getCandidates(StmtOp stmt) {
  Exprs all;
  auto add = [&](AffineExpr expr) {
    if (readDifference(expr))
      all.insert(expr);
  };
  for (Operation &op : stmt.getBody().front())
    for (Value value : op.getResults())
      if (AffineExpr expr = getDifference(value, stmt.getNumIterators())) {
        add(expr);
        add(simplify(-expr - 1, stmt));
      }
  for (auto [index, array] : llvm::enumerate(stmt.getReads()))
    for (const KnownValues::Outside &fact : known.outside.lookup(array))
      add(simplify(fact.expr.replaceDims(stmt.getReadMap(index).getResults()),
                   stmt));
  return all;
}

/// Whether for each point of the other iterators there is one of those that
/// `stmt` reduces where all of `exprs` are 0 or more. Of blocks some have none.
static bool hasAny(StmtOp stmt, const Exprs &exprs) {
  std::optional<unsigned> row, column;
  for (AffineExpr expr : exprs) {
    Difference difference = *readDifference(expr);
    const bool isColumn =
        llvm::is_contained(stmt.getReduced(), int64_t(difference.plus));
    unsigned own = isColumn ? difference.plus : difference.minus;
    unsigned other = isColumn ? difference.minus : difference.plus;
    if (difference.block ||
        !llvm::is_contained(stmt.getReduced(), int64_t(own)) ||
        llvm::is_contained(stmt.getReduced(), int64_t(other)) ||
        row.value_or(other) != other || column.value_or(own) != own)
      return false;
    row = other;
    column = own;
  }
  if (!row)
    return true;
  for (int64_t at = 0; at < stmt.getExtents()[*row]; ++at) {
    int64_t first = 0, last = stmt.getExtents()[*column] - 1;
    for (AffineExpr expr : exprs) {
      Difference difference = *readDifference(expr);
      if (difference.plus == *column)
        first = std::max(first, at - difference.constant);
      else
        last = std::min(last, at + difference.constant);
    }
    if (first > last)
      return false;
  }
  return true;
}

void MaskFinder::remark(StmtOp stmt, const Twine &why) {
  stmt.emitRemark("all of it runs, though it compares iterators: ") << why;
}

/// What `stmt` takes the maximum of, with what there is; null if it is no such
/// reduction.
static Value getMaximised(StmtOp stmt) {
  ValueRange yielded = stmt.getBody().front().getTerminator()->getOperands();
  Value accumulator = stmt.getBody().getArgument(0);
  auto maximum = yielded.size() == 1
                     ? yielded.front().getDefiningOp<arith::MaximumFOp>()
                     : arith::MaximumFOp();
  if (!maximum || !llvm::is_contained(maximum->getOperands(), accumulator))
    return {};
  return maximum->getOperand(maximum->getOperand(0) == accumulator);
}

Exprs MaskFinder::findUnchanged(StmtOp stmt, const Exprs &candidates,
                                bool isOrdinary) {
  Exprs found;
  for (AffineExpr expr : candidates) {
    MaskedValues values(stmt, known, expr, {});
    bool isUnchanged = true;
    for (auto [number, value] :
         llvm::enumerate(stmt.getBody().front().getTerminator()->getOperands()))
      isUnchanged &= values.isUnchanged(
          value, stmt.getBody().getArgument(unsigned(number)), isOrdinary);
    if (isUnchanged)
      found.insert(expr);
  }
  return found;
}

void MaskFinder::visitReduction(StmtOp stmt) {
  Exprs candidates = getCandidates(stmt);
  ValueRange yielded = stmt.getBody().front().getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(yielded)) {
    addSource(stmt.getWrites()[number],
              MaskedValues(stmt, known, {}, {}).getSource(value));
    // A sum of ordinary numbers is one; a maximum is where there are any.
    if (isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(
            value.getDefiningOp()))
      known.unknown.insert(stmt.getWrites()[number]);
  }
  // What is masked changes no maximum of what is not, where a row has that.
  Value maximised = getMaximised(stmt);
  Exprs found = findUnchanged(stmt, candidates, /*isOrdinary=*/true);
  const bool hasRows = hasAny(stmt, found);
  std::optional<Interval> term;
  auto findTerm = [&] {
    term =
        maximised
            ? MaskedValues(stmt, known, {}, found.getArrayRef()).get(maximised)
            : std::nullopt;
  };
  findTerm();
  if (!hasRows || !term || term->low < kMasked) {
    found = findUnchanged(stmt, candidates, /*isOrdinary=*/false);
    findTerm();
  }
  needed[stmt] = found;
  if (found.empty()) {
    if (!candidates.empty())
      remark(stmt, hasRows ? "what they hide changes the result"
                           : "they hide some rows as a whole");
    return;
  }
  // A maximum of ordinary numbers is one of them, where there are any. Where a
  // row has no other score than minus infinity, all that is left of it is NaN.
  if (!term)
    return;
  Value array = stmt.getWrites().front();
  auto begin = begins.find(array);
  if (writers.lookup(array) == 2 && begin != begins.end() &&
      !std::isnan(begin->second))
    known.everywhere[array] = {hasRows ? std::max(term->low, -kGiven.high)
                                       : -HUGE_VAL,
                               std::max(term->high, begin->second)};
}

AffineExpr MaskFinder::toSubscripts(AffineExpr expr, AffineMap map) {
  SmallVector<AffineExpr> subscripts(map.getNumDims());
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      subscripts[dim.getPosition()] =
          getAffineDimExpr(position, scop.getContext());
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
    if (!subscripts[dim] && expr.isFunctionOfDim(dim))
      return {};
    if (!subscripts[dim])
      subscripts[dim] = getAffineConstantExpr(0, scop.getContext());
  }
  return simplifyAffineExpr(expr.replaceDims(subscripts), map.getNumResults(),
                            0);
}

void MaskFinder::visitOther(StmtOp stmt) {
  ValueRange yielded = stmt.getBody().front().getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(yielded)) {
    Value array = stmt.getWrites()[number];
    if (!isa<FloatType>(value.getType()))
      continue;
    MaskedValues values(stmt, known, {}, {});
    std::optional<Interval> plain = values.get(value);
    const Source source = values.getSource(value);
    addSource(array, source);
    if (!plain)
      known.unknown.insert(array);
    else if (source != Source::numbers && writers.lookup(array) == 1)
      known.everywhere[array] = *plain;
    // Of pieces, each is another statement's.
    if (writers.lookup(array) != 1) {
      if (FloatAttr number; matchPattern(value, m_Constant(&number)))
        begins[array] = number.getValueAsDouble();
      continue;
    }
    for (AffineExpr expr : getCandidates(stmt)) {
      std::optional<Interval> outside =
          MaskedValues(stmt, known, expr, {}).get(value);
      AffineExpr subscripts = toSubscripts(expr, stmt.getWriteMap(number));
      if (outside && subscripts &&
          (outside->isZero() || outside->high <= kMasked))
        known.outside[array].push_back({subscripts, *outside});
    }
  }
}

/// What `stmt` need not compute because no instance that has to run reads it.
void MaskFinder::findReaders(StmtOp stmt) {
  Exprs common;
  bool isFirst = true;
  for (auto [number, array] : llvm::enumerate(stmt.getWrites())) {
    if (!llvm::is_contained(scop.getArrays(), array))
      return;
    for (StmtOp reader : stmts)
      for (auto [index, read] : llvm::enumerate(reader.getReads())) {
        if (read != array ||
            (reader == stmt && stmt.isReduction() && index == number))
          continue;
        Exprs here;
        for (AffineExpr expr : needed.lookup(reader))
          if (AffineExpr subscripts =
                  toSubscripts(expr, reader.getReadMap(index)))
            here.insert(simplify(
                subscripts.replaceDims(stmt.getWriteMap(number).getResults()),
                stmt));
        if (reader.getPadding(index))
          here.clear();
        if (isFirst)
          common = here;
        else
          common.remove_if(
              [&](AffineExpr expr) { return !here.contains(expr); });
        isFirst = false;
      }
  }
  for (AffineExpr expr : common)
    if (readDifference(expr))
      needed[stmt].insert(expr);
}

unsigned MaskFinder::run() {
  for (StmtOp stmt : stmts)
    for (Value array : stmt.getWrites())
      ++writers[array];
  for (StmtOp stmt : stmts)
    stmt.isReduction() ? visitReduction(stmt) : visitOther(stmt);
  for (StmtOp stmt : llvm::reverse(stmts))
    findReaders(stmt);
  known.memory->set(scop, [&](Value output) {
    return known.getSource(output, /*asks=*/true);
  });
  unsigned count = 0;
  for (StmtOp stmt : stmts) {
    const Exprs &exprs = needed[stmt];
    if (exprs.empty())
      continue;
    stmt.setNeededAttr(AffineMapAttr::get(AffineMap::get(
        stmt.getNumIterators(), 0, exprs.getArrayRef(), scop.getContext())));
    ++count;
  }
  return count;
}

namespace {
struct SkipMasked : fusec::sched::impl::SkipMaskedBase<SkipMasked> {
  using Base::Base;

  void runOnOperation() override {
    if (getTargetInfo(getOperation()).kind == TargetKind::gpu)
      return;
    MemorySources memory(getOperation());
    for (ScopOp scop : getOperation().getOps<ScopOp>())
      numStatements += MaskFinder(scop, memory).run();
  }
};
} // namespace

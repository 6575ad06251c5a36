// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimensions merge is a greatest fixed point: all pairs of iterators and
// of array dimensions start as mergeable, and those that some access keeps
// apart, itself or through another pair, fall out.
#include "passes/schedule/Coalescer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

static MemRefType getType(Value array) {
  return cast<MemRefType>(array.getType());
}

/// The iterator that `expr` is, or -1.
static int64_t getIterator(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? int64_t(dim.getPosition()) : -1;
}

/// Iterator and offset if `expr` is their sum, else iterator -1.
static std::pair<int64_t, int64_t> getShiftedIterator(AffineExpr expr) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return {getIterator(expr), 0};
  auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
  if (!offset)
    return {-1, 0};
  return {getIterator(sum.getLHS()), offset.getValue()};
}

SmallVector<Access> Coalescer::getAccesses(StmtOp stmt) {
  SmallVector<Access> accesses;
  for (unsigned i = 0; i < stmt.getReads().size(); ++i)
    accesses.push_back(stmt.getReadAccess(i));
  for (unsigned i = 0; i < stmt.getWrites().size(); ++i)
    accesses.push_back(stmt.getWriteAccess(i));
  for (auto gather : stmt.getBody().getOps<GatherOp>())
    accesses.push_back(gather.getAccess());
  return accesses;
}

SmallVector<std::pair<StmtOp, Access>>
Coalescer::getAccesses(BlockArgument array) {
  SmallVector<std::pair<StmtOp, Access>> accesses;
  for (StmtOp stmt : getStatements())
    for (const Access &access : getAccesses(stmt))
      if (access.array == array)
        accesses.emplace_back(stmt, access);
  return accesses;
}

//===- rewriting ---------------------------------------------------------===//

void Coalescer::rewrite(StmtOp stmt, ArrayRef<int64_t> extents,
                        ArrayRef<int64_t> reduced, ArrayRef<AffineExpr> points,
                        llvm::function_ref<Access(Access)> mapAccess) {
  OpBuilder builder(stmt);
  auto toNew = [&](Access access) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : access.map.getResults())
      exprs.push_back(expr.replaceDims(points));
    access.map = simplifyAffineMap(AffineMap::get(
        extents.size(), access.map.getNumSymbols(), exprs, stmt.getContext()));
    return mapAccess(access);
  };
  SmallVector<Access> reads, writes;
  for (unsigned i = 0; i < stmt.getReads().size(); ++i)
    reads.push_back(toNew(stmt.getReadAccess(i)));
  for (unsigned i = 0; i < stmt.getWrites().size(); ++i)
    writes.push_back(toNew(stmt.getWriteAccess(i)));
  for (auto gather : stmt.getBody().getOps<GatherOp>())
    gather.setMap(toNew(gather.getAccess()).map);
  SmallVector<std::string> names;
  for (unsigned d = 0; d < extents.size(); ++d)
    names.push_back(getIteratorName(d));
  auto created = StmtOp::create(builder, stmt.getLoc(), stmt.getSymName(),
                                names, extents, reduced, reads, writes);
  created->setDiscardableAttrs(stmt->getDiscardableAttrDictionary());
  created.getBody().takeBody(stmt.getBody());
  for (auto index :
       llvm::make_early_inc_range(created.getBody().getOps<IndexOp>())) {
    builder.setInsertionPoint(index);
    AffineExpr point = points[index.getDim()];
    Value value;
    if (int64_t dim = getIterator(point); dim >= 0)
      value =
          IndexOp::create(builder, index.getLoc(), builder.getIndexType(), dim);
    else // A dropped iterator: merged ones have no sched.index.
      value = arith::ConstantIndexOp::create(
          builder, index.getLoc(), cast<AffineConstantExpr>(point).getValue());
    index.replaceAllUsesWith(value);
    index.erase();
  }
  stmt.erase();
}

bool Coalescer::dropUnitDims() {
  MLIRContext *context = scop.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  bool changed = false;
  for (StmtOp stmt : getStatements()) {
    if (!llvm::is_contained(stmt.getExtents(), 1))
      continue;
    SmallVector<int64_t> extents, reduced;
    SmallVector<AffineExpr> points;
    for (auto [dim, extent] : llvm::enumerate(stmt.getExtents())) {
      if (extent == 1) {
        points.push_back(zero);
        ++numDropped;
        continue;
      }
      if (llvm::is_contained(stmt.getReduced(), int64_t(dim)))
        reduced.push_back(extents.size());
      points.push_back(getAffineDimExpr(extents.size(), context));
      extents.push_back(extent);
    }
    rewrite(stmt, extents, reduced, points,
            [](Access access) { return access; });
    changed = true;
  }
  return dropUnitArrayDims() || changed;
}

bool Coalescer::dropUnitArrayDims() {
  MLIRContext *context = scop.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  llvm::DenseMap<Value, llvm::SmallBitVector> drops;
  for (BlockArgument array : scop.getBody().getArguments()) {
    MemRefType type = getType(array);
    llvm::SmallBitVector drop(type.getRank());
    for (unsigned d = 0; d < type.getRank(); ++d)
      drop[d] = type.getDimSize(d) == 1 &&
                llvm::all_of(getAccesses(array), [&](auto &use) {
                  const Access &access = use.second;
                  return !access.padding || access.map.getResult(d) == zero;
                });
    if (drop.none())
      continue;
    SmallVector<int64_t> shape;
    for (unsigned d = 0; d < type.getRank(); ++d)
      if (!drop[d])
        shape.push_back(type.getDimSize(d));
    drops[array] = drop;
    array.setType(MemRefType::get(shape, type.getElementType()));
  }
  if (drops.empty())
    return false;
  for (StmtOp stmt : getStatements()) {
    SmallVector<AffineExpr> points;
    for (unsigned d = 0; d < stmt.getNumIterators(); ++d)
      points.push_back(getAffineDimExpr(d, context));
    rewrite(stmt, SmallVector<int64_t>(stmt.getExtents()),
            SmallVector<int64_t>(stmt.getReduced()), points,
            [&](Access access) {
              if (auto drop = drops.find(access.array); drop != drops.end())
                access.map = access.map.dropResults(drop->second);
              return access;
            });
  }
  return true;
}

//===- the fixed point ---------------------------------------------------===//

static std::string describe(StmtOp stmt, const Access &access, ScopOp scop) {
  std::string text = "%" + scop.getArrayName(access.array) + "[";
  SmallVector<std::string> dims = stmt.getDimNames();
  for (auto [d, expr] : llvm::enumerate(access.map.getResults()))
    text += (d ? ", " : "") + formatSubscript(expr, dims);
  return text + "]";
}

/// The array of the scop that `stmt` reads at several offsets along iterator
/// `dim`, if it does. As a loop of its own, that one can run some iterations
/// behind the statement that makes the array, of which then little is live.
BlockArgument Coalescer::findStencil(StmtOp stmt, int64_t dim) {
  llvm::DenseMap<std::pair<Value, unsigned>, AffineExpr> known;
  for (const Access &access : getAccesses(stmt))
    for (auto [place, expr] : llvm::enumerate(access.map.getResults())) {
      if (!expr.isFunctionOfDim(dim) ||
          !llvm::is_contained(scop.getArrays(), access.array))
        continue;
      auto [first, isNew] =
          known.try_emplace({access.array, unsigned(place)}, expr);
      if (!isNew && first->second != expr)
        return cast<BlockArgument>(access.array);
    }
  return {};
}

/// Whether iterators `dim` and `dim + 1` of a statement can merge as far as its
/// accesses and what is known of arrays say. Records the reason if not.
bool Coalescer::checkStatement(StmtOp stmt, int64_t dim) {
  std::string &reason = statements[stmt][dim];
  auto isReduced = [&](int64_t d) {
    return llvm::is_contained(stmt.getReduced(), d);
  };
  if (isReduced(dim) != isReduced(dim + 1)) {
    reason = "only one of them is reduced";
    return false;
  }
  for (IndexOp index : stmt.getBody().getOps<IndexOp>())
    if (int64_t(index.getDim()) == dim || int64_t(index.getDim()) == dim + 1) {
      reason = "the body asks for the value of " +
               stmt.getDimNames()[index.getDim()];
      return false;
    }
  if (BlockArgument array = findStencil(stmt, dim)) {
    reason = "it reads %" + scop.getArrayName(array) + " at several offsets";
    return false;
  }
  for (const Access &access : getAccesses(stmt)) {
    bool uses =
        access.map.isFunctionOfDim(dim) || access.map.isFunctionOfDim(dim + 1);
    if (!uses)
      continue;
    auto results = access.map.getResults();
    int64_t place = -1;
    unsigned numUses = 0;
    for (unsigned p = 0; p < results.size(); ++p) {
      numUses += results[p].isFunctionOfDim(dim) ||
                 results[p].isFunctionOfDim(dim + 1);
      if (p + 1 < results.size() &&
          getShiftedIterator(results[p]).first == dim &&
          getIterator(results[p + 1]) == dim + 1)
        place = p;
    }
    MemRefType type = getType(access.array);
    // Some of the outer dimension will do, all of the inner one is needed.
    if (place < 0 || numUses != 2 ||
        type.getDimSize(place + 1) != stmt.getExtents()[dim + 1] ||
        (access.padding && (type.getDimSize(place) != stmt.getExtents()[dim] ||
                            getIterator(results[place]) != dim))) {
      reason = "it accesses " + describe(stmt, access, scop);
      return false;
    }
    if (const std::string &why = arrays[access.array][place]; !why.empty()) {
      reason = why;
      return false;
    }
  }
  return true;
}

bool Coalescer::checkArray(BlockArgument array, unsigned dim) {
  std::string &reason = arrays[array][dim];
  for (auto &[stmt, access] : getAccesses(array)) {
    int64_t first = getShiftedIterator(access.map.getResult(dim)).first;
    int64_t second = getIterator(access.map.getResult(dim + 1));
    if (first >= 0 && second == first + 1) {
      const std::string &why = statements[stmt][first];
      if (why.empty())
        continue;
      // A reason that came from elsewhere already says where.
      reason =
          why.find("@") != std::string::npos
              ? why
              : "@" + stmt.getSymName().str() + " cannot merge them: " + why;
      return false;
    }
    reason = "@" + stmt.getSymName().str() + " accesses " +
             describe(stmt, access, scop);
    return false;
  }
  return true;
}

/// How many iterators of equal extents all of `stmts` begin with, before any
/// that is reduced: the loops that they may have in common.
static int64_t countCommonLoops(ArrayRef<StmtOp> stmts) {
  StmtOp first = stmts.front();
  int64_t common = first.getNumIterators();
  for (StmtOp stmt : stmts) {
    common = std::min<int64_t>(common, stmt.getNumIterators());
    for (int64_t d = 0; d < common; ++d)
      if (stmt.getExtents()[d] != first.getExtents()[d] ||
          llvm::is_contained(stmt.getReduced(), d))
        common = d;
  }
  return common;
}

/// Keeps loops that all statements may have in common apart in all of them,
/// where one keeps them so: merged in some, no loop would be around all.
/// Returns whether that is news.
bool Coalescer::keepCommonLoops() {
  bool changed = false;
  int64_t common = countCommonLoops(getStatements());
  for (int64_t d = 0; d + 1 < common; ++d) {
    auto apart = llvm::find_if(statements, [&](const auto &entry) {
      return !entry.second[d].empty();
    });
    if (apart == statements.end())
      continue;
    std::string reason = "@" + cast<StmtOp>(apart->first).getSymName().str() +
                         " has both loops, and keeps them apart";
    for (auto &[stmt, reasons] : statements)
      if (reasons[d].empty()) {
        reasons[d] = reason;
        changed = true;
      }
  }
  return changed;
}

void Coalescer::findPairs() {
  for (StmtOp stmt : getStatements())
    statements[stmt].resize(
        std::max<int64_t>(int64_t(stmt.getNumIterators()) - 1, 0));
  for (BlockArgument array : scop.getBody().getArguments())
    arrays[array].resize(std::max<int64_t>(getType(array).getRank() - 1, 0));
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto &[stmt, reasons] : statements)
      for (unsigned dim = 0; dim < reasons.size(); ++dim)
        changed |=
            reasons[dim].empty() && !checkStatement(cast<StmtOp>(stmt), dim);
    for (auto &[array, reasons] : arrays)
      for (unsigned dim = 0; dim < reasons.size(); ++dim)
        changed |= reasons[dim].empty() &&
                   !checkArray(cast<BlockArgument>(array), dim);
    // Last, for what keeps them apart themselves says more.
    changed = changed || keepCommonLoops();
  }
}

void Coalescer::mergeDims() {
  MLIRContext *context = scop.getContext();
  auto mapAccess = [&](Access access) {
    const Reasons &apart = arrays[access.array];
    ArrayRef<int64_t> shape = getType(access.array).getShape();
    SmallVector<AffineExpr> exprs;
    for (unsigned d = 0; d < shape.size(); ++d) {
      exprs.push_back(access.map.getResult(d));
      // Followers have the same iterator now; an offset of the first counts in
      // their extents.
      int64_t inner = 1;
      for (; d < apart.size() && apart[d].empty(); ++d)
        inner *= shape[d + 1];
      if (inner != 1) {
        auto [iterator, offset] = getShiftedIterator(exprs.back());
        exprs.back() = getAffineDimExpr(iterator, context) + offset * inner;
      }
    }
    access.map = AffineMap::get(access.map.getNumDims(),
                                access.map.getNumSymbols(), exprs, context);
    return access;
  };
  for (StmtOp stmt : getStatements()) {
    const Reasons &apart = statements[stmt];
    SmallVector<int64_t> extents, reduced;
    SmallVector<AffineExpr> points;
    for (auto [d, extent] : llvm::enumerate(stmt.getExtents())) {
      if (d > 0 && apart[d - 1].empty()) {
        extents.back() *= extent;
        ++numMerged;
      } else {
        if (llvm::is_contained(stmt.getReduced(), int64_t(d)))
          reduced.push_back(extents.size());
        extents.push_back(extent);
      }
      points.push_back(getAffineDimExpr(extents.size() - 1, context));
    }
    rewrite(stmt, extents, reduced, points, mapAccess);
  }
  for (auto &[array, apart] : arrays) {
    MemRefType type = getType(array);
    SmallVector<int64_t> shape;
    for (auto [d, extent] : llvm::enumerate(type.getShape())) {
      if (d > 0 && apart[d - 1].empty())
        shape.back() *= extent;
      else
        shape.push_back(extent);
    }
    array.setType(MemRefType::get(shape, type.getElementType()));
  }
}

void Coalescer::emitRemarks() {
  for (auto &[op, reasons] : statements) {
    auto stmt = cast<StmtOp>(op);
    SmallVector<std::string> names = stmt.getDimNames();
    for (auto [dim, reason] : llvm::enumerate(reasons))
      if (!reason.empty())
        mlir::emitRemark(stmt.getLoc())
            << "@" << stmt.getSymName() << " keeps " << names[dim] << " and "
            << names[dim + 1] << " apart: " << reason;
  }
}

bool Coalescer::run(bool remarks) {
  // It is said of iterators, and of all statements together.
  for (StmtOp stmt : getStatements()) {
    stmt.removeNeededAttr();
    stmt.removeRunsAttr();
  }
  bool changed = dropUnitDims();
  findPairs();
  if (remarks)
    emitRemarks();
  bool merges = llvm::any_of(statements, [](const auto &entry) {
    return llvm::is_contained(entry.second, std::string());
  });
  if (merges)
    mergeDims();
  return changed || merges;
}

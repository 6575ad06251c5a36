// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-multiply-matrices: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"
#include "passes/kernel/LoopWalks.h"
#include "passes/kernel/Passes.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELMULTIPLYMATRICES
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelMultiplyMatrices
    : fusec::kernel::impl::KernelMultiplyMatricesBase<KernelMultiplyMatrices> {
  void runOnOperation() override;
};

/// A factor: where its matrix begins, and how far apart the elements are of
/// neighbours along terms, rows and columns.
struct Factor {
  LoadOp load;
  AffineForm begin; ///< with the index of the loop over terms
  int64_t ofTerms = 0, ofRows = 0, ofColumns = 0;
};

/// A product that is added to a sum.
struct Product {
  Operation *add;      ///< what makes the new sum
  Operation *multiply; ///< the same, but for integers
  Value sum, factors[2];
};

/// The loops around a product that a thread adds to one of its sums.
class ProductNest {
public:
  ProductNest(const Product &product, const MatrixUnit &unit)
      : product(product), unit(unit) {}

  /// Why these are no matrices; nothing if they can be multiplied as such.
  std::optional<std::string> refuse();
  void rewrite();

private:
  bool findLoops();
  bool findSums();
  std::optional<std::string> findFactor(LoadOp load, bool ofRows);

  /// How many elements of a factor have 16 bytes, at multiples of which rows of
  /// a matrix begin.
  int64_t countRowElements() const { return 16 / unit.bytes; }

  Product product;
  const MatrixUnit &unit;
  ForOp terms, rows, columns;
  ForOp rowThreads, columnThreads;
  LoadOp sum;
  bool hasColumnsFirst = false; ///< of the array of sums
  Factor left, right;           ///< of rows, and of columns
};

} // namespace

static std::optional<Product> matchProduct(Operation *op) {
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return Product{op, op, fma.getC(), {fma.getA(), fma.getB()}};
  auto add = dyn_cast<arith::AddIOp>(op);
  if (!add)
    return std::nullopt;
  for (auto [sum, product] : {std::pair(add.getLhs(), add.getRhs()),
                              std::pair(add.getRhs(), add.getLhs())})
    if (auto multiply = product.getDefiningOp<arith::MulIOp>();
        multiply && multiply->hasOneUse() && sum.getDefiningOp<LoadOp>())
      return Product{op, multiply, sum, {multiply.getLhs(), multiply.getRhs()}};
  return std::nullopt;
}

/// Whether `op` is the one operation of the loop, besides its terminator.
static bool hasOnly(ForOp loop, Operation *op) {
  Block &body = loop.getBody().front();
  return &body.front() == op && op->getNextNode() == body.getTerminator();
}

static bool isCounted(ForOp loop) {
  return loop.getStep() == 1 && loop.getConstantLower() == 0 &&
         loop.getConstantTripCount();
}

/// The loops of a thread, one in the other, and those of the threads of a warp.
bool ProductNest::findLoops() {
  SmallVector<ForOp> own, threads;
  Operation *op = product.add->getParentOp();
  for (auto loop = dyn_cast<ForOp>(op); loop && isCounted(loop);
       op = loop, loop = dyn_cast<ForOp>(loop->getParentOp())) {
    const bool isOfThreads = loop.getMapping() == Mapping::thread;
    if (!isOfThreads && !threads.empty())
      break;
    (isOfThreads ? threads : own).push_back(loop);
    if (!isOfThreads && own.size() > 1 && !hasOnly(loop, own[own.size() - 2]))
      return false;
  }
  if (own.size() != 3 || threads.size() < 2 ||
      threads[0].getConstantTripCount() != unit.rowThreads ||
      threads[1].getConstantTripCount() != unit.columnThreads)
    return false;
  rowThreads = threads[0];
  columnThreads = threads[1];
  columns = own[0];
  rows = own[1];
  terms = own[2];
  return true;
}

/// What the product is added to: the thread's own array, all of it.
bool ProductNest::findSums() {
  sum = product.sum.getDefiningOp<LoadOp>();
  if (!sum || !product.add->hasOneUse() || !isOfThread(sum.getMemRefType()) ||
      sum.getMemRefType().getRank() != 2)
    return false;
  auto store = dyn_cast<StoreOp>(*product.add->user_begin());
  if (!store || store.getMemref() != sum.getMemref() ||
      store.getMap() != sum.getMap() || store.getIndices() != sum.getIndices())
    return false;
  ArrayRef<int64_t> shape = sum.getMemRefType().getShape();
  auto walk = followLoops({sum.getMap(), sum.getIndices()}, shape,
                          {terms, rows, columns, rowThreads, columnThreads});
  if (!walk || !walk->begin.operands.empty())
    return false;
  hasColumnsFirst = walk->slopes[2] != 1;
  const int64_t slopes[] = {0, hasColumnsFirst ? 1 : shape[1],
                            hasColumnsFirst ? shape[1] : 1, 0, 0};
  const int64_t ofRows = shape[hasColumnsFirst ? 1 : 0],
                ofColumns = shape[hasColumnsFirst ? 0 : 1];
  return ArrayRef(walk->slopes) == ArrayRef(slopes) &&
         rows.getConstantTripCount() == ofRows &&
         columns.getConstantTripCount() == ofColumns && ofRows % 4 == 0 &&
         ofColumns % 2 == 0;
}

std::optional<std::string> ProductNest::findFactor(LoadOp load, bool ofRows) {
  Factor &factor = ofRows ? left : right;
  factor.load = load;
  MemRefType type = load.getMemRefType();
  AffineForm form(load.getMap(), load.getIndices());
  auto ofTerms = followLoops(form, type.getShape(), {terms});
  auto walk = followLoops(form, type.getShape(),
                          {rows, columns, rowThreads, columnThreads});
  if (!walk || !ofTerms)
    return "the loops do not go through it in even steps";
  factor.begin = walk->begin;
  factor.ofTerms = ofTerms->slopes[0];
  factor.ofRows = walk->slopes[2];
  factor.ofColumns = walk->slopes[3];
  if (walk->slopes[0] != factor.ofRows * unit.rowThreads ||
      walk->slopes[1] != factor.ofColumns * unit.columnThreads)
    return "a thread's rows and columns are not where the unit has them";
  const int64_t across = ofRows ? factor.ofRows : factor.ofColumns;
  const int64_t whole = countRowElements();
  const bool isAlong = factor.ofTerms == 1 && across % whole == 0;
  const bool isAcross =
      unit.bytes > 1 && across == 1 && factor.ofTerms % whole == 0;
  if (!isAlong && (ofRows || !isAcross))
    return ofRows            ? "the terms of a row do not lie side by side"
           : unit.bytes == 1 ? "the terms of a column do not lie side by side"
                             : "neither the terms of a column nor the columns "
                               "lie side by side";
  AffineForm first = factor.begin;
  AffineExpr index = first.getDim(terms.getIndex()), last = first.exprs.back();
  if (isAlong) // Steps begin at multiples of their terms.
    last = last.replace(index, getAffineConstantExpr(0, last.getContext()));
  last = simplifyInRange(last % whole, rangesOf(first.operands));
  if (last != getAffineConstantExpr(0, last.getContext()) ||
      type.getShape().back() % whole != 0)
    return "its rows do not begin at multiples of 16 bytes";
  return std::nullopt;
}

std::optional<std::string> ProductNest::refuse() {
  if (!findLoops())
    return "it is not in loops over terms, rows and columns, in which the "
           "threads of a warp have those of a unit";
  if (!findSums())
    return "it is not added to all of an array of the thread";
  if (*terms.getConstantTripCount() % unit.terms != 0)
    return "its " + std::to_string(*terms.getConstantTripCount()) +
           " terms are no multiple of " + std::to_string(unit.terms);
  LoadOp factors[] = {product.factors[0].getDefiningOp<LoadOp>(),
                      product.factors[1].getDefiningOp<LoadOp>()};
  for (LoadOp factor : factors)
    if (!factor || !isShared(factor.getMemRefType()) || factor.getMask() ||
        !unit.takes(getTypeInfo(factor.getMemRefType().getElementType())->name))
      return ("its factors are not loaded from shared memory as " +
              unit.factors)
          .str();
  auto isOfRows = [&](LoadOp load) {
    auto walk = followLoops({load.getMap(), load.getIndices()},
                            load.getMemRefType().getShape(), {rowThreads});
    return walk && walk->slopes[0] != 0;
  };
  if (isOfRows(factors[1]))
    std::swap(factors[0], factors[1]);
  if (auto reason = findFactor(factors[0], /*ofRows=*/true))
    return reason;
  if (auto reason = findFactor(factors[1], /*ofRows=*/false))
    return reason;
  if (left.ofColumns != 0 || right.ofRows != 0)
    return "a factor is one of rows and of columns";
  for (Operation &op : product.add->getBlock()->without_terminator())
    if (&op != product.add && &op != product.multiply &&
        &op != *product.add->user_begin() &&
        !llvm::is_contained({sum, factors[0], factors[1]}, &op))
      return "something else runs in its loops";
  return std::nullopt;
}

void ProductNest::rewrite() {
  OpBuilder builder(terms);
  Location loc = product.add->getLoc();
  auto steps =
      ForOp::create(builder, terms.getLoc(), 0, *terms.getConstantTripCount(),
                    unit.terms, Mapping::sequential);
  steps.getIndex().setLoc(terms.getIndex().getLoc());
  // What says how loads and stores change the sums is for loops of such.
  for (auto loop = terms->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>())
    loop.dropCarry(sum.getMemref());
  builder.setInsertionPointToStart(&steps.getBody().front());
  IRMapping map;
  map.map(terms.getIndex(), steps.getIndex());
  for (Factor *factor : {&left, &right})
    factor->begin.remap(map);
  MLIRContext *context = builder.getContext();
  AddMatricesOp::create(
      builder, loc, left.load.getMemref(), left.begin.operands,
      right.load.getMemref(), right.begin.operands, sum.getMemref(),
      left.begin.getMap(context), right.begin.getMap(context), left.ofRows,
      right.ofColumns, right.ofTerms, hasColumnsFirst);
  terms.erase();
}

void KernelMultiplyMatrices::runOnOperation() {
  FuncOp func = getOperation();
  auto config = func->getAttrOfType<sched::ConfigAttr>(kConfigAttr);
  if (!config || config.getMatrices().empty())
    return;
  const TargetInfo &target = getTargetInfo(func);
  const MatrixUnit *unit =
      target.multiprocessor
          ? target.multiprocessor->getMatrixUnit(config.getMatrices())
          : nullptr;
  if (!unit) {
    func.emitOpError() << "has a config that multiplies matrices by '"
                       << config.getMatrices() << "', which target "
                       << target.name << " does not have";
    return signalPassFailure();
  }
  SmallVector<Product> products;
  func.walk([&](Operation *op) {
    if (std::optional<Product> product = matchProduct(op))
      products.push_back(*product);
  });
  for (const Product &product : products) {
    ProductNest nest(product, *unit);
    if (std::optional<std::string> reason = nest.refuse()) {
      product.add->emitRemark() << "multiplies numbers, and no matrices by '"
                                << unit->name << "': " << *reason;
      continue;
    }
    nest.rewrite();
    ++numMatrices;
  }
}

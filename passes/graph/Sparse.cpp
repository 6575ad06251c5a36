// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Sparse.h"

#include "passes/graph/ConstantData.h"
#include "passes/graph/Elements.h"
#include "passes/graph/ExpandComposites.h"
#include "passes/graph/SplitReduction.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// What the contraction is like
//===----------------------------------------------------------------------===//

static SmallVector<unsigned> getIterators(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

/// Whether elements of `value` lie side by side along its last dimension once
/// it is in memory: what is computed does, an access need not.
static bool liesAlongRows(Value value) {
  Operation *op = value.getDefiningOp();
  auto primitive = dyn_cast_if_present<PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction() || isPointwise(primitive) ||
      primitive.getPlacement(0) || op->getNumOperands() == 0)
    return true;
  AffineMap map = primitive.getOperandMap(0);
  return !primitive.getPadding(0) && primitive.getIndirect(0).empty() &&
         map.getNumResults() > 0 &&
         map.getResults().back() ==
             getAffineDimExpr(map.getNumDims() - 1, map.getContext()) &&
         liesAlongRows(op->getOperand(0));
}

std::optional<std::string> Sparse::match(unsigned number) {
  constant = number;
  SmallVector<int64_t> extents = PrimitiveOpInterface(op).getIterationExtents();
  SmallVector<IteratorType> kinds = PrimitiveOpInterface(op).getIterators();
  SmallVector<unsigned> own = getIterators(op.getOperandMap(constant)),
                        other = getIterators(op.getOperandMap(1 - constant));
  if (own.size() != 2 || llvm::count(kinds, IteratorType::reduction) != 1)
    return "";
  bool termIsFirst = kinds[own.front()] == IteratorType::reduction;
  term = own[termIsFirst ? 0 : 1];
  row = own[termIsFirst ? 1 : 0];
  if (kinds[term] != IteratorType::reduction ||
      !llvm::is_contained(other, term) || llvm::is_contained(other, row))
    return "";
  // Behind the terms, or once they are copied, all columns.
  isCopied = other.back() == term;
  if (!isCopied && !liesAlongRows(op->getOperand(1 - constant)))
    return "its other operand is read in windows or in steps, and would have "
           "to be stored first";
  return std::nullopt;
}

unsigned Sparse::getPanels() const {
  return PrimitiveOpInterface(ContractOp(op)).getIterators().size();
}

void Sparse::choosePanel(const TargetInfo &target) {
  auto type = getTensorType(ContractOp(op)->getOperand(1 - constant));
  if (!isCopied || type.getRank() < 2)
    return;
  const int64_t columns = type.getDimSize(type.getRank() - 2),
                enough = target.getSparseColumns();
  if (columns > enough && columns % enough == 0)
    panel = enough;
}

int64_t Sparse::countColumns() const {
  Operation *operation = op;
  ArrayRef<int64_t> shape =
      getTensorType(operation->getOperand(1 - constant)).getShape();
  int64_t columns = 1;
  for (auto [dim, iterator] : llvm::enumerate(getIterators(
           PrimitiveOpInterface(operation).getOperandMap(1 - constant)))) {
    if (iterator == term && !isCopied)
      columns = 1;
    else if (iterator != term)
      columns *= shape[dim];
  }
  return columns;
}

void Sparse::readRows(Value matrix) {
  auto type = getTensorType(matrix);
  ConstantData data = packData(*getFixedData(matrix), type);
  Column elements;
  elements.resize(type.getNumElements());
  ElementAccess(type.getElementType())
      .read(data.bytes.data(), /*stride=*/1, type.getNumElements(), elements,
            /*at=*/0);
  bool rowIsFirst = getIterators(op.getOperandMap(constant)).front() == row;
  int64_t columns = type.getDimSize(1);
  rows.resize(type.getDimSize(rowIsFirst ? 0 : 1));
  for (auto [number, value] : llvm::enumerate(elements.floats)) {
    if (value == 0)
      continue;
    int64_t first = int64_t(number) / columns,
            second = int64_t(number) % columns;
    rows[rowIsFirst ? first : second].push_back(
        {rowIsFirst ? second : first, value});
  }
}

void Sparse::chooseWidth() {
  std::vector<size_t> counts;
  for (const Row &entries : rows)
    counts.push_back(entries.size());
  llvm::sort(counts);
  longest = std::max<size_t>(1, counts.back());
  width = longest;
  // The second product takes a launch, and its result is read.
  size_t least = rows.size() * longest * 7 / 8;
  for (auto [shorter, count] : llvm::enumerate(counts)) {
    size_t left = counts.size() - shorter;
    size_t entries = count * rows.size() + left * (longest - count);
    if (count > 0 && entries < least) {
      least = entries;
      width = count;
    }
  }
}

int64_t Sparse::countEntries() const {
  int64_t entries = rows.size() * width;
  for (const Row &row : rows)
    if (row.size() > width)
      entries += longest - width;
  return entries;
}

FailureOr<Sparse> Sparse::plan(PrimitiveOpInterface primitive,
                               const TargetInfo &target, std::string &reason) {
  auto refuse = [&](const llvm::Twine &why) {
    reason = why.str();
    return failure();
  };
  auto op = dyn_cast<ContractOp>(primitive.getOperation());
  if (!op)
    return failure();
  unsigned constant = getFixedData(op.getRhs()) ? 1 : 0;
  Value matrix = constant ? op.getRhs() : op.getLhs();
  if (!getFixedData(matrix))
    return failure();
  Type element = op.getType().getElementType();
  if (!isa<FloatType>(element) || getComputeType(element) != element ||
      getTensorType(op.getLhs()).getElementType() != element ||
      getTensorType(op.getRhs()).getElementType() != element)
    return refuse("its elements are not what it computes in");
  if (target.hasBlocks())
    return refuse("threads of a GPU copy tiles, and pick no rows");
  Sparse plan(op);
  if (std::optional<std::string> why = plan.match(constant))
    return refuse(*why);
  int64_t columns = plan.countColumns();
  if (columns < target.getSparseColumns())
    return refuse("a row of its terms serves " + llvm::Twine(columns) +
                  " columns that lie side by side, and less than " +
                  llvm::Twine(target.getSparseColumns()) + " do not pay");
  plan.choosePanel(target);
  plan.readRows(matrix);
  plan.chooseWidth();
  // A vector that begins within a line lies in two.
  bool isAligned = plan.isCopied ||
                   columns * getLaneBytes(op.getType()) % target.cacheLine == 0;
  double entries = double(plan.countEntries()) * (isAligned ? 1 : 2);
  int64_t elements = getTensorType(matrix).getNumElements();
  const double most = target.getSparseShare() * double(elements);
  if (entries > most)
    return refuse(
        llvm::Twine(plan.countEntries()) + " of its " + llvm::Twine(elements) +
        " constant elements would be multiplied, with those that fill rows up" +
        (isAligned ? "" : ", in vectors that lie in two cache lines each") +
        ", and more than " + llvm::Twine(int64_t(isAligned ? most : most / 2)) +
        " do not pay");
  return plan;
}

//===----------------------------------------------------------------------===//
// Its parts
//===----------------------------------------------------------------------===//

std::pair<Value, SmallVector<unsigned>>
Sparse::buildOperand(TensorBuilder &b) const {
  Operation *operation = op;
  Value operand = operation->getOperand(1 - constant);
  SmallVector<unsigned> iterators =
      getIterators(PrimitiveOpInterface(operation).getOperandMap(1 - constant));
  if (!isCopied)
    return {operand, iterators};
  auto type = getTensorType(operand);
  const int64_t last = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape());
  // In front of the terms come all dimensions but the columns, of which those
  // of a panel lie behind them.
  int64_t columns = last == 0 ? 1 : shape[last - 1];
  SmallVector<int64_t> perm;
  if (panel > 0) {
    iterators.insert(iterators.begin() + last - 1, getPanels());
    shape[last - 1] = columns / panel;
    shape.insert(shape.begin() + last, panel);
    operand = b.reshape(operand, shape);
    perm = llvm::to_vector(llvm::seq<int64_t>(0, last));
    llvm::append_range(perm, ArrayRef<int64_t>{last + 1, last});
  } else {
    perm = {last};
    llvm::append_range(perm, llvm::seq<int64_t>(0, last));
  }
  auto reordered = [&](auto list) {
    auto result = list;
    for (auto [to, from] : llvm::enumerate(perm))
      result[to] = list[from];
    return result;
  };
  return {b.make<TransposeOp>(type.clone(reordered(shape)), operand, perm,
                              /*stored=*/true),
          reordered(iterators)};
}

/// Elements of `type` as bytes.
static std::vector<char> toBytes(Type type, const Column &elements,
                                 size_t count) {
  ElementAccess access(type);
  std::vector<char> bytes(count * access.size());
  access.write(elements, count, bytes.data());
  return bytes;
}

Value Sparse::buildProduct(TensorBuilder &b, ArrayRef<Row> part, size_t entries,
                           Value operand, ArrayRef<unsigned> iterators,
                           ArrayRef<unsigned> results, StringRef name) const {
  Column values, terms;
  terms.isFloat = false;
  for (const Row &row : part) {
    Row full = row;
    // An empty row multiplies by zeros only, as A does.
    if (full.empty())
      full.push_back({0, 0});
    // Two halves of an entry are as good as one; a zero would make a NaN of
    // what is not finite.
    for (size_t at = 0; full.size() < entries; ++at) {
      full[at].value /= 2;
      full.push_back(Entry(full[at]));
    }
    for (const Entry &entry : full) {
      values.floats.push_back(entry.value);
      terms.ints.push_back(entry.term);
    }
  }
  auto type = ContractOp(op).getType();
  SmallVector<int64_t> shape = {int64_t(part.size()), int64_t(entries)};
  auto valueType = type.clone(shape);
  auto termType = RankedTensorType::get(shape, b.builder.getI32Type());
  std::optional<ConstantData> data =
      getConstantData(ContractOp(op)->getOperand(constant));
  std::string base = data->weight ? data->weight.getSymName().str() : "weights";
  Value factors = createConstant(
      b.builder, b.loc, valueType,
      toBytes(valueType.getElementType(), values, values.floats.size()),
      base + "_" + name.str() + "values", data->weight);
  Value indices = createConstant(
      b.builder, b.loc, termType,
      toBytes(termType.getElementType(), terms, terms.ints.size()),
      base + "_" + name.str() + "terms", data->weight);
  // gathered[row, entry, columns...] = X[.., terms[row, entry], ..]
  MLIRContext *context = ContractOp(op)->getContext();
  ArrayRef<int64_t> extents = getTensorType(operand).getShape();
  SmallVector<AffineExpr> picked;
  SmallVector<unsigned> dims = {row, term};
  for (auto [extent, iterator] : llvm::zip(extents, iterators)) {
    if (iterator == term) {
      picked.push_back(getAffineSymbolExpr(0, context));
      continue;
    }
    picked.push_back(getAffineDimExpr(dims.size(), context));
    dims.push_back(iterator);
    shape.push_back(extent);
  }
  unsigned rank = shape.size();
  AffineMap maps[] = {AffineMap::get(rank, 1, picked, context),
                      AffineMap::get(rank, 0,
                                     {getAffineDimExpr(0, context),
                                      getAffineDimExpr(1, context)},
                                     context)};
  Value gathered = b.make<GatherOp>(getTensorType(operand).clone(shape),
                                    operand, ValueRange(indices),
                                    b.builder.getAffineMapArrayAttr(maps));
  SmallVector<int64_t> resultShape;
  for (unsigned result : results)
    resultShape.push_back(shape[llvm::find(dims, result) - dims.begin()]);
  // Of the contraction, its iterators in the result's order, then the terms.
  auto number = [&](ArrayRef<unsigned> list) {
    return llvm::map_to_vector(list, [&](unsigned iterator) -> unsigned {
      return llvm::find(results, iterator) - results.begin();
    });
  };
  return buildContraction(factors, gathered, number({row, term}), number(dims),
                          number(results), resultShape, b);
}

Value Sparse::addLongRows(TensorBuilder &b, Value sum, Value operand,
                          ArrayRef<unsigned> iterators,
                          ArrayRef<unsigned> results) const {
  std::vector<Row> rest;
  Column places, has;
  places.isFloat = has.isFloat = false;
  for (const Row &entries : rows) {
    bool isLong = entries.size() > width;
    places.ints.push_back(isLong ? rest.size() : 0);
    has.ints.push_back(isLong);
    if (isLong)
      rest.emplace_back(entries.begin() + width, entries.end());
  }
  SmallVector<unsigned> dims = {row};
  for (unsigned iterator : iterators)
    if (iterator != term)
      dims.push_back(iterator);
  Value more =
      buildProduct(b, rest, longest - width, operand, iterators, dims, "long_");
  auto type = getTensorType(sum);
  auto makeRows = [&](Type element, const Column &elements, StringRef hint) {
    auto rowType = RankedTensorType::get({int64_t(rows.size())}, element);
    return createConstant(b.builder, b.loc, rowType,
                          toBytes(element, elements, rows.size()), hint);
  };
  Value place = makeRows(b.builder.getI32Type(), places, "long_places");
  Value isLong = makeRows(b.builder.getI1Type(), has, "long_rows");
  MLIRContext *context = ContractOp(op)->getContext();
  auto at = [&](unsigned iterator) {
    return llvm::find(results, iterator) - results.begin();
  };
  SmallVector<AffineExpr> picked = {getAffineSymbolExpr(0, context)};
  for (unsigned iterator : ArrayRef(dims).drop_front())
    picked.push_back(getAffineDimExpr(at(iterator), context));
  AffineMap maps[] = {
      AffineMap::get(results.size(), 1, picked, context),
      AffineMap::get(results.size(), 0, getAffineDimExpr(at(row), context))};
  Value there = b.make<GatherOp>(type, more, ValueRange(place),
                                 b.builder.getAffineMapArrayAttr(maps));
  Value where = b.broadcast(isLong, type.getShape(), {int64_t(at(row))});
  return b.add(sum, b.select(where, there, 0));
}

Value Sparse::build(OpBuilder &builder) const {
  TensorBuilder b(builder, ContractOp(op)->getLoc());
  auto [operand, iterators] = buildOperand(b);
  std::vector<Row> first = rows;
  for (Row &entries : first)
    entries.resize(std::min(entries.size(), width));
  SmallVector<unsigned> results =
      getIterators(PrimitiveOpInterface(op).getResultMap(0));
  SmallVector<int64_t> shape(ContractOp(op).getType().getShape());
  if (panel > 0) // its iterator stands behind that of panels
    results.insert(llvm::find(results, iterators.back()), getPanels());
  // Lanes run along the columns: rows that lie side by side in the result are
  // stored one behind the other, and moved once all are there. A few at a time
  // would write each cache line several times.
  const bool isMoved = isCopied && results.back() == row;
  if (isMoved) {
    std::rotate(results.begin(), results.end() - 1, results.end());
    std::rotate(shape.begin(), shape.end() - 1, shape.end());
  }
  Value sum =
      buildProduct(b, first, width, operand, iterators, results, "sparse_");
  if (width < longest)
    sum = addLongRows(b, sum, operand, iterators, results);
  sum = b.reshape(sum, shape);
  if (!isMoved)
    return sum;
  SmallVector<int64_t> perm =
      llvm::to_vector(llvm::seq<int64_t>(1, shape.size()));
  perm.push_back(0);
  return b.make<TransposeOp>(ContractOp(op).getType(), sum, perm,
                             /*stored=*/false, /*turned=*/true);
}

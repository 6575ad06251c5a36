// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of whole matrices.
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

LogicalResult AddProductsOp::verify() {
  const std::pair<StringRef, int64_t> counts[] = {
      {"rows", getRows()}, {"columns", getColumns()}, {"steps", getSteps()}};
  for (auto [name, count] : counts)
    if (count < 1)
      return emitOpError() << "has " << count << " " << name
                           << ", expected one or more";
  if (getTerms() != 2 && getTerms() != 4)
    return emitOpError() << "needs 2 terms or 4, has " << getTerms();
  auto sums = cast<MemRefType>(getSums().getType());
  auto vector = dyn_cast<VectorType>(sums.getElementType());
  Type sum = vector ? vector.getElementType() : sums.getElementType();
  if (!vector || !(getTerms() == 2 ? sum.isF32() : sum.isInteger(32)))
    return emitOpError() << "adds " << getTerms() << " terms to sums of type "
                         << sums << ", expected an array of vectors of "
                         << (getTerms() == 2 ? "f32" : "i32");
  for (Value factor : {getLhs(), getRhs()}) {
    Type element = cast<MemRefType>(factor.getType()).getElementType();
    if (getTerms() == 2 ? !element.isBF16() : !element.isInteger(8))
      return emitOpError() << "multiplies elements of type " << element
                           << ", expected "
                           << (getTerms() == 2 ? "bf16" : "8-bit integers");
  }
  const std::tuple<Value, AffineMap, OperandRange> places[] = {
      {getLhs(), getLhsMap(), getLhsIndices()},
      {getRhs(), getRhsMap(), getRhsIndices()},
      {getSums(), getSumsMap(), getSumsIndices()}};
  for (auto [memref, map, indices] : places) {
    if (failed(syntax::verifyMapOperands(*this, map, indices.size(),
                                         "subscripts")))
      return failure();
    auto type = cast<MemRefType>(memref.getType());
    if (int64_t(map.getNumResults()) != type.getRank())
      return emitOpError() << "has " << map.getNumResults()
                           << " subscripts for " << type;
  }
  return success();
}

bool AddMatricesOp::isExact() {
  return !cast<MemRefType>(getRows().getType()).getElementType().isF32();
}

LogicalResult AddMatricesOp::verify() {
  auto sums = cast<MemRefType>(getSums().getType());
  Type factor = cast<MemRefType>(getRows().getType()).getElementType(),
       other = cast<MemRefType>(getColumns().getType()).getElementType();
  const bool areIntegers = factor.isInteger(8);
  if (!factor.isF16() && !factor.isBF16() && !factor.isF32() && !areIntegers)
    return emitOpError() << "multiplies elements of type " << factor
                         << ", expected f16, bf16, f32 or 8-bit integers";
  if (areIntegers ? !other.isInteger(8) : other != factor)
    return emitOpError("multiplies matrices of two element types");
  const int64_t whole = 128 / factor.getIntOrFloatBitWidth(); // in 16 bytes
  const std::pair<StringRef, int64_t> distances[] = {
      {"row", getRow()}, {"column", getColumn()}, {"term", getTerm()}};
  for (auto [name, distance] : distances)
    if (distance < 1 || (distance != 1 && distance % whole != 0))
      return emitOpError() << "has a distance " << name << " = " << distance
                           << ", expected a multiple of " << whole;
  if (getRow() == 1 || (getColumn() == 1) == (getTerm() == 1) ||
      (areIntegers && getTerm() != 1))
    return emitOpError("needs the terms of a row side by side, and those of a "
                       "column, or of floats the columns");
  const unsigned ofRows = getColumnsFirst() ? 1 : 0;
  Type sum = sums.getElementType();
  if (!isOfThread(sums) || sums.getRank() != 2 ||
      !(areIntegers ? sum.isInteger(32) : sum.isF32()) ||
      sums.getDimSize(ofRows) % 4 != 0 || sums.getDimSize(1 - ofRows) % 2 != 0)
    return emitOpError() << "adds to sums of type " << sums
                         << ", expected a thread's own array of "
                         << (areIntegers ? "i32" : "f32")
                         << " with a multiple of 4 rows and of 2 columns";
  const std::tuple<Value, AffineMap, OperandRange> places[] = {
      {getRows(), getRowsMap(), getRowsIndices()},
      {getColumns(), getColumnsMap(), getColumnsIndices()}};
  for (auto [memref, map, indices] : places) {
    auto type = cast<MemRefType>(memref.getType());
    if (!isShared(type))
      return emitOpError() << "loads a matrix from " << type
                           << ", expected an array in shared memory";
    if (failed(syntax::verifyMapOperands(*this, map, indices.size(),
                                         "subscripts")))
      return failure();
    if (int64_t(map.getNumResults()) != type.getRank())
      return emitOpError() << "has " << map.getNumResults()
                           << " subscripts for " << type;
  }
  return success();
}

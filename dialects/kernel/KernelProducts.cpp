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

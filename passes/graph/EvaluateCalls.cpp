// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of constants, by what their routines have for it (dialects/library),
// over columns of all elements.
#include "passes/graph/EvaluateCalls.h"

#include "dialects/library/Library.h"
#include "passes/graph/Elements.h"
#include "passes/graph/Evaluator.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static Column makeColumn(RankedTensorType type) {
  Column column{isa<FloatType>(type.getElementType()), {}, {}};
  column.resize(type.getNumElements());
  return column;
}

std::optional<std::vector<std::vector<char>>>
fusec::fuse::evaluateCall(CallOp op, DataOf getData) {
  const library::Routine *routine = library::find(op.getCallee());
  if (!routine->fold)
    return std::nullopt;
  library::ConstantCall columns{
      {op.getOperandTypes(), op->getResultTypes(), op.getParameters()}, {}, {}};
  for (Value operand : op.getOperands()) {
    std::optional<ConstantData> data = getData(operand);
    if (!data)
      return std::nullopt;
    RankedTensorType type = getTensorType(operand);
    ConstantData packed = packData(*data, type);
    Column &column = columns.operands.emplace_back(makeColumn(type));
    ElementAccess(type.getElementType())
        .read(packed.bytes.data(), /*stride=*/1, type.getNumElements(), column,
              0);
  }
  for (Value result : op->getResults())
    columns.results.push_back(makeColumn(getTensorType(result)));
  routine->fold(columns);
  std::vector<std::vector<char>> results;
  for (auto [value, column] : llvm::zip(op->getResults(), columns.results)) {
    RankedTensorType type = getTensorType(value);
    ElementAccess access(type.getElementType());
    auto &bytes = results.emplace_back(type.getNumElements() * access.size());
    access.write(column, type.getNumElements(), bytes.data());
  }
  return results;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Compaction.h"

using namespace mlir;

namespace fusec {

std::optional<int64_t> declaredRows(Node &node, unsigned output, int64_t rank,
                                    int64_t dim) {
  std::vector<std::string> open;
  RankedTensorType declared = node.declaredOutput(output, open);
  if (!declared || declared.getRank() != rank)
    return std::nullopt;
  int64_t rows = declared.getDimSize(dim);
  node.warn("gives the " + llvm::Twine(rows) +
                " rows that are declared, however many there are: rows that "
                "are left are 0, further ones are dropped",
            "declare as many rows as there can be; " +
                node.addHint("count", {"NAME"}) +
                " for a further output with the number of rows that hold "
                "something, of an output NAME");
  node.leaveOpen();
  return rows;
}

Picked pickPositions(Node &node, Value flags, int64_t rows, int64_t rest) {
  Type i64 = node.builder.getI64Type();
  RankedTensorType type = fuse::getTensorType(flags).clone(i64);
  Value numbers = node.cast(flags, i64);
  Value upTo = node.make<fuse::CumulateOp>(type, fuse::ReductionKind::sum,
                                           numbers, uint64_t(0), false, false);
  // Each goes where as many are before it; others lie outside, and are left
  // out.
  Value place = node.sub(upTo, 1);
  place = node.select(flags, place, INT32_MAX);
  Value position = node.iota(type, 0);
  RankedTensorType resultType = tensorType({rows}, i64);
  Value initial = node.splat(double(rest), resultType);
  Builder &b = node.builder;
  auto op = fuse::CallOp::create(
      node.builder, node.loc, TypeRange{resultType},
      b.getStringAttr("scatter_elements"),
      b.getDictionaryAttr(
          {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
           b.getNamedAttr("reduction", b.getStringAttr("none"))}),
      ValueRange{initial, place, position});
  return {op.getResult(0), node.reduce(Combiner::Add, numbers, {0})};
}

} // namespace fusec

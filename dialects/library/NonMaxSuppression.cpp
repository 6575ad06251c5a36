// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @non_max_suppression (boxes, scores, limit, iou, score) -> rows: the boxes of
// each batch and class that overlap no better one by more than `iou`, at most
// `limit` of them, as rows of batch, class and box. There are as many rows as
// the result's type has: what is more is left out, rows that are left are -1.
#include "dialects/library/Registry.h"

#include <algorithm>

using namespace mlir;

namespace fusec::library {

static constexpr Parameter kSuppressionParameters[] = {
    {"center_point_box", kFlag}};

static Refusal refuseSuppression(const Call &call) {
  llvm::ArrayRef<int64_t> boxes = call.operandShape(0),
                          scores = call.operandShape(1),
                          rows = call.resultShape(0);
  MLIRContext *context = call.parameters.getContext();
  Type f32 = Float32Type::get(context), i64 = IntegerType::get(context, 64);
  if (boxes.size() != 3 || boxes[2] != 4)
    return "has boxes " + shapeText(boxes) + ", expected [batches, boxes, 4]";
  if (scores.size() != 3)
    return "has scores " + shapeText(scores) +
           ", expected [batches, classes, boxes]";
  if (rows.size() != 2)
    return "has the result " + shapeText(rows) + ", expected [rows, 3]";
  const std::pair<unsigned, llvm::StringRef> scalars[] = {
      {3, "the overlap threshold"}, {4, "the score threshold"}};
  if (Refusal reason =
          refuseOtherThan(call.operands[0], boxes, f32, "the operand of boxes"))
    return reason;
  if (Refusal reason =
          refuseOtherThan(call.operands[1], {boxes[0], scores[1], boxes[1]},
                          f32, "the operand of scores"))
    return reason;
  if (Refusal reason =
          refuseOtherThan(call.operands[2], {}, i64, "the limit of boxes"))
    return reason;
  for (auto [operand, what] : scalars)
    if (Refusal reason = refuseOtherThan(call.operands[operand], {}, f32, what))
      return reason;
  return refuseOtherThan(call.results[0], {rows[0], 3}, i64, "the result");
}

/// The numbers of a class's boxes, to be sorted.
static int64_t getSuppressionBytes(const Call &call) {
  return std::max<int64_t>(call.operandShape(0)[1], 1) * 8;
}

static std::vector<Argument> getSuppressionArguments(const Call &call) {
  llvm::ArrayRef<int64_t> scores = call.operandShape(1);
  return {{"batches", scores[0]},
          {"classes", scores[1]},
          {"count", scores[2]},
          {"rows", call.resultShape(0)[0]},
          {"center_point_box", call.getFlag("center_point_box")}};
}

void addNonMaxSuppression(Registry &registry) {
  Routine suppression = {"non_max_suppression",
                         /*numOperands=*/5,
                         /*numResults=*/1,
                         kSuppressionParameters,
                         refuseSuppression,
                         {"fusec::library::non_max_suppression",
                          "fusec/library/non_max_suppression.h",
                          getSuppressionArguments}};
  suppression.getWorkspaceBytes = getSuppressionBytes;
  suppression.leavesOpen = true;
  registry.add(suppression);
}

} // namespace fusec::library

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bins over regions that are as large as the data say: x [N, C, H, W] to
// [R, C, bins_y, bins_x].
// @roi_align (x, regions [R, 4], images [R]): the mean (or `maximum`) of points
// between the elements, as fuse.roi_align has it, of which a bin has as many
// along a dimension as it is large there, rounded up.
// @max_roi_pool (x, regions [R, 5]): the largest element of each bin, whose
// corners are rounded; a region begins with the number of its image.
// The coordinates are those of x: the model's scale has been applied.
#include "dialects/library/Registry.h"

#include <cstdint>

using namespace mlir;

namespace fusec::library {

/// What both have: images of numbers, and regions of `columns` coordinates.
static Refusal refuseRegions(const Call &call, int64_t columns) {
  llvm::ArrayRef<int64_t> x = call.operandShape(0),
                          regions = call.operandShape(1),
                          bins = call.resultShape(0);
  if (x.size() != 4)
    return "has images " + shapeText(x) +
           ", expected [images, channels, height, width]";
  if (regions.size() != 2)
    return "has regions " + shapeText(regions) + ", expected [regions, " +
           std::to_string(columns) + "]";
  if (bins.size() != 4)
    return "has the result " + shapeText(bins) +
           ", expected [regions, channels, bins, bins]";
  Type element = call.operands[0].getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return "needs images of f16, bf16, f32 or f64";
  Type coordinate =
      element.isF64() ? element : Float32Type::get(element.getContext());
  if (Refusal reason = refuseOtherThan(call.operands[1], {regions[0], columns},
                                       coordinate, "the operand of regions"))
    return reason;
  if (Refusal reason =
          refuseOtherThan(call.results[0], {regions[0], x[1], bins[2], bins[3]},
                          element, "the result"))
    return reason;
  for (int64_t extent : {x[2], x[3], bins[2], bins[3]})
    if (extent > INT32_MAX)
      return "has a dimension of " + std::to_string(extent);
  if (call.operands[0].getNumElements() == 0 &&
      call.results[0].getNumElements() != 0)
    return "reads images without elements, " + shapeText(x);
  return std::nullopt;
}

static std::vector<Argument> getRegionArguments(const Call &call) {
  llvm::ArrayRef<int64_t> x = call.operandShape(0), y = call.resultShape(0);
  return {{"images", x[0]}, {"channels", x[1]}, {"height", x[2]},
          {"width", x[3]},  {"regions", y[0]},  {"bins_y", y[2]},
          {"bins_x", y[3]}};
}

//===- roi_align ----------------------------------------------------------===//

static constexpr Parameter kRoiAlignParameters[] = {{"half_pixel", kFlag},
                                                    {"maximum", kFlag}};

static Refusal refuseRoiAlign(const Call &call) {
  if (Refusal reason = refuseRegions(call, 4))
    return reason;
  return refuseOtherThan(call.operands[2], {call.operandShape(1)[0]},
                         IntegerType::get(call.parameters.getContext(), 64),
                         "the operand of images' numbers");
}

static std::vector<Argument> getRoiAlignArguments(const Call &call) {
  std::vector<Argument> arguments = getRegionArguments(call);
  arguments.emplace_back("half_pixel", call.getFlag("half_pixel"));
  arguments.emplace_back("maximum", call.getFlag("maximum"));
  return arguments;
}

//===- max_roi_pool -------------------------------------------------------===//

static Refusal refuseMaxRoiPool(const Call &call) {
  return refuseRegions(call, 5);
}

void addRegions(Registry &registry) {
  registry.add({"roi_align",
                /*numOperands=*/3,
                /*numResults=*/1,
                kRoiAlignParameters,
                refuseRoiAlign,
                {"fusec::library::roi_align", "fusec/library/regions.h",
                 getRoiAlignArguments}});
  registry.add({"max_roi_pool",
                /*numOperands=*/2,
                /*numResults=*/1,
                /*parameters=*/{},
                refuseMaxRoiPool,
                {"fusec::library::max_roi_pool", "fusec/library/regions.h",
                 getRegionArguments}});
}

} // namespace fusec::library

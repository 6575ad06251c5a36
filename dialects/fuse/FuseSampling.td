// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites that read their input at positions between its elements.
#ifndef FUSEC_FUSE_SAMPLING
#define FUSEC_FUSE_SAMPLING

include "dialects/fuse/FuseComposites.td"

def Fuse_SampleMode : I32EnumAttr<"SampleMode", "interpolation", [
    I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"cubic", 2>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_SampleModeAttr : EnumAttr<Fuse_Dialect, Fuse_SampleMode, "sample_mode">;

def Fuse_Coordinates : I32EnumAttr<"Coordinates", "coordinate transformation", [
    I32EnumAttrCase<"half_pixel", 0>, I32EnumAttrCase<"half_pixel_symmetric", 1>,
    I32EnumAttrCase<"pytorch_half_pixel", 2>, I32EnumAttrCase<"align_corners", 3>,
    I32EnumAttrCase<"asymmetric", 4>, I32EnumAttrCase<"tf_half_pixel_for_nn", 5>,
    I32EnumAttrCase<"tf_crop_and_resize", 6>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_CoordinatesAttr : EnumAttr<Fuse_Dialect, Fuse_Coordinates, "coordinates">;

def Fuse_NearestRounding : I32EnumAttr<"NearestRounding", "rounding to a position", [
    I32EnumAttrCase<"round_prefer_floor", 0>, I32EnumAttrCase<"round_prefer_ceil", 1>,
    I32EnumAttrCase<"floor", 2>, I32EnumAttrCase<"ceil", 3>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_NearestRoundingAttr : EnumAttr<Fuse_Dialect, Fuse_NearestRounding, "nearest_rounding">;

def Fuse_ResizeOp : Fuse_CompositeOp<"resize", "sum_p w(p) x[p] / sum_p w(p) along each dimension, w(p) = k(p - x(o)) around the coordinate x(o) of position o"> {
  let description = [{
    A dimension of extent n becomes one of extent m, which is the real number
    l = `lengths[d]` made an integer; s = l / n is its scale. A dimension with
    l = n = m, and all of it in the region of interest, is kept. Otherwise x(o) is

        half_pixel            (o + 1/2) / s - 1/2
        half_pixel_symmetric  n/2 (1 - m/l) + (o + 1/2) / s - 1/2
        pytorch_half_pixel    (o + 1/2) / s - 1/2, or 0 where m = 1
        align_corners         o (n - 1) / (l - 1), or 0 where l = 1
        asymmetric            o / s
        tf_half_pixel_for_nn  (o + 1/2) / s
        tf_crop_and_resize    a (n - 1) + o (b - a) (n - 1) / (l - 1),
                              or (a + b) / 2 (n - 1) where l = 1

    with a = `roi[d]` and b = `roi[rank + d]`, in f32 as ONNX Runtime computes
    it: on which side of a tie a position lies depends on that. `nearest` reads
    x at the rounded coordinate; what is within 1e-6 of a half goes down with
    round_prefer_floor and up with round_prefer_ceil. The kernel k(t) of `linear` is max(0, 1 - |t|),
    that of `cubic`, with A = `cubic_a`,

        (A + 2) |t|^3 - (A + 3) |t|^2 + 1      for |t| <= 1
        A |t|^3 - 5 A |t|^2 + 8 A |t| - 4 A    for |t| < 2

    With `antialias` it is k(t min(s, 1)). Positions outside are the nearest one
    inside, or with `exclude_outside` take no part. With tf_crop_and_resize,
    what has a coordinate outside [0, n - 1] is `extrapolation`.
  }];
  let arguments = (ins Fuse_SampleModeAttr:$mode, Fuse_Tensor:$input, Fuse_CoordinatesAttr:$coordinates,
    DenseF64ArrayAttr:$lengths, DefaultValuedAttr<Fuse_NearestRoundingAttr, "NearestRounding::round_prefer_floor">:$rounding,
    DefaultValuedAttr<F64Attr, "-0.75">:$cubic_a, UnitAttr:$exclude_outside, UnitAttr:$antialias,
    OptionalAttr<DenseF64ArrayAttr>:$roi, DefaultValuedAttr<F64Attr, "0.0">:$extrapolation);
  let assemblyFormat = "$mode $input $coordinates `lengths` `=` $lengths attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_SAMPLING

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
        align_corners         o (n - 1) / (m - 1), or 0 where m = 1
        asymmetric            o / s
        tf_half_pixel_for_nn  (o + 1/2) / s
        tf_crop_and_resize    a (n - 1) + o (b - a) (n - 1) / (m - 1),
                              or (a + b) / 2 (n - 1) where m = 1

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

    Integers are interpolated in f64. What that gives is cut off towards zero, or
    with `antialias` rounded, ties up; what is within 1e-6 of the next integer, or
    of a tie, counts as that. A cubic sum beyond the element type's range is its
    end.
  }];
  let arguments = (ins Fuse_SampleModeAttr:$mode, Fuse_Tensor:$input, Fuse_CoordinatesAttr:$coordinates,
    DenseF64ArrayAttr:$lengths, DefaultValuedAttr<Fuse_NearestRoundingAttr, "NearestRounding::round_prefer_floor">:$rounding,
    DefaultValuedAttr<F64Attr, "-0.75">:$cubic_a, UnitAttr:$exclude_outside, UnitAttr:$antialias,
    OptionalAttr<DenseF64ArrayAttr>:$roi, DefaultValuedAttr<F64Attr, "0.0">:$extrapolation);
  let assemblyFormat = "$mode $input $coordinates `lengths` `=` $lengths attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Fuse_GridPadding : I32EnumAttr<"GridPadding", "what lies outside of an image", [
    I32EnumAttrCase<"zeros", 0>, I32EnumAttrCase<"border", 1>, I32EnumAttrCase<"reflection", 2>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_GridPaddingAttr : EnumAttr<Fuse_Dialect, Fuse_GridPadding, "grid_padding">;

def Fuse_GridSampleOp : Fuse_CompositeOp<"grid_sample", "sum_p w(p) input[n, c, p] around the coordinates that grid[n, o, :] gives, per channel"> {
  let description = [{
    Input [N, C, in_1..in_k], grid [N, out_1..out_k, k], result [N, C, out_1..out_k].
    Along dimension d, of extent n, the coordinate is x = (g + 1) / 2 (n - 1) with
    `align_corners` and ((g + 1) n - 1) / 2 without, with g = grid[n, o, k - 1 - d].
    `nearest` rounds x to even. The weights w are those of `fuse.resize` with
    A = -3/4. A position p outside counts as 0 with `zeros` and as the nearest
    one with `border`. With `reflection` x and p are mirrored where the input
    ends: at 0 and n - 1 or, without `align_corners`, at -1/2 and n - 1/2.
  }];
  let arguments = (ins Fuse_SampleModeAttr:$mode, Fuse_Tensor:$input, Fuse_Tensor:$grid,
    Fuse_GridPaddingAttr:$padding, UnitAttr:$align_corners);
  let assemblyFormat = "$mode $input `,` $grid $padding attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Fuse_RoiAlignOp : Fuse_CompositeOp<"roi_align", "Mean (or `maximum`) of the input at `points` x `points` coordinates in each bin of each region, interpolated linearly"> {
  let description = [{
    Input [N, C, H, W], rois [R, 4] (x, y of two corners), image [R], result
    [R, C, bins_y, bins_x]. A region begins at s = first corner `scale` - 1/2 and
    has the size e = (second - first) `scale`; without `half_pixel` nothing is
    subtracted, and e is 1 at least. Point i of bin b lies at
    y = s + b e / bins + (i + 1/2) e / bins / points. It counts as 0 if y < -1 or
    y > H, and is moved to [0, H - 1] otherwise; the same for x. `maximum` is that
    of the weighted elements themselves, before they are added up.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$rois, Fuse_Tensor:$image,
    I64Attr:$points, F64Attr:$scale, UnitAttr:$half_pixel, UnitAttr:$maximum);
  let assemblyFormat = "$input `,` $rois `,` $image attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_SAMPLING

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised composites. Scales and zero points repeat over the tensor that they
// belong to as NumPy's broadcasting has it: per tensor (rank 0), per channel
// ([C, 1, 1]), per block (one value an element, repeated by a gather).
#ifndef FUSEC_FUSE_QUANTIZED
#define FUSEC_FUSE_QUANTIZED

include "dialects/fuse/FuseComposites.td"

def Fuse_QuantizeOp : Fuse_CompositeOp<"quantize",
    "saturate(round(x / scale) + zero_point); round to nearest, ties to even", [Fuse_TakesCodes]> {
  let description = [{
    With `unsaturated`, for f8 only, the result is cast(x / scale + zero_point):
    what rounds to more than the largest number becomes an infinity, or NaN where
    the type has none. f6 and f4 have neither, and integers always saturate.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, Optional<Fuse_Tensor>:$zero_point,
    UnitAttr:$unsaturated);
  let assemblyFormat = "$input `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_DequantizeOp : Fuse_CompositeOp<"dequantize", "(x - zero_point) scale", [Fuse_TakesCodes]> {
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, Optional<Fuse_Tensor>:$zero_point);
  let assemblyFormat = "$input `,` $scale (`,` $zero_point^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_DynamicQuantizeOp : Fuse_CompositeOp<"dynamic_quantize",
    "quantize(x) to ui8 by its range: scale = (max(0, max x) - min(0, min x)) / 255, zero_point = saturate(round(-min(0, min x) / scale))"> {
  let arguments = (ins Fuse_Tensor:$input);
  let results = (outs Fuse_Tensor:$result, Fuse_Tensor:$scale, Fuse_Tensor:$zero_point);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, results)";
  let hasVerifier = 1;
}
def Fuse_MatmulIntegerOp : Fuse_CompositeOp<"matmul_integer",
    "matmul(A - a_zero, B - b_zero) in i32", [AttrSizedOperandSegments]> {
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs, Optional<Fuse_Tensor>:$lhs_zero, Optional<Fuse_Tensor>:$rhs_zero);
  let assemblyFormat = [{$lhs `,` $rhs (`lhs_zero` $lhs_zero^ `:` type($lhs_zero))? (`rhs_zero` $rhs_zero^ `:` type($rhs_zero))?
    attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)}];
  let hasVerifier = 1;
}
def Fuse_ConvIntegerOp : Fuse_CompositeOp<"conv_integer",
    "conv(x - x_zero, W - w_zero) in i32; padding reads x_zero", [AttrSizedOperandSegments]> {
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$weight, Optional<Fuse_Tensor>:$input_zero, Optional<Fuse_Tensor>:$weight_zero,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, I64Attr:$groups);
  let assemblyFormat = [{$input `,` $weight (`input_zero` $input_zero^ `:` type($input_zero))? (`weight_zero` $weight_zero^ `:` type($weight_zero))?
    attr-dict `:` type($input) `,` type($weight) `->` type($result)}];
  let hasVerifier = 1;
}
def Fuse_QLinearMatmulOp : Fuse_CompositeOp<"qlinear_matmul",
    "saturate(round(matmul(A - a_zero, B - b_zero) (a_scale b_scale / y_scale)) + y_zero)"> {
  let description = [{
    The sum is an i32, its product with the scales an f32. `y_scale` and `y_zero`
    repeat over the result; `a_scale` [.., M, 1] and `b_scale` [.., 1, N], too.
  }];
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$lhs_scale, Fuse_Tensor:$lhs_zero,
    Fuse_Tensor:$rhs, Fuse_Tensor:$rhs_scale, Fuse_Tensor:$rhs_zero,
    Fuse_Tensor:$result_scale, Fuse_Tensor:$result_zero);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_QLinearConvOp : Fuse_CompositeOp<"qlinear_conv",
    "saturate(round((conv(x - x_zero, W - w_zero) + bias) (x_scale w_scale / y_scale)) + y_zero)"> {
  let description = [{
    The sum and the bias [O] are i32. `weight_scale` is a scalar or [O, 1...], as
    `weight_zero`; the other scales and zero points are scalars.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$input_scale, Fuse_Tensor:$input_zero,
    Fuse_Tensor:$weight, Fuse_Tensor:$weight_scale, Fuse_Tensor:$weight_zero,
    Fuse_Tensor:$result_scale, Fuse_Tensor:$result_zero, Optional<Fuse_Tensor>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, I64Attr:$groups);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_QUANTIZED

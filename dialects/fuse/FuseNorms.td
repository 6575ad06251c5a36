// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites that divide by a statistic of their input.
#ifndef FUSEC_FUSE_NORMS
#define FUSEC_FUSE_NORMS

include "dialects/fuse/FuseComposites.td"

def Fuse_GroupNormOp : Fuse_CompositeOp<"group_norm", "(x - mean) / sqrt(var + epsilon) scale + bias over each of `groups` groups of channels",
    [AllTypesMatch<["input", "result"]>]> {
  let description = [{
    Input [N, C, ...], scale and bias [C]. Mean and (population) variance are
    those of C / groups neighbouring channels with all dimensions behind them;
    as many groups as channels make an instance norm.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, Fuse_Tensor:$bias, I64Attr:$groups, F64Attr:$epsilon);
  let assemblyFormat = "$input `,` $scale `,` $bias attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_RmsNormOp : Fuse_CompositeOp<"rms_norm", "x / sqrt(mean x^2 + epsilon) scale, the mean over dimensions axis..; scale has their shape",
    [AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, I64Attr:$axis, F64Attr:$epsilon);
  let assemblyFormat = "$input `,` $scale attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_MeanVarianceNormOp : Fuse_CompositeOp<"mean_variance_norm", "(x - mean) / (sqrt(var) + epsilon), mean and variance over `dims` (increasing)",
    [SameOperandsAndResultType]> {
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Fuse_LpNormOp : Fuse_CompositeOp<"lp_norm", "x / (sum |x|^p)^(1/p) along `axis`, 0 where the sum is; p is 1 or 2",
    [SameOperandsAndResultType]> {
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$axis, I64Attr:$p);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Fuse_LocalResponseNormOp : Fuse_CompositeOp<"local_response_norm", "x / (bias + alpha / size s)^beta, s the sum of x^2 over a window of `size` channels (dimension 1)",
    [SameOperandsAndResultType]> {
  let description = [{
    The window of channel c is [c - floor((size - 1) / 2), c + ceil((size - 1) / 2)],
    cut to the channels that there are.
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Fuse_HardmaxOp : Fuse_CompositeOp<"hardmax", "1 at the first maximum along `axis`, 0 elsewhere",
    [SameOperandsAndResultType]> {
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$axis);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_NORMS

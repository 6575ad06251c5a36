// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites over sliding windows beyond conv and pool.
#ifndef FUSEC_FUSE_WINDOWS
#define FUSEC_FUSE_WINDOWS

include "dialects/fuse/FuseComposites.td"

def Fuse_ConvTransposeOp : Fuse_CompositeOp<"conv_transpose", "y[n, o, p] = b[o] + sum over c, i, w with p = i strides + w dilations - pad_low of x[n, c, i] W[c, o, w], per group"> {
  let description = [{
    Input [N, C, spatial...], weight [C, O / groups, window...], bias [O], result
    [N, O, spatial...]; any number of spatial dimensions. The gradient of `conv`
    with respect to its input. The result's spatial extents are free: positions
    that no pair (i, w) reaches hold the bias, pairs beyond them are dropped.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$weight, Optional<Fuse_Tensor>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$pad_low, I64Attr:$groups);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
class Fuse_WindowedOp<string mnemonic, string formula, dag parameters>
    : Fuse_CompositeOp<mnemonic, formula> {
  let arguments = !con((ins Fuse_Tensor:$input, DenseI64ArrayAttr:$sizes,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low),
    parameters);
  let hasVerifier = 1;
}
def Fuse_LpPoolOp : Fuse_WindowedOp<"lp_pool", "(sum |x|^p)^(1/p) over each window of the trailing dimensions, as in fuse.window; p is positive",
    (ins I64Attr:$p)> {
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}
def Fuse_MaxPoolIndicesOp : Fuse_WindowedOp<"max_pool_indices", "Maximum of each window of the trailing dimensions, and where in the input it first lies",
    (ins UnitAttr:$column_major)> {
  let description = [{
    The windowed dimensions are all but the first two. An index counts elements
    of the input in row-major order; with `column_major` it does so over the two
    leading dimensions only, and the windowed ones count in reverse order.
    Elements outside the input take no part.
  }];
  let results = (outs Fuse_Tensor:$result, Fuse_Tensor:$indices);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result) `,` type($indices)";
}

#endif // FUSEC_FUSE_WINDOWS

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites: what authors of models name. Each has a formula here, an
// expansion into primitives (passes/graph/ExpandComposites*.cpp) and an
// independent evaluation (tools/fusec-ref).
#ifndef FUSEC_FUSE_COMPOSITES
#define FUSEC_FUSE_COMPOSITES

include "dialects/fuse/FuseBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

/// Marks composites: `op->hasTrait<fuse::Composite>()`.
def Fuse_Composite : NativeOpTrait<"Composite"> { let cppNamespace = "::fusec::fuse"; }

class Fuse_CompositeOp<string mnemonic, string formula, list<Trait> traits = []>
    : Fuse_Op<mnemonic, !listconcat([Pure, Fuse_Composite], traits)> {
  let summary = formula;
  let results = (outs Fuse_Tensor:$result);
}

/// An activation: one tensor in, the same type out, scalar parameters.
class Fuse_Activation<string mnemonic, string formula, dag parameters = (ins)>
    : Fuse_CompositeOp<mnemonic, formula, [SameOperandsAndResultType]> {
  let arguments = !con((ins Fuse_Tensor:$operand), parameters);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Fuse_ReluOp        : Fuse_Activation<"relu", "max(x, 0)">;
def Fuse_LeakyReluOp   : Fuse_Activation<"leaky_relu", "x < 0 ? alpha x : x", (ins F64Attr:$alpha)>;
def Fuse_EluOp         : Fuse_Activation<"elu", "x < 0 ? alpha (exp(x) - 1) : x", (ins F64Attr:$alpha)>;
def Fuse_SeluOp        : Fuse_Activation<"selu", "gamma (x <= 0 ? alpha (exp(x) - 1) : x)", (ins F64Attr:$alpha, F64Attr:$gamma)>;
def Fuse_CeluOp        : Fuse_Activation<"celu", "max(x, 0) + min(0, alpha (exp(x / alpha) - 1))", (ins F64Attr:$alpha)>;
def Fuse_SigmoidOp     : Fuse_Activation<"sigmoid", "1 / (1 + exp(-x))">;
def Fuse_HardSigmoidOp : Fuse_Activation<"hard_sigmoid", "max(0, min(1, alpha x + beta))", (ins F64Attr:$alpha, F64Attr:$beta)>;
def Fuse_HardSwishOp   : Fuse_Activation<"hard_swish", "x max(0, min(1, x / 6 + 1 / 2))">;
def Fuse_SwishOp       : Fuse_Activation<"swish", "x sigmoid(alpha x)", (ins DefaultValuedAttr<F64Attr, "1.0">:$alpha)>;
def Fuse_MishOp        : Fuse_Activation<"mish", "x tanh(softplus(x))">;
def Fuse_SoftplusOp    : Fuse_Activation<"softplus", "log(1 + exp(x))">;
def Fuse_SoftsignOp    : Fuse_Activation<"softsign", "x / (1 + |x|)">;
def Fuse_ThresholdedReluOp : Fuse_Activation<"thresholded_relu", "x > alpha ? x : 0", (ins F64Attr:$alpha)>;
def Fuse_ShrinkOp      : Fuse_Activation<"shrink", "x < -lambda ? x + bias : x > lambda ? x - bias : 0", (ins F64Attr:$lambda, F64Attr:$bias)>;
def Fuse_ReciprocalOp  : Fuse_Activation<"reciprocal", "1 / x">;
def Fuse_GeluOp        : Fuse_Activation<"gelu",
  "x / 2 (1 + erf(x / sqrt 2)), or with `tanh`: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))", (ins UnitAttr:$tanh)>;
def Fuse_SoftmaxOp     : Fuse_Activation<"softmax", "exp(x - max x) / sum exp(x - max x) along `axis`", (ins I64Attr:$axis)>;
def Fuse_LogSoftmaxOp  : Fuse_Activation<"log_softmax", "x - max x - log sum exp(x - max x) along `axis`", (ins I64Attr:$axis)>;

def Fuse_PReluOp : Fuse_CompositeOp<"prelu", "x < 0 ? slope x : x", [SameOperandsAndResultType]> {
  let arguments = (ins Fuse_Tensor:$operand, Fuse_Tensor:$slope);
  let assemblyFormat = "$operand `,` $slope attr-dict `:` type($result)";
}
def Fuse_ClipOp : Fuse_CompositeOp<"clip", "min(max(x, low), high); low and high are tensors of rank 0", [AllTypesMatch<["operand", "result"]>, AttrSizedOperandSegments]> {
  let arguments = (ins Fuse_Tensor:$operand, Optional<Fuse_Tensor>:$low, Optional<Fuse_Tensor>:$high);
  let assemblyFormat = "$operand (`low` $low^ `:` type($low))? (`high` $high^ `:` type($high))? attr-dict `:` type($operand)";
}
def Fuse_MatmulOp : Fuse_CompositeOp<"matmul", "numpy.matmul: batched, broadcast over leading dimensions, vectors allowed"> {
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}
def Fuse_GemmOp : Fuse_CompositeOp<"gemm", "alpha op(A) op(B) + beta C; op transposes where asked, C broadcasts to MxN"> {
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs, Optional<Fuse_Tensor>:$bias,
    F64Attr:$alpha, F64Attr:$beta, UnitAttr:$trans_lhs, UnitAttr:$trans_rhs);
  let assemblyFormat = "$lhs `,` $rhs (`,` $bias^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_ConvOp : Fuse_CompositeOp<"conv", "y[n,o,p] = b[o] + sum_{c,w} x[n, c, p strides + w dilations - pad_low] W[o, c, w], per group"> {
  let description = [{
    Input [N, C, spatial...], weight [O, C / groups, window...], bias [O], result
    [N, O, spatial...]; any number of spatial dimensions. Padding reads zero.
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$weight, Optional<Fuse_Tensor>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, I64Attr:$groups);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_BatchNormOp : Fuse_CompositeOp<"batch_norm", "(x - mean) / sqrt(variance + epsilon) scale + bias, per channel (dimension 1)",
    [AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, Fuse_Tensor:$bias,
    Fuse_Tensor:$mean, Fuse_Tensor:$variance, F64Attr:$epsilon);
  let assemblyFormat = "$input `,` $scale `,` $bias `,` $mean `,` $variance attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Fuse_LayerNormOp : Fuse_CompositeOp<"layer_norm", "(x - mean) / sqrt(var + epsilon) scale + bias over dimensions axis..; optional mean and 1/stddev results",
    [AllTypesMatch<["input", "result"]>, AttrSizedResultSegments]> {
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$scale, Optional<Fuse_Tensor>:$bias, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Fuse_Tensor:$result, Optional<Fuse_Tensor>:$mean, Optional<Fuse_Tensor>:$inv_std_dev);
  let assemblyFormat = [{$input `,` $scale (`,` $bias^)? attr-dict `:` functional-type(operands, $result)
    (`mean` type($mean)^)? (`inv_std_dev` type($inv_std_dev)^)?}];
  let hasVerifier = 1;
}

def Fuse_ReductionKind : I32EnumAttr<"ReductionKind", "reduction", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"prod", 4>, I32EnumAttrCase<"l1", 5>,
    I32EnumAttrCase<"l2", 6>, I32EnumAttrCase<"log_sum", 7>,
    I32EnumAttrCase<"log_sum_exp", 8>, I32EnumAttrCase<"sum_square", 9>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_ReductionKindAttr : EnumAttr<Fuse_Dialect, Fuse_ReductionKind, "reduction_kind">;

def Fuse_ReductionOp : Fuse_CompositeOp<"reduction", "A named reduction over `dims` (increasing), which the result keeps as 1"> {
  let arguments = (ins Fuse_ReductionKindAttr:$kind, Fuse_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$kind $operand `dims` `=` $dims attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}
def Fuse_CumulateOp : Fuse_CompositeOp<"cumulate", "Sum or product of the elements up to this one along `axis`", [SameOperandsAndResultType]> {
  let description = [{
    `exclusive` leaves this element itself out, `reverse` counts from the end.
  }];
  let arguments = (ins Fuse_ReductionKindAttr:$kind, Fuse_Tensor:$operand, I64Attr:$axis,
    UnitAttr:$exclusive, UnitAttr:$reverse);
  let assemblyFormat = "$kind $operand `axis` `=` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
class Fuse_ArgOp<string mnemonic, string extreme>
    : Fuse_CompositeOp<mnemonic, "Where along `axis`, which the result keeps as 1, the first " # extreme # " lies (with `last`: the last)"> {
  let description = [{ NaN counts as more extreme than any number, as in NumPy. }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$axis, UnitAttr:$last);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}
def Fuse_ArgMaxOp : Fuse_ArgOp<"arg_max", "maximum">;
def Fuse_ArgMinOp : Fuse_ArgOp<"arg_min", "minimum">;

def Fuse_PoolKind : I32EnumAttr<"PoolKind", "pooling", [
    I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"average", 1>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_PoolKindAttr : EnumAttr<Fuse_Dialect, Fuse_PoolKind, "pool_kind">;
def Fuse_PoolOp : Fuse_CompositeOp<"pool", "Maximum or average of each window over the trailing dimensions"> {
  let description = [{
    As in `fuse.window`. Without `count_pad`, an average divides by the number of
    elements that lie inside the input; with it, by those inside the input
    padded with `pad_low` and `pad_high` (a window may hang over when the output
    extent was rounded up).
  }];
  let arguments = (ins Fuse_PoolKindAttr:$kind, Fuse_Tensor:$input, DenseI64ArrayAttr:$sizes,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low,
    DenseI64ArrayAttr:$pad_high, UnitAttr:$count_pad);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_COMPOSITES

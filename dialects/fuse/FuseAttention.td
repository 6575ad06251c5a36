// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites of transformers and of losses.
#ifndef FUSEC_FUSE_ATTENTION
#define FUSEC_FUSE_ATTENTION

include "dialects/fuse/FuseComposites.td"

def Fuse_AttentionStage : I32EnumAttr<"AttentionStage", "stage of an attention's scores", [
    I32EnumAttrCase<"product", 0>, I32EnumAttrCase<"capped", 1>,
    I32EnumAttrCase<"biased", 2>, I32EnumAttrCase<"softmax", 3>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_AttentionStageAttr : EnumAttr<Fuse_Dialect, Fuse_AttentionStage, "attention_stage">;

def Fuse_AttentionOp : Fuse_CompositeOp<"attention", "softmax(cap tanh(scale q k^T / cap) + bias) v, over the keys that `allowed` names",
    [AttrSizedOperandSegments]> {
  let description = [{
    Query [B, H, L, E], key [B, G, S, E], value [B, G, S, F], result [B, H, L, F];
    each head of key and value serves H / G neighbouring heads of the query. `bias`
    (added) and `allowed` (booleans) are [B, H, L, S], each extent that or 1. A
    `softcap` of 0 caps nothing. A query that may see no key, or sees only
    scores of minus infinity, gives zeros. `scores` are those after `stage`.
  }];
  let arguments = (ins Fuse_Tensor:$query, Fuse_Tensor:$key, Fuse_Tensor:$value,
    Optional<Fuse_Tensor>:$bias, Optional<Fuse_Tensor>:$allowed, F64Attr:$scale,
    F64Attr:$softcap, DefaultValuedAttr<Fuse_AttentionStageAttr, "AttentionStage::product">:$stage);
  let results = (outs Fuse_Tensor:$result, Optional<Fuse_Tensor>:$scores);
  let assemblyFormat = [{$query `,` $key `,` $value (`bias` $bias^)? (`allowed` $allowed^)?
    attr-dict `:` functional-type(operands, results)}];
  let hasVerifier = 1;
}
def Fuse_RotaryEmbeddingOp : Fuse_CompositeOp<"rotary_embedding", "(x1 cos - x2 sin, x2 cos + x1 sin) for the halves (x1, x2) of the leading part of the last dimension",
    [AllTypesMatch<["input", "result"]>]> {
  let description = [{
    Input [B, L, H, D]; cos and sin [B, L, R / 2] (B may be 1) rotate its first R
    elements, the rest stays. With `interleaved` x1 and x2 are the even and the
    odd elements instead of halves, of the result too.
    (J. Su et al., RoFormer, arXiv:2104.09864)
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$cos, Fuse_Tensor:$sin, UnitAttr:$interleaved);
  let assemblyFormat = "$input `,` $cos `,` $sin attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Fuse_LossReduction : I32EnumAttr<"LossReduction", "how a loss is summed up", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"sum", 1>, I32EnumAttrCase<"mean", 2>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_LossReductionAttr : EnumAttr<Fuse_Dialect, Fuse_LossReduction, "loss_reduction">;

def Fuse_NllLossOp : Fuse_CompositeOp<"nll_loss", "-w[t] x[n, t, ...] with t = target[n, ...], kept, summed, or summed and divided by the sum of w[t]"> {
  let description = [{
    Input [N, C, ...] (logarithms of probabilities), target [N, ...] of integers,
    weight [C] (ones if absent). Targets that are `ignore_index` count neither
    above nor below. The result is [N, ...], or of rank 0 with `sum` and `mean`.
  }];
  let arguments = (ins Fuse_LossReductionAttr:$reduction, Fuse_Tensor:$input, Fuse_Tensor:$target,
    Optional<Fuse_Tensor>:$weight, OptionalAttr<I64Attr>:$ignore_index);
  let assemblyFormat = "$reduction $input `,` $target (`,` $weight^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_ATTENTION

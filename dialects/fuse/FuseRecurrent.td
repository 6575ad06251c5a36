// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers: composites that become loops.
#ifndef FUSEC_FUSE_RECURRENT
#define FUSEC_FUSE_RECURRENT

include "dialects/fuse/FuseComposites.td"

def Fuse_Direction : I32EnumAttr<"Direction", "order of the time steps", [
    I32EnumAttrCase<"forward", 0>, I32EnumAttrCase<"reverse", 1>,
    I32EnumAttrCase<"bidirectional", 2>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_DirectionAttr : EnumAttr<Fuse_Dialect, Fuse_Direction, "direction">;

/// D directions, T steps, batch B, I inputs, H hidden, G gates; as in ONNX:
/// input [T, B, I], weights [D, G H, I], recurrence [D, G H, H], bias [D, 2 G H]
/// (of the input, then of the recurrence), lengths [B], initial states
/// [D, B, H], results [T, D, B, H] and last states [D, B, H]. A missing bias or
/// initial state is zero. Steps from `lengths[b]` on leave the state alone and
/// give zero. Activations are named as ONNX does, so many for each direction,
/// with parameters `alphas` and `betas`. `clip` bounds what gates take to
/// [-clip, clip]; the cell that k takes in an LSTM is not bounded.
class Fuse_Recurrent<string mnemonic, string formula, dag states, dag more> : Fuse_CompositeOp<mnemonic, formula,
    [AttrSizedOperandSegments]> {
  let arguments = !con((ins Fuse_Tensor:$input, Fuse_Tensor:$weights, Fuse_Tensor:$recurrence,
    Optional<Fuse_Tensor>:$bias, Optional<Fuse_Tensor>:$lengths, Optional<Fuse_Tensor>:$initial_h), states,
    (ins Fuse_DirectionAttr:$direction, StrArrayAttr:$activations, DenseF64ArrayAttr:$alphas,
     DenseF64ArrayAttr:$betas, OptionalAttr<F64Attr>:$clip), more);
  let hasVerifier = 1;
}

def Fuse_RnnOp : Fuse_Recurrent<"rnn", "h = f(W x + R h + b)", (ins), (ins)> {
  let results = (outs Fuse_Tensor:$result, Fuse_Tensor:$last_h);
  let assemblyFormat = [{$direction $input `,` $weights `,` $recurrence (`bias` $bias^)? (`lengths` $lengths^)?
    (`initial_h` $initial_h^)? attr-dict `:` functional-type(operands, results)}];
}

def Fuse_GruOp : Fuse_Recurrent<"gru",
    "z = f(W_z x + R_z h + b_z), r = f(W_r x + R_r h + b_r), n = g(W_h x + c_h + R_h (r h) + b_h), h = (1 - z) n + z h",
    (ins), (ins UnitAttr:$reset_after)> {
  let description = [{
    Gates in the order z, r, h. c is the input's bias and b the recurrence's; of
    z and r, b is the sum of both. With `reset_after` (ONNX's
    linear_before_reset), n = g(W_h x + c_h + r (R_h h + b_h)).
  }];
  let results = (outs Fuse_Tensor:$result, Fuse_Tensor:$last_h);
  let assemblyFormat = [{$direction $input `,` $weights `,` $recurrence (`bias` $bias^)? (`lengths` $lengths^)?
    (`initial_h` $initial_h^)? attr-dict `:` functional-type(operands, results)}];
}

def Fuse_LstmOp : Fuse_Recurrent<"lstm",
    "i = f(W_i x + R_i h + p_i c + b_i), e = f(W_f x + R_f h + p_f c + b_f), c' = e c + i g(W_c x + R_c h + b_c), o = f(W_o x + R_o h + p_o c' + b_o), h = o k(c')",
    (ins Optional<Fuse_Tensor>:$initial_c, Optional<Fuse_Tensor>:$peepholes, Optional<Fuse_Tensor>:$weight_scale,
     Optional<Fuse_Tensor>:$weight_zero, Optional<Fuse_Tensor>:$recurrence_scale, Optional<Fuse_Tensor>:$recurrence_zero),
    (ins UnitAttr:$coupled)> {
  let description = [{
    Gates in the order i, o, f, c; peepholes [D, 3 H] in the order i, o, f. With
    `coupled` (ONNX's input_forget), the forget gate is e = 1 - i.

    With `codes` (com.microsoft's DynamicQuantizeLSTM), W and R are integers of 8
    bits with scales and zero points [D, 1] or [D, 4 H], and x and h are codes
    as of dynamic_quantize: x of all steps has one range, and so have the h of
    all rows before each step. Products are sums of i32, times both scales.
    Rows begin together, each with its first step, also in reverse. In a range
    count as zeros: of x, steps that no row takes; of h, behind the first step,
    rows that did not take the step before.
  }];
  let results = (outs Fuse_Tensor:$result, Fuse_Tensor:$last_h, Fuse_Tensor:$last_c);
  let assemblyFormat = [{$direction $input `,` $weights `,` $recurrence (`bias` $bias^)? (`lengths` $lengths^)?
    (`initial_h` $initial_h^)? (`initial_c` $initial_c^)? (`peepholes` $peepholes^)?
    (`codes` $weight_scale^ `,` $weight_zero `,` $recurrence_scale `,` $recurrence_zero)?
    attr-dict `:` functional-type(operands, results)}];
}

#endif // FUSEC_FUSE_RECURRENT

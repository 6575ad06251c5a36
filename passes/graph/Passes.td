// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_GRAPH_PASSES
#define FUSEC_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def ExpandComposites : Pass<"fuse-expand-composites", "::mlir::ModuleOp"> {
  let summary = "Rewrite every composite into primitives";
  let description = [{
    Contract: afterwards no operation with the trait `Composite` is left. A
    composite whose element type its formula does not cover is an error at the
    operation.

    Narrow floats (f16, bf16) are computed in f32: the operands are cast up, the
    result is cast down, and the casts vanish in fusion. Formulas are written so
    that they neither overflow nor cancel: softmax and log_sum_exp subtract the
    maximum, variances take two passes, softplus splits at zero. Recurrent layers
    become a contraction over all steps and a `fuse.loop` over the rest.

    Convolutions and products of dequantised numbers with constant dequantised
    weights become sums of products of the codes, in i32, and what each sum stands
    for, where the target adds several such products in a step. A sum of integers
    is exact; that of the numbers rounds. `precision = "strict"` keeps them.
    The maximum of dequantised numbers becomes that of the codes, and codes that
    would be made numbers and the same codes again stay as they are.

    ```mlir
    %0 = fuse.relu %x : tensor<4x8xf32>
    // becomes
    %c = fuse.constant dense<0.0> : tensor<f32>
    %b = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4x8xf32>
    %0 = fuse.maximum %x, %b : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"precision", "precision", "std::string", "\"auto\"", "With strict, products of dequantised numbers are computed as they are written">,
    ListOption<"disabled", "disabled", "std::string", "The rules that are not applied: quantised.codes, quantised.products">,
    Option<"remarks", "remarks", "bool", "false", "Report what was left undone, with the reason">];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Composites expanded">];
}

def MarkPrecise : Pass<"fuse-mark-precise", "::mlir::ModuleOp"> {
  let summary = "Mark what has to be rounded as it is written";
  let description = [{
    Contract: afterwards exactly those operations have the attribute `fuse.precise`
    whose floats --fuse-simplify must round as they are written; what a precise
    operation reads is precise. Constants, arguments and views of them are never
    marked. With `precision=auto`, the default, it is what is computed for an
    operation that a last bit of a float may decide for:
    - one with the trait `Discontinuous`: rounding, signs, remainders;
    - one that makes booleans or integers of floats: comparisons (with infinity,
      too: a factor that is moved may overflow), casts, ArgMax; but not the question
      whether an f32 or f64 is NaN, which guards each softmax of PyTorch's exporter
      and would make precise what stands before it, most of a network;
    - one that is no primitive (yet), for it may do so inside.

    Results of the model decide nothing. With `precision=strict` everything is
    precise, with `precision=relaxed` nothing.

    What is computed in f16 or bf16 needs no mark: each operation rounds
    (--convert-fuse-to-sched), and --fuse-simplify leaves those roundings where they
    are.

    Groups, alternatives, branches and loops decide nothing by themselves and are
    not marked: what enters their bodies and leaves them is looked through.

    Runs before --fuse-simplify, which keeps the marks while it rewrites (what a
    rewrite of a precise or deciding operation makes is precise) and takes them
    away at its end; and before --convert-fuse-to-sched, which lets products that
    are marked round by themselves.

    ```mlir
    %0 = fuse.div %x, %c : tensor<4xf32>
    %1 = fuse.floor %0 : tensor<4xf32>
    // becomes
    %0 = fuse.div %x, %c {fuse.precise} : tensor<4xf32>
    %1 = fuse.floor %0 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"auto\"", "auto: what something is decided by; strict: everything; relaxed: nothing">,
    Option<"remarks", "remarks", "bool", "false", "Report where a last bit may decide">,
  ];
  let statistics = [Statistic<"numPrecise", "num-precise", "Operations marked">];
}

def Simplify : Pass<"fuse-simplify", "::mlir::ModuleOp"> {
  let summary = "Bring a graph of primitives into one simple form";
  let description = [{
    Contract: the same function of the inputs, up to the sign of zeros and, but
    for operations on f16 and bf16 and for those that --fuse-mark-precise marked,
    one rounding where constants were multiplied or moved, or a division by a
    constant or by a row's value became a multiplication: an overflow on the way
    goes too, so that (x * 3) / 3 is x. No mark is left. A cast to fewer digits
    rounds, and is never deleted but where its operand has no more. How coarsely the model was written must
    not matter: a norm as one operation, as twelve, or as a function ends in the
    same operations.

    The pieces, which are applied together until nothing changes:
    - `constants` are folded by running the body (results above 64 elements become
      new weights, but for codes of less than a byte that contractions read, and codes of
      a byte that they read rarely);
      splats are a scalar and a broadcast; unused weights go.
    - `elementwise`: neutral operands, casts that keep every value; computing moves
      above broadcasts, so that it is done once per row and not per element.
    - `powers` that are multiples of 1/4 are products, roots and quotients.
    - `factors` are combined; a batch norm's go into the weights of the contraction
      before it. What `powers` and `factors` compute in another way takes the target no
      more steps than what it spares (`passes/graph/Work.h`), else the rule does not apply.
    - `accesses` combine; `units` (dimensions of extent 1) go; a gather at constant
      indices is a slice; of `tables` of codes a gather picks codes, which are
      dequantised then.
    - `contractions` take transposes and repetitions into their maps, pads into
      their windows; `iterators`: those that read a merged repetition iterate over
      the dimensions before merging. Of weights of few bits they sum blocks that have
      a scale each. Two with constant weights, one after the other, are one where that
      takes fewer products.
    - `alike`: what is computed alike from neighbouring parts of a tensor is computed
      from both at once; `parts`: so are contractions that share an operand.
    - `quantised`: what computes codes of 8 bits from others, point by point, is a table of
      what each code becomes, where that is shorter.
    - `masks` that are constant compare indices where they hide a triangle or all but a
      band; a comparison that an index decides by its range is none.
    - `empty`: what has no elements is a constant, a reduction over none is its
      initial value, and a concatenation leaves them out.
    - `reshapes` sink below elementwise operations, to where tensors are stored.
    - `control`: a known condition leaves one branch, a loop that runs once or never
      none; what is the same in each iteration is done before the loop; what a loop
      carries, slices or stacks in vain is dropped.

    Common subexpressions are shared, dead code is dropped. If two pieces undo each
    other, a remark says so and names them; the module is right then too.

    A piece is made of rules, which `fusec compile --list-rules` lists with what each does.
    `level` applies those of this level of optimisation and of lower ones: 0 what later
    stages need, 1 what keeps the bits of all results, as long as each remaining sum keeps
    the order of its terms, 2 and 3 all. At level 0 nothing is shared either. `disabled` leaves out
    rules (`powers.expand`) or pieces (`powers`). No constant of more than `max-folded-bytes`
    is made.

    ```mlir
    %0 = fuse.broadcast %two dims = [] : tensor<f32> -> tensor<4x8xf32>
    %1 = fuse.pow %x, %0 : tensor<4x8xf32>
    // becomes
    %1 = fuse.mul %x, %x : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Report which rules did not apply, where the reason is known">,
    Option<"applied", "applied", "bool", "false", "Report which rules applied, and how often">,
    ListOption<"pieces", "pieces", "std::string", "The pieces to apply; all if none is named">,
    ListOption<"disabled", "disabled", "std::string", "The rules and pieces that are not applied">,
    Option<"level", "level", "unsigned", "3", "The highest level of the rules to apply, 0 to 3">,
    Option<"maxFoldedBytes", "max-folded-bytes", "int64_t", "int64_t(1) << 32", "The most bytes of a constant that is computed from others">,
    Option<"maxRewrites", "max-rewrites", "int64_t", "0", "Stop after so many rewrites of a function; 0: so many as its size never needs">,
  ];
}

def AssignLayout : Pass<"fuse-assign-layout", "::mlir::ModuleOp"> {
  let summary = "Lay out the operands of contractions for loads of whole vectors";
  let description = [{
    The dimension of a weight that the other operand is invariant in (output
    channels, columns) becomes its innermost one, so that it can run on lanes.
    The weight is permuted at compile time and the contraction's map with it;
    nothing else changes. Runs after --fuse-simplify, which would otherwise see
    no difference between the two forms.

    Of a product of rows with rows (scores of attention), both of whose operands are
    computed and have the terms of a sum side by side, one is copied when the model
    runs, by a transpose that --fuse-aggregate leaves in front of it. The target's costs
    decide: each use of a vector is a load without the copy, and the lanes of each sum
    come together once, where the rows of a tile share the load with it; against that
    stand the copy, and the launches of kernels that would be one otherwise (what is
    reduced behind the product, and multiplied). A product that is reduced is left alone
    if it is larger than the last-level cache, and so is all of a GPU, where threads
    bring tiles into shared memory whichever way they lie. With `ordered`, lanes share no
    sum, and a use without the copy takes a load for each lane.

    A contraction of bytes of which the target adds several products in a step sums
    last over those terms that lie side by side in memory. Where none do, as the
    channels of images do not, what is read gets a copy in which they do, if each of
    its elements has results for a whole vector; what computes it stores the copy
    alone, and all that reads it reads the copy through a transpose. The weights
    have the terms before the dimension of the lanes.

    Codes of 8 bits that a product with constant weights leads to, point by point, have the
    dimension of its lanes last if kernels hand them to one another: where a window, a sum or
    a product reads them, or an operation that reads another product, too. They are stored so
    as a copy is. Weights of a contraction whose other operand lies along a dimension that both
    share (channels of a depthwise convolution) have that dimension last.

    Where a unit of the target multiplies matrices of such elements, the longest
    dimension of a weight that is summed over becomes its innermost one instead, if
    it has whole steps of the unit and the other operand ends in results, and is summed
    over last: one of the two matrices has to have its terms side by side.

    ```mlir
    %w = fuse.get_weight @w : tensor<64x32x3x3xf32>         // o, c, u, v
    // becomes
    %w = fuse.get_weight @w_packed : tensor<32x3x3x64xf32>  // c, u, v, o
    ```

    What contractions read of f16 and bf16 as scalars, each of which they multiply with
    vectors, is stored as f32 where it is read so often that this pays: a scalar takes as
    many instructions to convert as a vector. All that casts the value to f32, sums it,
    or moves it on the way there reads the f32. What no kernel computes is cast by a kernel
    of its own; weights are cast at compile time if the first-level cache holds them as f32.
    Nothing is of a GPU, nor where the target adds two products of bf16 in a step: pairs
    are loaded as they are.

    ```mlir
    %1 = fuse.cast %0 : tensor<64x64xf32> -> tensor<64x64xf16>
    %2 = fuse.contract %1, %w ... : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    // becomes
    %1 = fuse.cast %0 : tensor<64x64xf32> -> tensor<64x64xf16>
    %2 = fuse.cast %1 : tensor<64x64xf16> -> tensor<64x64xf32>
    %3 = fuse.contract %2, %w ... : tensor<64x64xf32>, tensor<64x64xf16> -> tensor<64x64xf32>
    ```

    Of the rules `layout.weights`, `layout.terms`, `layout.channels`, `layout.copies` and
    `layout.widened` those are left out that `disabled` names, by themselves or as `layout`.
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"ordered", "ordered", "bool", "false", "Sums keep the order of their terms, and so lanes share none">,
    ListOption<"disabled", "disabled", "std::string", "The rules that are not applied">];
}

def ExpandAlgorithms : Pass<"fuse-expand-algorithms", "::mlir::ModuleOp"> {
  let summary = "Offer other algorithms for reductions and convolutions";
  let description = [{
    Contract: takes primitives, leaves primitives and `fuse.choice`s of them. The
    first alternative of a choice, `direct`, is what was there. No call of an operator
    of a user's has several algorithms afterwards: it is a choice of calls by each of
    them, named as they are, or has the only one that may be taken. Without
    `numerics=fast` those are left out that give other bits now and then, with a
    remark; a call that has no other ones is an error. With `operators-only` that is
    all.

    *split_reduce*: a reduction or contraction with fewer parallel tasks than the
    target has cores, each of them long (both numbers: `dialects/TargetInfo`). One
    of the reduced dimensions is cut into parts, at least one per core: the
    smallest number that divides it, or the number of cores and a tail. Each part
    is reduced by itself from the neutral element, then the parts in order, then
    the tail; so the result depends on the shapes only, never on the threads.

    What the reduction reads pointwise is computed again in the choice, and what
    is computed from its result alone goes along. Reductions are left alone, with
    a remark, where
    - the combiner does more than merging its accumulator with a function of the
      elements by one associative operation: then two partial results have no rule
      that merges them;
    - no reduced dimension can be cut: each is short and has no divisor;
    - an operand is a computed value that cannot be computed part by part (a pad,
      a gather): it would have to be stored first.

    *split_keys* (on CPUs): a contraction with the exponentials of its rows, of which
    there is a sum, too: attention whose keys, or a row of whose scores, are more
    than stay in the second-level cache. Keys are cut into blocks; each has the
    maximum, the sum and the product of its own scores, and then all are added up,
    times the exponential of the block's maximum less that of all. What a mask of
    indices hides by a finite number, -1e30 or less, it hides by minus infinity in the
    blocks, if what it leaves are products, multiples of such, and each row has one:
    a block that is hidden as a whole counts for nothing either way. Scores are
    computed in the choice, block by block, and so are copies of keys in which
    lanes find them side by side. Such a contraction is left alone, with a remark,
    - whose keys and rows stay in the cache;
    - whose scores are no product, or are computed from a value that would have to
      be stored first;
    - whose matrix is computed from the sum;
    - whose block of 64 keys is more than a quarter of what stays in the cache.

    *winograd_2*, *winograd_4* (with `numerics=fast`): a convolution with constant
    weights and three taps side by side along its first windowed dimension, as
    Winograd's F(2, 3) or F(4, 3) along that dimension. Four or six sums of rows
    are contracted with as many sums of weights, computed now, instead of three
    rows for each of two or four: with a window less, at two thirds or half of the
    products. Where that takes no fewer products, because there are few rows, it is
    left out. Sums are in another order than they were, and take rows that a result
    does not depend on: an infinity or a NaN spreads to the rows that are computed
    together. A convolution is left alone, with a remark, whose weights are
    computed, whose elements are not what it computes in, or whose first windowed
    dimension has other taps or is the only one.

    *sparse* (with `numerics=fast`, on CPUs): a contraction with a constant matrix
    that is mostly zeros, without these: of each row the values of its entries and
    the terms that they belong to are constants, and the row is contracted with
    what a gather picks by these of the other operand, which lies side by side
    along its columns, or is copied so. Rows have one width; what long ones have
    beyond it is a contraction of these rows alone, which is added where they are.
    A row with fewer entries has some of them in two halves, so that no row is
    multiplied by what it does not multiply otherwise. What is left out is a NaN:
    of a zero times a number that is not finite. A contraction with a constant of
    other dimensions is left alone, and with a remark one
    - whose matrix has more entries than may pay, or serves fewer columns (both
      numbers: `dialects/TargetInfo`); entries count twice where rows of the other
      operand begin within a cache line;
    - whose elements are not what it computes in;
    - whose other operand is read in windows or steps.

    *openblas*, *onednn* (with `vendors`): a contraction that a routine of the
    library's registry computes which is of that vendor, as a call. It reads and
    writes memory, so a contraction is left alone, with a remark,
    - that the routine refuses, say one that is no product of matrices or of
      other elements;
    - whose operand is computed as it is read (a window, a slice, weights of less
      than a byte): it would have to be stored first;
    - that --fuse-aggregate may make one kernel with the reduction of its rows
      (scores of attention), or with another contraction of the same operand.

    *bf16*, *bf16_activations*, *int8_activations* (with `allow`): a contraction in f32
    of constants and what is computed, in a lower precision than the model has. The
    constants are rounded to bf16, or both factors are; or the constants are codes of 8 bits with a scale for each channel, and
    what is computed is such codes with a scale and a zero point for each row, which
    are found in each run, so that sums are integers. `LowerPrecision.h` has the
    formulas. What --fuse-mark-precise marked is left alone, with a remark, and so
    is for codes, or where both factors are rounded, a contraction
    - whose target adds no products of bytes, or of bf16, several at a time, to a sum;
    - whose sums of codes may not fit 32 bits, or whose terms do not lie side by side
      in what is computed;
    - that reads an element at several places, as a convolution does.

    ```mlir
    %s = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<800000xf32>) -> tensor<f32> {...}
    // becomes
    %s = fuse.choice @s ["direct", "split_reduce"] : tensor<f32> {
      %0 = fuse.reduce (%x) ... : (tensor<800000xf32>) -> tensor<f32> {...}
      fuse.yield %0 : tensor<f32>
    }, {
      %0 = fuse.window %x sizes = [100000] ... : tensor<800000xf32> -> tensor<8x100000xf32>
      %1 = fuse.reduce (%0) ... dims = [1] : (tensor<8x100000xf32>) -> tensor<8xf32> {...}
      %2 = fuse.reduce (%1) ... dims = [0] : (tensor<8xf32>) -> tensor<f32> {...}
      fuse.yield %2 : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"reproducible\"", "reproducible, or fast: also algorithms that round in another way, and spread or leave out what is not finite">,
    Option<"operatorsOnly", "operators-only", "bool", "false", "Only the algorithms of operators of users">,
    ListOption<"vendors", "vendors", "std::string", "Libraries of others whose routines are offered (dialects/library); none if none is named">,
    ListOption<"allowed", "allow", "std::string", "Lower precisions that are offered: bf16, bf16-activations, int8-activations; none if none is named">,
    ListOption<"disabled", "disabled", "std::string", "The rules that are not applied: algorithms.sparse, algorithms.split-reduce, algorithms.winograd, algorithms.vendor, algorithms.bf16, algorithms.bf16-activations, algorithms.int8-activations, or algorithms for all">,
    Option<"remarks", "remarks", "bool", "false", "Report long reductions and convolutions that were left alone, with the reason">,
  ];
  let statistics = [Statistic<"numChoices", "num-choices", "Choices made">];
}

#endif // FUSEC_PASSES_GRAPH_PASSES

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow: conditions, loops and choices with regions of primitives and groups.
// Regions use values from above directly, so that folding and sharing see
// through them; a fuse.group inside takes them as operands.
#ifndef FUSEC_FUSE_CONTROL
#define FUSEC_FUSE_CONTROL

include "dialects/fuse/FuseBase.td"

def Fuse_IfOp : Fuse_Op<"if", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "One of two bodies, chosen at run time";
  let description = [{
    `condition` is a boolean of rank 0. Both bodies yield the results' types.
    ```mlir
    %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
      %0 = fuse.exp %x : tensor<4xf32>
      fuse.yield %0 : tensor<4xf32>
    } else {
      fuse.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$condition);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = [{$condition attr-dict-with-keyword `:` functional-type($condition, $results)
    $then_body `else` $else_body}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    YieldOp getThenYield();
    YieldOp getElseYield();
  }];
}

def Fuse_LoopOp : Fuse_Op<"loop", [RecursiveMemoryEffects, SingleBlock, AttrSizedOperandSegments]> {
  let summary = "A loop over carried values, slices of its operands and stacked results";
  let description = [{
    Runs its body for iteration 0, 1, ... as long as the iteration is below
    `trips` and below `count` (i64 of rank 0), and `while` (a boolean of rank 0
    at first, then what the last iteration yielded) is true; each of the three
    may be absent, not all of them.

    The body takes the iteration (i64 of rank 0), a value per `carries` operand
    (its start, then what the last iteration yielded) and, per `slices` operand,
    its row `iteration` along dimension 0. It yields the next condition if there
    is `while`, the next carried values, then one row per stacked result. The
    operation's results are the last carried values, then the stacks
    `[trips, row...]`; rows that the loop ended before are zero. Slices and
    stacks need `trips`, which slices have as their dimension 0. Those listed in
    `reversed_slices` and `reversed_stacks` (increasing) use row
    `trips - 1 - iteration`.
    ```mlir
    %h, %y = fuse.loop trips = 5 carries(%h0) slices(%x)
        : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %0 = fuse.add %a, %b : tensor<4xf32>
      fuse.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">>:$trips,
    Optional<Fuse_Tensor>:$count, Optional<Fuse_Tensor>:$condition,
    Variadic<Fuse_Tensor>:$inits, Variadic<Fuse_Tensor>:$slices,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$reversed_slices,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$reversed_stacks);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{(`trips` `=` $trips^)? (`count` `(` $count^ `)`)? (`while` `(` $condition^ `)`)?
    (`carries` `(` $inits^ `)`)? (`slices` `(` $slices^ `)`)? attr-dict-with-keyword
    `:` functional-type(operands, results) $body}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getInits().size(); }
    unsigned getNumStacks() { return getNumResults() - getNumCarried(); }
    ::mlir::BlockArgument getIteration() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getCarried(unsigned i) { return getBody().getArgument(1 + i); }
    ::mlir::BlockArgument getSlice(unsigned i) { return getBody().getArgument(1 + getNumCarried() + i); }
    ::mlir::Value getStack(unsigned i) { return getResult(getNumCarried() + i); }
    YieldOp getYield();
    /// The next condition, or null if the loop has none.
    ::mlir::Value getNextCondition();
    ::mlir::OperandRange getNextCarried();
    ::mlir::OperandRange getRows();
    /// Whether every row of the stacks is written: no data ends the loop early.
    bool runsAllTrips() { return getTrips() && !getCount() && !getCondition(); }
    bool isReversedSlice(unsigned i) { return ::llvm::is_contained(getReversedSlices(), i); }
    bool isReversedStack(unsigned i) { return ::llvm::is_contained(getReversedStacks(), i); }
  }];
}

def Fuse_ChoiceOp : Fuse_Op<"choice", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "One computation by several algorithms, one of which is taken";
  let description = [{
    `sym_name` names the choice, `algorithms` its alternatives, in order; each
    yields the results' types. An alternative is grouped by itself: it becomes a
    list of launches with temporaries, in a `kernel.choice`.
    ```mlir
    %s = fuse.choice @sum ["direct", "split_reduce"] : tensor<f32> {
      %0 = fuse.reduce (%x) ... : (tensor<8000xf32>) -> tensor<f32> {...}
      fuse.yield %0 : tensor<f32>
    }, {
      %0 = fuse.window %x sizes = [1000] ... : tensor<8000xf32> -> tensor<8x1000xf32>
      %1 = fuse.reduce (%0) ... : (tensor<8x1000xf32>) -> tensor<8xf32> {...}
      %2 = fuse.reduce (%1) ... : (tensor<8xf32>) -> tensor<f32> {...}
      fuse.yield %2 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$algorithms);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$alternatives);
  let assemblyFormat = "$sym_name $algorithms attr-dict-with-keyword `:` type($results) $alternatives";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_CONTROL

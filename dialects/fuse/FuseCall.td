// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is opaque: one operation, whose routines stand in dialects/library or are
// operators of users, which a module declares.
#ifndef FUSEC_FUSE_CALL
#define FUSEC_FUSE_CALL

include "dialects/fuse/FuseBase.td"
include "dialects/fuse/FuseInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Fuse_OperatorOp : Fuse_Op<"op", [Symbol]> {
  let summary = "Declares an operator of a user's, with all that it is made of";
  let description = [{
    The name is the operator's domain and type, as ONNX has them, with a point
    between. `inputs` and `outputs` are the names of its tensors, `parameters` its
    parameters with their defaults. `library` is the one that it was taken from,
    and `hash` is that of all that the library was made of: `sources` (the texts
    of its translation units and of what they include, by path), `units` (the
    translation units) and `flags`. The operator is registered by unit number
    `unit`. So a program is made of the module alone, and nothing of it asks the
    library again.
    ```mlir
    fuse.op @custom.Twice version 1 inputs ["x"] outputs ["y"] parameters {scale = 2.0 : f64}
        of "twice" hash "0123456789abcdef" attributes {flags = ["-O2"],
        sources = {twice.cpp = "..."}, unit = 0 : i64, units = ["twice.cpp"]}
    ```
    What it does to single elements is in `scalar`, where it is a function that
    kernels call (fuse.map): `file`, the source that has it, `function`, its name,
    whether it takes 16 `lanes` at once, and the names of its `parameters` in the
    order of its arguments, which stand behind an element of each input.
    ```mlir
    scalar = {file = "swish.h", function = "acme::swish", lanes = true, parameters = ["beta"]}
    ```
    `cuda_units` are the library's sources in CUDA, whose numbers follow those of
    `units`. Where the operator launches kernels of its own on GPUs, `cuda` says which
    `unit` has that form, and whether it is `alone`, without one for CPUs.
    ```mlir
    cuda = {alone = false, unit = 1 : i64}, cuda_units = ["twice.cu"]
    ```
    What all threads of a block of a GPU call together, in a kernel of its own, is in
    `block`: `file`, the source that has it, `function`, its name, the names of its
    `parameters`, which stand behind inputs and outputs, and whether it is `alone`.
    ```mlir
    block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, I64Attr:$version,
    StrArrayAttr:$inputs, StrArrayAttr:$outputs, DictionaryAttr:$parameters, StrAttr:$library, StrAttr:$hash,
    StrArrayAttr:$flags, DictionaryAttr:$sources, I64Attr:$unit, StrArrayAttr:$units,
    OptionalAttr<DictionaryAttr>:$scalar, OptionalAttr<DictionaryAttr>:$cuda,
    OptionalAttr<StrArrayAttr>:$cuda_units, OptionalAttr<DictionaryAttr>:$block);
  let assemblyFormat = [{$sym_name `version` $version `inputs` $inputs `outputs` $outputs
    `parameters` $parameters `of` $library `hash` $hash attr-dict-with-keyword}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of its function of single elements, which it has.
    ::llvm::StringRef getScalarFile();
    ::llvm::StringRef getScalarFunction();
    bool takesLanes();
    ::llvm::SmallVector<::llvm::StringRef> getScalarParameters();

    /// Of its form for GPUs, which it has: the unit, and whether there is no
    /// other form.
    uint64_t getCudaUnit();
    bool isCudaAlone();
    ::llvm::SmallVector<::llvm::StringRef> listCudaUnits();

    /// Of its function of blocks, which it has.
    ::llvm::StringRef getBlockFile();
    ::llvm::StringRef getBlockFunction();
    ::llvm::SmallVector<::llvm::StringRef> getBlockParameters();

    /// Whether only a GPU can run it.
    bool isForGpusAlone();

    /// "MatMulScale" of @custom.MatMulScale.
    ::llvm::StringRef getOperatorType() { return getSymName().rsplit('.').second; }
  }];
}

def Fuse_CallOp : Fuse_Op<"call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A routine of the library, for what primitives cannot express";
  let description = [{
    `callee` is a row of the registry in `dialects/library`, which says what
    operands, results and parameters it has, and what a target calls for it; or,
    where its name has a point, an operator that a fuse.op of the module declares.
    It is no primitive: no group holds it, and what it reads and writes is in memory.
    ```mlir
    %v, %i = fuse.call @top_k(%x) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
    ```
    The parameters of an operator that is declared are its own, each of the kind of
    its default, and `op.workspace`, the bytes of scratch memory that it asked for
    at import, where there are any. `op.cuda_workspace` are those that it asked for
    on GPUs, where it launches its own kernels. `op.block` says how its function of blocks
    is called there, with as many `blocks` of `threads`, bytes of `shared` memory of each
    and of scratch memory (`workspace`). Without either, it runs on the host. What operands
    of 8 bits stand for, which the operator takes quantised, is in `op.quantized`, with a
    dictionary for each operand.
    ```mlir
    %y = fuse.call @custom.Twice(%x) {op.workspace = 256 : i64, scale = 3.0 : f64}
        : (tensor<4x9xf32>) -> tensor<4x9xf32>
    %s = fuse.call @acme.Sums(%x) {op.block = {blocks = 4 : i64, shared = 0 : i64,
        threads = 128 : i64, workspace = 0 : i64}, scale = 1.0 : f64}
        : (tensor<4x9xf32>) -> tensor<4xf32>
    %z = fuse.call @custom.Scaled(%q, %x) {op.quantized =
        [{axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i64: 3>}, {} ]}
        : (tensor<4x9xui8>, tensor<4x9xf32>) -> tensor<4x9xf32>
    ```
    Where the operator has several algorithms, `op.algorithms` lists those that it
    offers for the call on CPUs, the one that is taken unless told first. Of one that was
    taken, in a fuse.choice of them, there are `op.algorithm`, its name, and
    `op.reproducible`, if it gives other bits now and then.
    ```mlir
    %y = fuse.call @custom.Norm(%x) {op.algorithms = [{name = "two_passes"},
        {name = "blocked", workspace = 256 : i64}, {name = "atomic", reproducible = false} ]}
        : (tensor<4x9xf32>) -> tensor<4x9xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$callee, DictionaryAttr:$parameters, Variadic<Fuse_Tensor>:$operands);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let assemblyFormat = "$callee `(` $operands `)` $parameters attr-dict-with-keyword `:` functional-type($operands, $results)";
  let hasVerifier = 1;
}

def Fuse_MapOp : Fuse_Op<"map", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<PrimitiveOpInterface, ["buildBody"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function of single elements, of an operator of a user's";
  let description = [{
    An elementwise primitive whose scalar is a call of the function that the
    declaration `callee` has in its `scalar`. `parameters` are the function's
    arguments behind the elements. `hash` is that of the function's text, so that
    kernels with another function are others, and `steps`, where it is given, how
    many additions take as long.
    ```mlir
    %y = fuse.map @acme.Swish(%x) [1.5] hash "0123456789abcdef" {steps = 12 : i64} : tensor<4x9xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Fuse_Tensor>:$operands, DenseF64ArrayAttr:$parameters,
    StrAttr:$hash, OptionalAttr<I64Attr>:$steps);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$callee `(` $operands `)` custom<Numbers>($parameters) `hash` $hash attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_CALL

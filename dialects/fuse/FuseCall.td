// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is opaque: one operation, whose routines stand in dialects/library.
#ifndef FUSEC_FUSE_CALL
#define FUSEC_FUSE_CALL

include "dialects/fuse/FuseBase.td"

def Fuse_CallOp : Fuse_Op<"call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "A routine of the library, for what primitives cannot express";
  let description = [{
    `callee` is a row of the registry in `dialects/library`, which says what
    operands, results and parameters it has, and what a target calls for it. It
    is no primitive: no group holds it, and what it reads and writes is in memory.
    ```mlir
    %v, %i = fuse.call @top_k(%x) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$callee, DictionaryAttr:$parameters, Variadic<Fuse_Tensor>:$operands);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let assemblyFormat = "$callee `(` $operands `)` $parameters attr-dict-with-keyword `:` functional-type($operands, $results)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_CALL

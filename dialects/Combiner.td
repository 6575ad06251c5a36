// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The associative operations that reductions combine values by.
#ifndef FUSEC_COMBINER
#define FUSEC_COMBINER

include "mlir/IR/EnumAttr.td"

def Combiner : I32EnumAttr<"Combiner", "how values combine", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::fusec";
  let genSpecializedAttr = 0;
}

#endif // FUSEC_COMBINER

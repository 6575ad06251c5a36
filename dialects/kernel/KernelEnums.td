// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enumerations of the kernel dialect. Their code is made of this file alone, and
// so has none of those that come from elsewhere (dialects/Combiner.td).
#ifndef FUSEC_KERNEL_ENUMS
#define FUSEC_KERNEL_ENUMS

include "mlir/IR/EnumAttr.td"

def Kernel_Mapping : I32EnumAttr<"Mapping", "what runs the iterations", [
    I32EnumAttrCase<"sequential", 0>,  // one after the other
    I32EnumAttrCase<"parallel", 1>,    // threads
    I32EnumAttrCase<"vector", 2>,      // lanes; gone after --kernel-vectorize
    I32EnumAttrCase<"unroll", 3>,      // copies of the body
    // Of a GPU: blocks of threads, the warps of one, or its threads with one number
    // modulo that of the columns, and the threads of all of these.
    I32EnumAttrCase<"block", 4>, I32EnumAttrCase<"warp", 5>,
    I32EnumAttrCase<"column", 6>, I32EnumAttrCase<"thread", 7>]> {
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_Carry : I32EnumAttr<"Carry", "how iterations change what they carry on", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">, // as kernel.reduce
    I32EnumAttrCase<"Select", 6, "select">,   // all of these are overwritten, or none
    I32EnumAttrCase<"Update", 7, "update">]> { // otherwise, one after the other
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_Space : I32EnumAttr<"Space", "whose an array is where a GPU runs kernels", [
    I32EnumAttrCase<"global", 0>,   // any thread's
    I32EnumAttrCase<"shared", 1>,   // the threads' of a block
    I32EnumAttrCase<"thread", 2>,   // one thread's: its registers
    I32EnumAttrCase<"host", 3>]> {  // the host program's
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_Scope : I32EnumAttr<"Scope", "which threads of a GPU", [
    I32EnumAttrCase<"block", 0>, I32EnumAttrCase<"warp", 1>]> {
  let cppNamespace = "::fusec::kernel";
  let genSpecializedAttr = 0;
}

#endif // FUSEC_KERNEL_ENUMS

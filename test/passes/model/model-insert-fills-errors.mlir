// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-insert-fills --verify-diagnostics

fuse.weight @w = dense_resource<w> : tensor<1xf32>
func.func @main(%x: memref<1xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-error@+1 {{launches @w, which is no kernel}}
  kernel.launch @w(%x) : memref<1xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x400000000000803F"
    }
  }
#-}

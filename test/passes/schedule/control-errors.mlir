// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched --verify-diagnostics

func.func @outside(%h0: tensor<4xf32>) -> tensor<4xf32> {
  %h = fuse.loop trips = 5 carries(%h0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    // expected-error @below {{'fuse.exp' op is outside of a fusion group; run --fuse-aggregate before --convert-fuse-to-sched}}
    %0 = fuse.exp %a : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}

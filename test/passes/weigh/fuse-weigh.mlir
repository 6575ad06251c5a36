// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --fuse-weigh --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-aggregate --fuse-weigh --split-input-file 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Of long rows a GPU makes tiles of scores, which share what they load: a block that has a
// row by itself does not.
// REMARK: remark: {{.*}}@scores_weights cut into 2 groups: in one kernel it is expected to take {{[0-9.]+}} us, in several {{[0-9.]+}} us
// REMARK-NOT: remark
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
module attributes {fuse.target = "cuda-sm80"} {
// CHECK-LABEL: func.func @long
// CHECK: fuse.group @scores
// CHECK: fuse.contract
// CHECK-NEXT: fuse.yield
// CHECK: fuse.group @weights
// CHECK-NOT: fuse.rows_apart
func.func @long(%q: tensor<12x512x64xf32>, %k: tensor<12x512x64xf32>) -> tensor<12x512x512xf32> {
  %0 = fuse.contract %q, %k maps = [#q, #k, #s] : tensor<12x512x64xf32>, tensor<12x512x64xf32> -> tensor<12x512x512xf32> loc("scores")
  %1 = fuse.reduce (%0) inits = [0xFF800000 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.maximumf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32> loc("weights")
  %3 = fuse.sub %0, %2 : tensor<12x512x512xf32> loc("weights")
  %4 = fuse.exp %3 : tensor<12x512x512xf32> loc("weights")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.addf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %8 = fuse.broadcast %5 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32> loc("weights")
  %6 = fuse.div %4, %8 : tensor<12x512x512xf32> loc("weights")
  return %6 : tensor<12x512x512xf32>
}
}

// -----

// Of short ones the launch of another kernel takes longer.
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
module attributes {fuse.target = "cuda-sm80"} {
// CHECK-LABEL: func.func @short
// CHECK: fuse.group @scores_weights
// CHECK-NOT: fuse.group
func.func @short(%q: tensor<12x64x64xf32>, %k: tensor<12x64x64xf32>) -> tensor<12x64x64xf32> {
  %0 = fuse.contract %q, %k maps = [#q, #k, #s] : tensor<12x64x64xf32>, tensor<12x64x64xf32> -> tensor<12x64x64xf32> loc("scores")
  %1 = fuse.reduce (%0) inits = [0xFF800000 : f32] dims = [2] : (tensor<12x64x64xf32>) -> tensor<12x64xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.maximumf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<12x64xf32> -> tensor<12x64x64xf32> loc("weights")
  %3 = fuse.sub %0, %2 : tensor<12x64x64xf32> loc("weights")
  %4 = fuse.exp %3 : tensor<12x64x64xf32> loc("weights")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<12x64x64xf32>) -> tensor<12x64xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.addf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %8 = fuse.broadcast %5 dims = [0, 1] : tensor<12x64xf32> -> tensor<12x64x64xf32> loc("weights")
  %6 = fuse.div %4, %8 : tensor<12x64x64xf32> loc("weights")
  return %6 : tensor<12x64x64xf32>
}
}

// -----

// A CPU has tiles of scores in one kernel, and need not store them for another one.
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, k, j)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
// CHECK-LABEL: func.func @cpu
// CHECK: fuse.group @scores_weights
// CHECK-NOT: fuse.group
func.func @cpu(%q: tensor<12x512x64xf32>, %k: tensor<12x64x512xf32>) -> tensor<12x512x512xf32> {
  %0 = fuse.contract %q, %k maps = [#q, #k, #s] : tensor<12x512x64xf32>, tensor<12x64x512xf32> -> tensor<12x512x512xf32> loc("scores")
  %1 = fuse.reduce (%0) inits = [0xFF800000 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.maximumf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32> loc("weights")
  %3 = fuse.sub %0, %2 : tensor<12x512x512xf32> loc("weights")
  %4 = fuse.exp %3 : tensor<12x512x512xf32> loc("weights")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
  ^bb0(%x: f32, %y: f32):
    %7 = arith.addf %x, %y : f32
    fuse.yield %7 : f32
  } loc("weights")
  %8 = fuse.broadcast %5 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32> loc("weights")
  %6 = fuse.div %4, %8 : tensor<12x512x512xf32> loc("weights")
  return %6 : tensor<12x512x512xf32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-split="max-operations=24 max-statements=5" --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-split="max-operations=24 max-statements=5 remarks" --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null
// RUN: fusec-opt %s --fuse-split=apart --split-input-file | FileCheck %s --check-prefix=APART
// What a group costs is counted as its statements will be: what is computed again,
// at several points of one or for several of them, counts again.

// Each point needs three operations at one other point of %x: 8 of them.
// CHECK-LABEL: func.func @once
// CHECK: fuse.group @all
// CHECK-NOT: fuse.group
// APART-LABEL: func.func @once
// APART-COUNT-5: fuse.group
// APART-NOT: fuse.group
func.func @once(%x: tensor<64xf32>) -> tensor<32xf32> {
  %r = fuse.group @all (%x) : (tensor<64xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<64xf32>):
    %0 = fuse.mul %a, %a : tensor<64xf32>
    %1 = fuse.add %0, %a : tensor<64xf32>
    %2 = fuse.mul %1, %a : tensor<64xf32>
    %3 = fuse.slice %2 offsets = [8] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %4 = fuse.neg %3 : tensor<32xf32>
    %5 = fuse.abs %4 : tensor<32xf32>
    fuse.yield %5 : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}

// -----

// The same three operations at eight points: 31, of nine operations in the group.
// CHECK-LABEL: func.func @again
// CHECK: %[[Y:.*]] = fuse.group {{.*}} -> tensor<64xf32>
// CHECK: fuse.group {{.*}}(%[[Y]]
// CHECK-NOT: fuse.group
// APART-LABEL: func.func @again
func.func @again(%x: tensor<64xf32>) -> tensor<32xf32> {
  // expected-remark @below {{@all cut into 2 groups: its statements would hold more than 24 operations, counting what is computed again}}
  %r = fuse.group @all (%x) : (tensor<64xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<64xf32>):
    %0 = fuse.mul %a, %a : tensor<64xf32>
    %1 = fuse.add %0, %a : tensor<64xf32>
    %2 = fuse.mul %1, %a : tensor<64xf32>
    %s0 = fuse.slice %2 offsets = [0] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s1 = fuse.slice %2 offsets = [1] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s2 = fuse.slice %2 offsets = [2] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s3 = fuse.slice %2 offsets = [3] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s4 = fuse.slice %2 offsets = [4] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s5 = fuse.slice %2 offsets = [5] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s6 = fuse.slice %2 offsets = [6] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %s7 = fuse.slice %2 offsets = [7] strides = [1] : tensor<64xf32> -> tensor<32xf32>
    %3 = fuse.add %s0, %s1 : tensor<32xf32>
    %4 = fuse.add %3, %s2 : tensor<32xf32>
    %5 = fuse.add %4, %s3 : tensor<32xf32>
    %6 = fuse.add %5, %s4 : tensor<32xf32>
    %7 = fuse.add %6, %s5 : tensor<32xf32>
    %8 = fuse.add %7, %s6 : tensor<32xf32>
    %9 = fuse.add %8, %s7 : tensor<32xf32>
    fuse.yield %9 : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}

// -----

// Two sums of a row, one of what the other gave: each sets its accumulators and
// adds, and the result is a statement, too.
// CHECK-LABEL: func.func @statements
// CHECK: fuse.group
// CHECK: fuse.group
// APART-LABEL: func.func @statements
func.func @statements(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  // expected-remark @below {{@all cut into 2 groups: isl would have to schedule 6 statements, more than 5}}
  %r = fuse.group @all (%x) : (tensor<16x64xf32>) -> tensor<16x64xf32> {
  ^bb0(%a: tensor<16x64xf32>):
    %s = fuse.reduce (%a) inits = [0.0 : f32] dims = [1] : (tensor<16x64xf32>) -> tensor<16xf32> {
    ^bb1(%acc: f32, %e: f32):
      %n = arith.addf %acc, %e : f32
      fuse.yield %n : f32
    }
    %b = fuse.broadcast %s dims = [0] : tensor<16xf32> -> tensor<16x64xf32>
    %d = fuse.sub %a, %b : tensor<16x64xf32>
    %e = fuse.exp %d : tensor<16x64xf32>
    %t = fuse.reduce (%e) inits = [0.0 : f32] dims = [1] : (tensor<16x64xf32>) -> tensor<16xf32> {
    ^bb2(%acc: f32, %f: f32):
      %n = arith.addf %acc, %f : f32
      fuse.yield %n : f32
    }
    %c = fuse.broadcast %t dims = [0] : tensor<16xf32> -> tensor<16x64xf32>
    %q = fuse.div %e, %c : tensor<16x64xf32>
    fuse.yield %q : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

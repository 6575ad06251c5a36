// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter cannot do is said with the location, the operation and
// the reason; the exit code is 4 (64 for wrong usage).
// RUN: not fusec-ref %s --function gather 2>&1 | FileCheck --check-prefix=GATHER %s
// RUN: not fusec-ref %s --function unknown 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: not fusec-ref %s --function combiner 2>&1 | FileCheck --check-prefix=COMBINER %s
// RUN: not fusec-ref %s --function scalar 2>&1 | FileCheck --check-prefix=SCALAR %s
// RUN: not fusec-ref %s --function forever 2>&1 | FileCheck --check-prefix=FOREVER %s
// RUN: not fusec-ref %s --function nowhere 2>&1 | FileCheck --check-prefix=NOWHERE %s
// RUN: not fusec-ref %s 2>&1 | FileCheck --check-prefix=NOMAIN %s
// RUN: not fusec-ref %s --function unknown --input z=f.npy 2>&1 | FileCheck --check-prefix=NAME %s
// RUN: not fusec-ref %s --function unknown --input x=%S/Inputs/two.npy 2>&1 | FileCheck --check-prefix=SHAPE %s
// RUN: not fusec-ref %s --function unknown --input input2=f.npy 2>&1 | FileCheck --check-prefix=NEAR %s
// RUN: not fusec-ref %s --function unknown --input x=%S/none.npy 2>&1 | FileCheck --check-prefix=FILE %s
// RUN: not fusec-ref %S/none.mlir 2>&1 | FileCheck --check-prefix=MODEL %s
// RUN: not fusec-ref 2>&1 | FileCheck --check-prefix=USAGE %s

// GATHER: errors.mlir":[[#@LINE+3]]:8): 'fuse.gather' reads index 3 of axis 0, whose extent is 2
func.func @gather(%x: tensor<2xf32>) -> tensor<1xf32> {
  %i = fuse.constant dense<3> : tensor<1xi32>
  %0 = fuse.gather %x, %i axis = 0 : tensor<2xf32>, tensor<1xi32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// UNKNOWN: errors.mlir":[[#@LINE+6]]:8): 'math.absf' has no evaluator; fusec-ref interprets the fuse dialect, so stop the pipeline before it is lowered
// NAME: --input z=f.npy: the model has no input 'z'; its inputs are 'x', 'input1'
// NEAR: its inputs are 'x', 'input1'; did you mean input1?
// SHAPE: two.npy: {{.*}}f32[2]{{.*}}f32[3]
// FILE: none.npy
func.func @unknown(%x: tensor<3xf32> {fuse.name = "x"}, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = math.absf %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// COMBINER: 'math.ctpop' cannot be interpreted in a combiner
func.func @combiner(%x: tensor<3xi32>) -> tensor<i32> {
  %0 = fuse.reduce (%x) inits = [0 : i32] dims = [0] : (tensor<3xi32>) -> tensor<i32> {
  ^bb0(%acc: i32, %e: i32):
    %1 = math.ctpop %e : i32
    fuse.yield %1 : i32
  }
  return %0 : tensor<i32>
}

// SCALAR: 'func.func' takes or returns something that is no tensor of static shape
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// FOREVER: 'func.call' recurses too deeply
func.func @forever(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @forever(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// NOWHERE: error: the module has no function @nowhere
// NOMAIN: the module has several functions or none, and no @main; name one with --function
// MODEL: none.mlir
// USAGE: MODEL is required

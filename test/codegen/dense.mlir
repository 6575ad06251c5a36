// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense layer and a softmax, by hand: everything that kernels are made of. The
// folder that is emitted must be exactly the golden one, build, and run.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: diff %S/Inputs/dense/dense.h %t/dense.h
// RUN: diff %S/Inputs/dense/dense.cpp %t/dense.cpp
// RUN: diff %S/Inputs/dense/dense_kernels.h %t/dense_kernels.h
// RUN: diff %S/Inputs/dense/dense_kernels.cpp %t/dense_kernels.cpp
// RUN: diff %S/Inputs/dense/dense_kernels_naive.h %t/dense_kernels_naive.h
// RUN: diff %S/Inputs/dense/model.json %t/model.json
// RUN: diff %S/Inputs/dense/CMakeLists.txt %t/CMakeLists.txt
// RUN: od -A d -t x4 -N 64 %t/weights.bin | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: 0000000 45535546 31545743 000000c0 00000000

module @dense attributes {fuse.stage = "model-plan-memory", kernel.algorithms = 1 : i64} {
  fuse.weight @w = dense_resource<w> : tensor<4x4xf32>
  fuse.weight @b = dense_resource<b> : tensor<4xf32>

  func.func @main(%x: memref<6x4xf32> {fuse.name = "x:0"}, %y: memref<6x4xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    %w = kernel.weight @w : memref<4x4xf32>
    %b = kernel.weight @b : memref<4xf32>
    %hidden = kernel.buffer offset = 0 : memref<6x4xf32>
    kernel.launch @dense_relu(%x, %w, %b, %hidden) : memref<6x4xf32>, memref<4x4xf32>, memref<4xf32>, memref<6x4xf32>
    kernel.launch @softmax(%hidden, %y) : memref<6x4xf32>, memref<6x4xf32>
    return
  }

  kernel.func @dense_relu(%x: memref<6x4xf32>, %w: memref<4x4xf32>, %b: memref<4xf32>, %h: memref<6x4xf32>)
      attributes {group = "dense_relu", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "tile = [2, 16], vector = 16",
                  key = "fedcba9876543210", hash = "0123456789abcdef"} {
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %c0 = kernel.apply affine_map<() -> (0)>()
    kernel.for %it = 0 to 3 map(parallel) grain = 2 {
      kernel.for %j = 0 to 4 step 16 {
        %in = kernel.tail_mask %j, affine_map<() -> (4)>() : vector<16xi1>
        %acc = kernel.local : memref<2xvector<16xf32>>
        %bias = kernel.load %b[%j] mask %in : memref<4xf32>, vector<16xi1> -> vector<16xf32>
        kernel.for %i = 0 to 2 map(unroll) {
          kernel.store %bias, %acc[%i] : vector<16xf32>, memref<2xvector<16xf32>>
        }
        kernel.for %k = 0 to 4 {
          %w_kj = kernel.load %w[%k, %j] mask %in : memref<4x4xf32>, vector<16xi1> -> vector<16xf32>
          kernel.for %i = 0 to 2 map(unroll) {
            %0 = kernel.load %x[%it * 2 + %i, %k] : memref<6x4xf32> -> f32
            %1 = kernel.broadcast %0 : f32 -> vector<16xf32>
            %2 = kernel.load %acc[%i] : memref<2xvector<16xf32>> -> vector<16xf32>
            %3 = math.fma %1, %w_kj, %2 : vector<16xf32>
            kernel.store %3, %acc[%i] : vector<16xf32>, memref<2xvector<16xf32>>
          }
        }
        kernel.for %i = 0 to 2 map(unroll) {
          %0 = kernel.load %acc[%i] : memref<2xvector<16xf32>> -> vector<16xf32>
          %1 = arith.maximumf %0, %zero : vector<16xf32>
          kernel.store %1, %h[%it * 2 + %i, %j] mask %in : vector<16xf32>, memref<6x4xf32>, vector<16xi1>
        }
      }
    }
    kernel.return
  } loc(fused["dense", "relu */ \22quoted\22"])

  kernel.func @dense_relu_naive(%x: memref<6x4xf32>, %w: memref<4x4xf32>, %b: memref<4xf32>, %h: memref<6x4xf32>)
      attributes {group = "dense_relu", variant = "naive", num_inputs = 3 : i64, num_outputs = 1 : i64,
                  proposer = "structural", schedule = "plain loops"} {
    %zero = arith.constant 0.0 : f32
    kernel.for %i = 0 to 6 {
      kernel.for %j = 0 to 4 {
        %sum = kernel.local : memref<f32>
        %0 = kernel.load %b[%j] : memref<4xf32> -> f32
        kernel.store %0, %sum[] : f32, memref<f32>
        kernel.for %k = 0 to 4 {
          %1 = kernel.load %x[%i, %k] : memref<6x4xf32> -> f32
          %2 = kernel.load %w[%k, %j] : memref<4x4xf32> -> f32
          %3 = kernel.load %sum[] : memref<f32> -> f32
          %4 = math.fma %1, %2, %3 : f32
          kernel.store %4, %sum[] : f32, memref<f32>
        }
        %5 = kernel.load %sum[] : memref<f32> -> f32
        %6 = arith.maximumf %5, %zero : f32
        kernel.store %6, %h[%i, %j] : f32, memref<6x4xf32>
      }
    }
    kernel.return
  } loc(fused["dense", "relu */ \22quoted\22"])

  kernel.func @softmax(%h: memref<6x4xf32>, %y: memref<6x4xf32>)
      attributes {group = "softmax", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "vector = 16", workspace_bytes = 64 : i64} {
    %one = arith.constant 1.0 : f32
    %minus_inf = arith.constant 0xFF800000 : f32
    %scale = kernel.workspace offset = 0 : memref<6xf32>
    kernel.for %a = 0 to 2 map(parallel) grain = 6 {
      kernel.for %c = 0 to 3 map(parallel) {
        %row = kernel.apply affine_map<(a, c) -> (a * 3 + c)>(%a, %c)
        %peak = kernel.local : memref<f32>
        %sum = kernel.local : memref<f32>
        kernel.store %minus_inf, %peak[] : f32, memref<f32>
        kernel.for %j = 0 to 4 {
          %0 = kernel.load %h[%row, %j] : memref<6x4xf32> -> f32
          %1 = kernel.load %peak[] : memref<f32> -> f32
          %2 = arith.maximumf %1, %0 : f32
          kernel.store %2, %peak[] : f32, memref<f32>
        }
        %zero = arith.constant 0.0 : f32
        kernel.store %zero, %sum[] : f32, memref<f32>
        %top = kernel.load %peak[] : memref<f32> -> f32
        kernel.for %j = 0 to 4 {
          %0 = kernel.load %h[%row, %j] : memref<6x4xf32> -> f32
          %1 = arith.subf %0, %top : f32
          %2 = math.exp %1 : f32
          kernel.store %2, %y[%row, %j] : f32, memref<6x4xf32>
          %3 = kernel.load %sum[] : memref<f32> -> f32
          %4 = arith.addf %3, %2 : f32
          kernel.store %4, %sum[] : f32, memref<f32>
        }
        %5 = kernel.load %sum[] : memref<f32> -> f32
        %6 = arith.divf %one, %5 : f32
        kernel.store %6, %scale[%row] : f32, memref<6xf32>
        kernel.for %j = 0 to 4 {
          %0 = kernel.load %y[%row, %j] : memref<6x4xf32> -> f32
          %1 = kernel.load %scale[%row] : memref<6xf32> -> f32
          %2 = arith.mulf %0, %1 : f32
          kernel.store %2, %y[%row, %j] : f32, memref<6x4xf32>
        }
      }
    }
    kernel.return
  } loc("softmax")
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000000000000000000000000000000000008040000000000000000000000000000000000000403F00000000000000000000000000000000000080BF",
      b: "0x040000000000000000000000000000000000803F"
    }
  }
#-}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | FileCheck %s
// RUN: fusec-opt %s | fusec-opt | FileCheck %s
// RUN: fusec-opt %s --mlir-print-op-generic --mlir-print-debuginfo | fusec-opt | FileCheck %s

// Names of arguments, indices, locals and loads survive the text.
// CHECK-LABEL: kernel.func @names(%x: memref<100x512xf16>, %y: memref<100x512xf32>) attributes
// CHECK-SAME: group = "names"
// CHECK: kernel.for %it = 0 to 13 map(parallel) grain = 2 {
// CHECK: %acc = kernel.local : memref<8x2xvector<16xf32>>
// CHECK: kernel.for %i = 0 to min #{{.*}}(%it) map(unroll) {
// CHECK: kernel.for %j = max #{{.*}}(%it, %i) to 512 step 16 {
// CHECK: %a = kernel.load %x[%it * 8 + %i, %j * 2 + 1] : memref<100x512xf16> -> f32
// CHECK: kernel.store %a, %y[%it * 8 + %i, %j] : f32, memref<100x512xf32>
// CHECK: kernel.return
kernel.func @names(%x: memref<100x512xf16>, %y: memref<100x512xf32>)
    attributes {group = "names", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %it = 0 to 13 map(parallel) grain = 2 {
    %acc = kernel.local : memref<8x2xvector<16xf32>>
    kernel.for %i = 0 to min affine_map<(d0) -> (8, d0 * -8 + 100)>(%it) map(unroll) {
      kernel.for %j = max affine_map<(d0, d1) -> (0, d0 - d1)>(%it, %i) to 512 step 16 map(sequential) {
        %a = kernel.load %x[%it * 8 + %i, %j * 2 + 1] : memref<100x512xf16> -> f32
        kernel.store %a, %y[%it * 8 + %i, %j] : f32, memref<100x512xf32>
      }
    }
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @carried
// CHECK: kernel.for %i = 0 to 8 map(vector) carries(add %s : memref<f32>, select %m : memref<1xf32>, update %n : memref<f32>) {
kernel.func @carried(%x: memref<8xf32>, %s: memref<f32>, %m: memref<1xf32>, %n: memref<f32>)
    attributes {group = "carried", variant = "default", num_inputs = 1 : i64, num_outputs = 3 : i64} {
  kernel.for %i = 0 to 8 map(vector) carries(add %s : memref<f32>, select %m : memref<1xf32>, update %n : memref<f32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %s[] : memref<f32> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %s[] : f32, memref<f32>
    %3 = kernel.load %m[0] : memref<1xf32> -> f32
    %4 = arith.cmpf ogt, %0, %3 : f32
    %5 = arith.select %4, %0, %3 : f32
    kernel.store %5, %m[0] : f32, memref<1xf32>
    %6 = kernel.load %n[] : memref<f32> -> f32
    %7 = arith.divf %0, %6 : f32
    kernel.store %7, %n[] : f32, memref<f32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @hints
// CHECK: kernel.prefetch %x[%i + 1, 0] : memref<8x33xf32>
// CHECK: kernel.prefetch write %y[%i, 16] : memref<8x33xf32>
// CHECK: kernel.atomic max %{{.*}}, %y[%i, 32] : f32, memref<8x33xf32>
kernel.func @hints(%x: memref<8x33xf32>, %y: memref<8x33xf32>)
    attributes {group = "hints", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 7 {
    kernel.prefetch %x[%i + 1, 0] : memref<8x33xf32>
    kernel.prefetch write %y[%i, 16] : memref<8x33xf32>
    %most = arith.constant 1.0 : f32
    kernel.atomic max %most, %y[%i, 32] : f32, memref<8x33xf32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @fragments
// CHECK: kernel.terms %{{.*}}, %{{.*}} : i32
// CHECK: kernel.terms %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 2 : vector<16xi32>
// CHECK: kernel.terms %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 4 : i32
// CHECK: kernel.terms %{{.*}}, %{{.*}} : f32
// CHECK: kernel.terms %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 2 : vector<16xf32>
kernel.func @fragments(%x: memref<2xi16>, %w: memref<2x16xi16>, %y: memref<16xi32>)
    attributes {group = "fragments", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %x0 = kernel.load %x[0] : memref<2xi16> -> i32
  %x1 = kernel.load %x[1] : memref<2xi16> -> i32
  %one = kernel.terms %x0, %x1 : i32
  %all = kernel.broadcast %one : i32 -> vector<16xi32>
  %w0 = kernel.load %w[0, 0] : memref<2x16xi16> -> vector<16xi32>
  %w1 = kernel.load %w[1, 0] : memref<2x16xi16> -> vector<16xi32>
  %columns = kernel.terms %w0, %w1 : vector<16xi32>
  %sum = kernel.dot %all, %columns, %w0 terms = 2 : vector<16xi32>
  %four = kernel.terms %x0, %x1, %x1, %x0 : i32
  %scalar = kernel.dot %four, %four, %x0 terms = 4 : i32
  %u = arith.sitofp %x0 : i32 to f32
  %v = arith.sitofp %w0 : vector<16xi32> to vector<16xf32>
  %floats = kernel.terms %u, %u : f32
  %spread = kernel.broadcast %floats : i32 -> vector<16xi32>
  %lanes = kernel.terms %v, %v : vector<16xf32>
  %total = kernel.dot %spread, %lanes, %v terms = 2 : vector<16xf32>
  kernel.store %sum, %y[0] : vector<16xi32>, memref<16xi32>
  kernel.return
}

// CHECK-LABEL: kernel.func @products
// CHECK: kernel.mul_rounded %{{.*}}, %{{.*}} : f64
// CHECK: kernel.mul_rounded %{{.*}}, %{{.*}} : vector<16xf32>
kernel.func @products(%x: memref<16xf32>, %d: memref<1xf64>, %y: memref<16xf32>, %e: memref<1xf64>)
    attributes {group = "products", variant = "default", num_inputs = 2 : i64, num_outputs = 2 : i64} {
  %0 = kernel.load %d[0] : memref<1xf64> -> f64
  %1 = kernel.mul_rounded %0, %0 : f64
  kernel.store %1, %e[0] : f64, memref<1xf64>
  %2 = kernel.load %x[0] : memref<16xf32> -> vector<16xf32>
  %3 = kernel.mul_rounded %2, %2 : vector<16xf32>
  kernel.store %3, %y[0] : vector<16xf32>, memref<16xf32>
  kernel.return
}

// CHECK-LABEL: kernel.func @lanes
// CHECK: %[[BASE:.*]] = kernel.apply #{{.*}}(%i)
// CHECK: kernel.min #{{.*}}(%i)
// CHECK: %[[TAIL:.*]] = kernel.tail_mask %[[BASE]], #{{.*}}(%i) : vector<16xi1>
// CHECK: kernel.in_bounds #{{.*}}(%i, %[[BASE]]) {lane_dim = 1 : i64} : vector<16xi1>
// CHECK: kernel.in_bounds #{{.*}}(%i, %[[BASE]]) : i1
// CHECK: kernel.iota %[[BASE]] : vector<16xi64>
// CHECK: kernel.load %x[%i, 0] stride = 512 mask %[[TAIL]] fill 1.000000e+00 : f32 : memref<64x512xf32>, vector<16xi1> -> vector<16xf32>
// CHECK: kernel.load %x[%i, 511] stride = -1 : memref<64x512xf32> -> vector<16xf32>
// CHECK: %[[SUM:.*]] = kernel.reduce add %{{.*}} : vector<16xf32> -> f32
// CHECK: kernel.broadcast %[[SUM]] : f32 -> vector<16xf32>
// CHECK: kernel.gather %x, #{{.*}}(%i)[%{{.*}}] mask %[[TAIL]] : vector<16xi1> fill 0.000000e+00 : f32 : memref<64x512xf32>, vector<16xi64> -> vector<16xf32>
// CHECK: kernel.store %{{.*}}, %y[%i, 0] stride = 2 mask %[[TAIL]] : vector<16xf32>, memref<64x512xf32>, vector<16xi1>
// CHECK: kernel.store_transposed %tile[%i floordiv 32], %y[%i, 0] stride = 32 mask %[[TAIL]] : memref<2x4xvector<16xf32>>, memref<64x512xf32>, vector<16xi1>
// CHECK: kernel.store_transposed %row[], %y[0, 0] stride = 512 : memref<4xvector<16xf32>>, memref<64x512xf32>
// CHECK: kernel.if #{{.*}}(%i) {
// CHECK: } else {
kernel.func @lanes(%x: memref<64x512xf32>, %y: memref<64x512xf32>)
    attributes {group = "lanes", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 {
    %base = kernel.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %n = kernel.min affine_map<(d0) -> (500, d0 * 3)>(%i)
    %tail = kernel.tail_mask %base, affine_map<(d0) -> (500, d0 * 3)>(%i) : vector<16xi1>
    %pad = kernel.in_bounds affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>(%i, %base) {lane_dim = 1 : i64} : vector<16xi1>
    %one = kernel.in_bounds affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %base) : i1
    %rows = kernel.iota %base : vector<16xi64>
    %a = kernel.load %x[%i, 0] stride = 512 mask %tail fill 1.0 : f32 : memref<64x512xf32>, vector<16xi1> -> vector<16xf32>
    %r = kernel.load %x[%i, 511] stride = -1 : memref<64x512xf32> -> vector<16xf32>
    %s = kernel.reduce add %a : vector<16xf32> -> f32
    %b = kernel.broadcast %s : f32 -> vector<16xf32>
    %g = kernel.gather %x, affine_map<(d0)[s0] -> (s0, d0)>(%i)[%rows] mask %tail : vector<16xi1> fill 0.0 : f32 : memref<64x512xf32>, vector<16xi64> -> vector<16xf32>
    kernel.store %g, %y[%i, 0] stride = 2 mask %tail : vector<16xf32>, memref<64x512xf32>, vector<16xi1>
    %tile = kernel.local : memref<2x4xvector<16xf32>>
    kernel.store_transposed %tile[%i floordiv 32], %y[%i, 0] stride = 32 mask %tail : memref<2x4xvector<16xf32>>, memref<64x512xf32>, vector<16xi1>
    %row = kernel.local : memref<4xvector<16xf32>>
    kernel.store_transposed %row[], %y[0, 0] stride = 512 : memref<4xvector<16xf32>>, memref<64x512xf32>
    kernel.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      kernel.store %b, %y[%i, 0] : vector<16xf32>, memref<64x512xf32>
    } else {
      kernel.store %s, %y[%i, 0] : f32, memref<64x512xf32>
    }
    kernel.if affine_set<(d0) : (d0 - 4 == 0)>(%i) {
      kernel.store %r, %y[%i, 0] : vector<16xf32>, memref<64x512xf32>
    }
  }
  kernel.return
}

// Locations that are given win over the names in the text.
// CHECK-LABEL: kernel.func @located(%weight: memref<4xf32>, %bias: memref<4xf32>)
// CHECK: kernel.for %row = 0 to 4
// CHECK: %value = kernel.load %weight[%row]
kernel.func @located(%x: memref<4xf32> loc("weight"), %y: memref<4xf32> loc(fused["bias", "b.onnx":1:2]))
    attributes {group = "located", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %row = 0 to 4 {
    %0 = kernel.load %x[%row] : memref<4xf32> -> f32 loc("value")
    kernel.store %0, %y[%row] : f32, memref<4xf32>
  }
  kernel.return
}

// CHECK-LABEL: func.func @main
// CHECK: %tmp = kernel.buffer offset = 64 : memref<4xf32>
// CHECK: kernel.buffer : memref<2x2xf32>
// CHECK: kernel.weight @w : memref<4xf32>
// CHECK: kernel.launch @located(%{{.*}}, %tmp) : memref<4xf32>, memref<4xf32>
// CHECK: kernel.view %tmp : memref<4xf32> -> memref<2x2xf32>
// CHECK: kernel.copy %{{.*}}, %{{.*}} : memref<2x2xf32>
fuse.weight @w = dense_resource<w> : tensor<4xf32>
func.func @main(%in: memref<4xf32>, %out: memref<2x2xf32>) {
  %tmp = kernel.buffer offset = 64 : memref<4xf32> loc("tmp")
  %b = kernel.buffer : memref<2x2xf32>
  %w = kernel.weight @w : memref<4xf32>
  kernel.launch @located(%w, %tmp) : memref<4xf32>, memref<4xf32>
  %v = kernel.view %tmp : memref<4xf32> -> memref<2x2xf32>
  kernel.copy %v, %out : memref<2x2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000803F0000803F0000803F"
    }
  }
#-}

// A variant for one of the instruction sets that the target tiles for.
// CHECK-LABEL: kernel.func @limited(%y: memref<8xf32>) attributes
// CHECK-SAME: isa = "avx2"
kernel.func @limited(%y: memref<8xf32>)
    attributes {group = "limited", variant = "default", isa = "avx2", num_inputs = 0 : i64, num_outputs = 1 : i64} {
  kernel.return
}

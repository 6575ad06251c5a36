// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms=remarks --split-input-file --verify-diagnostics -o /dev/null

// 800000 elements divide into 8 parts. The square is computed again in each
// alternative, the root goes along; what else reads the square still finds it.
// CHECK-LABEL: func.func @norm
// CHECK: %[[SQ:.*]] = fuse.mul %arg0, %arg0 : tensor<800000xf32>
// CHECK: %[[N:.*]] = fuse.choice @total ["direct", "split_reduce"] : tensor<f32> {
// CHECK-NEXT: %[[D:.*]] = fuse.mul %arg0, %arg0 : tensor<800000xf32>
// CHECK-NEXT: %[[S:.*]] = fuse.reduce(%[[D]]) {{.*}} dims = [0] : (tensor<800000xf32>) -> tensor<f32>
// CHECK: %[[R:.*]] = fuse.sqrt %[[S]]
// CHECK-NEXT: fuse.yield %[[R]]
// CHECK: }, {
// CHECK-NEXT: %[[W:.*]] = fuse.window %arg0 sizes = [100000] strides = [100000] dilations = [1] pad_low = [0] fill = {{.*}} -> tensor<8x100000xf32>
// CHECK-NEXT: %[[Q:.*]] = fuse.mul %[[W]], %[[W]] : tensor<8x100000xf32>
// CHECK-NEXT: %[[P:.*]] = fuse.reduce(%[[Q]]) {{.*}} dims = [1] : (tensor<8x100000xf32>) -> tensor<8xf32>
// CHECK: fuse.reduce(%[[P]]) {{.*}} dims = [0] : (tensor<8xf32>) -> tensor<f32>
// CHECK: fuse.sqrt
// CHECK: return %[[N]], %[[SQ]]
func.func @norm(%x: tensor<800000xf32>) -> (tensor<f32>, tensor<800000xf32>) {
  %0 = fuse.mul %x, %x : tensor<800000xf32>
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [0] : (tensor<800000xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("net/Total")
  %2 = fuse.sqrt %1 : tensor<f32>
  return %2, %0 : tensor<f32>, tensor<800000xf32>
}

// -----

// A prime number of rows: 8 parts of 32768 and a tail of 9. The shared row is
// repeated for each part; columns run on lanes.
// CHECK-LABEL: func.func @columns
// CHECK: }, {
// CHECK-NEXT: %[[T:.*]] = fuse.transpose %arg0 perm = [1, 0] : tensor<262153x3xf32> -> tensor<3x262153xf32>
// CHECK-NEXT: %[[W:.*]] = fuse.window %[[T]] sizes = [32769] strides = [32769] {{.*}} -> tensor<3x8x32769xf32>
// CHECK-NEXT: %[[X:.*]] = fuse.transpose %[[W]] perm = [1, 2, 0] : tensor<3x8x32769xf32> -> tensor<8x32769x3xf32>
// CHECK-NEXT: %[[B:.*]] = fuse.broadcast %arg1 dims = [2] : tensor<3xf32> -> tensor<8x32769x3xf32>
// CHECK-NEXT: fuse.sub %[[X]], %[[B]]
// CHECK-NEXT: fuse.reduce{{.*}} dims = [1] : (tensor<8x32769x3xf32>) -> tensor<8x3xf32>
// CHECK: %[[P:.*]] = fuse.reduce{{.*}} dims = [0] : (tensor<8x3xf32>) -> tensor<3xf32>
// CHECK: fuse.slice %{{.*}} offsets = [262152, 0] strides = [1, 1] : tensor<262153x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %[[E:.*]] = fuse.reduce
// CHECK: fuse.maximum %[[P]], %[[E]]
func.func @columns(%x: tensor<262153x3xf32>, %m: tensor<3xf32>) -> tensor<3xf32> {
  %b = fuse.broadcast %m dims = [1] : tensor<3xf32> -> tensor<262153x3xf32>
  %0 = fuse.sub %x, %b : tensor<262153x3xf32>
  %1 = fuse.reduce (%0) inits = [0xFF800000 : f32] dims = [0] : (tensor<262153x3xf32>) -> tensor<3xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %1 : tensor<3xf32>
}

// -----

// A product of few rows and columns over a long dimension.
// CHECK-LABEL: func.func @gram
// CHECK: fuse.choice @contract ["direct", "split_reduce"]
// CHECK: }, {
// CHECK: %[[P:.*]] = fuse.contract %{{.*}}, %{{.*}} maps = [#{{.*}}, #{{.*}}, #{{.*}}] : tensor<8x12500x12xf32>, tensor<8x12500x5xf32> -> tensor<8x12x5xf32>
// CHECK: fuse.reduce(%[[P]]) {{.*}} dims = [0] : (tensor<8x12x5xf32>) -> tensor<12x5xf32>
func.func @gram(%x: tensor<100000x12xf32>, %y: tensor<100000x5xf32>) -> tensor<12x5xf32> {
  %0 = fuse.contract %x, %y maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>] : tensor<100000x12xf32>, tensor<100000x5xf32> -> tensor<12x5xf32>
  return %0 : tensor<12x5xf32>
}

// -----

// Left alone: rows enough for all cores; too little to share.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: fuse.choice
// CHECK-LABEL: func.func @short
// CHECK-NOT: fuse.choice
func.func @rows(%x: tensor<8x100000xf32>) -> tensor<8xf32> {
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<8x100000xf32>) -> tensor<8xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<8xf32>
}
func.func @short(%x: tensor<100000xf32>) -> tensor<f32> {
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<100000xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<f32>
}

// -----

// The largest element and its place depend on each other.
// CHECK-LABEL: func.func @arg_max
// CHECK-NOT: fuse.choice
func.func @arg_max(%x: tensor<800000xf32>, %i: tensor<800000xi64>) -> (tensor<f32>, tensor<i64>) {
  // expected-remark @below {{runs on at most 1 cores, and is not split: two partial results have no rule that merges them}}
  %0:2 = fuse.reduce (%x, %i) inits = [0xFF800000 : f32, 0 : i64] dims = [0]
      : (tensor<800000xf32>, tensor<800000xi64>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%acc: f32, %at: i64, %e: f32, %n: i64):
    %c = arith.cmpf ogt, %e, %acc : f32
    %r = arith.select %c, %e, %acc : f32
    %s = arith.select %c, %n, %at : i64
    fuse.yield %r, %s : f32, i64
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}

// -----

// Many short dimensions.
func.func @short_dims(%x: tensor<7x7x7x7x7x7x7xf32>) -> tensor<f32> {
  // expected-remark @below {{is not split: no reduced dimension is long enough for 8 parts or divides into them}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [0, 1, 2, 3, 4, 5, 6] : (tensor<7x7x7x7x7x7x7xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<f32>
}

// -----

// A concatenation of computed values would have to be stored.
func.func @computed(%x: tensor<400000xf32>) -> tensor<f32> {
  %exp = fuse.exp %x : tensor<400000xf32>
  %n = fuse.neg %x : tensor<400000xf32>
  %c = fuse.concat %exp, %n axis = 0 : tensor<400000xf32>, tensor<400000xf32> -> tensor<800000xf32>
  // expected-remark @below {{is not split: an operand is a computed value that cannot be computed part by part}}
  %0 = fuse.reduce (%c) inits = [0.0 : f32] dims = [0] : (tensor<800000xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<f32>
}

// -----

// It would lose bits between the parts.
func.func @narrow(%x: tensor<800000xf16>) -> tensor<f16> {
  // expected-remark @below {{is not split: its result is narrower than what it computes in}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<800000xf16>) -> tensor<f16> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<f16>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for each rule of the optimiser, whose text is another one without the rule:
// check-rules.py.
// rule: accesses.broadcast-of-reshape
func.func @main(%x: tensor<4xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fuse.exp %x : tensor<4xf32>
  %1 = fuse.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<4x1xf32> -> tensor<4x3xf32>
  %3 = fuse.add %y, %2 : tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}
// rule: accesses.combine-broadcasts
func.func @main(%x: tensor<4xf32>, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fuse.broadcast %x dims = [1] : tensor<4xf32> -> tensor<3x4xf32>
  %1 = fuse.broadcast %0 dims = [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  %2 = fuse.add %y, %1 : tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
// rule: accesses.combine-slices
func.func @main(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = fuse.slice %x offsets = [1] strides = [1] : tensor<8xf32> -> tensor<6xf32>
  %1 = fuse.slice %0 offsets = [1] strides = [2] : tensor<6xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
// rule: accesses.combine-transposes
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = fuse.constant dense<0.0> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<8xf32>
  %ones = fuse.broadcast %one dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = fuse.add %zero, %x : tensor<4x8xf32>
  %1 = fuse.mul %0, %ones : tensor<4x8xf32>
  %2 = fuse.pow %1, %ones : tensor<4x8xf32>
  %3 = fuse.neg %2 : tensor<4x8xf32>
  %4 = fuse.neg %3 : tensor<4x8xf32>
  %5 = fuse.transpose %4 perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = fuse.transpose %5 perm = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %7 = fuse.reshape %6 : tensor<4x8xf32> -> tensor<32xf32>
  %8 = fuse.reshape %7 : tensor<32xf32> -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
// rule: accesses.drop-empty-pad
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.pad %x low = [0] high = [0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<4xf32>
  %1 = fuse.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: accesses.drop-single-concat
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.concat %x axis = 0 : tensor<4xf32> -> tensor<4xf32>
  %1 = fuse.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: accesses.gather-of-constant
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8x3xf32>, tensor<4x2xf32>) {
  %0 = fuse.pad %x low = [0, 1] high = [0, 1] fill = 0.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  %1 = fuse.window %0 sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<4x10xf32> -> tensor<4x8x3xf32>
  %i = fuse.constant dense<[0, 2]> : tensor<2xi64>
  %2 = fuse.gather %x, %i axis = 1 : tensor<4x8xf32>, tensor<2xi64> -> tensor<4x2xf32>
  return %1, %2 : tensor<4x8x3xf32>, tensor<4x2xf32>
}
// rule: accesses.transpose-of-broadcast
func.func @main(%x: tensor<4xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fuse.broadcast %x dims = [1] : tensor<4xf32> -> tensor<3x4xf32>
  %1 = fuse.transpose %0 perm = [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %2 = fuse.add %y, %1 : tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
// rule: accesses.transpose-of-units
func.func @main(%x: tensor<3x1x4xf32>) -> tensor<1x3x4xf32> {
  %0 = fuse.transpose %x perm = [1, 0, 2] : tensor<3x1x4xf32> -> tensor<1x3x4xf32>
  return %0 : tensor<1x3x4xf32>
}
// rule: accesses.window-of-pad
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8x3xf32>, tensor<4x2xf32>) {
  %0 = fuse.pad %x low = [0, 1] high = [0, 1] fill = 0.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  %1 = fuse.window %0 sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<4x10xf32> -> tensor<4x8x3xf32>
  %i = fuse.constant dense<[0, 2]> : tensor<2xi64>
  %2 = fuse.gather %x, %i axis = 1 : tensor<4x8xf32>, tensor<2xi64> -> tensor<4x2xf32>
  return %1, %2 : tensor<4x8x3xf32>, tensor<4x2xf32>
}
// rule: algorithms.bf16 fuse-expand-algorithms --allow=bf16
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x16xf32> {
  %w = fuse.constant dense<[[-8.0, -1.0, 6.0, -3.0, 4.0, -5.0, 2.0, -7.0, 0.0, 7.0, -2.0, 5.0, -4.0, 3.0, -6.0, 1.0], [-7.0, -2.0, 3.0, 8.0, -3.0, 2.0, 7.0, -4.0, 1.0, 6.0, -5.0, 0.0, 5.0, -6.0, -1.0, 4.0]]> : tensor<2x16xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}
// rule: algorithms.bf16-activations fuse-expand-algorithms --allow=bf16-activations
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
module attributes {fuse.target = "zen4"} {
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x16xf32> {
  %w = fuse.constant dense<[[-8.0, -1.0, 6.0, -3.0, 4.0, -5.0, 2.0, -7.0, 0.0, 7.0, -2.0, 5.0, -4.0, 3.0, -6.0, 1.0], [-7.0, -2.0, 3.0, 8.0, -3.0, 2.0, 7.0, -4.0, 1.0, 6.0, -5.0, 0.0, 5.0, -6.0, -1.0, 4.0]]> : tensor<2x16xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}
}
// rule: algorithms.int8-activations fuse-expand-algorithms --allow=int8-activations
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x16xf32> {
  %w = fuse.constant dense<[[-8.0, -1.0, 6.0, -3.0, 4.0, -5.0, 2.0, -7.0, 0.0, 7.0, -2.0, 5.0, -4.0, 3.0, -6.0, 1.0], [-7.0, -2.0, 3.0, 8.0, -3.0, 2.0, 7.0, -4.0, 1.0, 6.0, -5.0, 0.0, 5.0, -6.0, -1.0, 4.0]]> : tensor<2x16xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}
// rule: algorithms.sparse fuse-expand-algorithms --numerics=fast
#w = affine_map<(m, n, k) -> (m, k)>
#x = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<4x64xf32>) -> tensor<2x64xf32> {
  %w = fuse.constant dense<[[0.0, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
  %0 = fuse.contract %w, %x maps = [#w, #x, #y] : tensor<2x4xf32>, tensor<4x64xf32> -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
// rule: algorithms.split-keys fuse-expand-algorithms
#q = affine_map<(r, k, d) -> (r, d)>
#k = affine_map<(r, k, d) -> (k, d)>
#s = affine_map<(r, k, d) -> (r, k)>
#p = affine_map<(r, e, k) -> (r, k)>
#v = affine_map<(r, e, k) -> (k, e)>
#o = affine_map<(r, e, k) -> (r, e)>
func.func @main(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %s = fuse.contract %q, %k maps = [#q, #k, #s] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%s) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mb = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %c = fuse.sub %s, %mb : tensor<64x4096xf32>
  %e = fuse.exp %c : tensor<64x4096xf32>
  %l = fuse.reduce(%e) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %x = fuse.contract %e, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  return %x, %l : tensor<64x64xf32>, tensor<64xf32>
}
// rule: algorithms.split-reduce fuse-expand-algorithms
func.func @main(%x: tensor<800000xf32>) -> tensor<f32> {
  %0 = fuse.reduce(%x) inits = [0.0 : f32] dims = [0] : (tensor<800000xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    fuse.yield %s : f32
  }
  return %0 : tensor<f32>
}
// rule: algorithms.vendor fuse-expand-algorithms --vendor=openblas
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// rule: algorithms.winograd fuse-expand-algorithms --numerics=fast
#x = affine_map<(n, o, p, q, c, r, s) -> (n, c, p, q, r, s)>
#w = affine_map<(n, o, p, q, c, r, s) -> (c, r, s, o)>
#y = affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>
func.func @main(%x: tensor<1x1x7x5xf32>) -> tensor<1x2x7x5xf32> {
  %w = fuse.constant dense<[[[[1.0, 2.0]], [[3.0, 2.0]], [[1.0, 4.0]]]]> : tensor<1x3x1x2xf32>
  %0 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [1, 0] fill = 0.0 : f32 : tensor<1x1x7x5xf32> -> tensor<1x1x7x5x3x1xf32>
  %1 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x1x7x5x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x7x5xf32>
  return %1 : tensor<1x2x7x5xf32>
}
// rule: alike.join
#q = affine_map<(g, h, i, j, k) -> (g, h, i, k)>
#k = affine_map<(g, h, i, j, k) -> (g, j, k)>
#s = affine_map<(g, h, i, j, k) -> (g, h, i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<5x8x6xf32>, %cos: tensor<5x6xf32>, %sin: tensor<5x6xf32>) -> tensor<2x2x5x5xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<5x8x6xf32> -> tensor<5x4x6xf32>
  %1 = fuse.transpose %0 perm = [1, 0, 2] : tensor<5x4x6xf32> -> tensor<4x5x6xf32>
  %2 = fuse.broadcast %cos dims = [1, 2] : tensor<5x6xf32> -> tensor<4x5x6xf32>
  %3 = fuse.mul %1, %2 : tensor<4x5x6xf32>
  %4 = fuse.slice %1 offsets = [0, 0, 3] strides = [1, 1, 1] : tensor<4x5x6xf32> -> tensor<4x5x3xf32>
  %5 = fuse.neg %4 : tensor<4x5x3xf32>
  %6 = fuse.slice %1 offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<4x5x6xf32> -> tensor<4x5x3xf32>
  %7 = fuse.concat %5, %6 axis = 2 : tensor<4x5x3xf32>, tensor<4x5x3xf32> -> tensor<4x5x6xf32>
  %8 = fuse.broadcast %sin dims = [1, 2] : tensor<5x6xf32> -> tensor<4x5x6xf32>
  %9 = fuse.mul %7, %8 : tensor<4x5x6xf32>
  %10 = fuse.add %3, %9 : tensor<4x5x6xf32>
  %11 = fuse.slice %x offsets = [0, 4, 0] strides = [1, 1, 1] : tensor<5x8x6xf32> -> tensor<5x2x6xf32>
  %12 = fuse.transpose %11 perm = [1, 0, 2] : tensor<5x2x6xf32> -> tensor<2x5x6xf32>
  %13 = fuse.broadcast %cos dims = [1, 2] : tensor<5x6xf32> -> tensor<2x5x6xf32>
  %14 = fuse.mul %12, %13 : tensor<2x5x6xf32>
  %15 = fuse.slice %12 offsets = [0, 0, 3] strides = [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x3xf32>
  %16 = fuse.neg %15 : tensor<2x5x3xf32>
  %17 = fuse.slice %12 offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x3xf32>
  %18 = fuse.concat %16, %17 axis = 2 : tensor<2x5x3xf32>, tensor<2x5x3xf32> -> tensor<2x5x6xf32>
  %19 = fuse.broadcast %sin dims = [1, 2] : tensor<5x6xf32> -> tensor<2x5x6xf32>
  %20 = fuse.mul %18, %19 : tensor<2x5x6xf32>
  %21 = fuse.add %14, %20 : tensor<2x5x6xf32>
  %22 = fuse.reshape %10 : tensor<4x5x6xf32> -> tensor<2x2x5x6xf32>
  %23 = fuse.contract %22, %21 maps = [#q, #k, #s] : tensor<2x2x5x6xf32>, tensor<2x5x6xf32> -> tensor<2x2x5x5xf32>
  return %23 : tensor<2x2x5x5xf32>
}
// rule: attention.skip-masked sched-skip-masked
func.func @main(%x: tensor<8x9xf32>) -> tensor<8xf32> {
  %0 = fuse.iota axis = 1 : tensor<8x9xi32>
  %1 = fuse.iota axis = 0 : tensor<8x9xi32>
  %2 = fuse.cmp le %0, %1 : tensor<8x9xi32>, tensor<8x9xi32> -> tensor<8x9xi1>
  %lowest = fuse.constant dense<0xFF800000> : tensor<f32>
  %hidden = fuse.broadcast %lowest dims = [] : tensor<f32> -> tensor<8x9xf32>
  %3 = fuse.select %2, %x, %hidden : tensor<8x9xi1>, tensor<8x9xf32>, tensor<8x9xf32> -> tensor<8x9xf32>
  %4 = fuse.reduce(%3) inits = [0xFF800000 : f32] dims = [1] : (tensor<8x9xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %5 = arith.maximumf %a, %b : f32
    fuse.yield %5 : f32
  }
  return %4 : tensor<8xf32>
}
// rule: constants.fold
func.func @main() -> (tensor<4xi32>, tensor<4xi64>, tensor<4xui8>) {
  %a = fuse.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 3.0e10]> : tensor<4xf32>
  %0 = fuse.cast %a : tensor<4xf32> -> tensor<4xi32>
  %1 = fuse.cast %a : tensor<4xf32> -> tensor<4xi64>
  %2 = fuse.cast %a : tensor<4xf32> -> tensor<4xui8>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi64>, tensor<4xui8>
}
// rule: constants.fold-exact
func.func @main() -> tensor<3xi64> {
  %a = fuse.constant dense<[1, 2, 3]> : tensor<3xi64>
  %n = fuse.constant dense<[2, 0, 2]> : tensor<3xi64>
  %0 = fuse.gather %a, %n axis = 0 : tensor<3xi64>, tensor<3xi64> -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
// rule: constants.reshape
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fuse.reshape %c : tensor<4xf32> -> tensor<2x2xf32>
  %1 = fuse.add %x, %0 : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
// rule: constants.split-splat
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %one = fuse.constant dense<1.0> : tensor<5xf32>
  %0 = fuse.div %one, %y : tensor<5xf32>
  %1 = fuse.mul %x, %0 : tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
// rule: contractions.combine-biases
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %f = fuse.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %b = fuse.broadcast %f dims = [1] : tensor<3xf32> -> tensor<2x3xf32>
  %g = fuse.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
  %d = fuse.broadcast %g dims = [1] : tensor<3xf32> -> tensor<2x3xf32>
  %1 = fuse.add %0, %b : tensor<2x3xf32>
  %2 = fuse.add %1, %d : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
// rule: contractions.combine-weights
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = fuse.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 0.5, 0.25, 2.0]]> : tensor<3x4xf32>
  %b = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 0.5, 0.25]]> : tensor<4x3xf32>
  %0 = fuse.contract %x, %a maps = [#x, #w, #y] : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %1 = fuse.contract %0, %b maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// rule: contractions.drop-cast
func.func @main(%x: tensor<5xui8>, %y: tensor<5xui16>) -> tensor<i32> {
  %0 = fuse.cast %x : tensor<5xui8> -> tensor<5xi16>
  %1 = fuse.cast %y : tensor<5xui16> -> tensor<5xi16>
  %2 = fuse.contract %0, %1 maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>] : tensor<5xi16>, tensor<5xi16> -> tensor<i32>
  return %2 : tensor<i32>
}
// rule: contractions.factor-out
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %c = fuse.constant dense<0.3> : tensor<f32>
  %b = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<2x4xf32>
  %s = fuse.mul %x, %b : tensor<2x4xf32>
  %0 = fuse.contract %s, %w maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// rule: contractions.of-broadcast
func.func @main(%x: tensor<2x5x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x5x3xf32> {
  %b = fuse.broadcast %w dims = [1, 2] : tensor<4x3xf32> -> tensor<2x4x3xf32>
  %0 = fuse.contract %x, %b maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] : tensor<2x5x4xf32>, tensor<2x4x3xf32> -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}
// rule: contractions.of-transpose
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<4x2xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %t = fuse.transpose %x perm = [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %0 = fuse.contract %t, %w maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// rule: contractions.scale-weights
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 0.5, 0.25]]> : tensor<4x3xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %f = fuse.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %b = fuse.broadcast %f dims = [1] : tensor<3xf32> -> tensor<2x3xf32>
  %1 = fuse.mul %0, %b : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// rule: contractions.transpose-of
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<3x2xf32> {
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %1 = fuse.transpose %0 perm = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
// rule: contractions.without-sum
func.func @main(%x: tensor<2xf32>, %w: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fuse.contract %x, %w maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>] : tensor<2xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// rule: contractions.sum-blocks
fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
func.func @main(%x: tensor<1x2x4xf32>) -> tensor<1x16xf32> {
  %w = fuse.get_weight @w : tensor<16x2x4xui4>
  %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
  %c = fuse.constant dense<[0.5, 1.5]> : tensor<2xf32>
  %b = fuse.broadcast %c dims = [1] : tensor<2xf32> -> tensor<16x2x4xf32>
  %e = fuse.mul %q, %b : tensor<16x2x4xf32>
  %0 = fuse.contract %x, %e maps = [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (n, j, k)>, affine_map<(m, n, j, k) -> (m, n)>] : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F" } } #-}
// rule: control.drop-if-results
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y:2 = fuse.if %c : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = fuse.exp %x : tensor<4xf32>
    %1 = fuse.tanh %x : tensor<4xf32>
    fuse.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    fuse.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}
// rule: control.drop-loop-values
func.func @main(%h: tensor<4xf32>, %k: tensor<4xf32>, %x: tensor<5x4xf32>, %y: tensor<5x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = fuse.loop trips = 5 carries(%h, %k) slices(%x, %y) attributes {reversed_slices = array<i64: 1>}
      : (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>):
    %0 = fuse.exp %b : tensor<4xf32>
    %1 = fuse.add %a, %0 : tensor<4xf32>
    %2 = fuse.add %1, %d : tensor<4xf32>
    fuse.yield %2, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
// rule: control.fold-bounds
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = fuse.constant dense<3> : tensor<i64>
  %c = fuse.constant dense<true> : tensor<i1>
  %y = fuse.loop count(%n) while(%c) carries(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %0 = fuse.exp %a : tensor<4xf32>
    fuse.yield %c, %0 : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
// rule: control.fold-if
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<true> : tensor<i1>
  %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = fuse.exp %x : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  } else {
    fuse.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
// rule: control.hoist
func.func @main(%h: tensor<4xf32>, %k: tensor<4xf32>, %x: tensor<5x4xf32>, %y: tensor<5x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = fuse.loop trips = 5 carries(%h, %k) slices(%x, %y) attributes {reversed_slices = array<i64: 1>}
      : (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>):
    %0 = fuse.exp %b : tensor<4xf32>
    %1 = fuse.add %a, %0 : tensor<4xf32>
    %2 = fuse.add %1, %d : tensor<4xf32>
    fuse.yield %2, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
// rule: control.unroll
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = fuse.loop trips = 0 carries(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %0 = fuse.exp %a : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
// rule: elementwise.add-zero
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = fuse.constant dense<0.0> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<8xf32>
  %ones = fuse.broadcast %one dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = fuse.add %zero, %x : tensor<4x8xf32>
  %1 = fuse.mul %0, %ones : tensor<4x8xf32>
  %2 = fuse.pow %1, %ones : tensor<4x8xf32>
  %3 = fuse.neg %2 : tensor<4x8xf32>
  %4 = fuse.neg %3 : tensor<4x8xf32>
  %5 = fuse.transpose %4 perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = fuse.transpose %5 perm = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %7 = fuse.reshape %6 : tensor<4x8xf32> -> tensor<32xf32>
  %8 = fuse.reshape %7 : tensor<32xf32> -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
// rule: elementwise.combine-casts
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fuse.cast %x : tensor<4xf16> -> tensor<4xf32>
  %1 = fuse.cast %0 : tensor<4xf32> -> tensor<4xf16>
  return %1 : tensor<4xf16>
}
// rule: elementwise.compare-equal
func.func @main(%i: tensor<4xi64>, %x: tensor<4xf32>, %c: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>) {
  %0 = fuse.cmp le %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %1 = fuse.cmp lt %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %2 = fuse.cmp eq %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %3 = fuse.select %c, %i, %i : tensor<4xi1>, tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>
}
// rule: elementwise.hoist
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %c = fuse.constant dense<41.0> : tensor<8x4xf32>
  %0 = fuse.div %x, %y : tensor<4xf32>
  %1 = fuse.broadcast %0 dims = [1] : tensor<4xf32> -> tensor<8x4xf32>
  %2 = fuse.div %1, %c : tensor<8x4xf32>
  %3 = fuse.floor %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
// rule: elementwise.multiply-by-one
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = fuse.constant dense<0.0> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<8xf32>
  %ones = fuse.broadcast %one dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = fuse.add %zero, %x : tensor<4x8xf32>
  %1 = fuse.mul %0, %ones : tensor<4x8xf32>
  %2 = fuse.pow %1, %ones : tensor<4x8xf32>
  %3 = fuse.neg %2 : tensor<4x8xf32>
  %4 = fuse.neg %3 : tensor<4x8xf32>
  %5 = fuse.transpose %4 perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = fuse.transpose %5 perm = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %7 = fuse.reshape %6 : tensor<4x8xf32> -> tensor<32xf32>
  %8 = fuse.reshape %7 : tensor<32xf32> -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
// rule: elementwise.neg-neg
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.neg %x : tensor<4xf32>
  %1 = fuse.neg %0 : tensor<4xf32>
  %2 = fuse.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// rule: elementwise.no-lower-bound
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<0xFF800000> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.maximum %x, %0 : tensor<4xf32>
  %2 = fuse.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// rule: elementwise.no-upper-bound
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<0x7F800000> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.minimum %x, %0 : tensor<4xf32>
  %2 = fuse.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// rule: elementwise.not-not
func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = fuse.not %x : tensor<4xi1>
  %1 = fuse.not %0 : tensor<4xi1>
  %2 = fuse.and %1, %x : tensor<4xi1>
  return %2 : tensor<4xi1>
}
// rule: elementwise.order-operands
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %row: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %rows = fuse.broadcast %row dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %c = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %cs = fuse.broadcast %c dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %0 = fuse.mul %rows, %x : tensor<4x8xf32>
  %1 = fuse.add %cs, %rows : tensor<4x8xf32>
  %2 = fuse.maximum %y, %x : tensor<4x8xf32>
  %3 = fuse.sub %rows, %x : tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
// rule: elementwise.select-equal
func.func @main(%i: tensor<4xi64>, %x: tensor<4xf32>, %c: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>) {
  %0 = fuse.cmp le %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %1 = fuse.cmp lt %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %2 = fuse.cmp eq %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %3 = fuse.select %c, %i, %i : tensor<4xi1>, tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>
}
// rule: elementwise.select-not
func.func @main(%c: tensor<8xi1>, %x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.not %c : tensor<8xi1>
  %1 = fuse.broadcast %0 dims = [1] : tensor<8xi1> -> tensor<4x8xi1>
  %2 = fuse.select %1, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
// rule: empty.concat
func.func @main(%x: tensor<4xf32>, %y: tensor<0xf32>) -> tensor<4xf32> {
  %0 = fuse.concat %x, %y axis = 0 : tensor<4xf32>, tensor<0xf32> -> tensor<4xf32>
  %1 = fuse.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: empty.fill
func.func @main(%x: tensor<2x4xf32>, %e: tensor<2x0xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>) {
  %0 = fuse.concat %e, %x axis = 1 : tensor<2x0xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %1 = fuse.pad %e low = [0, 1] high = [0, 2] fill = 7.0 : f32 : tensor<2x0xf32> -> tensor<2x3xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x3xf32>
}
// rule: empty.reduction
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<4x0xf32>, %a: tensor<4x0xf16>, %b: tensor<0x3xf16>) -> (tensor<4xf32>, tensor<4x3xf16>) {
  %0 = fuse.reduce (%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<4x0xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  }
  %1 = fuse.contract %a, %b maps = [#lhs, #rhs, #out] : tensor<4x0xf16>, tensor<0x3xf16> -> tensor<4x3xf16>
  return %0, %1 : tensor<4xf32>, tensor<4x3xf16>
}
// rule: empty.results
func.func @main(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = fuse.exp %x : tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}
// rule: factors.combine
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<3.0> : tensor<f32>
  %d = fuse.constant dense<0.3> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.broadcast %d dims = [] : tensor<f32> -> tensor<4xf32>
  %2 = fuse.mul %x, %0 : tensor<4xf32>
  %3 = fuse.mul %2, %1 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// rule: factors.divide-by-constant
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = fuse.constant dense<0.0> : tensor<5xf32>
  %three = fuse.constant dense<3.0> : tensor<5xf32>
  %six = fuse.constant dense<6.0> : tensor<5xf32>
  %0 = fuse.add %x, %three : tensor<5xf32>
  %1 = fuse.minimum %0, %six : tensor<5xf32>
  %2 = fuse.maximum %1, %zero : tensor<5xf32>
  %3 = fuse.mul %2, %x : tensor<5xf32>
  %4 = fuse.div %3, %six : tensor<5xf32>
  return %4 : tensor<5xf32>
}
// rule: factors.divide-once
func.func @main(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %two = fuse.constant dense<2.0> : tensor<f32>
  %eps = fuse.constant dense<1.0e-5> : tensor<1xf32>
  %m = fuse.reduction mean %x dims = [2] : tensor<2x4x8xf32> -> tensor<2x4x1xf32> loc("norm")
  %0 = fuse.broadcast %m dims = [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32> loc("norm")
  %d = fuse.sub %x, %0 : tensor<2x4x8xf32> loc("norm")
  %1 = fuse.broadcast %two dims = [] : tensor<f32> -> tensor<2x4x8xf32> loc("norm")
  %2 = fuse.pow %d, %1 : tensor<2x4x8xf32> loc("norm")
  %v = fuse.reduction mean %2 dims = [2] : tensor<2x4x8xf32> -> tensor<2x4x1xf32> loc("norm")
  %3 = fuse.broadcast %eps dims = [2] : tensor<1xf32> -> tensor<2x4x1xf32> loc("norm")
  %4 = fuse.add %v, %3 : tensor<2x4x1xf32> loc("norm")
  %5 = fuse.sqrt %4 : tensor<2x4x1xf32> loc("norm")
  %6 = fuse.broadcast %5 dims = [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32> loc("norm")
  %7 = fuse.div %d, %6 : tensor<2x4x8xf32> loc("norm")
  %8 = fuse.broadcast %s dims = [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("norm")
  %9 = fuse.mul %7, %8 : tensor<2x4x8xf32> loc("norm")
  %10 = fuse.broadcast %b dims = [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("norm")
  %11 = fuse.add %9, %10 : tensor<2x4x8xf32> loc("norm")
  return %11 : tensor<2x4x8xf32>
}
// rule: factors.divide-sums
func.func @main(%x: tensor<2x4x16xf32>, %v: tensor<2x16x8xf32>) -> tensor<2x4x8xf32> {
  %0 = fuse.softmax %x {axis = 2 : i64} : tensor<2x4x16xf32>
  %1 = fuse.contract %0, %v maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] : tensor<2x4x16xf32>, tensor<2x16x8xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}
// rule: factors.minus-one
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<-1.0> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.mul %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: factors.move-inwards
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %root = fuse.constant dense<1.4142135623730951> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<4x8xf32>
  %half = fuse.constant dense<0.5> : tensor<4x8xf32>
  %0 = fuse.div %x, %root : tensor<4x8xf32> loc("gelu")
  %1 = fuse.erf %0 : tensor<4x8xf32> loc("gelu")
  %2 = fuse.add %1, %one : tensor<4x8xf32> loc("gelu")
  %3 = fuse.mul %x, %2 : tensor<4x8xf32> loc("gelu")
  %4 = fuse.mul %3, %half : tensor<4x8xf32> loc("gelu")
  return %4 : tensor<4x8xf32>
}
// rule: factors.multiply-by-reciprocal
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = fuse.constant dense<1.0> : tensor<5xf32>
  %minus = fuse.constant dense<-1.0> : tensor<5xf32>
  %0 = fuse.mul %minus, %x : tensor<5xf32>
  %1 = fuse.exp %0 : tensor<5xf32>
  %2 = fuse.add %one, %1 : tensor<5xf32>
  %3 = fuse.div %one, %2 : tensor<5xf32>
  %4 = fuse.mul %3, %x : tensor<5xf32>
  return %4 : tensor<5xf32>
}
// rule: factors.negate
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<3.0> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.mul %x, %0 : tensor<4xf32>
  %2 = fuse.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// rule: factors.order-bounds
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = fuse.constant dense<0.0> : tensor<5xf32>
  %three = fuse.constant dense<3.0> : tensor<5xf32>
  %six = fuse.constant dense<6.0> : tensor<5xf32>
  %0 = fuse.add %x, %three : tensor<5xf32>
  %1 = fuse.minimum %0, %six : tensor<5xf32>
  %2 = fuse.maximum %1, %zero : tensor<5xf32>
  %3 = fuse.mul %2, %x : tensor<5xf32>
  %4 = fuse.div %3, %six : tensor<5xf32>
  return %4 : tensor<5xf32>
}
// rule: factors.scale-clamp
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = fuse.constant dense<0.0> : tensor<5xf32>
  %three = fuse.constant dense<3.0> : tensor<5xf32>
  %six = fuse.constant dense<6.0> : tensor<5xf32>
  %0 = fuse.add %x, %three : tensor<5xf32>
  %1 = fuse.minimum %0, %six : tensor<5xf32>
  %2 = fuse.maximum %1, %zero : tensor<5xf32>
  %3 = fuse.mul %2, %x : tensor<5xf32>
  %4 = fuse.div %3, %six : tensor<5xf32>
  return %4 : tensor<5xf32>
}
// rule: fusion.groups fuse-split
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.exp %x : tensor<4xf32>
  %1 = fuse.sqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: iterators.split-merged
func.func @main(%x: tensor<6x4xf32>, %w: tensor<2x4x5xf32>) -> tensor<6x5xf32> {
  %b = fuse.broadcast %w dims = [0, 2, 3] : tensor<2x4x5xf32> -> tensor<2x3x4x5xf32>
  %r = fuse.reshape %b : tensor<2x3x4x5xf32> -> tensor<6x4x5xf32>
  %0 = fuse.contract %x, %r maps = [affine_map<(h, n, k) -> (h, k)>, affine_map<(h, n, k) -> (h, k, n)>, affine_map<(h, n, k) -> (h, n)>] : tensor<6x4xf32>, tensor<6x4x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// rule: layout.copies fuse-assign-layout
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<1024x64xf32>, %y: tensor<1024x64xf32>) -> tensor<1024x1024xf32> {
  %0 = fuse.contract %x, %y maps = [#x, affine_map<(m, n, k) -> (n, k)>, #y] : tensor<1024x64xf32>, tensor<1024x64xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
// rule: layout.channels fuse-assign-layout
#x = affine_map<(n, o, p, c) -> (n, c, p)>
#w = affine_map<(n, o, p, c) -> (c, o)>
#y = affine_map<(n, o, p, c) -> (n, o, p)>
fuse.weight @w = dense_resource<w> : tensor<4x16xi8>
func.func @main(%x: tensor<1x4x64xui8>) -> tensor<1x16x32x2xui8> {
  %w = fuse.get_weight @w : tensor<4x16xi8>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<1x4x64xui8>, tensor<4x16xi8> -> tensor<1x16x64xi32>
  %1 = fuse.cast %0 : tensor<1x16x64xi32> -> tensor<1x16x64xui8>
  %2 = fuse.window %1 sizes = [2] strides = [2] dilations = [1] pad_low = [0] fill = 0 : ui8 : tensor<1x16x64xui8> -> tensor<1x16x32x2xui8>
  return %2 : tensor<1x16x32x2xui8>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000000070E151C232A31383F464D545B626970777E858C939AA1A8AFB6BDC4CBD2D9E0E7EEF5FC030A11181F262D343B424950575E656C737A81888F969DA4ABB2B9"
    }
  }
#-}
// rule: layout.terms fuse-assign-layout
#x = affine_map<(p, o, c) -> (c, p)>
#w = affine_map<(p, o, c) -> (c, o)>
#y = affine_map<(p, o, c) -> (p, o)>
func.func @main(%x: tensor<4x64xui8>, %w: tensor<4x16xi8>) -> tensor<64x16xi32> {
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<4x64xui8>, tensor<4x16xi8> -> tensor<64x16xi32>
  return %0 : tensor<64x16xi32>
}
// rule: layout.weights fuse-assign-layout
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
fuse.weight @w = dense_resource<w> : tensor<33x4xf32>
func.func @main(%x: tensor<64x4xf32>) -> tensor<64x33xf32> {
  %w = fuse.get_weight @w : tensor<33x4xf32>
  %0 = fuse.contract %x, %w maps = [#x, affine_map<(m, n, k) -> (n, k)>, #y] : tensor<64x4xf32>, tensor<33x4xf32> -> tensor<64x33xf32>
  return %0 : tensor<64x33xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F"
    }
  }
#-}
// rule: layout.widened fuse-assign-layout
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %h = fuse.cast %x : tensor<64x64xf32> -> tensor<64x64xf16>
  %0 = fuse.contract %h, %w maps = [#x, #w, #y] : tensor<64x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// rule: masks.and-true
func.func @main(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %true = fuse.constant dense<true> : tensor<8xi1>
  %0 = fuse.and %c, %true : tensor<8xi1>
  %1 = fuse.select %0, %x, %y : tensor<8xi1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// rule: masks.bands
fuse.weight @m = dense_resource<m> : tensor<8x9xi1>
func.func @main(%x: tensor<8x9xf32>, %y: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %sees = fuse.get_weight @m : tensor<8x9xi1>
  %0 = fuse.select %sees, %x, %y : tensor<8x9xi1>, tensor<8x9xf32>, tensor<8x9xf32> -> tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}
{-# dialect_resources: { builtin: { m: "0x01000000010100000000000000010101000000000000010101010000000000010101010100000000010101010101000000010101010101010000010101010101010100010101010101010101" } } #-}
// rule: masks.choose
fuse.weight @m = dense_resource<m> : tensor<8x9xf32>
func.func @main(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %mask = fuse.get_weight @m : tensor<8x9xf32>
  %0 = fuse.add %x, %mask : tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}
{-# dialect_resources: { builtin: { m: "0x040000000000000000000000997616FF997616FF997616FF997616FF997616FF997616FF997616FF000000000000000000000000997616FF997616FF997616FF997616FF997616FF997616FF00000000000000000000000000000000997616FF997616FF997616FF997616FF997616FF0000000000000000000000000000000000000000997616FF997616FF997616FF997616FF000000000000000000000000000000000000000000000000997616FF997616FF997616FF00000000000000000000000000000000000000000000000000000000997616FF997616FF0000000000000000000000000000000000000000000000000000000000000000997616FF000000000000000000000000000000000000000000000000000000000000000000000000" } } #-}
// rule: masks.decided
func.func @main(%x: tensor<3x40xf32>, %y: tensor<3x40xf32>) -> tensor<3x40xf32> {
  %0 = fuse.iota axis = 1 : tensor<3x40xi32>
  %end = fuse.constant dense<40> : tensor<i32>
  %ends = fuse.broadcast %end dims = [] : tensor<i32> -> tensor<3x40xi32>
  %1 = fuse.cmp lt %0, %ends : tensor<3x40xi32>, tensor<3x40xi32> -> tensor<3x40xi1>
  %2 = fuse.select %1, %x, %y : tensor<3x40xi1>, tensor<3x40xf32>, tensor<3x40xf32> -> tensor<3x40xf32>
  return %2 : tensor<3x40xf32>
}
// rule: quantised.codes fuse-expand-composites
func.func @main(%x: tensor<1x2x8xui8>) -> tensor<1x2x4xui8> {
  %s = fuse.constant dense<0.1> : tensor<f32>
  %z = fuse.constant dense<3> : tensor<ui8>
  %0 = fuse.dequantize %x, %s, %z : (tensor<1x2x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x8xf32>
  %1 = fuse.pool max %0 {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<1x2x8xf32> -> tensor<1x2x4xf32>
  %2 = fuse.quantize %1, %s, %z : (tensor<1x2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xui8>
  return %2 : tensor<1x2x4xui8>
}
// rule: quantised.products fuse-expand-composites
func.func @main(%x: tensor<3x4xui8>, %s: tensor<f32>) -> tensor<3x2xf32> {
  %w = fuse.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %0 = fuse.dequantize %x, %s : (tensor<3x4xui8>, tensor<f32>) -> tensor<3x4xf32>
  %1 = fuse.dequantize %w, %s : (tensor<4x2xi8>, tensor<f32>) -> tensor<4x2xf32>
  %2 = fuse.matmul %0, %1 : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}
// rule: quantised.tables
func.func @main(%x: tensor<3x8xui8>) -> tensor<3x8xui8> {
  %s = fuse.constant dense<0.1> : tensor<f32>
  %z = fuse.constant dense<3> : tensor<ui8>
  %0 = fuse.dequantize %x, %s, %z : (tensor<3x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<3x8xf32>
  %1 = fuse.sigmoid %0 : tensor<3x8xf32>
  %2 = fuse.quantize %1, %s, %z : (tensor<3x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x8xui8>
  return %2 : tensor<3x8xui8>
}
// rule: packing.nibbles model-pack-weights
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
fuse.weight @w = dense_resource<w> : tensor<32x64xi4>
func.func @main(%x: tensor<16x32xf32>) -> tensor<16x64xf32> {
  %w = fuse.get_weight @w : tensor<32x64xi4>
  %f = fuse.cast %w : tensor<32x64xi4> -> tensor<32x64xf32>
  %0 = fuse.contract %x, %f maps = [#x, #w, #y] : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000003F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE03F8FD0207FC0106FB0005FAFF04F9FE"
    }
  }
#-}
// rule: packing.panels model-pack-weights
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
fuse.weight @w = dense_resource<w> : tensor<4x33xf32>
func.func @main(%x: tensor<64x4xf32>) -> tensor<64x33xf32> {
  %w = fuse.get_weight @w : tensor<4x33xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<64x4xf32>, tensor<4x33xf32> -> tensor<64x33xf32>
  return %0 : tensor<64x33xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F0000803F000000BF000080BE000000000000803E0000003F0000403F"
    }
  }
#-}
// rule: parts.join-contractions
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %v = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = fuse.constant dense<[[5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<2x4xf32>
  %0 = fuse.contract %x, %v maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %1 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x4xf32> -> tensor<3x4xf32>
  %2 = fuse.reduce(%0) inits = [0.0 : f32] dims = [0] : (tensor<3x2xf32>) -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    fuse.yield %s : f32
  }
  %3 = fuse.reduce(%1) inits = [0.0 : f32] dims = [0] : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    fuse.yield %s : f32
  }
  return %2, %3 : tensor<2xf32>, tensor<4xf32>
}
// rule: parts.reshape-of-slice
func.func @main(%x: tensor<1x9x6x4xf32>) -> tensor<3x24xf32> {
  %0 = fuse.slice %x offsets = [0, 1, 0, 0] strides = [1, 3, 1, 1] : tensor<1x9x6x4xf32> -> tensor<1x3x6x4xf32>
  %1 = fuse.reshape %0 : tensor<1x3x6x4xf32> -> tensor<3x24xf32>
  return %1 : tensor<3x24xf32>
}
// rule: powers.choose-always
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<true> : tensor<i1>
  %0 = fuse.broadcast %c dims = [] : tensor<i1> -> tensor<4xi1>
  %1 = fuse.select %0, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// rule: powers.compare-with-bound
func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
  %c = fuse.constant dense<-1.0> : tensor<f32>
  %0 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4xf32>
  %1 = fuse.exp %x : tensor<4xf32>
  %2 = fuse.cmp eq %1, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  return %2 : tensor<4xi1>
}
// rule: powers.expand
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %three = fuse.constant dense<3.0> : tensor<4xf16>
  %0 = fuse.pow %x, %three : tensor<4xf16>
  return %0 : tensor<4xf16>
}
// rule: reshapes.of-broadcast
func.func @main(%x: tensor<4xf32>) -> tensor<3x2x2xf32> {
  %0 = fuse.broadcast %x dims = [1] : tensor<4xf32> -> tensor<3x4xf32>
  %1 = fuse.reshape %0 : tensor<3x4xf32> -> tensor<3x2x2xf32>
  return %1 : tensor<3x2x2xf32>
}
// rule: reshapes.reduce-of
func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x6x4xf32> {
  %0 = fuse.exp %x : tensor<1x2x3x4xf32>
  %1 = fuse.reshape %0 : tensor<1x2x3x4xf32> -> tensor<1x6x4xf32>
  %2 = fuse.reduce (%1) inits = [0xFF800000 : f32] dims = [2] : (tensor<1x6x4xf32>) -> tensor<1x6xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  }
  %3 = fuse.broadcast %2 dims = [0, 1] : tensor<1x6xf32> -> tensor<1x6x4xf32>
  %4 = fuse.sub %1, %3 : tensor<1x6x4xf32>
  return %4 : tensor<1x6x4xf32>
}
// rule: reshapes.sink
func.func @main(%x: tensor<8x1xf32>, %n: tensor<13xi64>) -> (tensor<13xf32>, tensor<13x1xf32>) {
  %0 = fuse.gather %x, %n axis = 0 : tensor<8x1xf32>, tensor<13xi64> -> tensor<13x1xf32>
  %1 = fuse.reshape %0 : tensor<13x1xf32> -> tensor<13xf32>
  %2 = fuse.exp %0 : tensor<13x1xf32>
  return %1, %2 : tensor<13xf32>, tensor<13x1xf32>
}
// rule: tables.gather-codes
func.func @main(%n: tensor<2xi64>) -> tensor<2x4xf32> {
  %t = fuse.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi8>
  %s = fuse.constant dense<[[0.5], [0.25], [0.1]]> : tensor<3x1xf32>
  %0 = fuse.dequantize %t, %s : (tensor<3x4xi8>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %1 = fuse.gather %0, %n axis = 0 : tensor<3x4xf32>, tensor<2xi64> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
// rule: units.gather-by-reshape
func.func @main(%x: tensor<5xf32>, %n: tensor<13x1xi64>) -> tensor<13xf32> {
  %0 = fuse.add %n, %n : tensor<13x1xi64>
  %1 = fuse.reshape %0 : tensor<13x1xi64> -> tensor<13xi64>
  %2 = fuse.gather %x, %1 axis = 0 : tensor<5xf32>, tensor<13xi64> -> tensor<13xf32>
  return %2 : tensor<13xf32>
}
// rule: units.of-broadcast
func.func @main() -> tensor<2x4x30x50xi1> {
  %0 = fuse.iota axis = 3 : tensor<1x1x30x50xi32>
  %1 = fuse.iota axis = 2 : tensor<1x1x30x50xi32>
  %2 = fuse.cmp le %0, %1 : tensor<1x1x30x50xi32>, tensor<1x1x30x50xi32> -> tensor<1x1x30x50xi1>
  %3 = fuse.broadcast %2 dims = [0, 1, 2, 3] : tensor<1x1x30x50xi1> -> tensor<2x4x30x50xi1>
  return %3 : tensor<2x4x30x50xi1>
}
// rule: units.reduce
func.func @main(%x: tensor<5x1xf32>) -> tensor<5xf32> {
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<5x1xf32>) -> tensor<5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<5xf32>
}
// rule: units.reshape-of-gather
func.func @main(%x: tensor<8x1xf32>, %n: tensor<13xi64>) -> (tensor<13xf32>, tensor<13x1xf32>) {
  %0 = fuse.gather %x, %n axis = 0 : tensor<8x1xf32>, tensor<13xi64> -> tensor<13x1xf32>
  %1 = fuse.reshape %0 : tensor<13x1xf32> -> tensor<13xf32>
  %2 = fuse.exp %0 : tensor<13x1xf32>
  return %1, %2 : tensor<13xf32>, tensor<13x1xf32>
}

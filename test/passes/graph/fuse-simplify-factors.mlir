// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors, signs, clamps and powers have one form.
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// A sigmoid that nothing else reads is part of a quotient, and a sign is one.
// CHECK-LABEL: func.func @silu
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>)
// CHECK: %[[N:.*]] = fuse.neg %[[X]]
// CHECK: %[[E:.*]] = fuse.exp %[[N]]
// CHECK: %[[S:.*]] = fuse.add %[[E]],
// CHECK: %[[Y:.*]] = fuse.div %[[X]], %[[S]]
// CHECK-NEXT: return %[[Y]]
func.func @silu(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = fuse.constant dense<1.0> : tensor<5xf32>
  %minus = fuse.constant dense<-1.0> : tensor<5xf32>
  %0 = fuse.mul %minus, %x : tensor<5xf32>
  %1 = fuse.exp %0 : tensor<5xf32>
  %2 = fuse.add %one, %1 : tensor<5xf32>
  %3 = fuse.div %one, %2 : tensor<5xf32>
  %4 = fuse.mul %3, %x : tensor<5xf32>
  return %4 : tensor<5xf32>
}

// -----

// The refusal: a reciprocal that others read is computed once.
// CHECK-LABEL: func.func @shared
// CHECK: %[[R:.*]] = fuse.div %{{.*}}, %{{.*}}
// CHECK: fuse.mul %{{.*}}, %[[R]]
func.func @shared(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %one = fuse.constant dense<1.0> : tensor<5xf32>
  %0 = fuse.div %one, %y : tensor<5xf32>
  %1 = fuse.mul %x, %0 : tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// clip(x + 3, 0, 6) x / 6: the sixth goes into the clamp.
// CHECK-LABEL: func.func @hard_swish
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>)
// CHECK-DAG: fuse.constant dense<0.166666672>
// CHECK-DAG: fuse.constant dense<5.000000e-01>
// CHECK-DAG: fuse.constant dense<1.000000e+00>
// CHECK: %[[M:.*]] = fuse.mul %[[X]],
// CHECK: %[[A:.*]] = fuse.add %[[M]],
// CHECK: %[[L:.*]] = fuse.maximum %[[A]],
// CHECK: %[[H:.*]] = fuse.minimum %[[L]],
// CHECK: %[[Y:.*]] = fuse.mul %[[X]], %[[H]]
// CHECK-NEXT: return %[[Y]]
func.func @hard_swish(%x: tensor<5xf32>) -> tensor<5xf32> {
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

// -----

// The refusal: what is added is larger than the bounds, and would cancel.
// CHECK-LABEL: func.func @cancels
// CHECK: fuse.add
// CHECK: fuse.maximum
// CHECK: fuse.minimum
// CHECK: fuse.mul
func.func @cancels(%x: tensor<5xf32>) -> tensor<5xf32> {
  %low = fuse.constant dense<-1.0> : tensor<5xf32>
  %high = fuse.constant dense<1.0> : tensor<5xf32>
  %far = fuse.constant dense<-1.0e6> : tensor<5xf32>
  %c = fuse.constant dense<0.3> : tensor<5xf32>
  %0 = fuse.add %x, %far : tensor<5xf32>
  %1 = fuse.maximum %0, %low : tensor<5xf32>
  %2 = fuse.minimum %1, %high : tensor<5xf32>
  %3 = fuse.mul %2, %c : tensor<5xf32>
  return %3 : tensor<5xf32>
}

// -----

// What is positive has a root: no case of minus infinity or -0 is left.
// CHECK-LABEL: func.func @inverse_root
// CHECK-NOT: fuse.cmp
// CHECK: %[[R:.*]] = fuse.sqrt
// CHECK: fuse.div %{{.*}}, %[[R]]
// CHECK-NOT: fuse.select
func.func @inverse_root(%x: tensor<5x7xf32>) -> tensor<5xf32> {
  %eps = fuse.constant dense<1.0e-5> : tensor<5xf32>
  %power = fuse.constant dense<-0.5> : tensor<5xf32>
  %0 = fuse.mul %x, %x : tensor<5x7xf32>
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<5x7xf32>) -> tensor<5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  %2 = fuse.add %1, %eps : tensor<5xf32>
  %3 = fuse.pow %2, %power : tensor<5xf32>
  return %3 : tensor<5xf32>
}

// -----

// The refusal: the sum of anything may be anything.
// CHECK-LABEL: func.func @maybe_negative
// CHECK: fuse.cmp
// CHECK-NEXT: fuse.broadcast
// CHECK-NEXT: fuse.select
// CHECK: fuse.cmp
// CHECK-NEXT: fuse.select
func.func @maybe_negative(%x: tensor<5xf32>) -> tensor<5xf32> {
  %power = fuse.constant dense<-0.5> : tensor<5xf32>
  %0 = fuse.pow %x, %power : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Powers of multiples of 1/4 are products, roots and a quotient.
// CHECK-LABEL: func.func @sixth
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>
// CHECK-NEXT: %[[X2:.*]] = fuse.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[X4:.*]] = fuse.mul %[[X2]], %[[X2]]
// CHECK-NEXT: %[[X6:.*]] = fuse.mul %[[X2]], %[[X4]]
// CHECK-NEXT: return %[[X6]]
func.func @sixth(%x: tensor<5xf32>) -> tensor<5xf32> {
  %power = fuse.constant dense<6.0> : tensor<5xf32>
  %0 = fuse.pow %x, %power : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// That of a local response normalisation, whose sum is at least 1.
// CHECK-LABEL: func.func @response
// CHECK: %[[SUM:.*]] = fuse.add
// CHECK: %[[R:.*]] = fuse.sqrt %[[SUM]]
// CHECK: %[[RR:.*]] = fuse.sqrt %[[R]]
// CHECK: %[[P:.*]] = fuse.mul %[[R]], %[[RR]]
// CHECK: fuse.div %{{.*}}, %[[P]]
// CHECK-NOT: fuse.select
func.func @response(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = fuse.constant dense<1.0> : tensor<5xf32>
  %power = fuse.constant dense<0.75> : tensor<5xf32>
  %0 = fuse.mul %x, %x : tensor<5xf32>
  %1 = fuse.add %0, %one : tensor<5xf32>
  %2 = fuse.pow %1, %power : tensor<5xf32>
  %3 = fuse.div %x, %2 : tensor<5xf32>
  return %3 : tensor<5xf32>
}

// -----

// What 16 bits do not hold on the way is computed in f32.
// CHECK-LABEL: func.func @narrow_fourth
// CHECK: fuse.cast %{{.*}} -> tensor<5xf32>
// CHECK-COUNT-2: fuse.mul {{.*}}tensor<5xf32>
// CHECK: fuse.cast %{{.*}} -> tensor<5xf16>
func.func @narrow_fourth(%x: tensor<5xf16>) -> tensor<5xf16> {
  %power = fuse.constant dense<4.0> : tensor<5xf16>
  %0 = fuse.pow %x, %power : tensor<5xf16>
  return %0 : tensor<5xf16>
}

// -----

// The refusals: too many roundings, no multiple of 1/4, and one that decides.
// CHECK-LABEL: func.func @powers_stay
// CHECK-COUNT-3: fuse.pow
func.func @powers_stay(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %ninth = fuse.constant dense<9.0> : tensor<5xf32>
  %third = fuse.constant dense<0.3> : tensor<5xf32>
  %fourth = fuse.constant dense<4.0> : tensor<5xf32>
  %0 = fuse.pow %x, %ninth : tensor<5xf32>
  %1 = fuse.pow %x, %third : tensor<5xf32>
  %2 = fuse.pow %x, %fourth {fuse.precise} : tensor<5xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// -----

// The scale of scores stands behind the product, though its root was at both operands.
#q = affine_map<(i, j, k) -> (i, k)>
#k = affine_map<(i, j, k) -> (j, k)>
#s = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func.func @scores
// CHECK-SAME: (%[[Q:.*]]: tensor<3x8xf32>, %[[K:.*]]: tensor<5x8xf32>)
// CHECK-DAG: fuse.constant dense<2.500000e-01>
// CHECK: %[[S:.*]] = fuse.contract %[[Q]], %[[K]]
// CHECK: fuse.mul %[[S]],
// CHECK-NOT: fuse.mul
func.func @scores(%q: tensor<3x8xf32>, %k: tensor<5x8xf32>) -> tensor<3x5xf32> {
  %a = fuse.constant dense<0.5> : tensor<3x8xf32>
  %b = fuse.constant dense<0.5> : tensor<5x8xf32>
  %0 = fuse.mul %q, %a : tensor<3x8xf32>
  %1 = fuse.mul %k, %b : tensor<5x8xf32>
  %2 = fuse.contract %0, %1 maps = [#q, #k, #s] : tensor<3x8xf32>, tensor<5x8xf32> -> tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

// -----

// The refusal: others read the scaled operand.
#q = affine_map<(i, j, k) -> (i, k)>
#k = affine_map<(i, j, k) -> (j, k)>
#s = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func.func @scaled_for_others
// CHECK: %[[Q:.*]] = fuse.mul
// CHECK: fuse.contract %[[Q]],
func.func @scaled_for_others(%q: tensor<3x8xf32>, %k: tensor<5x8xf32>) -> (tensor<3x8xf32>, tensor<3x5xf32>) {
  %a = fuse.constant dense<0.5> : tensor<3x8xf32>
  %0 = fuse.mul %q, %a : tensor<3x8xf32>
  %1 = fuse.contract %0, %k maps = [#q, #k, #s] : tensor<3x8xf32>, tensor<5x8xf32> -> tensor<3x5xf32>
  return %0, %1 : tensor<3x8xf32>, tensor<3x5xf32>
}

// -----

// The refusal: the factor of a mean, which ends the sum.
#q = affine_map<(i, j, k) -> (i, k)>
#k = affine_map<(i, j, k) -> (j, k)>
#s = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func.func @mean
// CHECK: %[[SUM:.*]] = fuse.reduce
// CHECK: %[[MEAN:.*]] = fuse.mul %[[SUM]],
// CHECK: %[[S:.*]] = fuse.contract %[[MEAN]],
// CHECK-NEXT: return %[[S]]
func.func @mean(%x: tensor<3x8x7xf32>, %k: tensor<5x8xf32>) -> tensor<3x5xf32> {
  %a = fuse.constant dense<0.25> : tensor<3x8xf32>
  %sum = fuse.reduce (%x) inits = [0.0 : f32] dims = [2] : (tensor<3x8x7xf32>) -> tensor<3x8xf32> {
  ^bb0(%v: f32, %s: f32):
    %r = arith.addf %s, %v : f32
    fuse.yield %r : f32
  }
  %0 = fuse.mul %sum, %a : tensor<3x8xf32>
  %1 = fuse.contract %0, %k maps = [#q, #k, #s] : tensor<3x8xf32>, tensor<5x8xf32> -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// A mask loses its dimensions of extent 1 with what it is computed of.
// CHECK-LABEL: func.func @mask
// CHECK: %[[J:.*]] = fuse.iota axis = 1 : tensor<30x50xi32>
// CHECK: %[[I:.*]] = fuse.iota axis = 0 : tensor<30x50xi32>
// CHECK: %[[M:.*]] = fuse.cmp {{ *}}le %[[J]], %[[I]]
// CHECK: fuse.broadcast %[[M]] dims = [2, 3]
func.func @mask() -> tensor<2x4x30x50xi1> {
  %0 = fuse.iota axis = 3 : tensor<1x1x30x50xi32>
  %1 = fuse.iota axis = 2 : tensor<1x1x30x50xi32>
  %2 = fuse.cmp le %0, %1 : tensor<1x1x30x50xi32>, tensor<1x1x30x50xi32> -> tensor<1x1x30x50xi1>
  %3 = fuse.broadcast %2 dims = [0, 1, 2, 3] : tensor<1x1x30x50xi1> -> tensor<2x4x30x50xi1>
  return %3 : tensor<2x4x30x50xi1>
}

// -----

// A sum of one element is that element.
// CHECK-LABEL: func.func @one_element
// CHECK-NOT: fuse.reduce
// CHECK: fuse.reshape
func.func @one_element(%x: tensor<5x1xf32>) -> tensor<5xf32> {
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<5x1xf32>) -> tensor<5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0 : tensor<5xf32>
}

// -----

// In 16 bits a factor stays where it is: x * y may overflow, or be subnormal. So do
// sums, which round, but for what follows a sum of products.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME: (%[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf16>)
// CHECK: %[[XY:.*]] = fuse.mul %[[X]], %[[Y]]
// CHECK: fuse.mul %[[XY]],
// CHECK: fuse.add
// CHECK: fuse.add
func.func @narrow(%x: tensor<4xf16>, %y: tensor<4xf16>) -> (tensor<4xf16>, tensor<3x4xf16>) {
  %half = fuse.constant dense<0.5> : tensor<4xf16>
  %0 = fuse.mul %x, %y : tensor<4xf16>
  %1 = fuse.mul %0, %half : tensor<4xf16>
  %a = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %b = fuse.constant dense<[5.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %rows = fuse.broadcast %x dims = [1] : tensor<4xf16> -> tensor<3x4xf16>
  %2 = fuse.exp %rows : tensor<3x4xf16>
  %3 = fuse.broadcast %a dims = [1] : tensor<4xf16> -> tensor<3x4xf16>
  %4 = fuse.broadcast %b dims = [1] : tensor<4xf16> -> tensor<3x4xf16>
  %5 = fuse.add %2, %3 : tensor<3x4xf16>
  %6 = fuse.add %5, %4 : tensor<3x4xf16>
  return %1, %6 : tensor<4xf16>, tensor<3x4xf16>
}

// -----

// A power rounds once.
// CHECK-LABEL: func.func @narrow_power
// CHECK: fuse.cast %{{.*}} : tensor<4xf16> -> tensor<4xf32>
// CHECK: fuse.mul {{.*}} : tensor<4xf32>
// CHECK: fuse.mul {{.*}} : tensor<4xf32>
// CHECK: fuse.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
func.func @narrow_power(%x: tensor<4xf16>) -> tensor<4xf16> {
  %three = fuse.constant dense<3.0> : tensor<4xf16>
  %0 = fuse.pow %x, %three : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

#p = affine_map<(r, h, e, k) -> (h, r, k)>
#v = affine_map<(r, h, e, k) -> (k, h, e)>
#o = affine_map<(r, h, e, k) -> (r, h, e)>

// What a softmax is multiplied to is divided by its sum, in the order of the result.
// CHECK-LABEL: func.func @divide_sums
// CHECK: %[[E:.*]] = fuse.exp
// CHECK: %[[R:.*]] = fuse.div {{.*}} : tensor<2x5xf32>
// CHECK: %[[O:.*]] = fuse.contract %[[E]], %arg1
// CHECK: %[[T:.*]] = fuse.transpose %[[R]] perm = [1, 0] : tensor<2x5xf32> -> tensor<5x2xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[T]] dims = [0, 1] : tensor<5x2xf32> -> tensor<5x2x8xf32>
// CHECK: fuse.mul %[[O]], %[[B]]
func.func @divide_sums(%x: tensor<2x5x64xf32>, %v: tensor<64x2x8xf32>) -> tensor<5x2x8xf32> {
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [2] : (tensor<2x5x64xf32>) -> tensor<2x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0, 1] : tensor<2x5xf32> -> tensor<2x5x64xf32>
  %c = fuse.sub %x, %mk : tensor<2x5x64xf32>
  %e = fuse.exp %c : tensor<2x5x64xf32>
  %l = fuse.reduce(%e) inits = [0.0 : f32] dims = [2] : (tensor<2x5x64xf32>) -> tensor<2x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %lk = fuse.broadcast %l dims = [0, 1] : tensor<2x5xf32> -> tensor<2x5x64xf32>
  %p = fuse.div %e, %lk : tensor<2x5x64xf32>
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<2x5x64xf32>, tensor<64x2x8xf32> -> tensor<5x2x8xf32>
  return %o : tensor<5x2x8xf32>
}

// -----

#p = affine_map<(r, e, k) -> (r, k)>
#v = affine_map<(r, e, k) -> (k, e)>
#o = affine_map<(r, e, k) -> (r, e)>

// A softmax in f16 is no greater before it is divided, and rounds as well then. Its maximum
// is taken of narrower numbers than the scores.
// CHECK-LABEL: func.func @divide_narrow_sums
// CHECK: %[[E:.*]] = fuse.exp
// CHECK: %[[H:.*]] = fuse.cast %[[E]] : tensor<5x64xf32> -> tensor<5x64xf16>
// CHECK: %[[O:.*]] = fuse.contract %[[H]], %arg1
// CHECK: fuse.mul %[[O]]
func.func @divide_narrow_sums(%x: tensor<5x64xf16>, %v: tensor<64x8xf16>) -> tensor<5x8xf32> {
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<5x64xf16>) -> tensor<5xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %wide = fuse.cast %x : tensor<5x64xf16> -> tensor<5x64xf32>
  %mk = fuse.broadcast %m dims = [0] : tensor<5xf32> -> tensor<5x64xf32>
  %c = fuse.sub %wide, %mk : tensor<5x64xf32>
  %e = fuse.exp %c : tensor<5x64xf32>
  %l = fuse.reduce(%e) inits = [0.0 : f32] dims = [1] : (tensor<5x64xf32>) -> tensor<5xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %lk = fuse.broadcast %l dims = [0] : tensor<5xf32> -> tensor<5x64xf32>
  %p = fuse.div %e, %lk : tensor<5x64xf32>
  %half = fuse.cast %p : tensor<5x64xf32> -> tensor<5x64xf16>
  %o = fuse.contract %half, %v maps = [#p, #v, #o] : tensor<5x64xf16>, tensor<64x8xf16> -> tensor<5x8xf32>
  return %o : tensor<5x8xf32>
}

// -----

// The 1/2 of a GELU goes to x, which is computed first, also from the other factor.
// CHECK-LABEL: func.func @half_of_the_other
// CHECK: %[[T:.*]] = fuse.add
// CHECK: %[[HALF:.*]] = fuse.mul %arg0, %{{.*}} : tensor<4x8xf32>
// CHECK: %[[Y:.*]] = fuse.mul %[[HALF]], %[[T]]
// CHECK: return %[[Y]]
func.func @half_of_the_other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = fuse.constant dense<1.0> : tensor<4x8xf32>
  %half = fuse.constant dense<0.5> : tensor<4x8xf32>
  %0 = fuse.erf %x : tensor<4x8xf32>
  %1 = fuse.add %0, %one : tensor<4x8xf32>
  %2 = fuse.mul %1, %half : tensor<4x8xf32>
  %3 = fuse.mul %2, %x : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

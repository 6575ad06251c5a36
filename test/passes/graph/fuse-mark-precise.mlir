// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise | FileCheck %s
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise=precision=strict | FileCheck %s --check-prefix=STRICT
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise=precision=strict --fuse-mark-precise=precision=relaxed | FileCheck %s --check-prefix=RELAXED
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise --fuse-simplify | FileCheck %s --check-prefix=SIMPLE --implicit-check-not=fuse.precise
// RELAXED-NOT: fuse.precise

// What is rounded further on is precise, with all before it; what is returned
// only is not.
// CHECK-LABEL: func.func @rounded
// CHECK-NEXT: fuse.exp %{{.*}} {fuse.precise}
// CHECK-NEXT: fuse.neg %{{.*}} {fuse.precise}
// CHECK-NEXT: fuse.floor %{{.*}} :
// CHECK-NEXT: fuse.neg %{{.*}} :
// STRICT-LABEL: func.func @rounded
// STRICT-COUNT-4: {fuse.precise}
// REMARK: remark: a last bit may decide here: 2 operations before it round as they are written
func.func @rounded(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fuse.exp %x : tensor<4xf32>
  %1 = fuse.neg %0 : tensor<4xf32>
  %2 = fuse.floor %1 : tensor<4xf32>
  %3 = fuse.neg %2 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Each operation that makes whole steps of floats.
// CHECK-LABEL: func.func @steps
// CHECK-COUNT-6: fuse.exp {{.*}}fuse.precise
func.func @steps(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>,
                 %d: tensor<4xf32>, %e: tensor<4xf32>, %f: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>) {
  %0 = fuse.exp %a : tensor<4xf32>
  %1 = fuse.exp %b : tensor<4xf32>
  %2 = fuse.exp %c : tensor<4xf32>
  %3 = fuse.exp %d : tensor<4xf32>
  %4 = fuse.exp %e : tensor<4xf32>
  %5 = fuse.exp %f : tensor<4xf32>
  %6 = fuse.round %0 : tensor<4xf32>
  %7 = fuse.floor %1 : tensor<4xf32>
  %8 = fuse.ceil %2 : tensor<4xf32>
  %9 = fuse.sign %3 : tensor<4xf32>
  %10 = fuse.mod %4, %a : tensor<4xf32>
  %11 = fuse.fmod %a, %5 : tensor<4xf32>
  return %6, %7, %8, %9, %10, %11
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>
}

// -----

// Comparisons and casts to integers decide, also the question whether something is
// infinite; whether it is NaN and comparisons of integers do not.
// CHECK-LABEL: func.func @integers
// CHECK: fuse.exp %{{.*}} {fuse.precise}
// CHECK: fuse.log %{{.*}} {fuse.precise}
// CHECK: fuse.sin %{{.*}} :
// CHECK: fuse.cos %{{.*}} {fuse.precise}
// CHECK: fuse.add %{{.*}} : tensor<4xi32>
func.func @integers(%x: tensor<4xf32>, %n: tensor<4xi32>)
    -> (tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %inf = fuse.constant dense<0x7F800000> : tensor<4xf32>
  %0 = fuse.exp %x : tensor<4xf32>
  %1 = fuse.cmp lt %0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %2 = fuse.log %x : tensor<4xf32>
  %3 = fuse.cast %2 : tensor<4xf32> -> tensor<4xi32>
  %4 = fuse.sin %x : tensor<4xf32>
  %5 = fuse.cmp ne %4, %4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %6 = fuse.cos %x : tensor<4xf32>
  %7 = fuse.cmp eq %6, %inf : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %8 = fuse.add %n, %n : tensor<4xi32>
  %9 = fuse.cmp lt %8, %n : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  return %1, %3, %5, %7, %9
      : tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// What is no primitive may decide inside; views of what is given round nothing.
// CHECK-LABEL: func.func @composite
// CHECK: fuse.broadcast %{{.*}} dims = [1] :
// CHECK: fuse.mul %{{.*}} {fuse.precise}
// CHECK: fuse.softmax %{{.*}} :
// REMARK: remark: a last bit may decide here: 1 operation before it round as they are written
func.func @composite(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.broadcast %b dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = fuse.mul %x, %0 : tensor<4x8xf32>
  %2 = fuse.softmax %1 {axis = 1 : i64} : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// --fuse-simplify: a quotient becomes a product, which may differ in the last
// bit; not where something is decided by it, here or further on, also where the
// quotient is made by another rewrite. Halves are exact.
// SIMPLE-LABEL: func.func @quotients
// SIMPLE-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// SIMPLE: fuse.mul %[[X]],
// SIMPLE: fuse.div %[[Y]],
// SIMPLE: fuse.relu
// SIMPLE: fuse.floor
// SIMPLE: fuse.mul %[[Y]],
// SIMPLE: fuse.floor
func.func @quotients(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = fuse.constant dense<41.0> : tensor<4xf32>
  %two = fuse.constant dense<2.0> : tensor<4xf32>
  %0 = fuse.div %x, %c : tensor<4xf32>
  %1 = fuse.div %y, %c : tensor<4xf32>
  %2 = fuse.relu %1 : tensor<4xf32>
  %3 = fuse.floor %2 : tensor<4xf32>
  %4 = fuse.div %y, %two : tensor<4xf32>
  %5 = fuse.floor %4 : tensor<4xf32>
  return %0, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The division moves above the broadcast, and stays precise there.
// SIMPLE-LABEL: func.func @moved
// SIMPLE: fuse.div %{{.*}} : tensor<4xf32>
// SIMPLE: fuse.div %{{.*}} : tensor<4xf32>
// SIMPLE-NOT: fuse.mul
// SIMPLE: return
func.func @moved(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %c = fuse.constant dense<41.0> : tensor<8x4xf32>
  %0 = fuse.div %x, %y : tensor<4xf32>
  %1 = fuse.broadcast %0 dims = [1] : tensor<4xf32> -> tensor<8x4xf32>
  %2 = fuse.div %1, %c : tensor<8x4xf32>
  %3 = fuse.floor %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// -----

// (x * 3) / 3 is infinite where x * 3 is, if that is asked for.
// SIMPLE-LABEL: func.func @overflow
// SIMPLE: fuse.mul
// SIMPLE: fuse.div
// SIMPLE: fuse.cmp
func.func @overflow(%x: tensor<4xf32>) -> tensor<4xi1> {
  %inf = fuse.constant dense<0x7F800000> : tensor<4xf32>
  %three = fuse.constant dense<3.0> : tensor<4xf32>
  %0 = fuse.mul %x, %three : tensor<4xf32>
  %1 = fuse.div %0, %three : tensor<4xf32>
  %2 = fuse.cmp eq %1, %inf : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// -----

// Groups are looked through, and are not marked: of the first, what the second one
// decides by.
// CHECK-LABEL: func.func @groups
// CHECK: fuse.exp %{{.*}} {fuse.precise}
// CHECK: fuse.mul %{{.*}} {fuse.precise}
// CHECK: fuse.neg %{{.*}} :
// CHECK-NEXT: fuse.yield %{{.*}}, %{{.*}} :
// CHECK: fuse.log %{{.*}} {fuse.precise}
// CHECK-NOT: fuse.precise
func.func @groups(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0:2 = fuse.group @first (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = fuse.exp %a : tensor<4xf32>
    %2 = fuse.mul %1, %a : tensor<4xf32>
    %3 = fuse.neg %a : tensor<4xf32>
    fuse.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  %4 = fuse.group @second (%0#0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %5 = fuse.log %a : tensor<4xf32>
    %6 = fuse.cmp lt %5, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
    fuse.yield %6 : tensor<4xi1>
  }
  return %0#1, %4 : tensor<4xf32>, tensor<4xi1>
}

// -----

// So it is in types of 16 bits, where an ordinary number overflows by its last bit.
// CHECK-LABEL: func.func @narrow_overflow
// CHECK: fuse.exp %{{.*}} {fuse.precise} : tensor<4xf32>
// CHECK: fuse.cast %{{.*}} {fuse.precise} : tensor<4xf32> -> tensor<4xf16>
// CHECK: fuse.log %{{.*}} {fuse.precise} : tensor<4xbf16>
func.func @narrow_overflow(%x: tensor<4xf32>, %y: tensor<4xbf16>) -> (tensor<4xi1>, tensor<4xi1>) {
  %inf = fuse.constant dense<0x7F800000> : tensor<4xf32>
  %0 = fuse.exp %x : tensor<4xf32>
  %1 = fuse.cast %0 : tensor<4xf32> -> tensor<4xf16>
  %2 = fuse.cast %1 : tensor<4xf16> -> tensor<4xf32>
  %3 = fuse.abs %2 : tensor<4xf32>
  %4 = fuse.cmp eq %3, %inf : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %5 = fuse.log %y : tensor<4xbf16>
  %6 = fuse.cmp ne %5, %5 : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xi1>
  return %4, %6 : tensor<4xi1>, tensor<4xi1>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Conditions and loops, values from outside of them included.

// CHECK: then: f32[2] = [2, 4]
// CHECK-NEXT: else: f32[2] = [1, 2]
// CHECK-NEXT: sum: f32[2] = [9, 12]
// CHECK-NEXT: sums: f32[3x2] = [1, 2, 4, 6, 9, 12]
// CHECK-NEXT: back: f32[3x2] = [1, 2, 3, 4, 5, 6]
// CHECK-NEXT: until: f32[2] = [8, 16]
// CHECK-NEXT: rows: f32[5x2] = [1, 2, 2, 4, 4, 8, 0, 0, 0, 0]
// CHECK-NEXT: counted: i64[] = [3]
func.func @main() -> (tensor<2xf32> {fuse.name = "then"}, tensor<2xf32> {fuse.name = "else"},
    tensor<2xf32> {fuse.name = "sum"}, tensor<3x2xf32> {fuse.name = "sums"}, tensor<3x2xf32> {fuse.name = "back"},
    tensor<2xf32> {fuse.name = "until"}, tensor<5x2xf32> {fuse.name = "rows"}, tensor<i64> {fuse.name = "counted"}) {
  %x = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %yes = fuse.constant dense<true> : tensor<i1>
  %no = fuse.constant dense<false> : tensor<i1>
  %m = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %then = fuse.if %yes : (tensor<i1>) -> tensor<2xf32> {
    %0 = fuse.add %x, %x : tensor<2xf32>
    fuse.yield %0 : tensor<2xf32>
  } else {
    fuse.yield %x : tensor<2xf32>
  }
  %else = fuse.if %no : (tensor<i1>) -> tensor<2xf32> {
    fuse.yield %then : tensor<2xf32>
  } else {
    fuse.yield %x : tensor<2xf32>
  }
  %zero = fuse.constant dense<0.0> : tensor<2xf32>
  %sum, %sums = fuse.loop trips = 3 carries(%zero) slices(%m)
      : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %r: tensor<2xf32>):
    %0 = fuse.add %a, %r : tensor<2xf32>
    fuse.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  // Read backwards, written backwards.
  %back = fuse.loop trips = 3 slices(%m) attributes {reversed_slices = array<i64: 0>, reversed_stacks = array<i64: 0>}
      : (tensor<3x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%i: tensor<i64>, %r: tensor<2xf32>):
    fuse.yield %r : tensor<2xf32>
  }
  // Doubles as long as the iteration is below 2, so three times.
  %two = fuse.constant dense<2> : tensor<i64>
  %count = fuse.constant dense<4> : tensor<i64>
  %none = fuse.constant dense<0> : tensor<i64>
  %one = fuse.constant dense<1> : tensor<i64>
  %until, %counted, %rows = fuse.loop trips = 5 count(%count) while(%yes) carries(%x, %none)
      : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<i64>, tensor<5x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %n: tensor<i64>):
    %0 = fuse.add %a, %a : tensor<2xf32>
    %1 = fuse.add %n, %one : tensor<i64>
    %2 = fuse.cmp lt %i, %two : tensor<i64>, tensor<i64> -> tensor<i1>
    fuse.yield %2, %0, %1, %a : tensor<i1>, tensor<2xf32>, tensor<i64>, tensor<2xf32>
  }
  return %then, %else, %sum, %sums, %back, %until, %rows, %counted : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
    tensor<3x2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<5x2xf32>, tensor<i64>
}

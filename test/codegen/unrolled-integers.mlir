// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index of an unrolled loop has a type of its own, for subscripts. Where a model
// computes with it, it is an integer like all others.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/numbers
// RUN: FileCheck %s < %t/numbers/numbers_kernels.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/numbers -I%t/numbers/runtime/include %t/numbers/numbers_kernels.cpp
// RUN: clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/numbers -I%t/numbers/runtime/include %t/numbers/numbers_kernels.cpp

// CHECK:      FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i) {
// CHECK-NEXT:   FUSEC_UNROLL for (Unrolled j = 0; j < 2; ++j) {
// CHECK-NEXT:     y(0, i, j) = int64_t(i) & int64_t(j);
// CHECK-NEXT:     y(1, i, j) = int64_t(i) | int64_t(j);
// CHECK-NEXT:     y(2, i, j) = int64_t(i) ^ int64_t(j);
// CHECK-NEXT:     y(3, i, j) = max(int64_t(i), int64_t(j));
// CHECK-NEXT:     y(4, i, j) = min(int64_t(i), int64_t(j));
// CHECK-NEXT:     y(5, i, j) = pow(int64_t(i), int64_t(j));
// CHECK-NEXT:     y(6, i, j) = select(int64_t(i) < int64_t(j), int64_t(i), int64_t(j));
// CHECK-NEXT:     y(7, i, j) = abs(int64_t(i) - 3);
// CHECK-NEXT:     y(8, i, j) = ~int64_t(j);
module @numbers attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%y: memref<9x2x2xi64> {fuse.name = "y"}) attributes {fuse.outputs = 1 : i64} {
    kernel.launch @number(%y) : memref<9x2x2xi64>
    return
  }

  kernel.func @number(%y: memref<9x2x2xi64> loc("y"))
      attributes {group = "number", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "none"} {
    %three = arith.constant 3 : i64
    %ones = arith.constant -1 : i64
    kernel.for %i = 0 to 2 map(unroll) {
      kernel.for %j = 0 to 2 map(unroll) {
        %a1 = arith.index_cast %i : index to i64
        %b1 = arith.index_cast %j : index to i64
        %r0 = arith.andi %a1, %b1 : i64
        kernel.store %r0, %y[0, %i, %j] : i64, memref<9x2x2xi64>
        %a2 = arith.index_cast %i : index to i64
        %b2 = arith.index_cast %j : index to i64
        %r1 = arith.ori %a2, %b2 : i64
        kernel.store %r1, %y[1, %i, %j] : i64, memref<9x2x2xi64>
        %a3 = arith.index_cast %i : index to i64
        %b3 = arith.index_cast %j : index to i64
        %r2 = arith.xori %a3, %b3 : i64
        kernel.store %r2, %y[2, %i, %j] : i64, memref<9x2x2xi64>
        %a4 = arith.index_cast %i : index to i64
        %b4 = arith.index_cast %j : index to i64
        %r3 = arith.maxsi %a4, %b4 : i64
        kernel.store %r3, %y[3, %i, %j] : i64, memref<9x2x2xi64>
        %a5 = arith.index_cast %i : index to i64
        %b5 = arith.index_cast %j : index to i64
        %r4 = arith.minsi %a5, %b5 : i64
        kernel.store %r4, %y[4, %i, %j] : i64, memref<9x2x2xi64>
        %a6 = arith.index_cast %i : index to i64
        %b6 = arith.index_cast %j : index to i64
        %r5 = math.ipowi %a6, %b6 : i64
        kernel.store %r5, %y[5, %i, %j] : i64, memref<9x2x2xi64>
        %a7 = arith.index_cast %i : index to i64
        %b7 = arith.index_cast %j : index to i64
        %a8 = arith.index_cast %i : index to i64
        %b8 = arith.index_cast %j : index to i64
        %less = arith.cmpi slt, %a7, %b7 : i64
        %r6 = arith.select %less, %a8, %b8 : i64
        kernel.store %r6, %y[6, %i, %j] : i64, memref<9x2x2xi64>
        %row = arith.index_cast %i : index to i64
        %distance = arith.subi %row, %three : i64
        %abs = math.absi %distance : i64
        kernel.store %abs, %y[7, %i, %j] : i64, memref<9x2x2xi64>
        %column = arith.index_cast %j : index to i64
        %not = arith.xori %column, %ones : i64
        kernel.store %not, %y[8, %i, %j] : i64, memref<9x2x2xi64>
      }
    }
    kernel.return
  }
}

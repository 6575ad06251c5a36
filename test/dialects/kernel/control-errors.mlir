// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @endless() {
  // expected-error @below {{never ends: it has neither trips nor a count nor a condition}}
  kernel.repeat : () -> () {
  ^bb0(%i: index):
    kernel.end
  }
  return
}

// -----

func.func @count(%n: memref<i32>) {
  // expected-error @below {{has a count of type 'memref<i32>', expected 'memref<i64>'}}
  kernel.repeat count(%n) : (memref<i32>) -> () {
  ^bb0(%i: index):
    kernel.end
  }
  return
}

// -----

func.func @pairs(%a: memref<4xf32>) {
  // expected-error @below {{needs a pair of buffers per result, has 1 buffers and 1 results}}
  %0 = kernel.repeat trips = 2 swaps(%a) : (memref<4xf32>) -> memref<4xf32> {
  ^bb0(%i: index, %b: memref<4xf32>):
    kernel.end
  }
  return
}

// -----

func.func @swapped(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error @below {{swaps 'memref<5xf32>' but results in 'memref<4xf32>'}}
  %0 = kernel.repeat trips = 2 swaps(%a, %b) : (memref<4xf32>, memref<5xf32>) -> memref<4xf32> {
  ^bb0(%i: index, %c: memref<4xf32>, %d: memref<5xf32>):
    kernel.end
  }
  return
}

// -----

func.func @arguments(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{needs a body that takes the iteration and each buffer that is swapped}}
  %0 = kernel.repeat trips = 2 swaps(%a, %b) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
  ^bb0(%i: index):
    kernel.end
  }
  return
}

// -----

func.func @condition(%c: memref<1xi1>) {
  // expected-error @below {{has a condition of type 'memref<1xi1>', expected 'memref<i1>'}}
  kernel.branch %c : memref<1xi1> {
    kernel.end
  } else {
    kernel.end
  }
  return
}

// -----

func.func @target(%c: memref<i32>) {
  kernel.repeat trips = 2 : () -> () {
  ^bb0(%i: index):
    // expected-error @below {{has a target of type 'memref<i32>', expected 'memref<i64>'}}
    kernel.set_index %i, %c : memref<i32>
    kernel.end
  }
  return
}

// -----

func.func @view(%x: memref<5x4xf32>) {
  kernel.repeat trips = 2 : () -> () {
  ^bb0(%i: index):
    // expected-error @below {{leads outside of 'memref<5x4xf32>' at iteration 0}}
    %0 = kernel.view %x at 18 + %i * -4 : memref<5x4xf32> -> memref<4xf32>
    kernel.end
  }
  return
}

// -----

func.func @view_apart(%x: memref<5x4xf32>) {
  kernel.repeat trips = 2 : () -> () {
  ^bb0(%i: index):
    // expected-error @below {{begins at 1 + i * 4, no multiples of its 4 elements}}
    %0 = kernel.view %x at 1 + %i * 4 : memref<5x4xf32> -> memref<4xf32>
    kernel.end
  }
  return
}

// -----

func.func @fill(%x: memref<4xf32>) {
  // expected-error @below {{has value 1 : i32, expected a number of type 'f32'}}
  kernel.fill %x with 1 : i32 : memref<4xf32>
  return
}

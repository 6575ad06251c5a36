// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a finite mask hides has a part in rows of which another mask hides the
// rest: nothing is left out then, unless scores are numbers that were computed.
// RUN: fusec-opt %s --sched-skip-masked --split-input-file --verify-diagnostics | FileCheck %s

// An input of the model may be a mask, and what is added to it.
// CHECK-LABEL: sched.scop @given
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
sched.scop @given ins(%x: memref<8x8xf32>, %mask: memref<8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j], %mask[j] writes %max[i] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %sum = arith.addf %1, %2 : f32
    %masked = arith.select %before, %sum, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}

// -----

// Minus infinity is less than all of them.
// CHECK-LABEL: sched.scop @infinite
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j] needed [i - j]{{$}}
sched.scop @infinite ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant 0xFF800000 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}

// -----

// Two masks, of which the other one hides by data.
// CHECK-LABEL: sched.scop @two_masks
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
sched.scop @two_masks ins(%a: memref<8xf32>, %pad: memref<8xi1>) outs(%max: memref<8xf32>) arrays(%x: memref<8x8xf32>) {
  sched.stmt @x [i: 8, j: 8] reads %a[i], %a[j] writes %x[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j], %pad[j] writes %max[i] {
  ^bb0(%0: f32, %1: f32, %2: i1):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -1.0e+30 : f32
    %lowest = arith.constant -3.0e+38 : f32
    %3 = arith.select %2, %1, %lowest : f32
    %masked = arith.select %before, %3, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}

// -----

// The sum of what is masked is no ordinary number: a row that is hidden as a
// whole is not, less its mean.
// CHECK-LABEL: sched.scop @mean
// CHECK: sched.stmt @sum [i: 8, j: 8] reduces [j]{{$}}
sched.scop @mean ins(%x: memref<8x8xf32>) outs(%sum: memref<8xf32>) arrays(%mean: memref<8xf32>) {
  sched.stmt @mean_init [i: 8] writes %mean[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @mean [i: 8, j: 8] reduces [j] reads %mean[i], %x[i, j] writes %mean[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi slt, %j, %i : index
    %hidden = arith.constant -1.0e+30 : f32
    %2 = arith.select %before, %1, %hidden : f32
    %part = arith.constant 0.125 : f32
    %3 = math.fma %2, %part, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @sum_init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @sum [i: 8, j: 8] reduces [j] reads %sum[i], %x[i, j], %mean[i] writes %sum[i] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi slt, %j, %i : index
    %hidden = arith.constant -1.0e+30 : f32
    %3 = arith.select %before, %1, %hidden : f32
    %4 = arith.subf %3, %2 : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %0, %5 : f32
    sched.yield %6 : f32
  }
}

// -----

// A maximum of another kernel, less which scores are, in whatever form.
// CHECK-LABEL: sched.scop @maximum
// CHECK: sched.stmt @sum [i: 8, j: 8] reduces [j]{{$}}
sched.scop @maximum ins(%x: memref<8x8xf32>, %max: memref<8xf32>) outs(%sum: memref<8xf32>) {
  sched.stmt @sum_init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @sum [i: 8, j: 8] reduces [j] reads %sum[i], %x[i, j], %max[i] writes %sum[i] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi slt, %j, %i : index
    %lowest = arith.constant -3.0e+38 : f32
    %3 = arith.select %before, %1, %lowest : f32
    %cut = arith.maximumf %2, %lowest : f32
    %4 = arith.subf %3, %cut : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %0, %5 : f32
    sched.yield %6 : f32
  }
}

// -----

// A piece of it is a mask.
// CHECK-LABEL: sched.scop @piece
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
sched.scop @piece ins(%a: memref<8xf32>) outs(%max: memref<8xf32>) arrays(%x: memref<8x8xf32>) {
  sched.stmt @masks [i: 8, j: 3] writes %x[i, j] {
    %0 = arith.constant -3.0e+38 : f32
    sched.yield %0 : f32
  }
  sched.stmt @products [i: 8, j: 5] reads %a[i], %a[j] writes %x[i, j + 3] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -1.0e+30 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}

// -----

// Of what other kernels write, and of weights, it is known what it is.
// CHECK-LABEL: sched.scop @of_products
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j] needed [i - j]{{$}}
// CHECK-LABEL: sched.scop @of_mask
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
// CHECK-LABEL: sched.scop @of_bias
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j] needed [i - j]{{$}}
// CHECK-LABEL: sched.scop @of_weight
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
fuse.weight @bias = dense_resource<bias> : tensor<8x8xf32>
fuse.weight @mask = dense_resource<mask> : tensor<8x8xf32>
sched.scop @products ins(%a: memref<8xf32>) outs(%x: memref<64xf32>) {
  sched.stmt @x [i: 64] reads %a[0], %a[1] writes %x[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
}
sched.scop @masks ins(%a: memref<8xf32>) outs(%x: memref<64xf32>) {
  sched.stmt @x [i: 64] reads %a[0] writes %x[i] {
  ^bb0(%0: f32):
    %lowest = arith.constant -3.0e+38 : f32
    %2 = arith.mulf %0, %lowest : f32
    sched.yield %2 : f32
  }
}
sched.scop @of_products ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}
sched.scop @of_mask ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}
sched.scop @of_bias ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}
sched.scop @of_weight ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %masked = arith.select %before, %1, %hidden : f32
    %greatest = arith.maximumf %0, %masked : f32
    sched.yield %greatest : f32
  }
}
func.func @model(%a: memref<8xf32>, %0: memref<8xf32>, %1: memref<8xf32>, %2: memref<8xf32>, %3: memref<8xf32>) {
  %products = kernel.buffer : memref<64xf32>
  kernel.launch @products(%a, %products) : memref<8xf32>, memref<64xf32>
  %scores = kernel.view %products : memref<64xf32> -> memref<8x8xf32>
  kernel.launch @of_products(%scores, %0) : memref<8x8xf32>, memref<8xf32>
  %masks = kernel.buffer : memref<64xf32>
  kernel.launch @masks(%a, %masks) : memref<8xf32>, memref<64xf32>
  %masked = kernel.view %masks : memref<64xf32> -> memref<8x8xf32>
  kernel.launch @of_mask(%masked, %1) : memref<8x8xf32>, memref<8xf32>
  %bias = kernel.weight @bias : memref<8x8xf32>
  kernel.launch @of_bias(%bias, %2) : memref<8x8xf32>, memref<8xf32>
  %mask = kernel.weight @mask : memref<8x8xf32>
  kernel.launch @of_weight(%mask, %3) : memref<8x8xf32>, memref<8xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      bias: "0x400000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      mask: "0x40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000CAF249F1"
    }
  }
#-}

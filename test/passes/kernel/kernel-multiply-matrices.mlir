// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-multiply-matrices --split-input-file --verify-diagnostics | FileCheck %s

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 32, tile = [32, 32], depth = 32>, thread<points = [8, 4], matrices = "mma_f16">]>

// Rows and columns of a warp, columns side by side: terms are apart.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.for %[[T:.*]] = 0 to 4 {
// CHECK: kernel.for {{.*}} = 0 to 8 map(thread)
// CHECK-NEXT: kernel.for {{.*}} = 0 to 4 map(thread)
// CHECK-NEXT: kernel.for %[[K:.*]] = 0 to 32 step 16 {
// CHECK-NEXT: kernel.add_matrices %{{.*}}[0, %[[K]]] row = 40, %{{.*}}[%[[K]], 0] column = 1 term = 40 to %{{.*}} : memref<32x40xf16, #kernel.space<shared>>, memref<32x40xf16, #kernel.space<shared>>, memref<8x4xf32, #kernel.space<thread>>
// CHECK-NOT: math.fma
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @product(%in: memref<8xf16>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    %a = kernel.local : memref<8x4xf32, #own>
    %x = kernel.local : memref<32x40xf16, #shared>
    %w = kernel.local : memref<32x40xf16, #shared>
    kernel.for %t = 0 to 4 carries(add %a : memref<8x4xf32, #own>) {
      kernel.for %jt = 0 to 8 map(thread) {
        kernel.for %it = 0 to 4 map(thread) {
          kernel.for %k = 0 to 32 carries(add %a : memref<8x4xf32, #own>) {
            kernel.for %i = 0 to 8 map(unroll) {
              kernel.for %j = 0 to 4 map(unroll) {
                %0 = kernel.load %a[%i, %j] : memref<8x4xf32, #own> -> f32
                %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x40xf16, #shared> -> f32
                %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x40xf16, #shared> -> f32
                %3 = math.fma %1, %2, %0 : f32
                kernel.store %3, %a[%i, %j] : f32, memref<8x4xf32, #own>
              }
            }
          }
        }
      }
    }
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 64, tile = [64, 32], depth = 32>, thread<points = [4, 8], matrices = "mma_bf16">]>

// Two warps along columns; the terms of a column lie side by side, and so do the rows of
// the array of sums.
// CHECK-LABEL: kernel.func @columns_first
// CHECK: kernel.for %[[W:.*]] = 0 to 2 map(thread)
// CHECK: kernel.for %[[K:.*]] = 0 to 32 step 16 {
// CHECK-NEXT: kernel.add_matrices %{{.*}}[0, %[[K]]] row = 40, %{{.*}}[%[[W]] * 64, %[[K]]] column = 40 term = 1 to %{{.*}} columns_first : memref<16x40xbf16, #kernel.space<shared>>, memref<128x40xbf16, #kernel.space<shared>>, memref<8x4xf32, #kernel.space<thread>>
module attributes {fuse.target = "cuda-sm90"} {
  kernel.func @columns_first(%in: memref<8xf16>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64, variant = "default"} {
    %a = kernel.local : memref<8x4xf32, #own>
    %x = kernel.local : memref<16x40xbf16, #shared>
    %w = kernel.local : memref<128x40xbf16, #shared>
    kernel.for %jw = 0 to 2 map(thread) {
      kernel.for %jt = 0 to 8 map(thread) {
        kernel.for %it = 0 to 4 map(thread) {
          kernel.for %k = 0 to 32 carries(add %a : memref<8x4xf32, #own>) {
            kernel.for %i = 0 to 4 map(unroll) {
              kernel.for %j = 0 to 8 map(unroll) {
                %0 = kernel.load %a[%j, %i] : memref<8x4xf32, #own> -> f32
                %1 = kernel.load %x[%i * 4 + %it, %k] : memref<16x40xbf16, #shared> -> f32
                %2 = kernel.load %w[%jw * 64 + %j * 8 + %jt, %k] : memref<128x40xbf16, #shared> -> f32
                %3 = math.fma %2, %1, %0 : f32
                kernel.store %3, %a[%j, %i] : f32, memref<8x4xf32, #own>
              }
            }
          }
        }
      }
    }
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 32, tile = [32, 32], depth = 32>, thread<points = [8, 4], matrices = "mma_tf32x3">]>

// Steps of f32 have 8 terms, and 4 elements in 16 bytes.
// CHECK-LABEL: kernel.func @floats
// CHECK: kernel.for %[[K:.*]] = 0 to 32 step 8 {
// CHECK-NEXT: kernel.add_matrices %{{.*}}[0, %[[K]]] row = 36, %{{.*}}[%[[K]], 4] column = 1 term = 36 to %{{.*}} : memref<32x36xf32, #kernel.space<shared>>, memref<32x36xf32, #kernel.space<shared>>, memref<8x4xf32, #kernel.space<thread>>
// CHECK-NOT: kernel.add_matrices
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @floats(%in: memref<8xf32>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    %a = kernel.local : memref<8x4xf32, #own>
    %x = kernel.local : memref<32x36xf32, #shared>
    %w = kernel.local : memref<32x36xf32, #shared>
    kernel.for %jt = 0 to 8 map(thread) {
      kernel.for %it = 0 to 4 map(thread) {
        kernel.for %k = 0 to 32 {
          kernel.for %i = 0 to 8 map(unroll) {
            kernel.for %j = 0 to 4 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<8x4xf32, #own> -> f32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x36xf32, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt + 4] : memref<32x36xf32, #shared> -> f32
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<8x4xf32, #own>
            }
          }
        }
        kernel.for %k = 0 to 32 {
          kernel.for %i = 0 to 8 map(unroll) {
            kernel.for %j = 0 to 4 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<8x4xf32, #own> -> f32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x36xf32, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt + 2] : memref<32x36xf32, #shared> -> f32
              // expected-remark @below {{multiplies numbers, and no matrices by 'mma_tf32x3': its rows do not begin at multiples of 16 bytes}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<8x4xf32, #own>
            }
          }
        }
      }
    }
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 32, tile = [32, 32], depth = 64>, thread<points = [8, 4], matrices = "mma_s8">]>

// Codes with and without a sign: the sums are integers, and a step has 32 terms.
// CHECK-LABEL: kernel.func @codes
// CHECK: kernel.for %[[K:.*]] = 0 to 64 step 32 {
// CHECK-NEXT: kernel.add_matrices %{{.*}}[0, %[[K]]] row = 80, %{{.*}}[0, %[[K]]] column = 80 term = 1 to %{{.*}} : memref<32x80xui8, #kernel.space<shared>>, memref<32x80xi8, #kernel.space<shared>>, memref<8x4xi32, #kernel.space<thread>>
// CHECK-NOT: arith.muli
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @codes(%in: memref<8xui8>, %y: memref<8xi32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    %a = kernel.local : memref<8x4xi32, #own>
    %x = kernel.local : memref<32x80xui8, #shared>
    %w = kernel.local : memref<32x80xi8, #shared>
    kernel.for %jt = 0 to 8 map(thread) {
      kernel.for %it = 0 to 4 map(thread) {
        kernel.for %k = 0 to 64 carries(add %a : memref<8x4xi32, #own>) {
          kernel.for %i = 0 to 8 map(unroll) {
            kernel.for %j = 0 to 4 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<8x4xi32, #own> -> i32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x80xui8, #shared> -> i32
              %2 = kernel.load %w[%j * 8 + %jt, %k] : memref<32x80xi8, #shared> -> i32
              %3 = arith.muli %1, %2 : i32
              %4 = arith.addi %0, %3 : i32
              kernel.store %4, %a[%i, %j] : i32, memref<8x4xi32, #own>
            }
          }
        }
      }
    }
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 32, tile = [32, 32], depth = 32>, thread<points = [8, 4], matrices = "mma_s8">]>

// Bytes cannot be turned on their way to registers.
// CHECK-LABEL: kernel.func @codes_apart
// CHECK: arith.muli
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @codes_apart(%in: memref<8xui8>, %y: memref<8xi32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    %a = kernel.local : memref<8x4xi32, #own>
    %x = kernel.local : memref<32x48xui8, #shared>
    %w = kernel.local : memref<32x48xi8, #shared>
    kernel.for %jt = 0 to 8 map(thread) {
      kernel.for %it = 0 to 4 map(thread) {
        kernel.for %k = 0 to 32 carries(add %a : memref<8x4xi32, #own>) {
          kernel.for %i = 0 to 8 map(unroll) {
            kernel.for %j = 0 to 4 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<8x4xi32, #own> -> i32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x48xui8, #shared> -> i32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x48xi8, #shared> -> i32
              %3 = arith.muli %1, %2 : i32
              // expected-remark @below {{multiplies numbers, and no matrices by 'mma_s8': the terms of a column do not lie side by side}}
              %4 = arith.addi %0, %3 : i32
              kernel.store %4, %a[%i, %j] : i32, memref<8x4xi32, #own>
            }
          }
        }
      }
    }
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
#config = #sched.config<"default", [block<threads = 32, tile = [16, 16], depth = 32>, thread<points = [4, 2], matrices = "mma_f16">]>

// What is no product of matrices stays as it is.
// CHECK-LABEL: kernel.func @others
// CHECK-COUNT-6: math.fma
// CHECK-NOT: kernel.add_matrices
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @others(%in: memref<8xf16>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    %a = kernel.local : memref<4x2xf32, #own>
    %x = kernel.local : memref<32x40xf16, #shared>
    %f = kernel.local : memref<16x40xf32, #shared>
    %w = kernel.local : memref<32x24xf16, #shared>
    %odd = kernel.local : memref<32x17xf16, #shared>
    kernel.for %jt = 0 to 8 map(thread) {
      kernel.for %it = 0 to 4 map(thread) {
        // Rows of a thread that are neighbours.
        kernel.for %k = 0 to 32 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %x[%it * 4 + %i, %k] : memref<32x40xf16, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x24xf16, #shared> -> f32
              // expected-remark @below {{multiplies numbers, and no matrices by 'mma_f16': a thread's rows and columns are not where the unit has them}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
        // Terms of a row that lie apart.
        kernel.for %k = 0 to 32 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %x[%k, %i * 4 + %it] : memref<32x40xf16, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x24xf16, #shared> -> f32
              // expected-remark @below {{the terms of a row do not lie side by side}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
        // Half a step.
        kernel.for %k = 0 to 24 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x40xf16, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x24xf16, #shared> -> f32
              // expected-remark @below {{its 24 terms are no multiple of 16}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
        // Factors of another type.
        kernel.for %k = 0 to 32 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %f[%i * 4 + %it, %k] : memref<16x40xf32, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x24xf16, #shared> -> f32
              // expected-remark @below {{its factors are not loaded from shared memory as f16}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
        // Rows that begin anywhere.
        kernel.for %k = 0 to 32 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %x[%i * 4 + %it, %k + 4] : memref<32x40xf16, #shared> -> f32
              %2 = kernel.load %w[%k, %j * 8 + %jt] : memref<32x24xf16, #shared> -> f32
              // expected-remark @below {{its rows do not begin at multiples of 16 bytes}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
        kernel.for %k = 0 to 32 carries(add %a : memref<4x2xf32, #own>) {
          kernel.for %i = 0 to 4 map(unroll) {
            kernel.for %j = 0 to 2 map(unroll) {
              %0 = kernel.load %a[%i, %j] : memref<4x2xf32, #own> -> f32
              %1 = kernel.load %x[%i * 4 + %it, %k] : memref<32x40xf16, #shared> -> f32
              %2 = kernel.load %odd[%k, %j * 8 + %jt] : memref<32x17xf16, #shared> -> f32
              // expected-remark @below {{neither the terms of a column nor the columns lie side by side}}
              %3 = math.fma %1, %2, %0 : f32
              kernel.store %3, %a[%i, %j] : f32, memref<4x2xf32, #own>
            }
          }
        }
      }
    }
    kernel.return
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-partition --split-input-file | FileCheck %s
// RUN: fusec-opt %s --model-partition=remarks --split-input-file --verify-diagnostics -o /dev/null

// The result of one call is what the next reads: it stays on the host. What both
// read is copied once.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @calls
  func.func @calls(%x: memref<4x9xf32>, %y: memref<4x3xf32>, %z: memref<4x2xi64>)
      attributes {fuse.outputs = 2 : i64} {
    // CHECK: %s = kernel.buffer : memref<4x9xf32>
    %s = kernel.buffer : memref<4x9xf32>
    // CHECK: kernel.launch @scores(%arg0, %s)
    kernel.launch @scores(%x, %s) : memref<4x9xf32>, memref<4x9xf32>
    // CHECK: %v = kernel.buffer : memref<4x3xf32, #kernel.space<host>>
    %v = kernel.buffer : memref<4x3xf32>
    %i = kernel.buffer : memref<4x3xi64>
    // CHECK: %s_host = kernel.buffer : memref<4x9xf32, #kernel.space<host>>
    // CHECK-NEXT: kernel.copy %s, %s_host : memref<4x9xf32>, memref<4x9xf32, #kernel.space<host>>
    // CHECK-NEXT: kernel.call @top_k(%s_host) outs(%v, %i)
    // expected-remark@+1 {{@top_k runs on the host}}
    kernel.call @top_k(%s) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    // CHECK-NOT: kernel.copy
    // CHECK: %w = kernel.buffer : memref<4x2xf32, #kernel.space<host>>
    %w = kernel.buffer : memref<4x2xf32>
    // CHECK-NEXT: kernel.buffer : memref<4x2xi64, #kernel.space<host>>
    // CHECK-NEXT: kernel.call @top_k(%v) outs(%w, %[[Z:.*]]) {
    // expected-remark@+1 {{runs on the host}}
    kernel.call @top_k(%v) outs(%w, %z) {axis = 1 : i64, k = 2 : i64, largest = true}
        : (memref<4x3xf32>) -> (memref<4x2xf32>, memref<4x2xi64>)
    // CHECK-NEXT: kernel.copy %v, %arg1 : memref<4x3xf32, #kernel.space<host>>, memref<4x3xf32>
    kernel.copy %v, %y : memref<4x3xf32>
    // An output that a call wrote is the device's in the end.
    // CHECK-NEXT: kernel.copy %[[Z]], %arg2 : memref<4x2xi64, #kernel.space<host>>, memref<4x2xi64>
    // CHECK-NEXT: return
    return
  }
  kernel.func @scores(%x: memref<4x9xf32>, %y: memref<4x9xf32>)
      attributes {group = "scores", variant = "default", num_inputs = 1 : i64,
                  num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}

// -----

// What a loop asks is read before it, and again behind each iteration; a weight
// is read where the file lies; a row of what is on the device has host memory
// for as long as it is called.
module attributes {fuse.target = "cuda-sm80"} {
  fuse.weight @w = dense_resource<w> : tensor<4x9xf32>
  // CHECK-LABEL: func.func @loop
  func.func @loop(%go: memref<i1>, %y: memref<5x4x3xf32>, %i: memref<4x3xi64>)
      attributes {fuse.outputs = 2 : i64} {
    // CHECK: %[[W:.*]] = kernel.weight @w : memref<4x9xf32, #kernel.space<host>>
    // CHECK-NOT: kernel.weight
    %w = kernel.weight @w : memref<4x9xf32>
    %c = kernel.buffer : memref<i1>
    // CHECK: kernel.launch @ask(%arg0, %c)
    kernel.launch @ask(%go, %c) : memref<i1>, memref<i1>
    // CHECK: %c_host = kernel.buffer : memref<i1, #kernel.space<host>>
    // CHECK-NEXT: kernel.copy %c, %c_host
    // CHECK-NEXT: kernel.repeat trips = 5 while(%c_host)
    kernel.repeat trips = 5 while(%c) : (memref<i1>) -> () {
    ^bb0(%n: index):
      // CHECK: %[[ROW:.*]] = kernel.view %arg1 at %{{.*}} * 12
      %row = kernel.view %y at %n * 12 : memref<5x4x3xf32> -> memref<4x3xf32>
      // CHECK: %[[HOST:.*]] = kernel.buffer : memref<4x3xf32, #kernel.space<host>>
      // CHECK: kernel.call @top_k(%[[W]]) outs(%[[HOST]], %
      // expected-remark@+1 {{runs on the host}}
      kernel.call @top_k(%w) outs(%row, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
          : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
      // CHECK-NEXT: kernel.copy %[[HOST]], %[[ROW]]
      // CHECK-NEXT: kernel.launch @ask(%arg0, %c)
      kernel.launch @ask(%go, %c) : memref<i1>, memref<i1>
      // CHECK-NEXT: kernel.copy %{{.*}}, %arg2
      // CHECK-NEXT: kernel.copy %c, %c_host
      // CHECK-NEXT: }
    }
    return
  }
  kernel.func @ask(%x: memref<i1>, %y: memref<i1>)
      attributes {group = "ask", variant = "default", num_inputs = 1 : i64,
                  num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x01000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}

// -----

// A launch behind a call reads what that wrote, and writes what the next one
// reads anew.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @turns
  func.func @turns(%x: memref<4x3xf32>, %i: memref<4x3xi64>) attributes {fuse.outputs = 1 : i64} {
    %b = kernel.buffer : memref<4x3xf32>
    // CHECK: kernel.copy %arg0, %[[X:.*]] :
    // CHECK: kernel.call @top_k(%[[X]]) outs(%b_host,
    // CHECK-NEXT: kernel.copy %b_host, %b
    // CHECK-NEXT: kernel.launch @turn(%b)
    // CHECK: kernel.copy %b, %b_host
    // CHECK-NEXT: kernel.call @top_k(%b_host)
    // CHECK-NEXT: kernel.copy %{{.*}}, %arg1
    // CHECK-NEXT: return
    // expected-remark@+1 {{runs on the host}}
    kernel.call @top_k(%x) outs(%b, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x3xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    kernel.launch @turn(%b) : memref<4x3xf32>
    %c = kernel.buffer : memref<4x3xf32>
    // expected-remark@+1 {{runs on the host}}
    kernel.call @top_k(%b) outs(%c, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x3xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    return
  }
  kernel.func @turn(%y: memref<4x3xf32>)
      attributes {group = "turn", variant = "default", num_inputs = 0 : i64,
                  num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}

// -----

// A CPU has one memory.
// CHECK-LABEL: func.func @cpu
// CHECK-NEXT: kernel.call
func.func @cpu(%x: memref<4x9xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>)
    attributes {fuse.outputs = 2 : i64} {
  kernel.call @top_k(%x) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
      : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
  return
}

// -----

// An operator that launches kernels of its own works on the device's memory: what a call
// on the host has made is copied there, and its scratch memory is the device's, too.
module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
      attributes {flags = [], sources = {own.cpp = "", own.cu = ""}, unit = 0, units = ["own.cpp"],
      cuda = {alone = false, unit = 1}, cuda_units = ["own.cu"]}
  // CHECK-LABEL: func.func @launches
  func.func @launches(%x: memref<4x9xf32>, %y: memref<4x3xf32>) attributes {fuse.outputs = 1 : i64} {
    %v = kernel.buffer : memref<4x3xf32>
    %i = kernel.buffer : memref<4x3xi64>
    // CHECK: %space = kernel.buffer : memref<64xi8>
    %space = kernel.buffer : memref<64xi8>
    // CHECK: kernel.call @top_k(%{{.*}}) outs(%[[V:.*]], %{{.*}}) {
    // expected-remark@+1 {{@top_k runs on the host}}
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    // CHECK: kernel.copy %[[V]], %[[D:.*]] : memref<4x3xf32, #kernel.space<host>>, memref<4x3xf32>
    // CHECK-NEXT: kernel.call @acme.Own(%[[D]]) outs(%arg1) workspace(%space : memref<64xi8>) {op.cuda_workspace = 64 : i64}
    kernel.call @acme.Own(%v) outs(%y) workspace(%space : memref<64xi8>) {op.cuda_workspace = 64}
        : (memref<4x3xf32>) -> memref<4x3xf32>
    // CHECK-NEXT: return
    return
  }
}

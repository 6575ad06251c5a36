// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of users that blocks of a GPU call: the header of each, what a block has, and
// each kind of parameter.
// RUN: rm -rf %t && fusec compile %s -o %t --target=cuda-sm80
// RUN: tr -s ' \n' ' ' < %t/owned_kernels.cuh | FileCheck %s
// RUN: FileCheck %s --check-prefix=NAIVE --input-file %t/owned_kernels_naive.cuh
// RUN: ls %t/ops/own %t/runtime/include/fusec | FileCheck %s --check-prefix=FILES
// RUN: sed 's/"acme::one"/"two"/' %s | not fusec compile - -o %t.no --target=cuda-sm80 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK: #include "fusec/op_block.h" // Of the library own, whose hash is 0123456789abcdef. #include "ops/own/one.h" // Of the library own, whose hash is 0123456789abcdef. #include "ops/own/two.h" namespace

// What a function may write is not restrict, and an input may be such.
// CHECK: __launch_bounds__(64) owned_acme_One_default( void *, const float *[[X:[a-z0-9_]+]]_data, const int32_t *FUSEC_RESTRICT [[I:[a-z0-9_]+]]_data, float *[[Y:[a-z0-9_]+]]_data, int8_t *[[W:[a-z0-9_]+]]_data) {
// CHECK: __shared__ alignas(16) char shared[256];
// CHECK: ::acme::one(Block{{[{]}}{{[a-z0-9_]+}}, 3, 64, shared, reinterpret_cast<char *>([[W]].data)}, tensor_of([[X]]), tensor_of([[I]]), tensor_of([[Y]]), /*mode=*/"a\"b", /*low=*/-double(FUSEC_INF), /*count=*/int64_t{-9223372036854775807 - 1}, /*sizes=*/BlockList<int64_t, 2>{{[{][{]}}3, -4{{[}][}]}}, /*none=*/BlockList<double, 0>{{[{][{]}}{{[}][}]}}, /*flag=*/true);

// CHECK: __launch_bounds__(32) owned_acme_Two_default(
// CHECK: ::two(Block{{[{]}}{{[a-z0-9_]+}}, 1, 32, nullptr, nullptr}, tensor_of({{[a-z0-9_]+}}), tensor_of({{[a-z0-9_]+}}), tensor_of({{[a-z0-9_]+}}));

// NAIVE-NOT: #include "ops/

// FILES: one.h
// FILES-NEXT: two.h
// FILES-NOT: own.cpp
// FILES: op_block.h

// TWICE: calls two, which two headers have, ops/own/one.h and ops/own/two.h; rename one of the two
module @owned {
  fuse.op @acme.One version 1 inputs ["x", "i"] outputs ["y"]
      parameters {count = 0 : i64, flag = false, low = 0.0 : f64, mode = "", none = array<f64>, sizes = array<i64>}
      of "own" hash "0123456789abcdef"
      attributes {flags = [], sources = {one.h = "", own.cpp = "", two.h = ""}, unit = 0, units = ["own.cpp"],
      block = {alone = false, file = "one.h", function = "acme::one", parameters = ["mode", "low", "count", "sizes", "none", "flag"]}}
  fuse.op @acme.Two version 1 inputs ["x"] outputs ["y", "z"] parameters {} of "own" hash "0123456789abcdef"
      attributes {flags = [], sources = {one.h = "", own.cpp = "", two.h = ""}, unit = 0, units = ["own.cpp"],
      block = {alone = true, file = "two.h", function = "two", parameters = []}}
  func.func @main(%x: tensor<4x9xf32> {fuse.name = "x"}, %i: tensor<9xi32> {fuse.name = "i"})
      -> (tensor<4x9xf32> {fuse.name = "y"}, tensor<4xi64> {fuse.name = "z"}) {
    %e = fuse.exp %x : tensor<4x9xf32> loc("exp")
    %o = fuse.call @acme.One(%e, %i) {count = -9223372036854775808 : i64, flag = true, low = 0xFFF0000000000000 : f64, mode = "a\22b",
        none = array<f64>, sizes = array<i64: 3, -4>, op.must_alias = array<i64: 0>,
        op.block = {blocks = 3 : i64, shared = 256 : i64, threads = 64 : i64, workspace = 32 : i64}}
        : (tensor<4x9xf32>, tensor<9xi32>) -> tensor<4x9xf32> loc("one")
    %y, %z = fuse.call @acme.Two(%o) {op.block = {blocks = 1 : i64, shared = 0 : i64, threads = 32 : i64, workspace = 0 : i64}}
        : (tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4xi64>) loc("two")
    return %y, %z : tensor<4x9xf32>, tensor<4xi64>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// What an operator does to single elements is a function that kernels call.
// CHECK: fuse.op @acme.Swish version 1
// CHECK-SAME: scalar = {file = "swish.h", function = "acme::swish", lanes = true, parameters = ["beta"]}
fuse.op @acme.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64}
    of "acts" hash "0123456789abcdef" attributes {flags = [], sources = {a.cpp = "", swish.h = "text"},
    unit = 0, units = ["a.cpp"],
    scalar = {file = "swish.h", function = "acme::swish", lanes = true, parameters = ["beta"]}}

// CHECK-LABEL: func @maps
func.func @maps(%x: tensor<4x9xf32>, %n: tensor<4xi8>) -> (tensor<4x9xf32>, tensor<4xi8>) {
  // CHECK: fuse.map @acme.Swish(%{{.*}}) [0.313261687755{{[0-9]*}}] hash "fedcba9876543210" {steps = 12 : i64} : tensor<4x9xf32>
  %0 = fuse.map @acme.Swish(%x) [0.31326168775558472] hash "fedcba9876543210" {steps = 12} : tensor<4x9xf32>
  // CHECK: fuse.map @acme.Swish(%{{.*}}) [0x7FF0000000000000] hash "fedcba9876543210" : tensor<4xi8>
  %1 = fuse.map @acme.Swish(%n) [0x7FF0000000000000] hash "fedcba9876543210" : tensor<4xi8>
  return %0, %1 : tensor<4x9xf32>, tensor<4xi8>
}

// CHECK-LABEL: func @scalars
func.func @scalars(%x: f32, %v: vector<16xf64>) {
  // CHECK: kernel.scalar @acme.Swish(%{{.*}}, %{{.*}}) hash "fedcba9876543210" {steps = 3 : i64} : f32
  %0 = kernel.scalar @acme.Swish(%x, %x) hash "fedcba9876543210" {steps = 3} : f32
  // CHECK: kernel.scalar @acme.Swish(%{{.*}}, %{{.*}}) hash "fedcba9876543210" : vector<16xf64>
  %1 = kernel.scalar @acme.Swish(%v, %v) hash "fedcba9876543210" : vector<16xf64>
  return
}

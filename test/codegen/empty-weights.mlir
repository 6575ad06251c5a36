// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant of no elements takes no place in the weights file, and not that of the one
// behind it.
// RUN: fusec verify %s | FileCheck %s
// CHECK: nothing: passed
// CHECK: sum: passed

func.func @main(%x: tensor<40xf32> {fuse.name = "x"}, %c: tensor<i1> {fuse.name = "c"})
    -> (tensor<0x4xf32> {fuse.name = "nothing"}, tensor<40xf32> {fuse.name = "sum"}) {
  %none = "fuse.constant"() <{value = dense<> : tensor<0x4xf32>}> : () -> tensor<0x4xf32>
  %some = "fuse.constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0]> : tensor<40xf32>}> : () -> tensor<40xf32>
  %picked = "fuse.if"(%c) ({
    "fuse.yield"(%none) : (tensor<0x4xf32>) -> ()
  }, {
    "fuse.yield"(%none) : (tensor<0x4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<0x4xf32>)
  %sum = "fuse.add"(%x, %some) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %picked, %sum : tensor<0x4xf32>, tensor<40xf32>
}

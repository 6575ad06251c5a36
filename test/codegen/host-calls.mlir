// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A routine that has no form for a device, between kernels: device-host.test.
// RUN: fusec verify %s
module @regions {
  func.func @main(%x: tensor<1x2x5x6xf32> {fuse.name = "x"}, %r: tensor<3x5xf32> {fuse.name = "regions"})
      -> (tensor<3x2x2x2xf32> {fuse.name = "y"}) {
    %e = fuse.exp %x : tensor<1x2x5x6xf32> loc("exp")
    %p = fuse.call @max_roi_pool(%e, %r) {} : (tensor<1x2x5x6xf32>, tensor<3x5xf32>) -> tensor<3x2x2x2xf32> loc("pool")
    %y = fuse.sqrt %p : tensor<3x2x2x2xf32> loc("sqrt")
    return %y : tensor<3x2x2x2xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrent layer: of its groups, which all have its name, one becomes a fill.
module @recurrent {
  func.func @main(%x: tensor<6x2x5xf32> {fuse.name = "x"}, %w: tensor<1x32x5xf32> {fuse.name = "w"}, %r: tensor<1x32x8xf32> {fuse.name = "r"})
      -> (tensor<6x1x2x8xf32> {fuse.name = "all"}, tensor<1x2x8xf32> {fuse.name = "last"}) {
    %all, %last, %cell = fuse.lstm forward %x, %w, %r
      {activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>}
      : (tensor<6x2x5xf32>, tensor<1x32x5xf32>, tensor<1x32x8xf32>)
        -> (tensor<6x1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) loc("lstm")
    return %all, %last : tensor<6x1x2x8xf32>, tensor<1x2x8xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two chains of products that have nothing in common but the end.
module @branches attributes {fuse.stage = "import", fuse.target = "cuda-sm80"} {
  func.func @main(%x: tensor<40x48xf32> {fuse.name = "x"} loc("x"), %w: tensor<48x48xf32> {fuse.name = "w"} loc("w"),
                  %z: tensor<24x32xf32> {fuse.name = "z"} loc("z"), %v: tensor<32x32xf32> {fuse.name = "v"} loc("v"))
      -> (tensor<40x48xf32> {fuse.name = "left"}, tensor<24x32xf32> {fuse.name = "right"}) {
    %0 = fuse.matmul %x, %w : tensor<40x48xf32>, tensor<48x48xf32> -> tensor<40x48xf32> loc("left_1")
    %1 = fuse.matmul %z, %v : tensor<24x32xf32>, tensor<32x32xf32> -> tensor<24x32xf32> loc("right_1")
    %2 = fuse.matmul %0, %w : tensor<40x48xf32>, tensor<48x48xf32> -> tensor<40x48xf32> loc("left_2")
    %3 = fuse.matmul %1, %v : tensor<24x32xf32>, tensor<32x32xf32> -> tensor<24x32xf32> loc("right_2")
    %4 = fuse.matmul %2, %w : tensor<40x48xf32>, tensor<48x48xf32> -> tensor<40x48xf32> loc("left_3")
    return %4, %3 : tensor<40x48xf32>, tensor<24x32xf32>
  }
}

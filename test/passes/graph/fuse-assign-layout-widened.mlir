// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What contractions read as scalars is stored as f32 where it is f16 or bf16.
// RUN: fusec-opt %s --fuse-assign-layout | FileCheck %s
// RUN: fusec-opt %s --fuse-assign-layout=disabled=layout.widened | FileCheck %s --check-prefix=OFF
// RUN: sed 's/fuse.target = "generic"/fuse.target = "cuda-sm80"/' %s | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=OFF
// RUN: sed 's/fuse.target = "generic"/fuse.target = "zen4"/' %s | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=PAIRS
// RUN: fusec-ref %s > %t.before
// RUN: fusec-opt %s --fuse-assign-layout -o %t.mlir
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

#x = affine_map<(m, n, k) -> (m, k)>
#across = affine_map<(m, n, k) -> (k, m)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
#image = affine_map<(c, p, q, u, v) -> (c, p, q, u, v)>
#taps = affine_map<(c, p, q, u, v) -> (c, u, v)>
#result = affine_map<(c, p, q, u, v) -> (c, p, q)>

// OFF: fuse.contract {{.*}} : tensor<64x64xf16>, tensor<64x64xf32>
// OFF: fuse.contract {{.*}} : tensor<8x32x32x3x3xf16>, tensor<8x3x3xf16>

// Pairs of bf16 are multiplied as they are where the target does that; what lies apart is
// converted there, too.
// PAIRS-LABEL: func.func @pairs
// PAIRS: fuse.contract {{.*}} : tensor<64x64xbf16>, tensor<64x64xbf16>
// PAIRS: fuse.contract {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>

module attributes {fuse.target = "generic"} {
// CHECK-LABEL: func.func @pairs
// CHECK: fuse.contract {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>
// CHECK: fuse.contract {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>
// CHECK-LABEL: func.func @main
func.func @pairs(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %h = fuse.cast %x : tensor<64x64xf32> -> tensor<64x64xbf16>
  %v = fuse.cast %w : tensor<64x64xf32> -> tensor<64x64xbf16>
  %0 = fuse.contract %h, %v maps = [#x, #w, #y] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %1 = fuse.contract %h, %v maps = [#across, #w, #y] : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
fuse.weight @taps = dense_resource<taps> : tensor<8x3x3xf16>

func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %r: tensor<1x64xf32>,
                %i: tensor<8x32x32xf32>)
    -> (tensor<64x64xf32>, tensor<1x64xf32>, tensor<8x32x32xf32>, tensor<64x64xf16>) {
  // A residual reads the f32, too; what is returned stays f16.
  // CHECK:      %[[H:.*]] = fuse.cast %{{.*}} : tensor<64x64xf32> -> tensor<64x64xf16>
  // CHECK-NEXT: %[[F:.*]] = fuse.cast %[[H]] : tensor<64x64xf16> -> tensor<64x64xf32>
  // CHECK:      %[[P:.*]] = fuse.contract %[[F]], %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>
  // CHECK-NEXT: fuse.add %[[P]], %[[F]]
  %h = fuse.cast %x : tensor<64x64xf32> -> tensor<64x64xf16>
  %0 = fuse.contract %h, %w maps = [#x, #w, #y] : tensor<64x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
  %again = fuse.cast %h : tensor<64x64xf16> -> tensor<64x64xf32>
  %1 = fuse.add %0, %again : tensor<64x64xf32>
  // Each element of the matrix is read once.
  // CHECK: fuse.contract %{{.*}}, %[[ONCE:.*]] maps = {{.*}} : tensor<1x64xf32>, tensor<64x64xbf16>
  %once = fuse.cast %w : tensor<64x64xf32> -> tensor<64x64xbf16>
  %2 = fuse.contract %r, %once maps = [#x, #w, #y] : tensor<1x64xf32>, tensor<64x64xbf16> -> tensor<1x64xf32>
  // Through a window, whose fill is of the type; and a weight of few elements,
  // each of which is multiplied with an image.
  // CHECK: %[[G:.*]] = fuse.cast %{{.*}} : tensor<8x32x32xf16> -> tensor<8x32x32xf32>
  // CHECK: %[[T:.*]] = fuse.get_weight @taps_widened : tensor<8x3x3xf32>
  // CHECK: %[[V:.*]] = fuse.window %[[G]] {{.*}} fill = 0.000000e+00 : f32
  // CHECK: fuse.contract %[[V]], %[[T]]
  %g = fuse.cast %i : tensor<8x32x32xf32> -> tensor<8x32x32xf16>
  %t = fuse.get_weight @taps : tensor<8x3x3xf16>
  %v = fuse.window %g sizes = [3, 3] strides = [1, 1] dilations = [1, 1] pad_low = [1, 1] fill = 0.000000e+00 : f16 : tensor<8x32x32xf16> -> tensor<8x32x32x3x3xf16>
  %3 = fuse.contract %v, %t maps = [#image, #taps, #result] : tensor<8x32x32x3x3xf16>, tensor<8x3x3xf16> -> tensor<8x32x32xf32>
  return %1, %2, %3, %h : tensor<64x64xf32>, tensor<1x64xf32>, tensor<8x32x32xf32>, tensor<64x64xf16>
}
}
{-# dialect_resources: { builtin: { taps: "0x020000009AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B766B2662ACD346638663A9AB933B7" } } #-}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that a kernel stores and another reads have their channels side by side, and so have
// the weights of a depthwise convolution that reads them.
// RUN: split-file %s %t
// RUN: fusec-opt %t/depthwise.mlir --fuse-assign-layout | FileCheck %s
// RUN: fusec-opt %t/depthwise.mlir --fuse-assign-layout --fuse-aggregate | FileCheck %s --check-prefix=GROUPS
// RUN: fusec-opt %t/depthwise.mlir --fuse-assign-layout=disabled=layout.channels | FileCheck %s --check-prefix=OFF
// RUN: sed 's/"generic"/"portable"/' %t/depthwise.mlir | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=OFF
// RUN: fusec-ref %t/depthwise.mlir > %t/before
// RUN: fusec-opt %t/depthwise.mlir --fuse-assign-layout -o %t/laid.mlir
// RUN: fusec-ref %t/laid.mlir > %t/after
// RUN: cmp %t/before %t/after

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d1)>
// CHECK-LABEL: func.func @main
// CHECK:         %[[CODES:.*]] = fuse.cast %{{.*}} : tensor<1x16x12xi32> -> tensor<1x16x12xui8>
// CHECK-NEXT:    %[[COPY:.*]] = fuse.transpose %[[CODES]] perm = [0, 2, 1] {stored}
// CHECK-NEXT:    %[[BACK:.*]] = fuse.transpose %[[COPY]] perm = [0, 2, 1] : tensor<1x12x16xui8>
// CHECK:         %[[WINDOW:.*]] = fuse.window %[[BACK]]
// CHECK:         %[[WIDE:.*]] = fuse.cast %[[WINDOW]]
// CHECK:         fuse.contract %[[WIDE]], %{{.*}} maps = [{{.*}}, #[[W]], {{.*}}tensor<3x16xf32>

// One kernel stores the copy, the other converts what it loads of it.
// GROUPS-LABEL: func.func @main
// GROUPS:         fuse.group
// GROUPS:           fuse.contract
// GROUPS:           fuse.transpose %{{.*}} perm = [0, 2, 1] {stored}
// GROUPS:           fuse.yield
// GROUPS:         fuse.group
// GROUPS:           fuse.window
// GROUPS:           fuse.cast
// GROUPS:           fuse.contract
// OFF-NOT:        stored} : tensor<1x16x12xui8>
// OFF:            fuse.contract {{.*}}tensor<16x3xf32>

//--- depthwise.mlir
#x = affine_map<(n, o, p, c) -> (n, p, c)>
#w = affine_map<(n, o, p, c) -> (c, o)>
#y = affine_map<(n, o, p, c) -> (n, o, p)>
#windows = affine_map<(n, c, p, k) -> (n, c, p, k)>
#taps = affine_map<(n, c, p, k) -> (c, k)>
#sums = affine_map<(n, c, p, k) -> (n, c, p)>
module attributes {fuse.target = "generic"} {
  fuse.weight @w = dense_resource<w> : tensor<4x16xi8>
  fuse.weight @t = dense_resource<t> : tensor<16x3xf32>
  func.func @main(%x: tensor<1x12x4xui8> {fuse.name = "x"}) -> tensor<1x16x12xf32> {
    %w = fuse.get_weight @w : tensor<4x16xi8>
    %t = fuse.get_weight @t : tensor<16x3xf32>
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<1x12x4xui8>, tensor<4x16xi8> -> tensor<1x16x12xi32>
    %1 = fuse.cast %0 : tensor<1x16x12xi32> -> tensor<1x16x12xui8>
    %2 = fuse.window %1 sizes = [3] strides = [1] dilations = [1] pad_low = [1] fill = 7 : ui8 : tensor<1x16x12xui8> -> tensor<1x16x12x3xui8>
    %3 = fuse.cast %2 : tensor<1x16x12x3xui8> -> tensor<1x16x12x3xf32>
    %4 = fuse.contract %3, %t maps = [#windows, #taps, #sums] : tensor<1x16x12x3xf32>, tensor<16x3xf32> -> tensor<1x16x12xf32>
    return %4 : tensor<1x16x12xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000000070E151C232A31383F464D545B626970777E858C939AA1A8AFB6BDC4CBD2D9E0E7EEF5FC030A11181F262D343B424950575E656C737A81888F969DA4ABB2B9",
      t: "0x04000000000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F00000040"
    }
  }
#-}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes, of which several are multiplied in one step: their terms are brought
// together where they lie apart, and summed over last.
// RUN: split-file %s %t
// RUN: fusec-opt %t/conv.mlir --fuse-assign-layout | FileCheck %s
// RUN: fusec-opt %t/conv.mlir --fuse-assign-layout --fuse-aggregate | FileCheck %s --check-prefix=GROUPS
// RUN: sed 's/"generic"/"portable"/' %t/conv.mlir | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/few.mlir --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/rows.mlir --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-ref %t/conv.mlir > %t/before
// RUN: fusec-opt %t/conv.mlir --fuse-assign-layout -o %t/copied.mlir
// RUN: fusec-ref %t/copied.mlir > %t/after
// RUN: cmp %t/before %t/after

// The channels are the last iterator; both
// contractions read one copy.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d2, d3, d4)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d5, d4)>
// CHECK-LABEL: func.func @main
// CHECK:         %[[COPY:.*]] = fuse.transpose %{{.*}} perm = [0, 2, 3, 1] {stored} : tensor<1x4x6x7xui8> -> tensor<1x6x7x4xui8>
// CHECK-NOT:     perm = [0, 2, 3, 1]
// CHECK:         %[[BACK:.*]] = fuse.transpose %[[COPY]] perm = [0, 3, 1, 2]
// CHECK:         %[[WIN:.*]] = fuse.window %[[BACK]]
// CHECK:         fuse.contract %{{.*}} maps = [#[[X]], #[[W]], {{.*}}tensor<16x4x1xi8>
// CHECK-NOT:     perm = [0, 2, 3, 1]
// CHECK:         fuse.contract
// GROUPS-LABEL: func.func @main
// GROUPS:         fuse.group
// GROUPS:           fuse.transpose %{{.*}} perm = [0, 2, 3, 1]
// GROUPS-NOT:       fuse.contract
// GROUPS:           fuse.yield
// GROUPS-COUNT-2: fuse.contract
// NONE-NOT:     fuse.transpose
// NONE:         fuse.contract

//--- conv.mlir
#x = affine_map<(n, o, p, q, c, k) -> (n, c, p, q, k)>
#w = affine_map<(n, o, p, q, c, k) -> (o, c, k)>
#y = affine_map<(n, o, p, q, c, k) -> (n, o, p, q)>
module attributes {fuse.target = "generic"} {
  func.func @main(%x: tensor<1x4x6x7xui8> {fuse.name = "x"}) -> (tensor<1x16x6x7xi32>, tensor<1x16x6x7xi32>) {
    %w = fuse.constant dense<-3> : tensor<16x4x1xi8>
    %0 = fuse.window %x sizes = [1] strides = [1] dilations = [1] pad_low = [0] fill = 3 : ui8 : tensor<1x4x6x7xui8> -> tensor<1x4x6x7x1xui8>
    %1 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x4x6x7x1xui8>, tensor<16x4x1xi8> -> tensor<1x16x6x7xi32>
    %2 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x4x6x7x1xui8>, tensor<16x4x1xi8> -> tensor<1x16x6x7xi32>
    return %1, %2 : tensor<1x16x6x7xi32>, tensor<1x16x6x7xi32>
  }
}

//--- few.mlir
// Eight results of each element fill no vector.
#x = affine_map<(o, q, c) -> (c, q)>
#w = affine_map<(o, q, c) -> (c, o)>
#y = affine_map<(o, q, c) -> (o, q)>
module attributes {fuse.target = "generic"} {
  func.func @main(%x: tensor<8x64xui8>) -> tensor<8x64xi32> {
    %w = fuse.constant dense<1> : tensor<8x8xi8>
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<8x64xui8>, tensor<8x8xi8> -> tensor<8x64xi32>
    return %0 : tensor<8x64xi32>
  }
}

//--- rows.mlir
// Terms that lie side by side stay there.
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
module attributes {fuse.target = "generic"} {
  func.func @main(%x: tensor<64x4xui8>) -> tensor<64x16xi32> {
    %w = fuse.constant dense<1> : tensor<4x16xi8>
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<64x4xui8>, tensor<4x16xi8> -> tensor<64x16xi32>
    return %0 : tensor<64x16xi32>
  }
}

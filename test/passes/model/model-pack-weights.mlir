// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-pack-weights --split-input-file --verify-diagnostics | FileCheck %s

// Panels of 16 columns one after the other, the second one filled with zeros; the
// loads of both variants follow, and so does a launch that sees another shape.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<2x2x2x16xi8>
// CHECK-LABEL: kernel.func @product(
// CHECK-SAME: %w: memref<2x2x2x16xi8>
// CHECK: kernel.load %w[%j floordiv 16, %k, %l, 0] mask %{{.*}} : memref<2x2x2x16xi8>
// CHECK-LABEL: kernel.func @product_naive(
// CHECK: kernel.load %w[%j floordiv 16, %k, %l, %j mod 16] : memref<2x2x2x16xi8>
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = kernel.weight @w : memref<2x2x2x16xi8>
// CHECK-NOT: kernel.view
// CHECK: kernel.launch @product(%{{.*}}, %[[W]], %{{.*}})
// CHECK: w{{.*}}: "0x40000000000102030405060708090A0B0C0D0E0F1415161718191A1B1C1D1E1F2021222328292A2B2C2D2E2F30313233343536373C3D3E3F404142434445464748494A4B101112130000000000000000000000002425262700000000000000000000000038393A3B0000000000000000000000004C4D4E4F000000000000000000000000"
fuse.weight @w = dense_resource<w> : tensor<4x20xi8>
kernel.func @product(%x: memref<2x2xi8>, %w: memref<2x2x20xi8>, %y: memref<20xi32>) attributes {group = "product", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 20 step 16 map(parallel) {
    %m = kernel.tail_mask %j, affine_map<() -> (20)>() : vector<16xi1>
    %acc = kernel.local : memref<1xvector<16xi32>>
    kernel.for %k = 0 to 2 {
      kernel.for %l = 0 to 2 {
        %0 = kernel.load %w[%k, %l, %j] mask %m : memref<2x2x20xi8>, vector<16xi1> -> vector<16xi32>
        kernel.store %0, %acc[0] : vector<16xi32>, memref<1xvector<16xi32>>
      }
    }
    %1 = kernel.load %acc[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    kernel.store %1, %y[%j] mask %m : vector<16xi32>, memref<20xi32>, vector<16xi1>
  }
  kernel.return
}
kernel.func @product_naive(%x: memref<2x2xi8>, %w: memref<2x2x20xi8>, %y: memref<20xi32>) attributes {group = "product", variant = "naive", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 20 {
    kernel.for %k = 0 to 2 {
      kernel.for %l = 0 to 2 {
        %0 = kernel.load %w[%k, %l, %j] : memref<2x2x20xi8> -> i32
        kernel.store %0, %y[%j] : i32, memref<20xi32>
      }
    }
  }
  kernel.return
}
func.func @main(%x: memref<2x2xi8>, %y: memref<20xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<4x20xi8>
  %0 = kernel.view %w : memref<4x20xi8> -> memref<2x2x20xi8>
  kernel.launch @product(%x, %0, %y) : memref<2x2xi8>, memref<2x2x20xi8>, memref<20xi32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F"
    }
  }
#-}

// -----

// Rows loaded whole, lanes along the rows, lanes from the middle of a panel, lanes of
// one row each, and rows of one vector.
kernel.func @others(%t: memref<4x32xf32>, %v: memref<4x32xf32>, %w: memref<4x32xf32>, %x: memref<4x32xf32>, %u: memref<4x16xf32>, %y: memref<32xf32>) attributes {group = "others", variant = "default", num_inputs = 5 : i64, num_outputs = 1 : i64} {
  kernel.for %k = 0 to 4 {
    kernel.for %j = 0 to 32 step 16 {
      %0 = kernel.load %v[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
    kernel.for %j = 0 to 32 step 16 map(unroll) {
      %4 = kernel.load %t[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %4, %y[%j] : vector<16xf32>, memref<32xf32>
    }
    %1 = kernel.load %w[%k, 8] : memref<4x32xf32> -> vector<16xf32>
    kernel.store %1, %y[0] : vector<16xf32>, memref<32xf32>
    %2 = kernel.load %x[%k, 0] stride = 2 : memref<4x32xf32> -> vector<16xf32>
    kernel.store %2, %y[0] : vector<16xf32>, memref<32xf32>
    %3 = kernel.load %u[%k, 0] : memref<4x16xf32> -> vector<16xf32>
    kernel.store %3, %y[0] : vector<16xf32>, memref<32xf32>
  }
  kernel.return
}
kernel.func @product(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 step 16 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
kernel.func @product_too(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product_too", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 step 16 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
// CHECK-LABEL: func.func @read_otherwise
// CHECK-COUNT-7: kernel.weight {{.*}} : memref<4x
// CHECK-COUNT-5: kernel.launch @product({{.*}}) : memref<4x32xf32>
// CHECK: kernel.launch @product_too({{.*}}) : memref<4x32xf32>
func.func @read_otherwise(%x: memref<4x32xf32>, %y: memref<32xf32>) attributes {fuse.outputs = 1 : i64} {
  %a = kernel.weight @a : memref<4x32xf32>
  %b = kernel.weight @b : memref<4x32xf32>
  %c = kernel.weight @c : memref<4x32xf32>
  %d = kernel.weight @d : memref<4x16xf32>
  %e = kernel.weight @e : memref<4x32xf32>
  %f = kernel.weight @f : memref<4x32xf32>
  %g = kernel.weight @g : memref<4x32xf32>
  kernel.launch @others(%g, %a, %b, %c, %d, %y) : memref<4x32xf32>, memref<4x32xf32>, memref<4x32xf32>, memref<4x32xf32>, memref<4x16xf32>, memref<32xf32>
  kernel.launch @product(%g, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product(%a, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product(%b, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product(%c, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product(%e, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product_too(%f, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product_too(%x, %y) : memref<4x32xf32>, memref<32xf32>
  return
}
// expected-remark @below {{not packed in panels: lanes are loaded along its rows}}
fuse.weight @a = dense_resource<a> : tensor<4x32xf32>
// expected-remark @below {{not packed in panels: lanes are not loaded panel by panel}}
fuse.weight @b = dense_resource<b> : tensor<4x32xf32>
// expected-remark @below {{not packed in panels: lanes are not loaded panel by panel}}
fuse.weight @c = dense_resource<c> : tensor<4x32xf32>
fuse.weight @d = dense_resource<d> : tensor<4x16xf32>
// expected-remark @below {{not packed in panels: the same kernel reads @a, of which lanes are loaded along its rows}}
fuse.weight @e = dense_resource<e> : tensor<4x32xf32>
// expected-remark @below {{not packed in panels: the same kernel reads what is computed there}}
fuse.weight @f = dense_resource<f> : tensor<4x32xf32>
// expected-remark @below {{not packed in panels: rows are loaded whole}}
fuse.weight @g = dense_resource<g> : tensor<4x32xf32>

// -----

// The columns at the end have a copy of the tile, whose loads stay at one place.
// CHECK-LABEL: kernel.func @tail(
// CHECK-SAME: %w: memref<3x4x16xi8>
// CHECK: kernel.load %w[%j floordiv 16, %k, 0] : memref<3x4x16xi8>
// CHECK: kernel.load %w[%l floordiv 16 + 2, %k, 0] mask
fuse.weight @w = dense_resource<w> : tensor<4x40xi8>
kernel.func @tail(%w: memref<4x40xi8>, %y: memref<40xi32>) attributes {group = "tail", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 48 step 16 map(parallel) {
    kernel.if affine_set<(d0) : (-d0 + 16 >= 0)>(%j) {
      kernel.for %k = 0 to 4 {
        %0 = kernel.load %w[%k, %j] : memref<4x40xi8> -> vector<16xi32>
        kernel.store %0, %y[%j] : vector<16xi32>, memref<40xi32>
      }
    } else {
      kernel.for %k = 0 to 4 {
        kernel.for %l = 0 to 8 step 16 {
          %m = kernel.tail_mask %l, affine_map<() -> (8)>() : vector<16xi1>
          %0 = kernel.load %w[%k, %l + 32] mask %m : memref<4x40xi8>, vector<16xi1> -> vector<16xi32>
          kernel.store %0, %y[%l + 32] mask %m : vector<16xi32>, memref<40xi32>, vector<16xi1>
        }
      }
    }
  }
  kernel.return
}
func.func @main(%y: memref<40xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<4x40xi8>
  kernel.launch @tail(%w, %y) : memref<4x40xi8>, memref<40xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" } } #-}

// -----

// Of 4 bits, two elements to a byte: of 16, the even ones in one word of 32 bits, then the odd.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<8xui8>
// CHECK-LABEL: kernel.func @nibbles(
// CHECK-SAME: %w: memref<16xui4, "nibbles">
// CHECK: kernel.load %w[%i] : memref<16xui4, "nibbles"> -> vector<16xi32>
// CHECK: kernel.weight @w : memref<16xui4, "nibbles">
// CHECK: w{{.*}}: "0x{{[0-9A-F]+}}2064A8EC3175B9FD"
fuse.weight @w = dense_resource<w> : tensor<16xui4>
kernel.func @nibbles(%w: memref<16xui4>, %y: memref<16xi32>) attributes {group = "nibbles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 16 step 16 {
    %0 = kernel.load %w[%i] : memref<16xui4> -> vector<16xi32>
    kernel.store %0, %y[%i] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
func.func @main(%y: memref<16xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<16xui4>
  kernel.launch @nibbles(%w, %y) : memref<16xui4>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060708090A0B0C0D0E0F" } } #-}

// -----

// Lanes that only conversions to floats read are loaded as floats.
// CHECK-LABEL: kernel.func @floats(
// CHECK:      %[[L:.*]] = kernel.load %w[%i] : memref<16xui4, "nibbles"> -> vector<16xf32>
// CHECK-NEXT: kernel.store %[[L]], %y[%i]
// CHECK-LABEL: kernel.func @both(
// CHECK:      kernel.load %w[%i] : memref<16xui4, "nibbles"> -> vector<16xi32>
// CHECK-NEXT: arith.sitofp
fuse.weight @w = dense_resource<w> : tensor<16xui4>
kernel.func @floats(%w: memref<16xui4>, %y: memref<16xf32>) attributes {group = "floats", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 16 step 16 {
    %0 = kernel.load %w[%i] : memref<16xui4> -> vector<16xi32>
    %1 = arith.sitofp %0 : vector<16xi32> to vector<16xf32>
    kernel.store %1, %y[%i] : vector<16xf32>, memref<16xf32>
  }
  kernel.return
}
kernel.func @both(%w: memref<16xui4>, %y: memref<16xf32>, %z: memref<16xi32>) attributes {group = "both", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %i = 0 to 16 step 16 {
    %0 = kernel.load %w[%i] : memref<16xui4> -> vector<16xi32>
    %1 = arith.sitofp %0 : vector<16xi32> to vector<16xf32>
    kernel.store %1, %y[%i] : vector<16xf32>, memref<16xf32>
    kernel.store %0, %z[%i] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
func.func @main(%y: memref<16xf32>, %z: memref<16xi32>, %f: memref<16xf32>) attributes {fuse.outputs = 3 : i64} {
  %w = kernel.weight @w : memref<16xui4>
  kernel.launch @floats(%w, %f) : memref<16xui4>, memref<16xf32>
  kernel.launch @both(%w, %y, %z) : memref<16xui4>, memref<16xf32>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060708090A0B0C0D0E0F" } } #-}

// -----

// Lanes that begin elsewhere are read one to a byte.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<24xui4>
// CHECK-LABEL: kernel.func @bytes(
// CHECK-SAME: %w: memref<24xui4>
fuse.weight @w = dense_resource<w> : tensor<24xui4>
kernel.func @bytes(%w: memref<24xui4>, %y: memref<16xi32>) attributes {group = "bytes", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 16 step 8 {
    %0 = kernel.load %w[%i] : memref<24xui4> -> vector<16xi32>
    kernel.store %0, %y[0] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
func.func @main(%y: memref<16xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<24xui4>
  kernel.launch @bytes(%w, %y) : memref<24xui4>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060708090A0B0C0D0E0F0001020304050607" } } #-}

// -----

// A row that the run time picks begins a group if rows are groups; lanes that
// lie anywhere are read each by itself.
// CHECK-LABEL: kernel.func @picked(
// CHECK-SAME: %w: memref<2x16xui4, "nibbles">
// CHECK: kernel.gather {{.*}} memref<2x16xui4, "nibbles">{{.*}} -> vector<16xi32>
// CHECK-LABEL: kernel.func @unaligned(
// CHECK-SAME: %w: memref<4x8xui4>
fuse.weight @w = dense_resource<w> : tensor<2x16xui4>
fuse.weight @v = dense_resource<w> : tensor<4x8xui4>
kernel.func @picked(%w: memref<2x16xui4>, %i: memref<1xi32>, %y: memref<16xi32>) attributes {group = "picked", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %i[0] : memref<1xi32> -> i32
  %1 = kernel.gather %w, affine_map<()[s0] -> (s0, 0)>()[%0] : memref<2x16xui4>, i32 -> vector<16xi32>
  kernel.store %1, %y[0] : vector<16xi32>, memref<16xi32>
  kernel.return
}
kernel.func @unaligned(%w: memref<4x8xui4>, %i: memref<1xi32>, %y: memref<16xi32>) attributes {group = "unaligned", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %i[0] : memref<1xi32> -> i32
  %1 = kernel.gather %w, affine_map<()[s0] -> (s0, 0)>()[%0] : memref<4x8xui4>, i32 -> vector<16xi32>
  kernel.store %1, %y[0] : vector<16xi32>, memref<16xi32>
  kernel.return
}
func.func @main(%i: memref<1xi32>, %y: memref<16xi32>, %z: memref<16xi32>) attributes {fuse.outputs = 2 : i64} {
  %w = kernel.weight @w : memref<2x16xui4>
  %v = kernel.weight @v : memref<4x8xui4>
  kernel.launch @picked(%w, %i, %y) : memref<2x16xui4>, memref<1xi32>, memref<16xi32>
  kernel.launch @unaligned(%v, %i, %z) : memref<4x8xui4>, memref<1xi32>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060708090A0B0C0D0E0F000102030405060708090A0B0C0D0E0F" } } #-}

// -----

// Each variant has its own form of a weight, and what "default" loads rests on none
// of the others: where it takes panels, one along the rows gets a copy in rows. One
// without lanes takes what there is. Two launches share the copies.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<2x4x16xf32>
// CHECK-NEXT: fuse.weight @w_rows = dense_resource<w> : tensor<32x4xf32>
// CHECK-NOT: fuse.weight
// CHECK-LABEL: kernel.func @product(
// CHECK-SAME: %w: memref<2x4x16xf32>, %w_rows: memref<4x32xf32>, %y: memref<32xf32>) attributes {{.*}} num_inputs = 2 : i64
// CHECK: kernel.load %w[%j floordiv 16, %k, 0]
// CHECK-LABEL: kernel.func @product_along(
// CHECK-SAME: %w: memref<2x4x16xf32>, %w_rows: memref<4x32xf32>, %y: memref<32xf32>)
// CHECK: kernel.load %w_rows[%k, %j]
// CHECK-LABEL: kernel.func @product_naive(
// CHECK: kernel.load %w[%j floordiv 16, %k, %j mod 16]
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = kernel.weight @w : memref<2x4x16xf32>
// CHECK-NEXT: %[[ROWS:.*]] = kernel.weight @w_rows : memref<32x4xf32>
// CHECK-NEXT: %[[VIEW:.*]] = kernel.view %[[ROWS]] : memref<32x4xf32> -> memref<4x32xf32>
// CHECK-NEXT: kernel.launch @product(%[[W]], %[[VIEW]], %{{.*}}) : memref<2x4x16xf32>, memref<4x32xf32>, memref<32xf32>
// CHECK-NEXT: kernel.launch @product(%[[W]], %[[VIEW]], %{{.*}}) : memref<2x4x16xf32>, memref<4x32xf32>, memref<32xf32>
fuse.weight @w = dense_resource<w> : tensor<32x4xf32>
kernel.func @product(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 step 16 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
kernel.func @product_along(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "along", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %k = 0 to 4 {
    kernel.for %j = 0 to 32 step 16 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
kernel.func @product_naive(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> f32
      kernel.store %0, %y[%j] : f32, memref<32xf32>
    }
  }
  kernel.return
}
func.func @main(%y: memref<32xf32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<32x4xf32>
  %0 = kernel.view %w : memref<32x4xf32> -> memref<4x32xf32>
  kernel.launch @product(%0, %y) : memref<4x32xf32>, memref<32xf32>
  kernel.launch @product(%0, %y) : memref<4x32xf32>, memref<32xf32>
  return
}

{-# dialect_resources: { builtin: { w: "0x04000000000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F000000500000005100000052000000530000005400000055000000560000005700000058000000590000005A0000005B0000005C0000005D0000005E0000005F000000600000006100000062000000630000006400000065000000660000006700000068000000690000006A0000006B0000006C0000006D0000006E0000006F000000700000007100000072000000730000007400000075000000760000007700000078000000790000007A0000007B0000007C0000007D0000007E0000007F000000" } } #-}

// -----

// The other way round: "default" goes along the rows, which a variant that goes down
// does not change; not even where that is the one that is launched.
// CHECK: fuse.weight @w = dense_resource<w> : tensor<4x32xf32>
// CHECK-NEXT: fuse.weight @w_panels = dense_resource<{{.*}}> : tensor<2x4x16xf32>
// CHECK-NOT: fuse.weight
// CHECK-LABEL: kernel.func @product(
// CHECK-SAME: %w: memref<4x32xf32>, %w_panels: memref<2x4x16xf32>, %y: memref<32xf32>)
// CHECK: kernel.load %w_panels[%j floordiv 16, %k, 0]
// CHECK-LABEL: kernel.func @product_along(
// CHECK: kernel.load %w[%k, %j]
// CHECK-LABEL: kernel.func @product_naive(
// CHECK: kernel.load %w[%k, %j]
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = kernel.weight @w : memref<4x32xf32>
// CHECK-NEXT: %[[PANELS:.*]] = kernel.weight @w_panels : memref<2x4x16xf32>
// CHECK-NEXT: kernel.launch @product(%[[W]], %[[PANELS]], %{{.*}}) : memref<4x32xf32>, memref<2x4x16xf32>, memref<32xf32>
fuse.weight @w = dense_resource<w> : tensor<4x32xf32>
kernel.func @product(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "down", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 step 16 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
kernel.func @product_along(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %k = 0 to 4 {
    kernel.for %j = 0 to 32 step 16 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
kernel.func @product_naive(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> f32
      kernel.store %0, %y[%j] : f32, memref<32xf32>
    }
  }
  kernel.return
}
func.func @main(%y: memref<32xf32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<4x32xf32>
  kernel.launch @product(%w, %y) : memref<4x32xf32>, memref<32xf32>
  return
}

{-# dialect_resources: { builtin: { w: "0x04000000000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F000000500000005100000052000000530000005400000055000000560000005700000058000000590000005A0000005B0000005C0000005D0000005E0000005F000000600000006100000062000000630000006400000065000000660000006700000068000000690000006A0000006B0000006C0000006D0000006E0000006F000000700000007100000072000000730000007400000075000000760000007700000078000000790000007A0000007B0000007C0000007D0000007E0000007F000000" } } #-}

// -----

// Lanes that begin in the middle of a group, in one variant only.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<16xui8>
// CHECK-NEXT: fuse.weight @w_bytes = dense_resource<{{.*}}> : tensor<32xui4>
// CHECK-LABEL: kernel.func @nibbles(
// CHECK-SAME: %w: memref<32xui4, "nibbles">, %w_bytes: memref<32xui4>
// CHECK: kernel.load %w[%i]
// CHECK-LABEL: kernel.func @nibbles_other(
// CHECK: kernel.load %w_bytes[%i]
fuse.weight @w = dense_resource<w> : tensor<32xui4>
kernel.func @nibbles(%w: memref<32xui4>, %y: memref<16xi32>) attributes {group = "nibbles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 32 step 16 {
    %0 = kernel.load %w[%i] : memref<32xui4> -> vector<16xi32>
    kernel.store %0, %y[0] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
kernel.func @nibbles_other(%w: memref<32xui4>, %y: memref<16xi32>) attributes {group = "nibbles", variant = "other", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 16 step 8 {
    %0 = kernel.load %w[%i] : memref<32xui4> -> vector<16xi32>
    kernel.store %0, %y[0] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
func.func @main(%y: memref<16xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<32xui4>
  kernel.launch @nibbles(%w, %y) : memref<32xui4>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060708090A0B0C0D0E0F000102030405060708090A0B0C0D0E0F" } } #-}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wide-weights.py ROWS: prints kernels whose tiles load weights of ROWS rows: each element once
(@once), for several rows of a product (@again), and in tiles of two widths (@both)."""
import sys

rows = int(sys.argv[1])
module = """
module attributes {fuse.target = "portable"} {
  fuse.weight @once = dense_resource<once> : tensor<ROWSx64xi8>
  fuse.weight @again = dense_resource<again> : tensor<ROWSx64xi8>
  fuse.weight @both = dense_resource<both> : tensor<ROWSx128xi8>
  kernel.func @tiles(%once: memref<ROWSx64xi8>, %y: memref<128xi32>) attributes {group = "tiles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %j = 0 to 2 map(parallel) {
      kernel.for %k = 0 to ROWS {
        kernel.for %l = 0 to 32 step 16 map(unroll) {
          %0 = kernel.load %once[%k, %j * 32 + %l] : memref<ROWSx64xi8> -> vector<16xi32>
          kernel.store %0, %y[%j * 32 + %l] : vector<16xi32>, memref<128xi32>
        }
      }
    }
    kernel.return
  }
  kernel.func @rows(%again: memref<ROWSx64xi8>, %y: memref<128xi32>) attributes {group = "rows", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %i = 0 to 3 {
      kernel.for %j = 0 to 2 map(parallel) {
        kernel.for %k = 0 to ROWS {
          kernel.for %l = 0 to 32 step 16 map(unroll) {
            %0 = kernel.load %again[%k, %j * 32 + %l] : memref<ROWSx64xi8> -> vector<16xi32>
            kernel.store %0, %y[%j * 32 + %l] : vector<16xi32>, memref<128xi32>
          }
        }
      }
    }
    kernel.return
  }
  kernel.func @narrow(%both: memref<ROWSx128xi8>, %y: memref<128xi32>) attributes {group = "narrow", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %j = 0 to 4 map(parallel) {
      kernel.for %k = 0 to ROWS {
        kernel.for %l = 0 to 32 step 16 map(unroll) {
          %0 = kernel.load %both[%k, %j * 32 + %l] : memref<ROWSx128xi8> -> vector<16xi32>
          kernel.store %0, %y[%j * 32 + %l] : vector<16xi32>, memref<128xi32>
        }
      }
    }
    kernel.return
  }
  kernel.func @wide(%both: memref<ROWSx128xi8>, %y: memref<128xi32>) attributes {group = "wide", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %j = 0 to 2 map(parallel) {
      kernel.for %k = 0 to ROWS {
        kernel.for %l = 0 to 64 step 16 map(unroll) {
          %0 = kernel.load %both[%k, %j * 64 + %l] : memref<ROWSx128xi8> -> vector<16xi32>
          kernel.store %0, %y[%j * 64 + %l] : vector<16xi32>, memref<128xi32>
        }
      }
    }
    kernel.return
  }
  func.func @main(%y: memref<128xi32>) attributes {fuse.outputs = 1 : i64} {
    %0 = kernel.weight @once : memref<ROWSx64xi8>
    %1 = kernel.weight @again : memref<ROWSx64xi8>
    %2 = kernel.weight @both : memref<ROWSx128xi8>
    kernel.launch @tiles(%0, %y) : memref<ROWSx64xi8>, memref<128xi32>
    kernel.launch @rows(%1, %y) : memref<ROWSx64xi8>, memref<128xi32>
    kernel.launch @narrow(%2, %y) : memref<ROWSx128xi8>, memref<128xi32>
    kernel.launch @wide(%2, %y) : memref<ROWSx128xi8>, memref<128xi32>
    return
  }
}
"""
print(module.replace("ROWS", str(rows)))
print("{-# dialect_resources: { builtin: {")
print(",\n".join(f'  {name}: "0x01000000{"".join(f"{row % 4:02x}" * columns for row in range(rows))}"'
                 for name, columns in (("once", 64), ("again", 64), ("both", 128))))
print("} } #-}")

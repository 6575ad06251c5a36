// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms=remarks --verify-diagnostics | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms --fuse-aggregate --fuse-split | FileCheck %s --check-prefix=GROUPS
// RUN: fusec-opt %s --fuse-expand-algorithms=disabled=algorithms.split-keys | FileCheck %s --check-prefix=OFF
// OFF-NOT: fuse.choice

#q = affine_map<(r, k, d) -> (r, d)>
#k = affine_map<(r, k, d) -> (k, d)>
#x = affine_map<(r, k, d) -> (r, k)>
#p = affine_map<(r, e, k) -> (r, k)>
#v = affine_map<(r, e, k) -> (k, e)>
#o = affine_map<(r, e, k) -> (r, e)>

// Blocks divide 4096 keys. Keys are copied so that lanes run along a row of scores, which
// takes a kernel of its own; all else is one.
// CHECK-LABEL: func.func @whole
// CHECK: fuse.choice @contract ["direct", "split_keys"] : tensor<64xf32>, tensor<64x64xf32> {
// CHECK: }, {
// CHECK: %[[K:.*]] = fuse.transpose %{{.*}} {stored} : tensor<16x256x64xf32> -> tensor<16x64x256xf32>
// CHECK: %[[X:.*]] = fuse.contract %arg0, %[[K]] {{.*}} -> tensor<16x64x256xf32>
// CHECK: %[[M:.*]] = fuse.reduce(%[[X]]) {{.*}} dims = [2] {{.*}} -> tensor<16x64xf32>
// CHECK: %[[B:.*]] = fuse.maximum %[[M]]
// CHECK: %[[P:.*]] = fuse.exp {{.*}} : tensor<16x64x256xf32>
// CHECK: %[[L:.*]] = fuse.reduce(%[[P]]) {{.*}} dims = [2] {{.*}} -> tensor<16x64xf32>
// CHECK: %[[O:.*]] = fuse.contract %[[P]], {{.*}} -> tensor<16x64x64xf32>
// CHECK: %[[ALL:.*]] = fuse.reduce(%[[M]]) {{.*}} dims = [0] {{.*}} -> tensor<64xf32>
// CHECK: fuse.broadcast %[[ALL]] dims = [1]
// CHECK: %[[W:.*]] = fuse.exp {{.*}} : tensor<16x64xf32>
// CHECK: fuse.mul %[[W]], %[[L]] : tensor<16x64xf32>
// CHECK: fuse.reduce({{.*}}) {{.*}} dims = [0] : (tensor<16x64xf32>) -> tensor<64xf32>
// CHECK: fuse.mul {{.*}}, %[[O]] : tensor<16x64x64xf32>
// CHECK: fuse.reduce({{.*}}) {{.*}} dims = [0] : (tensor<16x64x64xf32>) -> tensor<64x64xf32>
// GROUPS-LABEL: func.func @whole
// GROUPS: }, {
// GROUPS-COUNT-2: fuse.group
// GROUPS-NOT: fuse.group
// GROUPS: return
func.func @whole(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %c = fuse.sub %x, %mk : tensor<64x4096xf32>
  %p = fuse.exp %c : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  return %o, %l : tensor<64x64xf32>, tensor<64xf32>
}

// 4099 is a prime: the last block has keys beyond the end, which count for nothing. What the
// scores are less by is computed from the maximum of all.
// CHECK-LABEL: func.func @guarded
// CHECK: fuse.choice
// CHECK: }, {
// CHECK: fuse.window {{.*}} -> tensor<64x17x256xf32>
// CHECK: %[[X:.*]] = fuse.select {{.*}} -> tensor<17x64x256xf32>
// CHECK: %[[M:.*]] = fuse.reduce(%[[X]]) {{.*}} dims = [2]
// CHECK: %[[ALL:.*]] = fuse.reduce(%[[M]]) {{.*}} dims = [0] {{.*}} -> tensor<64xf32>
// CHECK: %[[F:.*]] = fuse.maximum %[[ALL]]
// CHECK: fuse.broadcast %[[F]] dims = [1] : tensor<64xf32> -> tensor<17x64xf32>
// GROUPS-LABEL: func.func @guarded
func.func @guarded(%q: tensor<64x64xf32>, %k: tensor<4099x64xf32>, %v: tensor<4099x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4099x64xf32> -> tensor<64x4099xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4099xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %low = fuse.constant dense<-3.40282347E+38> : tensor<f32>
  %lows = fuse.broadcast %low dims = [] : tensor<f32> -> tensor<64xf32>
  %g = fuse.maximum %m, %lows : tensor<64xf32>
  %mk = fuse.broadcast %g dims = [0] : tensor<64xf32> -> tensor<64x4099xf32>
  %c = fuse.sub %x, %mk : tensor<64x4099xf32>
  %p = fuse.exp %c : tensor<64x4099xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4099xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4099xf32>, tensor<4099x64xf32> -> tensor<64x64xf32>
  return %o, %l : tensor<64x64xf32>, tensor<64xf32>
}

// Keys that stay in the cache.
// CHECK-LABEL: func.func @short
// CHECK-NOT: fuse.choice
func.func @short(%q: tensor<64x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<512x64xf32> -> tensor<64x512xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x512xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x512xf32>
  %c = fuse.sub %x, %mk : tensor<64x512xf32>
  %p = fuse.exp %c : tensor<64x512xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x512xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  // expected-remark @below {{is not computed in blocks of keys: its keys stay in the cache}}
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x512xf32>, tensor<512x64xf32> -> tensor<64x64xf32>
  return %o, %l : tensor<64x64xf32>, tensor<64xf32>
}

// Scores that are there.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: fuse.choice
func.func @stored(%x: tensor<64x4096xf32>, %v: tensor<4096x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %c = fuse.sub %x, %mk : tensor<64x4096xf32>
  %p = fuse.exp %c : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  // expected-remark @below {{is not computed in blocks of keys: its scores are no product}}
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  return %o, %l : tensor<64x64xf32>, tensor<64xf32>
}

// Values of which no block stays in the cache.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: fuse.choice
func.func @wide(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x4096xf32>) -> (tensor<64x4096xf32>, tensor<64xf32>) {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %c = fuse.sub %x, %mk : tensor<64x4096xf32>
  %p = fuse.exp %c : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  // expected-remark @below {{is not computed in blocks of keys: a block of 64 keys would not stay in the cache}}
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x4096xf32> -> tensor<64x4096xf32>
  return %o, %l : tensor<64x4096xf32>, tensor<64xf32>
}

#qh = affine_map<(h, r, k, d) -> (r, h, d)>
#kh = affine_map<(h, r, k, d) -> (k, h, d)>
#xh = affine_map<(h, r, k, d) -> (h, r, k)>
#ph = affine_map<(r, h, e, k) -> (h, r, k)>
#vh = affine_map<(r, h, e, k) -> (k, h, e)>
#oh = affine_map<(r, h, e, k) -> (r, h, e)>

// Other heads lie between the keys of one: many rows read copies in which they do not.
// CHECK-LABEL: func.func @heads
// CHECK: }, {
// CHECK: fuse.transpose {{.*}} {stored} : tensor<16x256x2x64xf32> -> tensor<16x2x64x256xf32>
// CHECK: fuse.transpose {{.*}} {stored} : tensor<16x256x2x64xf32> -> tensor<16x2x256x64xf32>
// CHECK: fuse.transpose {{.*}} perm = [0, 2, 1] : tensor<16x2x512xf32> -> tensor<16x512x2xf32>
func.func @heads(%q: tensor<512x2x64xf32>, %k: tensor<4096x2x64xf32>, %v: tensor<4096x2x64xf32>) -> (tensor<512x2x64xf32>, tensor<2x512xf32>) {
  %x = fuse.contract %q, %k maps = [#qh, #kh, #xh] : tensor<512x2x64xf32>, tensor<4096x2x64xf32> -> tensor<2x512x4096xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [2] : (tensor<2x512x4096xf32>) -> tensor<2x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0, 1] : tensor<2x512xf32> -> tensor<2x512x4096xf32>
  %c = fuse.sub %x, %mk : tensor<2x512x4096xf32>
  %p = fuse.exp %c : tensor<2x512x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [2] : (tensor<2x512x4096xf32>) -> tensor<2x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#ph, #vh, #oh] : tensor<2x512x4096xf32>, tensor<4096x2x64xf32> -> tensor<512x2x64xf32>
  return %o, %l : tensor<512x2x64xf32>, tensor<2x512xf32>
}

// Values that are computed from the sum wait for it.
// CHECK-LABEL: func.func @of_sums
// CHECK-NOT: fuse.choice
func.func @of_sums(%q: tensor<4096x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<4096x64xf32>, tensor<4096x64xf32> -> tensor<4096x4096xf32>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<4096xf32> -> tensor<4096x4096xf32>
  %c = fuse.sub %x, %mk : tensor<4096x4096xf32>
  %p = fuse.exp %c : tensor<4096x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %lb = fuse.broadcast %l dims = [0] : tensor<4096xf32> -> tensor<4096x64xf32>
  %w = fuse.mul %v, %lb : tensor<4096x64xf32>
  // expected-remark @below {{is not computed in blocks of keys: its matrix is computed from the sum of its rows}}
  %o = fuse.contract %p, %w maps = [#p, #v, #o] : tensor<4096x4096xf32>, tensor<4096x64xf32> -> tensor<4096x64xf32>
  return %o : tensor<4096x64xf32>
}

// A block that a number hides as a whole counts for nothing where each row has a product
// elsewhere: minus infinity hides it then.
// CHECK-LABEL: func.func @hidden
// CHECK: }, {
// CHECK: %[[LOW:.*]] = fuse.constant dense<0xFF800000> : tensor<f32>
// CHECK: %[[LOWS:.*]] = fuse.broadcast %[[LOW]] dims = [] : tensor<f32> -> tensor<16x64x256xf32>
// CHECK: fuse.select {{.*}}, %[[LOWS]] :
func.func @hidden(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>, %bias: tensor<64x4096xf32>) -> tensor<64x64xf32> {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %half = fuse.constant dense<0.5> : tensor<f32>
  %halves = fuse.broadcast %half dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %s = fuse.mul %x, %halves : tensor<64x4096xf32>
  %j = fuse.iota axis = 1 : tensor<64x4096xi32>
  %i = fuse.iota axis = 0 : tensor<64x4096xi32>
  %distance = fuse.constant dense<5> : tensor<i32>
  %distances = fuse.broadcast %distance dims = [] : tensor<i32> -> tensor<64x4096xi32>
  %last = fuse.add %i, %distances : tensor<64x4096xi32>
  %sees = fuse.cmp le %j, %last : tensor<64x4096xi32>, tensor<64x4096xi32> -> tensor<64x4096xi1>
  %low = fuse.constant dense<-1.0e+30> : tensor<f32>
  %lows = fuse.broadcast %low dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %c = fuse.select %sees, %s, %lows : tensor<64x4096xi1>, tensor<64x4096xf32>, tensor<64x4096xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%c) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %d = fuse.sub %c, %mk : tensor<64x4096xf32>
  %p = fuse.exp %d : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  %lo = fuse.broadcast %l dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
  %y = fuse.div %o, %lo : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Row 0 sees nothing: its mean is that of all keys.
// CHECK-LABEL: func.func @hidden_rows
// CHECK: %[[LOW:.*]] = fuse.constant dense<-1.000000e+30> : tensor<f32>
// CHECK: }, {
// CHECK: %[[LOWS:.*]] = fuse.broadcast %[[LOW]] dims = [] : tensor<f32> -> tensor<16x64x256xf32>
// CHECK: fuse.select {{.*}}, %[[LOWS]] :
func.func @hidden_rows(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>, %bias: tensor<64x4096xf32>) -> tensor<64x64xf32> {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %half = fuse.constant dense<0.5> : tensor<f32>
  %halves = fuse.broadcast %half dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %s = fuse.mul %x, %halves : tensor<64x4096xf32>
  %j = fuse.iota axis = 1 : tensor<64x4096xi32>
  %i = fuse.iota axis = 0 : tensor<64x4096xi32>
  %distance = fuse.constant dense<0> : tensor<i32>
  %distances = fuse.broadcast %distance dims = [] : tensor<i32> -> tensor<64x4096xi32>
  %last = fuse.add %i, %distances : tensor<64x4096xi32>
  %sees = fuse.cmp lt %j, %last : tensor<64x4096xi32>, tensor<64x4096xi32> -> tensor<64x4096xi1>
  %low = fuse.constant dense<-1.0e+30> : tensor<f32>
  %lows = fuse.broadcast %low dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %c = fuse.select %sees, %s, %lows : tensor<64x4096xi1>, tensor<64x4096xf32>, tensor<64x4096xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%c) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %d = fuse.sub %c, %mk : tensor<64x4096xf32>
  %p = fuse.exp %d : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  %lo = fuse.broadcast %l dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
  %y = fuse.div %o, %lo : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// What is added to scores may be a mask, too.
// CHECK-LABEL: func.func @hidden_twice
// CHECK: %[[LOW:.*]] = fuse.constant dense<-1.000000e+30> : tensor<f32>
// CHECK: }, {
// CHECK: %[[LOWS:.*]] = fuse.broadcast %[[LOW]] dims = [] : tensor<f32> -> tensor<16x64x256xf32>
// CHECK: fuse.select {{.*}}, %[[LOWS]] :
func.func @hidden_twice(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>, %bias: tensor<64x4096xf32>) -> tensor<64x64xf32> {
  %x = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %half = fuse.constant dense<0.5> : tensor<f32>
  %halves = fuse.broadcast %half dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %s = fuse.mul %x, %halves : tensor<64x4096xf32>
  %t = fuse.add %s, %bias : tensor<64x4096xf32>
  %j = fuse.iota axis = 1 : tensor<64x4096xi32>
  %i = fuse.iota axis = 0 : tensor<64x4096xi32>
  %distance = fuse.constant dense<5> : tensor<i32>
  %distances = fuse.broadcast %distance dims = [] : tensor<i32> -> tensor<64x4096xi32>
  %last = fuse.add %i, %distances : tensor<64x4096xi32>
  %sees = fuse.cmp le %j, %last : tensor<64x4096xi32>, tensor<64x4096xi32> -> tensor<64x4096xi1>
  %low = fuse.constant dense<-1.0e+30> : tensor<f32>
  %lows = fuse.broadcast %low dims = [] : tensor<f32> -> tensor<64x4096xf32>
  %c = fuse.select %sees, %t, %lows : tensor<64x4096xi1>, tensor<64x4096xf32>, tensor<64x4096xf32> -> tensor<64x4096xf32>
  %m = fuse.reduce(%c) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %d = fuse.sub %c, %mk : tensor<64x4096xf32>
  %p = fuse.exp %d : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %o = fuse.contract %p, %v maps = [#p, #v, #o] : tensor<64x4096xf32>, tensor<4096x64xf32> -> tensor<64x64xf32>
  %lo = fuse.broadcast %l dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
  %y = fuse.div %o, %lo : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Scores that were rounded, and weights that are rounded before they are multiplied.
// CHECK-LABEL: func.func @rounded
// CHECK: fuse.choice @{{contract.*}} ["direct", "split_keys"]
// CHECK: }, {
// CHECK: %[[X:.*]] = fuse.cast {{.*}} : tensor<16x64x256xf16> -> tensor<16x64x256xf32>
// CHECK: fuse.reduce(%[[X]]) {{.*}} dims = [2]
// CHECK: %[[P:.*]] = fuse.exp {{.*}} : tensor<16x64x256xf32>
// CHECK: %[[H:.*]] = fuse.cast %[[P]] : tensor<16x64x256xf32> -> tensor<16x64x256xf16>
// CHECK: fuse.contract %[[H]]
func.func @rounded(%q: tensor<64x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf16>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %s = fuse.contract %q, %k maps = [#q, #k, #x] : tensor<64x64xf32>, tensor<4096x64xf32> -> tensor<64x4096xf32>
  %x = fuse.cast %s : tensor<64x4096xf32> -> tensor<64x4096xf16>
  %m = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x4096xf16>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    fuse.yield %0 : f32
  }
  %wide = fuse.cast %x : tensor<64x4096xf16> -> tensor<64x4096xf32>
  %mk = fuse.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %c = fuse.sub %wide, %mk : tensor<64x4096xf32>
  %p = fuse.exp %c : tensor<64x4096xf32>
  %l = fuse.reduce(%p) inits = [0.0 : f32] dims = [1] : (tensor<64x4096xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    fuse.yield %0 : f32
  }
  %h = fuse.cast %p : tensor<64x4096xf32> -> tensor<64x4096xf16>
  %o = fuse.contract %h, %v maps = [#p, #v, #o] : tensor<64x4096xf16>, tensor<4096x64xf16> -> tensor<64x64xf32>
  return %o, %l : tensor<64x64xf32>, tensor<64xf32>
}

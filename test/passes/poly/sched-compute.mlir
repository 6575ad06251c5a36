// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-compute --sched-verify | FileCheck %s
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-verify | FileCheck %s --check-prefix=STRUCTURAL
// RUN: fusec-opt %s --sched-compute --verify-diagnostics -o /dev/null
// RUN: fusec-opt %s --sched-compute=max-work=7 2>&1 | FileCheck %s --check-prefix=LONG

// One coincident row loop with the sum and the division inside.
// LONG: remark: isl not asked: 18 pairs of accesses to one array times iterators, more than 7
// CHECK-LABEL: sched.scop @row
// CHECK:       "  schedule: {{.*}}init[i0] -> [(i0)]
// CHECK:       "  coincident: [ 1 ]"
// CHECK:       sequence:
// CHECK-NEXT:  filter: \22{ init[i0] }\22
// CHECK-NEXT:  filter: \22{ sum[i0, i1] }\22
// CHECK:       filter: \22{ out[i0, i1] }\22
// CHECK:       proposer = "isl"
// STRUCTURAL-LABEL: sched.scop @row
// STRUCTURAL:       "  coincident: [ 1 ]"
// STRUCTURAL:       sequence:
// STRUCTURAL-NEXT:  filter: \22{ init[i0] }\22
// STRUCTURAL:       proposer = "structural"
sched.scop @row ins(%x: memref<64x33xf32>) outs(%y: memref<64x33xf32>) arrays(%s: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 33] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 33] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// Two loops that isl runs one behind the other in one loop, the first backwards,
// share nothing there: they are apart, and both run forwards.
// CHECK-LABEL: sched.scop @backwards
// CHECK:       sequence:
// CHECK-NEXT:  filter: \22{ place[i0, i1] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  schedule: \22[{ place[i0, i1] -> [(i1)] }]\22
// CHECK-NEXT:  coincident: [ 1 ]
// CHECK-NEXT:  filter: {{.*}}sum[i0, i1, i2]
// CHECK-NOT:   -> [(-
// CHECK:       proposer = "isl"
// STRUCTURAL-LABEL: sched.scop @backwards
sched.scop @backwards ins(%x: memref<24xf32>, %w: memref<48x24xf32>) outs(%y: memref<24x24xf32>) arrays(%place: memref<24x24xi32>, %s: memref<24x24xf32>) {
  sched.stmt @place [i: 24, j: 24] reads %x[j] writes %place[i, j] {
  ^bb0(%0: f32):
    %1 = arith.fptosi %0 : f32 to i32
    sched.yield %1 : i32
  }
  sched.stmt @init [i: 24, j: 24] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 24, j: 24, k: 24] reduces [k] reads %s[i, j], %place[i, k] writes %s[i, j] {
  ^bb0(%0: f32, %1: i32):
    %2 = sched.gather %w at affine_map<(d0, d1, d2)[s0] -> (s0, d1)>[%1] : memref<48x24xf32>, i32 -> f32
    %3 = arith.addf %0, %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 24, j: 24] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Before the row's loop goes its initialisation, also where a deeper nest follows.
// CHECK-LABEL: sched.scop @deeper
// CHECK:       sequence:
// CHECK-NEXT:  filter: \22{ init[i0] }\22
// CHECK-NEXT:  filter: \22{ max[i0, i1] }\22
// CHECK:       filter: \22{ out[i0, i1, i2, i3] }\22
// CHECK:       proposer = "isl"
sched.scop @deeper ins(%x: memref<4x18xf32>) outs(%y: memref<2x3x4x18xf32>) arrays(%m: memref<4xf32>) {
  sched.stmt @init [i: 4] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 4, j: 18] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 2, j: 3, k: 4, l: 18] reads %m[k] writes %y[i, j, k, l] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Rows and columns are parallel, the accumulation is a loop of its own.
// CHECK-LABEL: sched.scop @gemm
// CHECK:       "  coincident: [ 1, 1 ]"
// CHECK:       filter: \22{ init[i0, i1] }\22
// CHECK-NEXT:  filter: \22{ mac[i0, i1, i2] }\22
// CHECK:       filter: \22{ epi[i0, i1] }\22
sched.scop @gemm ins(%x: memref<128x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<128x256xf32>) arrays(%acc: memref<128x256xf32>) {
  sched.stmt @init [i: 128, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// A schedule that is there stays.
// CHECK-LABEL: sched.scop @kept
// CHECK:       reversed[i0] -> [(-i0)]
sched.scop @kept outs(%y: memref<8xf32>)
    schedule(#sched.tree<["domain: \22{ reversed[i0] : 0 <= i0 <= 7 }\22", "child:", "  schedule: \22[{ reversed[i0] -> [(-i0)] }]\22"]>) {
  sched.stmt @reversed [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// CHECK-LABEL: sched.scop @division
// CHECK:       proposer = "structural"
// expected-remark @below {{isl not asked: a subscript divides}}
sched.scop @division ins(%x: memref<8x4xf32>) outs(%y: memref<32xf32>) {
  sched.stmt @flat [i: 32] reads %x[i floordiv 4, i mod 4] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Statements that have nothing in common share the loops that are alike.
// CHECK-LABEL: sched.scop @beside
// CHECK:       "  schedule: \22[{ second[i0, i1] -> [(i0)]; first[i0, i1] -> [(i0)] }]
// CHECK:       "  coincident: [ 1 ]"
// CHECK:       sequence:
// CHECK:       proposer = "structural"
// expected-remark @below {{takes the structural one: isl's is expected to take 324 steps (work 192, waiting values 0, loops 132, on 1 core) against 25 steps (work 192, waiting values 0, loops 8, on 8 cores) of the structural one}}
sched.scop @beside ins(%x: memref<32x6xf32>, %u: memref<32x9xf32>) outs(%y: memref<32x6xf32>, %v: memref<32x9xf32>) {
  sched.stmt @first [i: 32, j: 6] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @second [i: 32, j: 9] reads %u[i, j] writes %v[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// A window along rows: the sums of five rows run four rows behind what they add
// up, in one loop, and start where they run.
// CHECK-LABEL: sched.scop @behind
// CHECK:       "  coincident: [ 1 ]"
// CHECK:         schedule: {{.*}}s_init[i0, i1] -> [(4 + i0)]
// CHECK:         filter: \22{ s[i0, i1, i2] }\22
// CHECK:         schedule: \22[{ s[i0, i1, i2] -> [(i2)] }]\22
// CHECK:       proposer = "isl"
// STRUCTURAL-LABEL: sched.scop @behind
// STRUCTURAL:       proposer = "structural"
// expected-remark @below {{takes isl's schedule: isl's is expected to take}}
sched.scop @behind ins(%x: memref<1024x2048xf32>) outs(%y: memref<1020x2048xf32>) arrays(%t: memref<1024x2048xf32>, %s: memref<1020x2048xf32>) {
  sched.stmt @t [i: 1024, j: 2048] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @s_init [i: 1020, j: 2048] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @s [i: 1020, j: 2048, k: 5] reduces [k] reads %s[i, j], %t[i + k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @y [i: 1020, j: 2048] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// isl's scheduler runs these windows askew (k + l); the loops are over k and l.
// CHECK-LABEL: sched.scop @askew
// CHECK:       schedule: \22[{ sum[i0, i1, i2, i3, i4] -> [(i3)] }, { sum[i0, i1, i2, i3, i4] -> [(i4)] }]\22
// CHECK:       proposer = "isl"
sched.scop @askew ins(%x: memref<6x10x12xf32>) outs(%y: memref<6x5x6xf32>) arrays(%s: memref<6x5x6xf32>) {
  sched.stmt @init [i: 6, j: 5, k: 6] writes %s[i, j, k] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 6, j: 5, k: 6, l: 2, m: 2] reduces [l, m] reads %s[i, j, k], %x[i, j * 2 + l, k * 2 + m] writes %s[i, j, k] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 6, j: 5, k: 6] reads %s[i, j, k] writes %y[i, j, k] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Windows of statements without a point.
// CHECK-LABEL: sched.scop @no_points
// CHECK: schedule(
sched.scop @no_points ins(%x: memref<0x32xf32>) outs(%y: memref<0x30xf32>) arrays(%a: memref<0x32xf32>) {
  sched.stmt @a [i: 0, j: 32] reads %x[i, j] writes %a[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @init [i: 0, j: 30] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 0, j: 30, k: 3] reduces [k] reads %y[i, j], %a[i, j + k] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// Pieces of one array share a loop over all of it, in which each stands where it
// writes; what reads the array stands where it reads, and what has one point there.
// CHECK-LABEL: sched.scop @pieces
// CHECK:       "  schedule: \22[{ {{.*}}first[i0] -> [(i0)]{{.*}} }]\22",
// CHECK:       "  coincident: [ 1 ]"
// CHECK:       sequence:
// CHECK-NEXT:  filter: \22{ first[i0] }\22
// CHECK-NEXT:  filter: \22{ second[i0] }\22
// CHECK-NEXT:  filter: \22{ third[] }\22
// CHECK-NEXT:  filter: \22{ all[i0] }\22
// CHECK:       proposer = "structural"
// STRUCTURAL-LABEL: sched.scop @pieces
// STRUCTURAL:  schedule: {{.*}}second[i0] -> [(700 + i0)]
// expected-remark @below {{takes the structural one}}
sched.scop @pieces ins(%a: memref<700xf32>, %b: memref<323xf32>, %c: memref<f32>) outs(%y: memref<1024xf32>, %z: memref<1024xf32>) {
  sched.stmt @first [i: 700] reads %a[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @second [i: 323] reads %b[i] writes %y[i + 700] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @third [] reads %c[] writes %y[1023] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @all [i: 1024] reads %y[i] writes %z[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}

// What has no array in common stands side by side along the first loop that is
// not alike.
// CHECK-LABEL: sched.scop @side_by_side
// CHECK:       schedule: {{.*}}right[i0, i1] -> [(300 + i1)]
// CHECK:       "  coincident: [ 1, 1 ]"
// CHECK:       proposer = "structural"
// STRUCTURAL-LABEL: sched.scop @side_by_side
// expected-remark @below {{takes the structural one}}
sched.scop @side_by_side ins(%x: memref<4x400xf32>) outs(%y: memref<4x300xf32>, %z: memref<4x100xf32>) {
  sched.stmt @left [i: 4, j: 300] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @right [i: 4, j: 100] reads %x[i, j + 300] writes %z[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// A loop of which a statement needs several iterations of another one is not
// shared, wherever they stand.
// CHECK-LABEL: sched.scop @neighbours
// CHECK:       "child:",
// CHECK-NEXT:  "  sequence:",
// CHECK-NEXT:  filter: \22{ first[i0] }\22
// STRUCTURAL-LABEL: sched.scop @neighbours
// STRUCTURAL:       proposer = "structural"
sched.scop @neighbours ins(%x: memref<1024xf32>) outs(%y: memref<1024xf32>, %z: memref<1023xf32>) {
  sched.stmt @first [i: 1024] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @sums [i: 1023] reads %y[i], %y[i + 1] writes %z[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

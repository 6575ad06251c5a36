// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-verify --verify-diagnostics
// Twenty schedules of one scop, each broken in its own way: rows are summed and
// divided, then each element adds its left neighbour and the one above. Then marks
// that make an array local, or a copy, where it may not be, and loops of threads.

// Sum before init.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_1 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Out before sum.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_2 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Next before out.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_3 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Init last.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_4 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Everything at once.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_5 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(0)]; out[i0, i1] -> [(0)]; next[i0, i1] -> [(0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Rows without an order of statements.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_6 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Rows backwards.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_7 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(-i0)]; sum[i0, i1] -> [(-i0)]; out[i0, i1] -> [(-i0)]; next[i0, i1] -> [(-i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Sum and out in one column loop.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_8 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1]; out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ sum[i0, i1] }\22",
      "          - filter: \22{ out[i0, i1] }\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Sum backwards.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_9 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(-i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Sum in pairs, the odd one first.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_10 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(floor(i1/2))] }]\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(-i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Out and next fused, next ahead.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_11 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1]; next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)]; next[i0, i1] -> [(i1)] }]\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ next[i0, i1] }\22",
      "          - filter: \22{ out[i0, i1] }\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Next a column too early.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_12 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1]; next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)]; next[i0, i1] -> [(i1 - 1)] }]\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ out[i0, i1] }\22",
      "          - filter: \22{ next[i0, i1] }\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Next a row too early.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_13 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0 - 1)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Init a row too late.
// expected-error @below {{has an illegal schedule: a dependence's source does not run before its sink}}
// expected-note @below {{for example}}
sched.scop @broken_14 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0 + 1)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Rows parallel in spite of next.
// expected-error @below {{has an illegal schedule: a loop marked parallel carries a dependence}}
// expected-note @below {{for example}}
sched.scop @broken_15 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22parallel\22",
      "  child:",
      "    schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "    child:",
      "      sequence:",
      "      - filter: \22{ init[i0] }\22",
      "      - filter: \22{ sum[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "      - filter: \22{ out[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "      - filter: \22{ next[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Columns of the sum parallel.
// expected-error @below {{has an illegal schedule: a loop marked parallel carries a dependence}}
// expected-note @below {{for example}}
sched.scop @broken_16 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        mark: \22parallel\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Rows of next on lanes.
// expected-error @below {{has an illegal schedule: a loop marked vector carries a dependence}}
// expected-note @below {{for example}}
sched.scop @broken_17 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i1)] }]\22",
      "      child:",
      "        mark: \22vector\22",
      "        child:",
      "          schedule: \22[{ next[i0, i1] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// Out and next on the same lanes.
// expected-error @below {{has an illegal schedule: a loop marked vector carries a dependence}}
// expected-note @below {{for example}}
sched.scop @broken_18 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1]; next[i0, i1] }\22",
      "      child:",
      "        mark: \22vector\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)]; next[i0, i1] -> [(i1)] }]\22",
      "          child:",
      "            sequence:",
      "            - filter: \22{ out[i0, i1] }\22",
      "            - filter: \22{ next[i0, i1] }\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// A mark above no loop.
// expected-error @below {{has an illegal schedule: a mark 'parallel' stands above no band}}
// expected-note @below {{for example}}
sched.scop @broken_19 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)]; next[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ next[i0, i1] }\22",
      "      child:",
      "        mark: \22parallel\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ next[i0, i1] }\22",
      "            child:",
      "              schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// The last row is not initialised.
// expected-error @below {{has an illegal schedule: the schedule's domain is not the scop's}}
// expected-note @below {{for example}}
sched.scop @broken_20 ins(%x: memref<8x16xf32>) outs(%t: memref<8x16xf32>, %y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 6; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; next[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ out[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ next[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ next[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        schedule: \22[{ next[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i], %y[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0, %0 : f32, f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %t[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @next [i: 8, j: 16] reads %t[i, j], %t[i, j - 1] else 0.0 : f32, %y[i - 1, j] else 0.0 : f32 writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// There is no such array.
// expected-error @below {{has a mark 'local_m9_8', which is none of its arrays}}
// expected-note @below {{m2 is}}
sched.scop @local_1 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m9_8\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Larger than the array.
// expected-error @below {{has a mark 'local_m2_9', which is none of its arrays}}
// expected-note @below {{m2 is}}
sched.scop @local_2 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m2_9\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Without the extent of its dimension.
// expected-error @below {{has a mark 'local_m2', which is none of its arrays}}
// expected-note @below {{m2 is}}
sched.scop @local_3 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m2\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// All rows in one element, though all are live at a time.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but elements that are live at once are in one place}}
// expected-note @below {{for example}}
sched.scop @local_4 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m2_1\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Two rows in one element.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but elements that are live at once are in one place}}
// expected-note @below {{for example}}
sched.scop @local_5 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(floor((i0)/2))]; sum[i0, i1] -> [(floor((i0)/2))]; out[i0, i1] -> [(floor((i0)/2))] }]\22",
      "  child:",
      "    mark: \22local_m2_1\22",
      "    child:",
      "      sequence:",
      "      - filter: \22{ init[i0] }\22",
      "        child:",
      "          schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "      - filter: \22{ sum[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "      - filter: \22{ out[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "          child:",
      "            schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Only the sum is below the mark.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but accesses to it run elsewhere}}
// expected-note @below {{for example}}
sched.scop @local_6 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        mark: \22local_m2_1\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// In an order that is right, but a fresh array for each statement.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but another iteration of the loops above reads its values}}
// expected-note @below {{for example}}
sched.scop @local_7 ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(1)]; out[i0, i1] -> [(2)] }]\22",
      "  child:",
      "    mark: \22local_m2_8\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)] }, { init[i0] -> [(0)]; sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// One array for half of the rows, none for the others.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but accesses to it run elsewhere}}
// expected-note @below {{for example}}
sched.scop @local_some ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] : i0 <= 3; sum[i0, i1] : i0 <= 3; out[i0, i1] : i0 <= 3 }\22",
      "      child:",
      "        mark: \22local_m2_1\22",
      "        child:",
      "          schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(1)]; out[i0, i1] -> [(2)] }, { init[i0] -> [(0)]; sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ init[i0] : i0 >= 4; sum[i0, i1] : i0 >= 4; out[i0, i1] : i0 >= 4 }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(1)]; out[i0, i1] -> [(2)] }, { init[i0] -> [(0)]; sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// What one array gets, another one is read for.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but another iteration of the loops above reads its values}}
// expected-note @below {{for example}}
sched.scop @local_two ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0]; sum[i0, i1] }\22",
      "      child:",
      "        mark: \22local_m2_1\22",
      "        child:",
      "          schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(1)] }, { init[i0] -> [(0)]; sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        mark: \22local_m2_1\22",
      "        child:",
      "          schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// An array in another one: which of them is meant?
// expected-error @below {{has an illegal schedule: array s is local below a mark, but accesses to it run below another one too}}
// expected-note @below {{for example}}
sched.scop @local_twice ins(%x: memref<8x16xf32>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m2_8\22",
      "  child:",
      "    schedule: \22[{ init[i0] -> [(i0)]; sum[i0, i1] -> [(i0)]; out[i0, i1] -> [(i0)] }]\22",
      "    child:",
      "      mark: \22local_m2_1\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [(0)]; sum[i0, i1] -> [(1)]; out[i0, i1] -> [(2)] }, { init[i0] -> [(0)]; sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Two rows of three that are live: the third one takes the place of the first.
// expected-error @below {{has an illegal schedule: array t is local below a mark, but elements that are live at once are in one place}}
// expected-note @below {{for example at a distance of { m2[2, 0] }}}
sched.scop @roll_2 ins(%x: memref<16x32xf32>) outs(%y: memref<14x32xf32>) arrays(%t: memref<16x32xf32>)
    schedule(#sched.tree<[
      "domain: \22{ t[i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 31; y[i0, i1] : 0 <= i0 <= 13 and 0 <= i1 <= 31 }\22",
      "child:",
      "  mark: \22local_m2_2x32\22",
      "  child:",
      "    schedule: \22[{ t[i0, i1] -> [(i0)]; y[i0, i1] -> [(2 + i0)] }]\22",
      "    child:",
      "      sequence:",
      "      - filter: \22{ t[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ t[i0, i1] -> [(i1)] }]\22",
      "      - filter: \22{ y[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ y[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @t [i: 16, j: 32] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @y [i: 14, j: 32] reads %t[i, j], %t[i + 1, j], %t[i + 2, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// One element at a time would do, were it not for the lanes.
// expected-error @below {{has an illegal schedule: array t is local below a mark, but elements that are live at once are in one place}}
// expected-note @below {{for example}}
sched.scop @roll_3 ins(%x: memref<16x32xf32>) outs(%y: memref<16x32xf32>) arrays(%t: memref<16x32xf32>)
    schedule(#sched.tree<[
      "domain: \22{ t[i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 31; y[i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 31 }\22",
      "child:",
      "  schedule: \22[{ t[i0, i1] -> [(i0)]; y[i0, i1] -> [(i0)] }]\22",
      "  child:",
      "    mark: \22local_m2_1x1\22",
      "    child:",
      "      mark: \22vector\22",
      "      child:",
      "        schedule: \22[{ t[i0, i1] -> [(i1)]; y[i0, i1] -> [(i1)] }]\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ t[i0, i1] }\22",
      "          - filter: \22{ y[i0, i1] }\22"]>) {
  sched.stmt @t [i: 16, j: 32] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @y [i: 16, j: 32] reads %t[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Two of the eight sums of an iteration share a place of the copy.
// expected-error @below {{has an illegal schedule: array s is a copy below a mark, but elements of one iteration are in one place}}
// expected-note @below {{for example at a distance of}}
sched.scop @copy_1 ins(%x: memref<8x16xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(floor((i1)/4))] }]\22",
      "      child:",
      "        mark: \22copy_m2_4\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1 mod 4)] }]\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "  - filter: \22{ out[i0] }\22",
      "    child:",
      "      schedule: \22[{ out[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// What is only read would be written back.
// expected-error @below {{has an illegal schedule: array s is a copy below a mark, but an element is only read there}}
// expected-note @below {{for example {}}
sched.scop @copy_2 ins(%x: memref<8x16xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "  - filter: \22{ out[i0] }\22",
      "    child:",
      "      mark: \22copy_m2_8\22",
      "      child:",
      "        schedule: \22[{ out[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Lanes would share one copy.
// expected-error @below {{has an illegal schedule: array s is a copy below a mark, but lanes of a loop above share it}}
// expected-note @below {{for example copy_m2_1}}
sched.scop @copy_3 ins(%x: memref<8x16xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      mark: \22vector\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22copy_m2_1\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ out[i0] }\22",
      "    child:",
      "      schedule: \22[{ out[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Only one element at a time waits in the array: which of those in the copy is written back
// last is a matter of how its loops run.
// expected-error @below {{has an illegal schedule: array t is local below a mark, but copies of elements of one place are written back in any order}}
// expected-note @below {{for example at a distance of}}
sched.scop @copy_4 ins(%x: memref<8xf32>) outs(%y: memref<8xf32>, %z: memref<1xf32>) arrays(%t: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ t[i0] : 0 <= i0 <= 7; y[i0] : 0 <= i0 <= 7; z[i0] : i0 = 0 }\22",
      "child:",
      "  mark: \22local_m3_1\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ t[i0]; y[i0] }\22",
      "      child:",
      "        mark: \22copy_m3_8\22",
      "        child:",
      "          schedule: \22[{ t[i0] -> [(-i0)]; y[i0] -> [(-i0)] }]\22",
      "          child:",
      "            sequence:",
      "            - filter: \22{ t[i0] }\22",
      "            - filter: \22{ y[i0] }\22",
      "    - filter: \22{ z[i0] }\22"]>) {
  sched.stmt @t [i: 8] reads %x[i] writes %t[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @y [i: 8] reads %t[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @z [i: 1] reads %t[i] writes %z[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A copy of what nothing there accesses.
// expected-error @below {{has an illegal schedule: array u is a copy below a mark, but nothing there accesses it}}
// expected-note @below {{for example copy_m4_8}}
sched.scop @copy_5 ins(%x: memref<8xf32>) outs(%y: memref<8xf32>, %z: memref<1xf32>) arrays(%t: memref<8xf32>, %u: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ t[i0] : 0 <= i0 <= 7; y[i0] : 0 <= i0 <= 7; z[i0] : i0 = 0 }\22",
      "child:",
      "  mark: \22local_m3_8\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ t[i0]; y[i0] }\22",
      "      child:",
      "        mark: \22copy_m4_8\22",
      "        child:",
      "          schedule: \22[{ t[i0] -> [(-i0)]; y[i0] -> [(-i0)] }]\22",
      "          child:",
      "            sequence:",
      "            - filter: \22{ t[i0] }\22",
      "            - filter: \22{ y[i0] }\22",
      "    - filter: \22{ z[i0] }\22"]>) {
  sched.stmt @t [i: 8] reads %x[i] writes %t[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @y [i: 8] reads %t[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @z [i: 1] reads %t[i] writes %z[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Threads would use one place for elements of their own.
// expected-error @below {{has an illegal schedule: array s is local below a mark, but elements of iterations that threads run at once are in one place}}
// expected-note @below {{for example at a distance of}}
sched.scop @threads ins(%x: memref<64x8xf32>) outs(%y: memref<64x8xf32>) arrays(%s: memref<64xf32>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 7 }\22",
      "child:",
      "  mark: \22local_m2_1\22",
      "  child:",
      "    mark: \22parallel\22",
      "    child:",
      "      schedule: \22[{ a[i0] -> [(i0)]; b[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        sequence:",
      "        - filter: \22{ a[i0] }\22",
      "        - filter: \22{ b[i0, i1] }\22",
      "          child:",
      "            schedule: \22[{ b[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @a [i: 64] reads %x[i, 0] writes %s[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 64, j: 8] reads %s[i], %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// A running sum is no reduction that threads may share.
// expected-error @below {{has an illegal schedule: a loop marked split carries a dependence}}
// expected-note @below {{for example}}
sched.scop @running ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%s: memref<f32>)
    schedule(#sched.tree<[
      "domain: \22{ init[]; add[i0] : 0 <= i0 <= 63; out[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[] }\22",
      "  - filter: \22{ add[i0]; out[i0] }\22",
      "    child:",
      "      mark: \22split\22",
      "      child:",
      "        schedule: \22[{ add[i0] -> [(i0)]; out[i0] -> [(i0)] }]\22",
      "        child:",
      "          sequence:",
      "          - filter: \22{ add[i0] }\22",
      "          - filter: \22{ out[i0] }\22"]>) {
  sched.stmt @init [] writes %s[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @add [i: 64] reduces [i] reads %s[], %x[i] writes %s[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64] reads %s[] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

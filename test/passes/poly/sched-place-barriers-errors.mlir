// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-place-barriers --sched-verify --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{isl refused:}}
  sched.scop @broken outs(%y: memref<8xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [1]>, team<of = warp, loops = [0]>]>)
      schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 \22"]>) {
    sched.stmt @zero [i: 8] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

// What a thread has of its own no other one may need.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: a value of array t, which each thread has of its own, goes from one to another}}
  // expected-note @below {{for example below mark local_m2}}
  sched.scop @turned ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 64>, team<of = block, loops = [0, 0]>]>)
      schedule(#sched.tree<[
        "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22local_m2_64\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ a[i0] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ a[i0] -> [(i0)] }]\22",
        "    - filter: \22{ b[i0] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ b[i0] -> [(i0)] }]\22"]>) {
    sched.stmt @a [i: 64] reads %x[i] writes %t[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @b [i: 64] reads %t[-i + 63] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Two elements of what they share may not lie in one place.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: array t is local below a mark, but elements that threads share are in one place}}
  // expected-note @below {{at a distance of}}
  sched.scop @folded ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 64>, team<of = block, loops = [0, 0]>]>)
      schedule(#sched.tree<[
        "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22shared_m2_32\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ a[i0] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ a[i0] -> [(i0)] }]\22",
        "    - filter: \22{ b[i0] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ b[i0] -> [(i0)] }]\22"]>) {
    sched.stmt @a [i: 64] reads %x[i] writes %t[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @b [i: 64] reads %t[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-remark @below {{gets no barriers here: its threads share no rows}}
  sched.scop @apart outs(%y: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [64]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22thread\22",
        "  child:",
        "    schedule: \22[{ zero[i0] -> [(i0)] }]\22",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --convert-sched-to-kernel --verify-diagnostics
// Trees by hand whose marks "unit" say something else than the config.

// expected-error @below {{has a schedule whose loops need as many iterations below the mark of a unit as the config says that the statement's unit adds terms}}
sched.scop @four ins(%x: memref<4x128xi16>, %w: memref<128x16xi16>) outs(%y: memref<4x16xi32>)
    config(#sched.config<"default", [unit<lanes = 16, along = [1, 1], products = [fma, pairs]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 15 and 0 <= i2 <= 127 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ init[i0, i1] -> [(i0)] }, { init[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ mac[i0, i1, i2] }\22",
      "    child:",
      "      schedule: \22[{ mac[i0, i1, i2] -> [(i2 - (i2) mod 4)] }]\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "          child:",
      "            mark: \22unit\22",
      "            child:",
      "              schedule: \22[{ mac[i0, i1, i2] -> [((i2) mod 4)] }]\22"]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}

// -----

// Of one term, there is no loop over them.
// expected-error @below {{has a schedule whose loops need as many iterations below the mark of a unit as the config says that the statement's unit adds terms}}
sched.scop @one ins(%x: memref<4x128xi16>, %w: memref<128x16xi16>) outs(%y: memref<4x16xi32>)
    config(#sched.config<"default", [unit<lanes = 16, along = [1, 1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 15 and 0 <= i2 <= 127 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ init[i0, i1] -> [(i0)] }, { init[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ mac[i0, i1, i2] }\22",
      "    child:",
      "      schedule: \22[{ mac[i0, i1, i2] -> [(i2 - (i2) mod 2)] }]\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "          child:",
      "            mark: \22unit\22",
      "            child:",
      "              schedule: \22[{ mac[i0, i1, i2] -> [((i2) mod 2)] }]\22"]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}

// -----

// expected-error @below {{has a schedule whose loops need a loop over one statement below the mark of a unit}}
sched.scop @alone ins(%x: memref<4x128xi16>, %w: memref<128x16xi16>) outs(%y: memref<4x16xi32>)
    config(#sched.config<"default", [unit<lanes = 16, along = [1, 1], products = [fma, pairs]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 15 and 0 <= i2 <= 127 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ init[i0, i1] -> [(i0)] }, { init[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ mac[i0, i1, i2] }\22",
      "    child:",
      "      schedule: \22[{ mac[i0, i1, i2] -> [(i2 - (i2) mod 1)] }]\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(i0)] }]\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "          child:",
      "            mark: \22unit\22",
      "            child:",
      "              schedule: \22[{ mac[i0, i1, i2] -> [((i2) mod 1)] }]\22"]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}

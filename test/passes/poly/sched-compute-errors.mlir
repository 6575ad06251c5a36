// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not fusec-opt %s --sched-compute=proposer=fast 2>&1 | FileCheck %s
// CHECK: error: unknown proposer 'fast'; use auto, isl or structural
module {}

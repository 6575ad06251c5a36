// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "dialects/fuse/FuseAttention.td"
include "dialects/fuse/FuseComposites.td"
include "dialects/fuse/FuseElementwise.td"
include "dialects/fuse/FuseNorms.td"
include "dialects/fuse/FusePrimitives.td"
include "dialects/fuse/FuseQuantized.td"
include "dialects/fuse/FuseStructure.td"
include "dialects/fuse/FuseWindows.td"

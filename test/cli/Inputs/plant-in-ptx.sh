#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A C++ compiler for fusec that plants a fault in a kernel of small.mlir for GPUs: the PTX lies
# beside the objects, and a comparison in it gets the other sign.
for argument; do
  case $argument in
    */small.cpp.o)
      sed -i '/entry small_dense_activation_default/,/^}/s/setp\.lt\.f32/setp.gt.f32/' \
        "${argument%/*}"/*.ptx ;;
  esac
done
exec c++ "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# selected.sh FOLDER MODEL BUILD: builds an emitted folder for two instruction sets, without its
# CMakeLists.txt and with the runtime of a build of fusec, and prints what selected.cpp finds.
set -e
folder=$1 model=$2 build=$3
objects=$folder.objects
here=$(dirname "$0")
flags="-std=c++17 -w -O1 -I $folder/runtime/include -I $here"
mkdir -p "$objects"
for isa in avx2:x86-64-v3 avx512:x86-64-v4; do
  # shellcheck disable=SC2086  # several words are several options
  c++ $flags -march=${isa#*:} -DFUSEC_ISA=${isa%:*} \
    -c "$folder/${model}_kernels.cpp" -o "$objects/${isa%:*}.o"
done
# shellcheck disable=SC2086
c++ $flags -DMODEL="$model" -DFUSEC_HAS_AVX2_KERNELS -DFUSEC_HAS_AVX512_KERNELS \
  "$folder/$model.cpp" "$here/selected.cpp" "$objects"/*.o \
  "$build/runtime/libfusec_runtime.a" -lpthread -o "$objects/program"
"$objects/program"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the pack beside itself and runs it on the first GPU: layouts, all models, times.
# What it prints is also in results.txt. Exit code 0: all is right; 1: something is not;
# 4: it does not build, or there is no GPU.
cd "$(dirname "$0")" || exit 4
test -d models || cmake -E tar xf models.tar.xz || exit 4
# Machine code for the GPU that is here; without it, its driver compiles PTX.
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
  head -1 | tr -d '.')
cmake -S . -B build "-DFUSEC_CUDA_ARCHITECTURES=$capability" > build.log &&
  cmake --build build --parallel "$(nproc)" >> build.log 2>&1 ||
  { tail -20 build.log; exit 4; }
{
  date -u
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
} > results.txt 2>/dev/null
code=0
run() {
  "$@" > part.txt 2>&1
  rc=$?
  tee -a results.txt < part.txt
  test $rc -le $code || code=$rc
}
run build/layouts layouts.txt
test $code = 4 && exit 4
if test -s timed.txt; then
  run build/sessions . "$(head -1 timed.txt)"
else
  echo "no model of the pack is in timed.txt: sessions and times are left out" |
    tee -a results.txt
fi
run build/check --jobs "$(($(nproc) / 2 + 1))" .
test -s timed.txt || exit $code
# shellcheck disable=SC2046
run build/check --time . $(cat timed.txt)
if python3 -c 'import torch' 2>/dev/null; then
  run python3 torch_times.py
else
  echo "PyTorch is not here: nothing is compared with it" | tee -a results.txt
fi
exit $code

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From nothing to digits read by C++ that you can read: installs what is missing,
# builds fusec, compiles examples/digits/digits.onnx to C++, builds that, runs it.
#   tools/quickstart.sh            takes no arguments; leaves the programs in build/bin
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '3,5s/^# \?//p' tools/quickstart.sh; }
case "${1-}" in
  "") ;;
  -h | --help) usage; exit 0 ;;
  *) { echo "quickstart: unknown argument '$1'"; usage; } >&2; exit 64 ;;
esac

step() { printf '\n== %s\n' "$*"; }

step "1/4 packages"
tools/setup.sh

step "2/4 build fusec (a few minutes the first time)"
compilers=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
if command -v clang++-22 >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
fi
# The tests need packages that this script does not install; what an earlier
# tools/test.sh has chosen stays.
tests=()
[ -f build/CMakeCache.txt ] || tests=(-DFUSEC_ENABLE_TESTS=OFF)
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DFUSEC_UNITY_BUILD=ON \
  "${compilers[@]}" "${tests[@]}" >/dev/null
ninja -C build

step "3/4 compile the model to C++, and that to a program"
out=build/digits
cmake --install build --prefix build/installed >/dev/null
cmake -S examples/digits -B $out -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$PWD/build/installed" >/dev/null
ninja -C $out

step "4/4 read handwritten digits"
$out/digits_demo examples/digits $out/fusec/digits $out/fusec/digits_unfused
echo "emitted source  $out/fusec/digits/digits_kernels.cpp (the kernels), digits.cpp (who calls them)"

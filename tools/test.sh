#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and tests. The last line is "N passed, N failed, N skipped".
#   tools/test.sh                  the suite
#   tools/test.sh --only PATTERN   the tests whose name matches the regular expression
#   tools/test.sh --full           also with g++ and under the address and undefined
#                                  behaviour sanitizers, and a long fuzzing run
# Exit code: 0 when nothing failed and each skip has a reason in test/allowed-skips.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

full=0
only=""
while [ $# -gt 0 ]; do
  case "$1" in
    --full) full=1 ;;
    --only) only="${2:?--only needs a pattern}"; shift ;;
    *) sed -n '3,8s/^# \?//p' "$0" >&2; exit 64 ;;
  esac
  shift
done

tools/setup.sh --tests
python=.venv/bin/python
results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# build_in FOLDER CMAKE-OPTION...: configure and build; a failure is a failed test.
build_in() {
  local folder=$1 begin=$SECONDS
  shift
  echo "== building in $folder"
  if cmake -S . -B "$folder" -G Ninja -DFUSEC_ENABLE_TESTS=ON "$@" >"$results/${folder//\//-}-configure.log" 2>&1; then
    ninja -C "$folder" && { echo "== built in $((SECONDS - begin)) s"; return 0; }
  else
    cat "$results/${folder//\//-}-configure.log"
  fi
  $python tools/dev/summarise-tests --record "$results" build "build in $folder" failed
  return 1
}

# expect_results NAME FILE: a part of the suite that died before it could write its
# results is a failed test.
expect_results() {
  [ -s "$2" ] || $python tools/dev/summarise-tests --record "$results" suite "$1" failed
}

# test_in FOLDER LABEL [E2E-OPTION...]: the three parts of the suite on one build.
test_in() {
  local folder=$1 label=$2 begin=$SECONDS
  shift 2
  local lit=/usr/lib/llvm-22/bin/lit
  [ -x "$lit" ] || lit=lit
  echo "== $label: lit"
  $lit test --param build="$PWD/$folder" --filter "${only:-.}" --allow-empty-runs \
    -v -o "$results/$label.lit.json" || true
  expect_results "$label: lit ran" "$results/$label.lit.json"
  echo "== $label: unit tests"
  ctest --test-dir "$folder" -R "${only:-.}" --output-on-failure --progress -j 2 \
    --output-junit "$PWD/$results/$label.junit.xml" || true
  expect_results "$label: ctest ran" "$results/$label.junit.xml"
  echo "== $label: end to end"
  $python test/e2e/run.py --build "$folder" --only "${only:-.}" \
    --json "$results/$label.e2e.json" "$@" || true
  expect_results "$label: end to end ran" "$results/$label.e2e.json"
  echo "== $label: $((SECONDS - begin)) s"
}

compilers=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
if command -v clang++-22 >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
fi
build_in build -DCMAKE_BUILD_TYPE=Release "${compilers[@]}" && test_in build suite

echo "== models"
which_models=--quick
[ "$full" = 1 ] && which_models=
$python test/models/run.py $which_models --only "${only:-.}" \
  --json "$results/models.e2e.json" || true
expect_results "models ran" "$results/models.e2e.json"

# onnx_tests LABEL [OPTION...]
onnx_tests() {
  local label=$1
  shift
  echo "== $label"
  $python test/onnx/run.py "$@" --only "${only:-.}" --json "$results/$label.onnx.json" || true
  expect_results "$label ran" "$results/$label.onnx.json"
}
onnx_tests onnx
[ "$full" = 0 ] || onnx_tests onnx-newest --newest

if [ "$full" = 1 ]; then
  build_in build/gcc -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ && test_in build/gcc gcc
  # The packaged LLVM is not instrumented, so containers that cross into it would
  # be reported as overflows, and what it caches for the process as leaks.
  export ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  build_in build/asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
    -DFUSEC_SANITIZE=address,undefined "${compilers[@]}" && test_in build/asan asan --long
fi

exec $python tools/dev/summarise-tests "$results" --allowed test/allowed-skips.txt

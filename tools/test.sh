#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and tests. The last line is "N passed, N failed, N skipped".
#   tools/test.sh                  the suite
#   tools/test.sh --only PATTERN   the tests whose name matches the regular expression
#   tools/test.sh --full [PART]    also with g++, and under the sanitizers of addresses,
#                                  undefined behaviour and threads, with more fuzzing; or
#                                  one part of it alone: suite, gcc, asan or tsan
#   tools/test.sh --soak           counts without a limit of time, on seeds of their own
# Exit code: 0 when nothing failed and each skip has a reason in test/allowed-skips.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '3,10s/^# \?//p' tools/test.sh; }
full=0
soak=0
only=""
parts="suite"
while [ $# -gt 0 ]; do
  case "$1" in
    --full)
      full=1
      parts="suite gcc asan tsan"
      case "${2:-}" in
        suite | gcc | asan | tsan)
          parts=$2
          shift
          ;;
      esac
      ;;
    --soak) soak=1 ;;
    --only)
      [ $# -gt 1 ] || { echo "test: --only needs a pattern" >&2; exit 64; }
      only=$2
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) { echo "test: unknown argument '$1'"; usage; } >&2; exit 64 ;;
  esac
  shift
done

tools/setup.sh --tests
python=.venv/bin/python
# The venv has an nvcc where CUDA is not installed.
for nvcc in .venv/lib/python3*/site-packages/nvidia/cu*/bin/nvcc; do
  [ ! -x "$nvcc" ] || export CUDACXX=${CUDACXX:-$PWD/$nvcc}
done
results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# announce TEXT...: what begins, and after how much time.
announce() { printf '== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

# build_in FOLDER TARGETS CMAKE-OPTION...: configure afresh, as options of a folder that another
# compiler was configured for would be lost, and build; a failure is a failed test.
build_in() {
  local folder=$1 targets=$2
  shift 2
  announce "building in $folder"
  if cmake --fresh -S . -B "$folder" -G Ninja -DFUSEC_ENABLE_TESTS=ON -DFUSEC_UNITY_BUILD=ON "$@" \
    >"$results/${folder//\//-}-configure.log" 2>&1; then
    # shellcheck disable=SC2086  # several words are several targets
    ninja -C "$folder" $targets && return 0
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

# Of lit's tests, as an expression, those to leave out: without --full the longest ones
# about what seldom changes, programs with functions of elements and with operators that
# write in place, the self-tests of fuzzers and of the bench, the translation of
# AVX-512, the names that C++ reserves, wrong arguments, functions of elements that are wrong
# and hostile values at run time, where builds are kept, searches that are killed or find the
# disk full, the time stamps of what is written again, how folders build alone, for GPUs, for
# several targets and in several files, what compilers make of registers, what vendors'
# libraries compute and cost, where isl's schedules are taken, what is verified of caches that
# grow, how large programs of several sizes get, the simulator on the corpus, and the pack for
# GPUs; on further builds what they
# show no more of, the repository's rules and the runners' self-tests, pipelines, all of which
# models and graphs run through, what other compilers make of sources, the pack, and what
# starts fusec some hundred times or compares what it emits; with g++ all but what takes
# text through a stage of the compiler.
only_once() { # LABEL
  local others='codegen/(registers|targets|device-build|hip)|cli/(time-stamps|report)'
  local many='bench/pack|ptx-sim/corpus|codegen/entry-sizes|cli/(algos|algorithm-set|allow|bench|bisect|cache-choices|convert|device-findings|entries|growth|padding|quantize|stdin|tune|tune-.*)'
  case "${only:+selected}$full$1" in
    0suite) echo '^fusec :: (dev/((onnx-)?fuzz-selftest|bench-selftest|retarget)|mutation/(arguments|hostile|names|build-cache)|cli/(tune-kill|tune-disk|time-stamps|scalar-ops)|pipelines/(standalone|kernel-files|vendors|vendors-run|windows|growing-verify|scalars|in-place-operators)|codegen/(registers|targets|device-build|entry-sizes)|bench/pack|ptx-sim/corpus)\.' ;;
    1suite | 0soak | selected*) echo '^$' ;;
    1gcc) echo '^fusec :: (bench|cli|codegen|dev|mutation|op-abi|pipelines)/' ;;
    *) echo "^fusec :: (dev/|mutation/(arguments|hostile)\.|pipelines/|($others|$many)\.)" ;;
  esac
}

# The three parts of the suite, each on one build.
lit_in() { # FOLDER LABEL [TESTS]
  local lit=/usr/lib/llvm-22/bin/lit
  [ -x "$lit" ] || lit=lit
  # What --full repeats more often, it does so on the first build only.
  local further=0
  [ "$2" != suite ] || further=$full
  [ "$2" != soak ] || further=2
  announce "$2: lit"
  $lit test --param build="$PWD/$1" --param full="$further" --filter "${only:-${3:-.}}" --filter-out "$(only_once "$2")" \
    --allow-empty-runs -v -o "$results/$2.lit.json" || true
  expect_results "$2: lit ran" "$results/$2.lit.json"
}

ctest_in() { # FOLDER LABEL [TESTS]
  announce "$2: unit tests"
  ctest --test-dir "$1" -R "${only:-${3:-.}}" --output-on-failure --progress -j 2 \
    --output-junit "$PWD/$results/$2.junit.xml" || true
  expect_results "$2: ctest ran" "$results/$2.junit.xml"
}

e2e_in() { # FOLDER LABEL [E2E-OPTION...]
  local folder=$1 label=$2
  shift 2
  announce "$label: end to end"
  $python test/e2e/run.py --build "$folder" --only "${only:-.}" \
    --json "$results/$label.e2e.json" "$@" || true
  expect_results "$label: end to end ran" "$results/$label.e2e.json"
}

test_in() { # FOLDER LABEL [E2E-OPTION...]
  lit_in "$1" "$2"
  ctest_in "$1" "$2"
  e2e_in "$@"
}

# onnx_tests LABEL [OPTION...]
onnx_tests() {
  local label=$1
  shift
  announce "$label"
  $python test/onnx/run.py "$@" --only "${only:-.}" --json "$results/$label.onnx.json" || true
  expect_results "$label ran" "$results/$label.onnx.json"
}

# random_graphs LABEL OPTION...
random_graphs() {
  local label=$1
  shift
  announce "$label: random graphs"
  $python test/fuzz/run.py "$@" --only "${only:-.}" --json "$results/$label-fuzz.e2e.json" || true
  expect_results "$label: random graphs ran" "$results/$label-fuzz.e2e.json"
}

# onnx_graphs LABEL OPTION...
onnx_graphs() {
  local label=$1
  shift
  announce "$label: random ONNX graphs"
  $python test/onnx-fuzz/run.py "$@" --only "${only:-.}" \
    --json "$results/$label-onnx-fuzz.e2e.json" || true
  expect_results "$label: random ONNX graphs ran" "$results/$label-onnx-fuzz.e2e.json"
}

# levels LABEL [OPTION...]: the bits of -O0 at -O1.
levels() {
  local label=$1
  shift
  announce "$label: levels"
  $python test/levels/run.py "$@" --only "${only:-.}" \
    --json "$results/$label-levels.e2e.json" || true
  expect_results "$label: levels ran" "$results/$label-levels.e2e.json"
}

# schedules LABEL OPTION...
schedules() {
  local label=$1
  shift
  announce "$label: damaged schedules"
  $python test/schedules/run.py "$@" --only "${only:-.}" \
    --json "$results/$label-schedules.e2e.json" || true
  expect_results "$label: damaged schedules ran" "$results/$label-schedules.e2e.json"
}

# mutation LABEL [OPTION...]: corrupted models, which are not selected by name.
mutation() {
  local label=$1
  shift
  announce "$label: corrupted models"
  $python test/mutation/run.py "$@" --json "$results/$label-mutation.e2e.json" || true
  expect_results "$label: corrupted models ran" "$results/$label-mutation.e2e.json"
}

# device LABEL SCRIPT [OPTION...]: one of test/device, about kernels of GPUs.
device() {
  local label=$1 script=$2
  shift 2
  announce "$label: $script of kernels of GPUs"
  $python "test/device/$script.py" "$@" --only "${only:-.}" \
    --json "$results/$label-device-$script.e2e.json" || true
  expect_results "$label: $script ran" "$results/$label-device-$script.e2e.json"
}

# damaged_caches LABEL SECONDS: what reads a Fast-Run cache against libFuzzer, which starts
# from the corpus that the suite replays.
damaged_caches() {
  local label=$1 seconds=$2 outcome=passed folder=build/fuzz-cache
  announce "$label: damaged caches"
  mkdir -p "$folder"
  { ninja -C build fuzz-cache && build/bin/fuzz-cache -max_total_time="$seconds" -max_len=4096 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/" "$folder" test/fuzz-cache/corpus; } ||
    outcome=failed
  $python tools/dev/summarise-tests --record "$results" "$label-caches" "damaged caches" "$outcome"
}

# texts_of_operators LABEL SECONDS: random and damaged ones, that long each.
texts_of_operators() {
  local label=$1 seconds=$2 outcome=passed first=1000000
  announce "$label: texts of operators"
  { build/bin/fuzz-fop formulas $first "${seconds}s" && build/bin/fuzz-fop damage $first "${seconds}s" \
    examples/layer_norm/norms.fop examples/deform_conv/deform_conv.fop \
    test/import/bodies/Inputs/values.fop test/cli/Inputs/swish.fop && $python test/fuzz-fop/run.py --count "$seconds"; } ||
    outcome=failed
  $python tools/dev/summarise-tests --record "$results" "$label-texts" "texts of operators" "$outcome"
}

# compilations LABEL N: one of N end-to-end models, of those that the label's run of them has
# left, compiled by the fusec of a build that watches threads. It ends with 66 where they race;
# 2 and 4 refuse a model, as some are made for.
compilations() {
  local label=$1 every=$2 compiled=0 wrong=0 outcome=failed model code
  announce "$label: compilations"
  for model in $(find "build/$label/e2e" -name '*.onnx' | sort | awk "NR % $every == 1"); do
    code=0
    TSAN_OPTIONS="suppressions=test/tsan-suppressions.txt exitcode=66" \
      "build/$label/bin/fusec" compile "$model" -o "build/$label/compiled" \
      >"build/$label/compiled.log" 2>&1 || code=$?
    case "$code" in
      0) compiled=$((compiled + 1)) ;;
      2 | 4) ;;
      *) wrong=$((wrong + 1)) && echo "$model: $code" && cat "build/$label/compiled.log" ;;
    esac
  done
  echo "$compiled compiled, $wrong wrong"
  [ "$compiled" = 0 ] || [ "$wrong" != 0 ] || outcome=passed
  $python tools/dev/summarise-tests --record "$results" "$label-compilations" "compilations" "$outcome"
}

# generated_libraries LABEL SANITIZERS: a library of `fusec op gen`, compiled with these, that 8
# threads load, call and unload. A child of the build's own fusec asks it what it has.
generated_libraries() {
  local label=$1 outcome=passed folder=build/$1/generated
  local cxx="${compilers[1]#*=} -g -fsanitize=$2"
  announce "$label: generated libraries"
  mkdir -p "$folder"
  # shellcheck disable=SC2086  # a compiler and its flags
  { TSAN_OPTIONS="suppressions=test/tsan-suppressions.txt" CXX="$cxx" "build/$label/bin/fusec" op gen \
    examples/layer_norm/norms.fop -o "$folder/libnorms.so" --op LayerNorm --types f32 \
    --shapes x=*x48 --face tvm-ffi &&
    $cxx -std=c++17 -O1 -pthread -I runtime/include test/op-gen/Threads.cpp -ldl -o "$folder/threads" &&
    ASAN_OPTIONS=detect_leaks=1 "$folder/threads" "$folder/libnorms.so"; } || outcome=failed
  $python tools/dev/summarise-tests --record "$results" "$label-generated" "generated libraries" "$outcome"
}

compilers=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
if command -v clang++-22 >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
fi

summarise() { exec $python tools/dev/summarise-tests "$results" --allowed test/allowed-skips.txt; }

if [ "$soak" = 1 ]; then
  build_in build all -DCMAKE_BUILD_TYPE=Release "${compilers[@]}" || summarise
  random_graphs soak --first 10000 --count 20000
  onnx_graphs soak --first 10000 --count 20000
  schedules soak --first 10000 --count 5000
  [ -n "$only" ] || mutation soak --first 10000 --count 20000
  lit_in build soak '^fusec :: cli/(algos|padding|tune-kill)\.'
  levels soak
  e2e_in build soak
  e2e_in build soak-device --device
  onnx_tests soak-newest --newest
  device soak mutation --all
  device soak resources --all
  device soak nets
  [ -n "$only" ] || damaged_caches soak 600
  [ -n "$only" ] || texts_of_operators soak 600
  summarise
fi

# sample_of N [M]: of models and of ONNX's tests the suite takes one of N and --full one of M,
# unless they are selected by name; --soak takes all.
sample_of() {
  local each=$1
  [ "$full" = 0 ] || each=${2:-$1}
  [ -n "$only" ] || echo "--sample $each"
}

# lean_sample_of N: with sanitizers and for other processors, where models show less of fusec
# than of what compilers make of the sources, in the lean way of test/e2e/run.py.
lean_sample_of() { [ -n "$only" ] || echo "--sample $1 --lean"; }

# The other parts use it, too: programs of it, and what it gave to which compiler.
is_built=0
build_in build all -DCMAKE_BUILD_TYPE=Release "${compilers[@]}" && is_built=1

# shellcheck disable=SC2046  # a sample is none or several words
run_suite() {
  [ "$is_built" = 0 ] || test_in build suite $(sample_of 10 4)

  announce "models"
  which_models=--quick
  [ "$full" = 1 ] && which_models=
  $python test/models/run.py $which_models --only "${only:-.}" --jobs 2 \
    --json "$results/models.e2e.json" || true
  expect_results "models ran" "$results/models.e2e.json"

  e2e_in build device --device $(sample_of 16 10)

  onnx_tests onnx $(sample_of 2 1)

  graphs=150
  [ "$full" = 0 ] || graphs=300
  random_graphs suite --count "$graphs"
  [ "$full" = 0 ] || random_graphs device --device --count 60
  graphs=80
  [ "$full" = 0 ] || graphs=200
  onnx_graphs suite --count "$graphs"
  pairs="--sample 40 --count 32"
  [ "$full" = 0 ] || pairs="--sample 24 --count 500"
  [ -z "$only" ] || pairs=""
  # shellcheck disable=SC2086  # none, two or four words
  levels suite $pairs
  damaged=50
  [ "$full" = 0 ] || damaged=150
  schedules suite --count "$damaged"

  [ -n "$only" ] || mutation suite
  device suite mutation
  device suite resources
  device suite traffic
  device suite texts

  [ "$full" = 0 ] || [ -n "$only" ] || damaged_caches suite 60
  [ "$full" = 0 ] || [ -n "$only" ] || texts_of_operators suite 60

  [ "$full" = 0 ] || onnx_tests onnx-newest --newest $(sample_of 3)

  if [ "$full" = 1 ] && [ -z "$only" ]; then
    announce "a large model"
    $python test/models/large.py --json "$results/large.e2e.json" || true
    expect_results "a large model ran" "$results/large.e2e.json"
  fi

  if [ "$full" = 1 ]; then
    for cpu in zen4 sapphire-rapids-amx; do
      e2e_in build "$cpu" --programs build/bin --cpu "$cpu" $(lean_sample_of 16)
    done

    announce "each example by itself, the Debian package, and warnings of all compilers"
    ctest --test-dir build -C Full -R "${only:-^(install-(alone|deb)|warnings)$}" --output-on-failure -j 2 \
      --output-junit "$PWD/$results/install.junit.xml" || true
    expect_results "install: ctest ran" "$results/install.junit.xml"
  fi
}

# shellcheck disable=SC2046  # a sample is none or several words
run_gcc() {
  if build_in build/gcc all -DCMAKE_BUILD_TYPE=Release -DFUSEC_TEST_INSTALL=OFF \
    -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++; then
    # What the suite's build gave to one compiler this one gives to the other, of
    # a sample, which is made here where this part runs alone. And some random graphs as users
    # compile them, where an optimiser may go wrong.
    case " $parts " in
      *" suite "*) ;;
      *)
        e2e_in build like $(lean_sample_of 16)
        onnx_tests onnx-like $(sample_of 4)
        ;;
    esac
    test_in build/gcc gcc --like build $(sample_of 16)
    onnx_tests onnx-gcc --build build/gcc --like build $(sample_of 4)
    random_graphs gcc --build build/gcc --first 5500 --count 100 --as-emitted
  fi
}

# shellcheck disable=SC2046  # a sample is none or several words
run_asan() {
  # The packaged LLVM is not instrumented, so containers that cross into it would
  # be reported as overflows, its allocators' free memory as poisoned, and what it
  # caches for the process as leaks. It was built with NDEBUG, on which the layout of
  # a pass's statistics depends.
  export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  if build_in build/asan all -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" \
    -DFUSEC_SANITIZE=address,undefined "${compilers[@]}"; then
    test_in build/asan asan $(lean_sample_of 24)
    # What compiles for GPUs, and the simulator.
    e2e_in build/asan asan-device --device $(sample_of 96)
    random_graphs asan --build build/asan --first 5000 --count 100
    # Some 10 times as slow as without the sanitizers.
    [ -n "$only" ] || mutation asan --build build/asan --count 600 --seconds 100
    [ -n "$only" ] || generated_libraries asan address,undefined
  fi
}

# shellcheck disable=SC2046  # a sample is none or several words
run_tsan() {
  # Threads run in the runtime, in what is emitted, and in the compiler.
  if build_in build/tsan "runtime-tests c-api-test fusec" -DCMAKE_BUILD_TYPE=Release \
    -DFUSEC_SANITIZE=thread "${compilers[@]}"; then
    ctest_in build/tsan/test/runtime tsan '^(Demo|Model|Session|ThreadPool|TunerTest)\.|^c-api$'
    e2e_in build/tsan tsan --programs build/bin $(lean_sample_of 16)
    [ -n "$only" ] || compilations tsan 4
    [ -n "$only" ] || generated_libraries tsan thread
  fi
}

for part in $parts; do
  "run_$part"
done
summarise

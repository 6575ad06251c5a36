# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Commands that fail, with --json: what they print, which VALIDATE reads.
#   failing.sh VALIDATE MISSING_MODEL FOLDER
show() {
  shown=$1
  shift
  fusec "$@" --json > "$folder/error.json" 2> /dev/null && exit 1
  echo "$shown: $(wc -l < "$folder/error.json") line, $($validate < "$folder/error.json")"
  cat "$folder/error.json"
}
validate=$1 model=$2 folder=$3
for command in run inspect verify; do
  show "$command none.onnx" $command "$model"
done
show "check none.onnx --dim 3" check "$model" --dim 3
show "run --frobnicate" run "$model" --frobnicate

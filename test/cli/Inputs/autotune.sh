# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# autotune.sh COMMAND FOLDER: what COMMAND, with a file behind it, says to files that are
# not as they should be, and its exit code.
try() {
  printf '%s' "$1" > "$2/config.json"
  $command "$2/config.json" > "$2/out.txt" 2>&1
  code=$?
  sed -n 's/.*config.json: error: //p' "$2/out.txt"
  echo "code $code"
}
command=$1
try '{"kernels": {"enable": true}}' "$2"
try '{"kernel": {"range": [1, 2]}}' "$2"
try '{"kernel": {"enable": 1}}' "$2"
try '{"kernel": {"enable": true, "tuning_range": [3, 3]}}' "$2"
try '{"kernel": {"enable": true, "tuning_range": [0, 3], "cache": 1}}' "$2"
try '{"kernel": {"enable": true}}' "$2"
try '{"layout": true}' "$2"
try '{"dataloader": {"enable": true, "tuning_steps": 0}}' "$2"
try '{"layout": {"tuning_steps": 1}}' "$2"
try '[]' "$2"
try '{' "$2"

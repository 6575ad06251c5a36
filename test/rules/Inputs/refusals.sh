# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles with libraries of rules that cannot be used, and prints what is said.
#   refusals.sh SOURCE MODEL WORK COMPILER...
source=$1 model=$2 work=$3
shift 3
say() {
  fusec compile "$model" -o "$work/out" "$@" 2>&1
  echo "code $?"
}
build() {
  "$@" "$source" -o "$library" || exit 1
}
try() { # NAME FLAG COMPILER...
  library=$work/$1.so flag=$2
  shift 2
  build "$@" "$flag"
  say --rules "$library"
}
try abort '-DCRASH=abort()' "$@"
try fault '-DCRASH=*(volatile int *)0=1' "$@"
try exit '-DCRASH=exit(0)' "$@"
try abi -DABI=2 "$@"
try level -DLEVEL=1 "$@"
try own '-DNAME="powers.expand"' "$@"
try name '-DNAME="One"' "$@"
try twice '-DNAME="another.rule"' "$@"
try hidden -DHIDDEN "$@"
library=$work/fine.so
build "$@"
say --rules "$library,$library"
cp "$library" "$work/copy.so"
say --rules "$library,$work/copy.so"
say --rules "$work/none.so"
say --rules "$model"
say --rules "$(dirname "$model")"
say --rules "$library" --disable-rule=one.rul
test -e "$work/out" || echo "nothing is written"

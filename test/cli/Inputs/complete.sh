# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.sh SCRIPT WORD...: what bash completes of the last word, one a line.
source "$1"
shift
compopt() { COMPREPLY+=("files by $*"); }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_fusec
printf '%s\n' "${COMPREPLY[@]}"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.zsh FOLDER LINE WHOLE: an interactive zsh that has FOLDER/_fusec makes WHOLE of LINE
# and a tab.
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D; PS1=rea''dy"
# A prompt: what is written before it, zsh may lose.
zpty -r -m shell shown '*ready*'
zpty -w -n shell "$2"$'\t'
zpty -r -m shell shown "*$3*" && print -r -- "$3"
zpty -d shell

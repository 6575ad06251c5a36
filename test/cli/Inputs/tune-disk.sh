# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tune-disk.sh FUSEC MODEL FOLDER: fusec tune into a cache on a disk of 1 MB, in a
# namespace of its own. Prints what it says, its exit codes, and what became of the cache.
fusec=$1 model=$2 folder=$3
disk=$folder/disk
mkdir "$disk" && mount -t tmpfs -o size=1m tmpfs "$disk" || exit 99
export XDG_CACHE_HOME="$folder/built"

fill() { dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null; }

tune() { # PART OPTION...
  part=$1
  shift
  "$fusec" tune "$model" -o "$disk/cache" --shard "$part" "$@"
  echo "code $?"
}

check() {
  diff -r "$folder/before" "$disk/cache" && echo "the cache is as before: $("$fusec" cache verify "$disk/cache")"
}

tune 1/2
cp -r "$disk/cache" "$folder/before"

echo "== it fills up after the first part"
# While candidates are compiled: there was room when the search began.
cat >"$folder/fill-and-compile" <<EOF
#!/bin/sh
case "\$*" in *--version*) ;; *) dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null ;; esac
exec c++ "\$@"
EOF
chmod +x "$folder/fill-and-compile"
CXX=$folder/fill-and-compile
export CXX
tune 2/2
unset CXX
check

echo "== it is full"
fill
tune 2/2
check

echo "== what is known there, and a lock"
tune 1/2 --write-lock "$disk/lock"
ls -A "$disk"
check

echo "== what is built lies there"
# The cache is elsewhere, and has room.
XDG_CACHE_HOME=$disk/built "$fusec" tune "$model" -o "$folder/elsewhere" --shard 2/2
echo "code $?"
find "$disk/built" -type f ! -name tune.slot

echo "== it is read-only"
rm "$disk/filler"
mount -o remount,ro "$disk" || exit 99
tune 2/2
check

echo "== what is known needs no right to write"
tune 1/2

echo "== there is room again"
mount -o remount,rw "$disk" || exit 99
tune 2/2
"$fusec" cache verify "$disk/cache"

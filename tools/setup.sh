#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what fusec needs on Debian 12. A second run only looks and is instant.
#   tools/setup.sh           packages to build and run fusec
#   tools/setup.sh --tests   also the packages of the suite and a Python venv in .venv
#   tools/setup.sh --bench   also the peers of tools/bench, in a venv in .venv-bench
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '3,6s/^# \?//p' tools/setup.sh; }
tests=0
bench=0
for arg in "$@"; do
  case "$arg" in
    --tests) tests=1 ;;
    --bench) bench=1 ;;
    -h | --help) usage; exit 0 ;;
    *) { echo "setup: unknown argument '$arg'"; usage; } >&2; exit 64 ;;
  esac
done

packages=(g++ cmake ninja-build ccache clang-22 lld-22
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libisl-dev libgmp-dev libmimalloc-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libprotobuf-dev protobuf-compiler)
if [ "$tests" = 1 ]; then
  packages+=(libgtest-dev libclang-rt-22-dev libonnx-testdata python3 python3-venv binutils
    make dpkg-dev file g++-aarch64-linux-gnu qemu-user chromium fonts-dejavu-core
    libopenblas-dev libdnnl-dev zsh fish abigail-tools)
fi

if [ "$bench" = 1 ]; then
  packages+=(python3 python3-venv)
fi

missing=()
installed=" $(dpkg-query -W -f '${db:Status-Abbrev}=${Package} ' 2>/dev/null | tr '\n' ' ') "
for package in "${packages[@]}"; do
  case "$installed" in
    *" ii =$package "*) ;;
    *) missing+=("$package") ;;
  esac
done

if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "setup: as root, run: apt-get install ${missing[*]}" >&2
      exit 4
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

# create_venv FOLDER WHAT REQUIREMENTS...: the last of which may name the others. The
# stamp holds what was installed, so a changed pin reinstalls.
create_venv() {
  local folder=$1 what=$2
  shift 2
  cat "$@" | cmp -s - "$folder/installed.txt" && return
  echo "setup: creating $folder for $what (a few minutes)"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --disable-pip-version-check -r "${!#}"
  cat "$@" >"$folder/installed.txt"
}

if [ "$tests" = 1 ]; then
  requirements=(test/requirements.txt)
  if [ ! -x "${CUDACXX:-}" ] && [ ! -x /usr/local/cuda/bin/nvcc ] && ! command -v nvcc >/dev/null; then
    requirements+=(test/requirements-cuda.txt)
  fi
  create_venv .venv "the tests" "${requirements[@]}"
fi
if [ "$bench" = 1 ]; then
  create_venv .venv-bench "the benchmark" test/requirements.txt tools/bench/requirements.txt
fi

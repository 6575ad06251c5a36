# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command where no kernel is compiled in this process, and nvcc makes max(dense, ...)
# of them min(dense, ...):   without-nvrtc.sh NVCC FOLDER COMMAND     in mounts of its own.
set -e
mkdir -p "$2/cuda" "$2/bin"
mount --rbind "$(dirname "$(dirname "$(readlink -f "$1")")")" "$2/cuda"
mount -t tmpfs tmpfs /usr/local
cat > "$2/bin/nvcc" <<EOF
#!/bin/sh
for argument; do
  case \$argument in
    *.cu) sed -i 's/max(dense/min(dense/' "\$(dirname "\$argument")"/*_kernels.cuh ;;
  esac
done
exec "$2/cuda/bin/nvcc" "\$@"
EOF
chmod +x "$2/bin/nvcc"
export CUDACXX=$2/bin/nvcc XDG_CACHE_HOME=$2/cache
set +e
eval "$3"

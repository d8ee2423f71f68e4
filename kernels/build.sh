#!/bin/sh
# Called by Maven: builds the kernel library if there is a CUDA compiler, and reports if there is none.
# usage: build.sh NATIVE_DIR CLASSES_DIR ARCHS PTX TARGETS
#   ARCHS such as "80 90", or "all"; PTX such as "90", or "none"; TARGETS such as "library tests benches", or "none"
set -eu
cd "$(dirname "$0")"
native=$1
package=$2/io/latimer/kernels
archs=$3
ptx=$4
targets=$5
[ "$ptx" != none ] || ptx=

mkdir -p "$package/linux-x86_64"

# Written to a temporary file and renamed, so that a stopped build leaves no partial file.
describe() {
  printf '%s\n' "$@" >"$package/kernels.properties.new"
  mv "$package/kernels.properties.new" "$package/kernels.properties"
}

skip() {
  rm -f "$package/linux-x86_64/liblatimer_kernels.so"
  echo "kernels: not built: $1. GPU operators will not be available; everything else is."
  describe "built=false" "reason=$1"
  exit 0
}

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) ;;
*) skip "the kernels are built on Linux x86-64 only, this is $(uname -s) $(uname -m)" ;;
esac

[ "$targets" != none ] || skip "./latimer found no NVIDIA driver; with one, it builds them"

compiler=
for candidate in "${NVCC:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" nvcc /usr/local/cuda/bin/nvcc; do
  if [ -n "$candidate" ] && compiler=$(command -v "$candidate"); then
    break
  fi
done
[ -n "$compiler" ] || skip "there is no nvcc (looked at NVCC, CUDA_HOME, PATH and /usr/local/cuda)"
command -v make >/dev/null || skip "there is no make"
command -v "${CXX:-g++}" >/dev/null || skip "there is no C++ compiler for nvcc"
release=$("$compiler" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
[ "${release%%.*}" -ge 12 ] || skip "nvcc $release is too old: CUDA 12 or newer is needed"

make --no-print-directory -j2 OUT="$native" NVCC="$compiler" ARCHS="$archs" PTX="$ptx" $targets
cmp -s "$native/liblatimer_kernels.so" "$package/linux-x86_64/liblatimer_kernels.so" ||
  cp "$native/liblatimer_kernels.so" "$package/linux-x86_64/liblatimer_kernels.so"
architectures=$(cat "$native/architectures")
abi=$(sed -n 's/^#define LAT_ABI_VERSION \([0-9]*\)$/\1/p' include/latimer_common.h)
describe "built=true" "architectures=$architectures" "toolkit=$release" "abi=$abi"
echo "kernels: built for $architectures with CUDA $release."

#!/bin/sh
# Compiles the programs of this folder anew with nvcc and with clang's NVPTX back end, into ptx/. Products and sums are
# not fused, so that results are those of the reference.
set -e
cd "$(dirname "$0")"
mkdir -p ptx
for source in *.cu; do
  name=${source%.cu}
  # Half precision comes from headers of the CUDA toolkit.
  case $name in
    halves) nvcc -std=c++17 -fmad=false -arch=compute_75 -ptx "$source" -o "ptx/$name.nvcc-sm_75.ptx"; continue ;;
    bfloats) nvcc -std=c++17 -fmad=false -arch=compute_80 -ptx "$source" -o "ptx/$name.nvcc-sm_80.ptx"; continue ;;
  esac
  nvcc -std=c++17 -fmad=false -arch=compute_75 -ptx "$source" -o "ptx/$name.nvcc-sm_75.ptx"
  for how in "-O2 sm_20" "-O0 sm_70"; do
    set -- $how
    case $name in votes | shuffles) set -- "$1" sm_70 "-Xclang -target-feature -Xclang +ptx60" ;; esac
    clang++ -std=c++17 "$1" --cuda-gpu-arch="$2" -ffp-contract=off --cuda-device-only -nocudainc -nocudalib $3 \
      -Wno-unknown-cuda-version -S "$source" -o "ptx/$name.clang$1-$2.ptx"
  done
done
# What calls functions of the runtime is CUDA C++ with its headers.
for source in runtime/*.cu; do
  nvcc -std=c++17 -arch=compute_75 -ptx "$source" -o "${source%.cu}.ptx"
done

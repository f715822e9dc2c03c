#!/bin/sh
# Compiles the programs of this folder anew with clang's NVPTX back end, into ptx/; `./dev ptx` does so with nvcc
# (program.h). What calls functions of the CUDA runtime or needs headers of the CUDA toolkit is for nvcc alone.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
  name=${source%.cu}
  case $name in halves | bfloats) continue ;; esac  # half precision comes from headers of the toolkit
  for how in "-O2 sm_20" "-O0 sm_70"; do
    set -- $how
    case $name in votes | shuffles) set -- "$1" sm_70 "-Xclang -target-feature -Xclang +ptx60" ;; esac
    clang++ -std=c++17 "$1" --cuda-gpu-arch="$2" -ffp-contract=off --cuda-device-only -nocudainc -nocudalib $3 \
      -Wno-unknown-cuda-version -S "$source" -o "ptx/$name.clang$1-$2.ptx"
  done
done

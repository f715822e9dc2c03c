#!/usr/bin/env bash
# A .ptx that nvcc made belongs to its CUDA source as that is now, and its line information to lines that exist.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec python3 "$here/../tools/make_ptx" --check "${1:-$here/../..}"

#!/usr/bin/env bash
# Every source file is as clang-format (with .clang-format) writes it: `./dev format` repairs it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v clang-format >/dev/null || { echo "clang-format is not installed: ./dev test installs it"; exit 1; }
while IFS=: read -r file line _; do
  breach "$file:$line: not as clang-format writes it; run ./dev format"
done < <(sources src tests workloads | xargs -r -n 20 clang-format --dry-run 2>&1 | grep 'clang-format-violations' |
  sort -t: -k1,1 -u || true)
finish

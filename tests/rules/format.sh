#!/usr/bin/env bash
# Every source file is as clang-format (with .clang-format) writes it: `./dev format` repairs it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v clang-format >/dev/null || { echo "clang-format is not installed: ./dev test installs it"; exit 1; }
while read -r file; do
  # The text is compared: --dry-run also reports changes that change nothing.
  line=$(clang-format "$file" | cmp "$file" - 2>&1 | sed -nE 's/.*line ([0-9]+)$/\1/p' || true)
  [[ -z $line ]] || breach "$file:$line: not as clang-format writes it; run ./dev format"
done < <(sources src tests workloads)
finish

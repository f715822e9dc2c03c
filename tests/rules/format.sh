#!/usr/bin/env bash
# Every source file is as clang-format (with .clang-format) writes it: `./dev format` repairs it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v clang-format >/dev/null || { echo "clang-format is not installed: ./dev test installs it"; exit 1; }
mapfile -t files < <(sources src tests workloads python; compgen -G "editors/*.cc" || true)
while read -r file; do
  # --dry-run, one call for all files, also reports changes that change nothing: of those it names, the text is compared.
  line=$(clang-format "$file" | cmp "$file" - 2>&1 | sed -nE 's/.*line ([0-9]+)$/\1/p' || true)
  [[ -z $line ]] || breach "$file:$line: not as clang-format writes it; run ./dev format"
done < <(clang-format --dry-run "${files[@]}" 2>&1 | sed -nE 's/^([^:]+):[0-9]+:[0-9]+: (warning|error): .*/\1/p' | sort -u)
finish

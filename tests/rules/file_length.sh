#!/usr/bin/env bash
# Small files: none over 600 lines. One that grows past 400 is asking to be two.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r file; do
  lines=$(wc -l <"$file")
  [[ $lines -le 600 ]] || breach "$file:601: $lines lines; the limit is 600"
done < <(sources src tests workloads)
finish

#!/usr/bin/env bash
# Small files: of src/ none over 400 lines and half of them at most 130; elsewhere none over 600.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r lines file; do
  [[ $file != total ]] || continue
  limit=600
  [[ $file != src/* ]] || limit=400
  [[ $lines -le $limit ]] || breach "$file:$((limit + 1)): $lines lines; the limit is $limit"
done < <(sources src tests workloads python | xargs -r wc -l)
median=$(sources src | xargs -r wc -l | awk '$2 != "total" { print $1 }' | sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] + 0 }')
[[ $median -le 130 ]] || breach "src: half of the files have more than 130 lines (median $median)"
finish

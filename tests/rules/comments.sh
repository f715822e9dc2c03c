#!/usr/bin/env bash
# Every source file opens with a comment that says what it is (a .cc beside its header need not repeat it), and none
# carries a note about unfinished work.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r file; do
  [[ $file == *.cc && -f ${file%.cc}.h ]] && continue
  [[ $(head -c 2 "$file") == "//" ]] || breach "$file:1: open the file with a comment: what it is, and what it leaves out"
done < <(sources src workloads python)

while IFS=: read -r file line text; do
  breach "$file:$line: ${text# }: finish it or write it down in docs/"
done < <(sources src tests workloads python | xargs -r grep -nHE '\<(TODO|FIXME|XXX|HACK)\>' || true)
finish

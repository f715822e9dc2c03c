#!/usr/bin/env bash
# Every feature that a machine may have (src/ptx/isa/feature.h) is needed by a card or by code: what nothing needs would
# be a promise of the machine files that the simulator does not keep.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

table=src/ptx/isa/feature.h
[[ -f $table ]] || finish
while IFS=: read -r line row; do
  name=$(sed -E 's/^ *X\(([A-Za-z0-9]+),.*/\1/' <<<"$row")
  [[ -n $(sources src | grep -vFx "$table" | xargs grep -lE "Feature::$name\b") ]] ||
    breach "$table:$line: no card and no code needs Feature::$name"
done < <(grep -nE '^ *X\([A-Z]' "$table" | grep -v '#')
finish

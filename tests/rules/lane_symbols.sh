#!/usr/bin/env bash
# lane_symbols.sh BUILD-FOLDER: object files of lane code, which are compiled for newer processors too, define no function
# that the linker could take for the same one of other files: inline ones lie in the namespace of their instruction set.
set -euo pipefail
breaches=0 files=0
while IFS= read -r object; do
  files=$((files + 1))
  isa=$(sed -nE 's|.*/warptime_isa_([a-z0-9]+)\.dir/.*|\1|p' <<<"$object")
  while read -r name; do
    echo "$object: $name"
    breaches=$((breaches + 1))
  done < <(nm --defined-only --demangle "$object" | sed -nE 's/^[0-9a-f]+ W //p' | grep -v "::$isa::" || true)
done < <(find "$1" -path '*/warptime_isa_*' -name '*.isa.cc.o')
[[ $files -gt 0 ]] || { echo "no lane code in $1"; exit 1; }
echo "$breaches shared function(s) in $files object files"
[[ $breaches -eq 0 ]]

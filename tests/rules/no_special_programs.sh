#!/usr/bin/env bash
# The model knows no program: neither the front end nor the timing model nor a machine file names a workload or one of
# its kernels, so that no workload can have a parameter of its own. Comments may name them.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Names that are also words of PTX or of machine files.
ordinary='^(cp|prefetch|shared)$'
names=$(mktemp) quoted=$(mktemp)
trap 'rm -f "$names" "$quoted"' EXIT
{
  grep -hoE '\.entry +[A-Za-z_][A-Za-z0-9_]*' workloads/*/*.ptx 2>/dev/null | sed -E 's/.* //'
  find workloads -mindepth 1 -maxdepth 1 -type d -printf '%f\n'
} | sort -u | grep -vE "$ordinary" >"$names" || true
sed 's/.*/"&"/' "$names" >"$quoted"

while IFS=: read -r file line text; do
  breach "$file:$line: names a workload or a kernel, but the model has the same rules for all:$text"
done < <(sources src/base src/ptx src/sim | xargs -r grep -nHFf "$quoted" | grep -vE ':[0-9]+: *//' || true)
for file in configs/*.yaml; do
  [[ -f $file ]] || continue
  while IFS=: read -r line text; do
    breach "$file:$line: names a workload or a kernel, but machines have the same parameters for all:$text"
  done < <(sed 's/#.*//; /^description:/s/.*//' "$file" | grep -nwFf "$names" || true)
done
finish

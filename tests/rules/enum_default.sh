#!/usr/bin/env bash
# No `default:` in a switch over an enumeration: the compiler then names every switch that a new enumerator forgot.
# (The list of stall reasons is the case that matters most.) A switch counts when one of its labels is `case X::Y`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r file; do
  hits=$(code_only "$file" | awk '
    {
      line = " " $0
      while (match(line, /[{}]|[^A-Za-z_]switch *\(|[^A-Za-z_]case +[A-Za-z_:]*::[A-Za-z_]+|[^A-Za-z_]default *:/)) {
        token = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        if (token ~ /switch/) pending = 1
        else if (token == "{") { ++depth; is_switch[depth] = pending; pending = 0; is_enum[depth] = 0; default_at[depth] = 0 }
        else if (token == "}") {
          if (depth > 0 && is_switch[depth] && is_enum[depth] && default_at[depth]) print default_at[depth]
          if (depth > 0) --depth
        }
        else if (token ~ /case/) is_enum[depth] = 1
        else default_at[depth] = NR
      }
    }')
  for line in $hits; do
    breach "$file:$line: default in a switch over an enumeration: list every enumerator, so that the compiler can check"
  done
done < <(sources_with '\<default *:' src workloads)
finish

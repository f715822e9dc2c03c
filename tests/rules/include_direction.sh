#!/usr/bin/env bash
# Rooms may include only what lies before them:
#   base <- ptx <- sim (model <- exec, mem and runtime <- decode <- state <- core <- gpu) <- cpu <- host <- report <- cli
# and a workload only what a program outside the repository would: host, cpu (and base), and other workloads.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rank_of() {  # of a path below src/
  case "$1" in
    base/*) echo 0 ;;
    ptx/*) echo 1 ;;
    sim/model/*) echo 2 ;;
    sim/exec/* | sim/mem/* | sim/runtime/*) echo 3 ;;
    sim/decode/*) echo 4 ;;
    sim/state/*) echo 5 ;;
    sim/core/*) echo 6 ;;
    sim/gpu/*) echo 7 ;;
    sim/*) echo 2 ;;
    cpu/*) echo 8 ;;
    host/*) echo 9 ;;
    report/*) echo 10 ;;
    cli/*) echo 11 ;;
    *) echo none ;;
  esac
}
room_of() { case "$1" in sim/*/*) cut -d/ -f1,2 <<<"$1" ;; *) echo "${1%%/*}" ;; esac; }

# Every quoted include below the folders, as "FILE:LINE INCLUDED".
quoted_includes() {
  sources "$@" | xargs -r grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
    sed -E 's/^([^:]+:[0-9]+):[^"]*"([^"]*)".*/\1 \2/'
}

while read -r place included; do
  file=${place%%:*}
  own=${file#src/}
  own_rank=$(rank_of "$own")
  rank=$(rank_of "$included")
  if [[ $own_rank == none ]]; then
    breach "$place: src/ has the layers base, ptx, sim/{model,exec,mem,runtime,decode,state,core,gpu}, cpu, host, report and cli; this file is in none"
  elif [[ $rank == none ]]; then
    breach "$place: include \"$included\" by its path from src/, so that its layer is visible"
  elif [[ $rank -gt $own_rank || ($rank -eq $own_rank && $(room_of "$own") != $(room_of "$included")) ]]; then
    breach "$place: $(room_of "$own") includes \"$included\": $(room_of "$own") must not know $(room_of "$included")"
  fi
done < <(quoted_includes src)

while read -r place included; do
  case "$included" in
    host/* | cpu/* | base/*) ;;
    ../*/*) [[ -f workloads/${included#../} ]] || breach "$place: no workload has \"$included\"" ;;
    */*) breach "$place: a workload is written against host/, cpu/ and base/ only, not \"$included\"" ;;
  esac
done < <(quoted_includes workloads)
finish

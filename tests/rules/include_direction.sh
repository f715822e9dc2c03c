#!/usr/bin/env bash
# Rooms may include only what lies before them:
#   base <- ptx <- sim (model <- exec, mem and runtime <- native <- decode <- state <- core <- gpu) <- cpu <- host <- report
#   <- debug <- cuda <- cli <- web; host <- measure <- cli
# analysis sees base, ptx and sim/model alone: its models are a second opinion on what the simulator says;
# and a workload only what a program outside the repository would: host, cpu (and base), and other workloads.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rank_of() {  # sets `rank` to that of a path below src/
  case "$1" in
    base/*) rank=0 ;;
    ptx/*) rank=1 ;;
    sim/model/*) rank=2 ;;
    sim/exec/* | sim/mem/* | sim/runtime/*) rank=3 ;;
    sim/native/*) rank=4 ;;
    sim/decode/*) rank=5 ;;
    sim/state/*) rank=6 ;;
    sim/core/*) rank=7 ;;
    sim/gpu/*) rank=8 ;;
    sim/*) rank=2 ;;
    cpu/*) rank=9 ;;
    host/*) rank=10 ;;
    report/*) rank=11 ;;
    analysis/*) rank=11 ;;
    measure/*) rank=11 ;;
    debug/*) rank=12 ;;
    cuda/*) rank=13 ;;
    cli/*) rank=14 ;;
    web/*) rank=15 ;;
    *) rank=none ;;
  esac
}
room_of() {  # sets `room`
  room=${1%%/*}
  local below=${1#sim/}
  [[ $1 != sim/*/* ]] || room=sim/${below%%/*}
}

# Every quoted include below the folders, as "FILE:LINE INCLUDED".
quoted_includes() {
  sources "$@" | xargs -r grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
    sed -E 's/^([^:]+:[0-9]+):[^"]*"([^"]*)".*/\1 \2/'
}

while read -r place included; do
  file=${place%%:*}
  own=${file#src/}
  rank_of "$own"; own_rank=$rank
  room_of "$own"; own_room=$room
  rank_of "$included"
  room_of "$included"
  if [[ $own_rank == none ]]; then
    breach "$place: src/ has the layers base, ptx, sim/{model,exec,mem,runtime,native,decode,state,core,gpu}, cpu, host, report, cuda, debug, analysis, measure and cli; this file is in none"
  elif [[ $rank == none ]]; then
    breach "$place: include \"$included\" by its path from src/, so that its layer is visible"
  elif [[ $own_room == analysis && $room != analysis && $rank -gt 2 ]]; then
    breach "$place: analysis includes \"$included\": its models know base, ptx and sim/model, never how the simulator works"
  elif [[ $rank -gt $own_rank || ($rank -eq $own_rank && $own_room != "$room") ]]; then
    breach "$place: $own_room includes \"$included\": $own_room must not know $room"
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

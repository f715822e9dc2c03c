#!/usr/bin/env bash
# documented_commands.sh BINARY DOCUMENT...: every command in a ```console block of the documents works. A command line
# starts with "$ "; it must end with status 0, or with N where the line ends in "# exit N". Only the status is compared.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
binary=$(readlink -f "$1")
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$root/workloads" "$root/configs" "$root/docs" "$folder/"
verbs=$("$root/dev" help | sed -nE 's/^  ([a-z]+) .*/\1/p')
breaches=0
commands=0
breach() { echo "$*"; breaches=$((breaches + 1)); }

check() {  # PLACE COMMAND
  local place=$1 command=$2 wanted=0 status=0 output
  [[ $command =~ \#\ exit\ ([0-9]+)$ ]] && wanted=${BASH_REMATCH[1]}
  case "$command" in
    ./dev\ run*) command="warptime run${command#./dev run}"
                 # The main job at an eighth of the work: the same kernels, every element checked.
                 [[ $command == "warptime run" ]] && command="warptime run matmul --param n=256" ;;
    ./dev\ *)
      local verb=${command#./dev }
      grep -qx "${verb%% *}" <<<"$verbs" || breach "$place: $command: ./dev has no such command"
      return ;;
    git\ clone\ * | cd\ *) return ;;
    warptime\ * | build/warptime\ * | cut\ *) ;;
    *) breach "$place: $command: begin with warptime, ./dev, cut, git clone or cd"; return ;;
  esac
  commands=$((commands + 1))
  output=$(cd "$folder" && warptime() { "$binary" "$@"; } && eval "${command#build/}" 2>&1) || status=$?
  [[ $status -eq $wanted ]] || breach "$place: $command: ended with status $status, not $wanted
$output"
}

for document in "$@"; do
  while IFS=$'\t' read -r line command; do
    check "${document#"$root"/}:$line" "$command"
  done < <(awk '/^```/ { inside = ($0 == "```console"); next } inside && /^\$ / { print NR "\t" substr($0, 3) }' "$document")
done
[[ $commands -gt 0 ]] || breach "no command found in $*"
echo "$commands command(s) run, $breaches breach(es)"
[[ $breaches -eq 0 ]]

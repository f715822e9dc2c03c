#!/usr/bin/env bash
# documented_commands.sh BINARY DOCUMENT...: every command in a ```console block of the documents works. A command line
# starts with "$ "; it must end with status 0, or with N where the line ends in "# exit N". Only the status is compared.
# Compilers, and what they build, run where they are installed; what cmake does is tested by tests/install, what
# apt-get installs by tests/package. The code block behind a line
# `<!-- text of FILE -->` is that file, letter for letter (tests/tools/update_outputs writes it).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
binary=$(readlink -f "$1")
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$root/workloads" "$root/configs" "$root/docs" "$root/validation" "$root/labs" "$folder/"
mkdir "$folder/no_driver"
echo "no library" >"$folder/no_driver/libcuda.so.1"
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
      return 0 ;;
    git\ clone\ * | cd\ * | cmake\ * | "sudo apt-get install ./build/package/"*) return 0 ;;
    nvcc\ * | clang++\ *)
      local compiler=${command%% *}
      command -v "$compiler" >/dev/null || { echo "$place: not run, $compiler is not installed"; return 0; } ;;
    "warptime exec "* | "build/warptime exec "*)
      command -v nvcc >/dev/null || { echo "$place: not run, nvcc is not installed to build its program"; return 0; } ;;
    "warptime grade "*.cu*)
      command -v nvcc >/dev/null || command -v clang++ >/dev/null ||
        { echo "$place: not run, no compiler is installed"; return 0; } ;;
    "warptime measure "*" --measured "*) ;;  # needs none
    "warptime measure "*)
      # Where no GPU is: its options and files are right if that is all it complains of. tests/measure has the rest.
      commands=$((commands + 1))
      output=$(cd "$folder" && LD_LIBRARY_PATH="$folder/no_driver" "$binary" ${command#warptime } 2>&1) || status=$?
      [[ $status -eq 2 && $output == "error: this machine has no NVIDIA driver"* ]] ||
        breach "$place: $command: without a GPU, ended with status $status
$output"
      return 0 ;;
    warptime\ * | build/warptime\ * | cut\ *) ;;
    *) breach "$place: $command: begin with warptime, ./dev, nvcc, clang++, cut, cmake, git clone or cd"; return 0 ;;
  esac
  commands=$((commands + 1))
  output=$(cd "$folder" && warptime() { "$binary" "$@"; } && eval "${command#build/}" 2>&1) || status=$?
  [[ $status -eq $wanted ]] || breach "$place: $command: ended with status $status, not $wanted
$output"
}

texts=0
compare_text() {  # PLACE DOCUMENT LINE FILE: the first block behind LINE
  texts=$((texts + 1))
  diff -u "$root/$4" <(tail -n "+$3" "$2" | awk '/^```/ { if (inside) exit; inside = 1; next } inside') ||
    breach "$1: is not the text of $4: run tests/tools/update_outputs"
}

for document in "$@"; do
  while IFS=: read -r line file; do
    [[ -z $line ]] || compare_text "${document#"$root"/}:$line" "$document" "$line" "$file"
  done < <(sed -nE '/^<!-- text of .* -->$/{=;s/<!-- text of (.*) -->/\1/p}' "$document" | paste -sd ':\n')
  while IFS=$'\t' read -r line command; do
    check "${document#"$root"/}:$line" "$command"
  done < <(awk '/^```/ { inside = ($0 == "```console"); next } inside && /^\$ / { print NR "\t" substr($0, 3) }' "$document")
done
[[ $((commands + texts)) -gt 0 ]] || breach "no command and no text found in $*"
echo "$commands command(s) run, $texts text(s) compared, $breaches breach(es)"
[[ $breaches -eq 0 ]]

#!/usr/bin/env bash
# package_test.sh SOURCE FOLDER: the Debian packages in FOLDER are installed into a fresh Debian system, where the command
# runs and a CMake project outside the tree builds against them. Where such a system cannot be made (no root, no network),
# the packages are unpacked instead, and their Depends are compared with what the program links.
set -euo pipefail
source=$1 folder=$2
suite=bookworm
here=$(mktemp -d)
trap 'rm -rf --one-file-system "$here"' EXIT

say() { echo "package_test: $*"; }
fail() { say "FAILED: $*"; exit 1; }

program=("$folder"/warptime_*.deb) development=("$folder"/warptime-dev_*.deb)
[[ ${#program[@]} -eq 1 && -f ${program[0]} ]] || fail "not one package warptime in $folder: ${program[*]}"
[[ ${#development[@]} -eq 1 && -f ${development[0]} ]] || fail "not one package warptime-dev in $folder: ${development[*]}"

# What both ways ask of the command. `in_root COMMAND...` runs one there.
check_command() {
  has '^warptime 0' warptime --version
  has '^ *matmul' warptime list workloads
  has 'vecadd' warptime run vecadd --stats "$1/vecadd.json"
  has '^ *clocks|tesla-c1060' warptime machine show tesla-c1060
  has '^issue/add-s32' warptime validate micro --only issue/add
  local status=0
  in_root warptime run no-such-workload 2>/dev/null || status=$?
  [[ $status -eq 2 ]] || fail "a wrong name gives status $status instead of 2"
}

# has PATTERN COMMAND...: its output has a line of this pattern.
has() {
  local pattern=$1 output
  shift
  output=$(in_root "$@" 2>&1) || fail "$*: $output"
  grep -qE "$pattern" <<<"$output" || fail "no line $pattern from $*: ${output:0:500}"
}

contents() { dpkg-deb -c "$1" | awk '{print $6}'; }
in_program=$(contents "${program[0]}") in_development=$(contents "${development[0]}")

say "contents"
for file in ./usr/bin/warptime ./usr/share/man/man1/warptime.1.gz ./usr/share/man/man1/warptime-run.1.gz \
    ./usr/share/bash-completion/completions/warptime ./usr/share/zsh/vendor-completions/_warptime \
    ./usr/share/fish/vendor_completions.d/warptime.fish ./usr/share/warptime/configs/geforce-8800-gtx.yaml; do
  grep -qxF "$file" <<<"$in_program" || fail "$file is not in $(basename "${program[0]}")"
done
! grep -q '/include/' <<<"$in_program" || fail "headers are in the package of the command"
grep -q '/warptimeConfig.cmake$' <<<"$in_development" || fail "the CMake package is missing"

say "Depends against what the program links"
dpkg-deb -x "${program[0]}" "$here/unpacked"
depends=$(dpkg-deb -f "${program[0]}" Depends)
# What it links itself, at the paths that the loader takes; a package names them with or without the /usr of a merged system.
needed=$(objdump -p "$here/unpacked/usr/bin/warptime" | awk '$1 == "NEEDED" {print $2}')
while read -r library path; do
  grep -qxF "$library" <<<"$needed" || continue
  path=$(readlink -f "$path")
  owner=$(dpkg -S "$path" "${path#/usr}" 2>/dev/null | head -n 1) || true
  [[ -n $owner ]] || fail "no package has $path"
  [[ ", $depends" == *", ${owner%%:*} "* ]] || fail "$library of ${owner%%:*} is not among: $depends"
done < <(ldd "$here/unpacked/usr/bin/warptime" | awk '$2 == "=>" {print $1, $3}')

if [[ $(id -u) -eq 0 ]] && command -v mmdebstrap >/dev/null &&
   mmdebstrap --quiet --variant=apt "$suite" "$here/root" >"$here/log" 2>&1; then
  say "a fresh $suite system"
  in_root() { chroot "$here/root" env LC_ALL=C.UTF-8 "$@"; }
  install_in_root() { in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$here/log" 2>&1 ||
    { cat "$here/log"; fail "apt-get install $*"; }; }
  mkdir "$here/root/packages"
  cp "${program[0]}" "${development[0]}" "$here/root/packages"
  in_root apt-get update -qq
  say "the command"
  install_in_root "/packages/$(basename "${program[0]}")"
  check_command /tmp
  say "a project outside the tree"
  install_in_root "/packages/$(basename "${development[0]}")" g++ cmake ninja-build
  cp -r "$source/tests/install/outside" "$here/root/outside"
  in_root cmake -G Ninja -S /outside -B /outside/build -D CMAKE_BUILD_TYPE=Release >"$here/log" 2>&1 || { cat "$here/log"; fail "cmake"; }
  in_root cmake --build /outside/build >"$here/log" 2>&1 || { cat "$here/log"; fail "the build"; }
  in_root /outside/build/outside /usr/share/warptime/configs/geforce-8800-gtx.yaml
  in_root /outside/build/streams geforce-8800-gtx
  say "removed again"
  in_root apt-get remove -y -qq warptime >"$here/log" 2>&1 || { cat "$here/log"; fail "apt-get remove"; }
  [[ ! -e $here/root/usr/share/warptime && ! -e $here/root/usr/bin/warptime ]] || fail "files are left behind"
else
  say "no fresh system can be made here: the unpacked package"
  [[ ! -s $here/log ]] || tail -n 2 "$here/log"
  in_root() { PATH=$here/unpacked/usr/bin:$PATH "$@"; }
  check_command "$here"
fi
say "passed"

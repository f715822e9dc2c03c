#!/usr/bin/env bash
# The page of `warptime report` (web/bundle/report.html) is the one that `./dev web` builds from the sources in web/: it
# has their hash. It is one file of at most 1.5 MB without addresses to load from. Its sources and those of the extension
# for VS Code are small files that open with a comment, and the lists of packages name no registry.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bundle=web/bundle/report.html
recorded=$(sed -nE 's/^<!-- sources: ([0-9a-f]{64}) -->$/\1/p' "$bundle")
actual=$(bash web/source-hash.sh)
[[ $recorded == "$actual" ]] || breach "$bundle: built from other sources than those in web/; \`./dev web\` builds it anew"
[[ $(wc -c <"$bundle") -le 1500000 ]] || breach "$bundle: more than 1.5 MB, of which every report has a copy"
[[ $(grep -c '@WARPTIME_DATA@' "$bundle") -eq 1 ]] || breach "$bundle: needs one place for the data"
grep -q "default-src 'none'" "$bundle" || breach "$bundle: without the policy that forbids requests"
! grep -qE '<(script|link|img)[^>]*(src|href)="(https?:)?//' "$bundle" || breach "$bundle: loads something from the network"
for lock in web editors/vscode editors/vscode/tests/real; do
  [[ ! -f $lock/package-lock.json ]] || ! grep -q '"resolved"' "$lock/package-lock.json" ||
    breach "$lock/package-lock.json: names a registry; $lock/.npmrc keeps that out"
done
for file in web/src/*.ts $(compgen -G "editors/vscode/src/*.ts" || true); do
  [[ $(wc -l <"$file") -le 400 ]] || breach "$file: more than 400 lines"
  [[ $(head -c 3 "$file") == "// " ]] || breach "$file: opens with a comment that says what it is"
done
finish

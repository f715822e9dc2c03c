#!/usr/bin/env bash
# The page of the playground (playground/bundle/) is the one that `./dev playground --page` builds from the sources in
# playground/: it has their hash. It has at most 1 MB and no address to load from, and the list of packages names no registry.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bundle=playground/bundle
actual=$(bash playground/source-hash.sh)
[[ $(cat $bundle/sources.sha256) == "$actual" ]] || breach "$bundle: built from other sources than those in playground/; \`./dev playground --page\` builds it anew"
cmp -s playground/index.html $bundle/index.html || breach "$bundle/index.html: another one than playground/index.html"
[[ $(cat $bundle/*.js $bundle/*.css $bundle/*.html | wc -c) -le 1000000 ]] || breach "$bundle: more than 1 MB"
! grep -qE '<(script|link|img)[^>]*(src|href)="(https?:)?//' $bundle/index.html || breach "$bundle/index.html: loads something from the network"
! grep -qE '(fetch|importScripts|new Worker)\("https?:' $bundle/*.js || breach "$bundle: loads something from the network"
! grep -q '"resolved"' playground/package-lock.json || breach "playground/package-lock.json: names a registry; playground/.npmrc keeps that out"
for file in playground/src/*.ts playground/src/*.mjs; do
  [[ $(wc -l <"$file") -le 400 ]] || breach "$file: more than 400 lines"
  [[ $(head -c 3 "$file") == "// " ]] || breach "$file: opens with a comment that says what it is"
done
finish

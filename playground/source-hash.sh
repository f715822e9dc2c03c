#!/usr/bin/env bash
# Prints a hash of the sources of the playground's page: their names and contents, in order of name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
find src index.html package.json package-lock.json tsconfig.json build.mjs source-hash.sh -type f |
  LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1

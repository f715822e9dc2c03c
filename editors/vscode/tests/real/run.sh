#!/usr/bin/env bash
# Installs VS Code's server from the npm package code-server, whose own installation downloads from elsewhere, and runs the session in it:
#     run.sh WARPTIME FILE.vsix [FOLDER FOR SCREENSHOTS]
# The last line is "N passed, N failed". VS Code 1.100 needs Node 20.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $(node -p 'process.versions.node.split(".")[0]') -ne 20 ]]; then
  echo "skipped: VS Code 1.100 needs Node 20, here is $(node --version)"
  echo "0 passed, 0 failed"
  exit
fi
code=$here/node_modules/code-server/lib/vscode
if [[ ! -f $code/out/.installed ]]; then
  npm --prefix "$here" ci --ignore-scripts --no-audit --no-fund --loglevel=error
  # What the package's script would install; of the modules with code of the host's only those that the server loads are built.
  # (`npm ci` refuses its list of packages, which `npm install` follows as well.)
  for folder in "$code" "$code/extensions"; do
    (cd "$folder" && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
  done
  # Some have further scripts that fail without the network; whether the server runs is for the session to say.
  for module in @vscode/spdlog @vscode/deviceid @parcel/watcher native-watchdog node-pty; do
    (cd "$code" && npm rebuild "$module" &>/dev/null) || true
  done
  ln -sfn node_modules "$code/node_modules.asar"
  ln -sfn node_modules "$code/extensions/node_modules.asar"
  touch "$code/out/.installed"
fi
exec timeout 500 node "$here/session.mjs" "$@"

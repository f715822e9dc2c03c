#!/usr/bin/env bash
# Gradescope runs this once, when the autograder's image is built. The archive has, beside this file and run_autograder,
# the folder of the lab and warptime's Debian package (`./dev package`).
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends clang /autograder/source/warptime_*.deb

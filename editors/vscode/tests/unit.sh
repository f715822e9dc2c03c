#!/usr/bin/env bash
# The tests of the extension's code: unit.sh WARPTIME. The last line is "N passed, N failed".
cd "$(dirname "${BASH_SOURCE[0]}")"
output=$(WARPTIME=$1 timeout 300 node --test --test-reporter=tap unit.test.cjs 2>&1) || true
grep -E '^ *not ok|^ +error:|^ +[+-] ' <<<"$output" || true
sed -nE 's/^# (pass|fail) ([0-9]+)$/\2/p' <<<"$output" | paste -sd' ' | sed -E 's/^([0-9]+) ([0-9]+)$/\1 passed, \2 failed/'

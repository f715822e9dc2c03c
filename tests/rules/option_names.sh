#!/usr/bin/env bash
# An option that code looks up by name exists: arguments.has("trheads") would say "not given" forever.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/option_names.py" "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

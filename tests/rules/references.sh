#!/usr/bin/env bash
# A file that a comment or a page names exists.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/references.py" "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

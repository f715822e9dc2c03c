#!/usr/bin/env bash
# A checkpoint forgets no member of a class that it saves.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/saved_members.py" "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

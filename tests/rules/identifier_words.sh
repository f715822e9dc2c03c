#!/usr/bin/env bash
# The identifiers of src/sim are made of English, C++, PTX and the terms of docs/glossary.md.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/identifier_words.py" "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

#!/usr/bin/env bash
# A comment says what the thing below it is, without the comment above it: none begins with "Of ...", "The same ...",
# "Likewise" or "As ...". And some words that are not English are found: "is no number", "the begin", "two a cycle".
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mapfile -t files < <(for folder in src tests workloads python; do
  [[ ! -d $folder ]] || find "$folder" -type f \( -name '*.h' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' -o -name '*.py' \)
done | LC_ALL=C sort)
[[ ${#files[@]} -gt 0 ]] || exit 0

# found WHY: a breach for each FILE:LINE:TEXT of the input.
found() {
  local file line text
  while IFS=: read -r file line text; do
    breach "$file:$line:${text}: $1"
  done
}

found "say what it is; the reader may not have read what stands above it" < <(awk '
  FNR == 1 { was_comment = 0 }
  {
    is_comment = $0 ~ /^[ \t]*(\/\/|#)/
    if (!(is_comment && was_comment) && $0 ~ /(^|[ \t])(\/\/\/?|#|""") ?(Of|The same|Likewise|As)([ ,.:;]|$)/)
      print FILENAME ":" FNR ":" $0
    was_comment = is_comment
  }' "${files[@]}")
# in_files WHY REGEX FILE...
in_files() {
  local why=$1 regex=$2
  shift 2
  found "$why" < <(printf '%s\0' "$@" | xargs -0 grep -nHP -- "$regex" || true)
}
mapfile -t programs < <(printf '%s\n' "${files[@]}" | grep -E '^(src|workloads)/' || true)
in_files '"is not a", or "there is no"' '(?<!here )\b(is|are|was|were) no (?!(longer|more|less|fewer|other|such)\b)[a-z]' "${files[@]}"
in_files 'the start, or the beginning' "(?i)(\b(the|its|an?|each)|'s) begin\b" "${files[@]}"
[[ ${#programs[@]} -eq 0 ]] ||
  in_files '"per", not "a"' '"[^"]*\b(one|two|[0-9]+|bits?|bytes|cycles?|words?|lines?|threads?|points?|operations|transactions?) an? (lane|thread|warp|half-warp|memory cycle|cycle|second|block|SM|element|interaction|launch)\b|"an? warp instruction\b' "${programs[@]}"
finish

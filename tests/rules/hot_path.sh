#!/usr/bin/env bash
# What runs every simulated cycle (src/sim/core, src/sim/state, src/sim/mem) has no heap, virtual call, string, stream or exception.
# A file whose use of a word is set-up only is listed in hot_path_exceptions.txt, with the reason.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

exceptions=tests/rules/hot_path_exceptions.txt
names=(virtual new throw shared_ptr std::function std::map std::string stream)
patterns=('\<virtual\>' '\<new\>' '\<throw\>' '\<(shared_ptr|make_shared)\>' 'std::function\>'
  'std::(unordered_)?(multi)?(map|set)\>' 'std::(string|to_string)\>|\<fmt::format\>'
  '<(iostream|sstream|fstream|ostream|istream)>|std::(cout|cerr|clog)\>')

is_excepted() {  # FILE NAME
  [[ -f $exceptions ]] && awk -v file="$1" -v name="$2" '$1 == file && $2 == name && NF > 2 { found = 1 } END { exit !found }' "$exceptions"
}

used=()
while read -r file; do
  code=$(code_only "$file")
  for i in "${!names[@]}"; do
    hits=$(grep -nE "${patterns[$i]}" <<<"$code" | grep -vE '^[0-9]+:.*SIM_(DEBUG_)?ASSERT' || true)
    [[ -n $hits ]] || continue
    if is_excepted "$file" "${names[$i]}"; then
      used+=("$file ${names[$i]}")
      continue
    fi
    while IFS=: read -r line _; do
      breach "$file:$line: $(sed -n "${line}p" "$file" | sed 's/^ *//'): ${names[$i]} is banned from per-cycle code"
    done <<<"$hits"
  done
done < <(sources_with "$(IFS='|'; echo "${patterns[*]}")" src/sim/core src/sim/state src/sim/mem)

# An exception that nothing needs any more is a hole in the wall.
if [[ -f $exceptions ]]; then
  while read -r file name reason; do
    [[ -z $file || $file == '#'* ]] && continue
    printf '%s\n' "${used[@]:-}" | grep -qxF "$file $name" ||
      breach "$exceptions: the exception for $file, $name is not needed (any more)"
  done <"$exceptions"
fi
finish

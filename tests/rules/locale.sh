#!/usr/bin/env bash
# No call whose result depends on the locale of the host program, which a Python program sets at will: numbers are read
# with parse_number or std::from_chars and written with fmt or std::to_chars, characters are asked about with
# base/ascii.h, errors of the system are named by error_text. (A std::istringstream only hands on bytes.)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

patterns=(
  '\<(strto(d|f|ld|l|ll|ul|ull|imax|umax)|ato(i|l|ll|f)|sto(i|l|ll|ul|ull|f|d|ld))[[:space:]]*\(|\<v?[fs]?w?scanf[[:space:]]*\('
  '\<v?(f|s|sn|d|as|asn|sw)w?printf[[:space:]]*\(|\<to_w?string[[:space:]]*\(|\<std::o?stringstream\>|<iomanip>|\<(put|get)_(time|money)\>'
  '\<(is(alpha|alnum|digit|xdigit|space|blank|upper|lower|punct|print|graph|cntrl)|to(upper|lower)|isw[a-z]+|tow(upper|lower)|wcwidth|mbr?towc|mbsr?towcs|wcr?tomb|wcsr?tombs)[[:space:]]*\('
  '\<(strerror(_r)?|perror|str(n?case)?coll|strxfrm|strn?casecmp|strftime|setlocale|localeconv|nl_langinfo|newlocale|uselocale)[[:space:]]*\(|[.]message\(\)'
  '\<std::(w?regex|locale|use_facet|[a-z_]*punct)\>|<(locale|regex|clocale|cctype|cwctype)>'
)
why=('read numbers with parse_number or std::from_chars' 'write numbers with fmt or std::to_chars' 'characters are asked about with base/ascii.h'
  'errors of the system are named by error_text; nothing else is looked up by locale' 'nothing is looked up by locale')

while read -r file; do
  [[ $file != src/base/plural.h ]] || continue  # its numbers are whole
  [[ $file != src/web/* ]] || continue  # Emscripten's C library has one locale
  code=$(code_only "$file")
  for i in "${!patterns[@]}"; do
    while IFS=: read -r line text; do
      # fmt's function of the same name has no locale.
      [[ -n $line && $text != *'fmt::to_string('* ]] || continue
      breach "$file:$line: ${text#"${text%%[! ]*}"}: depends on the locale: ${why[$i]}"
    done < <(grep -nE "${patterns[$i]}" <<<"$code" || true)
  done
done < <(sources_with "$(IFS='|'; echo "${patterns[*]}")" src workloads python)

# "{:L}" asks fmt for the locale.
while IFS=: read -r file line text; do
  breach "$file:$line: ${text#"${text%%[! ]*}"}: depends on the locale: a format without L"
done < <(sources src workloads python | xargs -r grep -nHE '\{[0-9]*:[^{}"]*L\}' || true)
finish

#!/usr/bin/env bash
# Output files go through OutputFile (base/output_file.h), so that none is ever half written; messages through
# print_error, so that a full standard error ends nothing; standard output through cli's print().
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

patterns=('std::(w?ofstream|fstream|basic_ofstream)\>' '\<(fopen|freopen|creat|mkstemp|tmpfile)[[:space:]]*\(' '\<O_(WRONLY|RDWR|CREAT|TRUNC)\>'
  '\<(stderr|cerr|clog|perror)\>' '\<cout\>|\<(printf|puts|putchar)[[:space:]]*\(|\<fmt::print[[:space:]]*\(')
why=('files are written with OutputFile' 'files are written with OutputFile' 'files are written with OutputFile'
  'messages are written with print_error' 'standard output is written with print or OutputFile')

while read -r file; do
  case "$file" in
    src/base/output_file.cc | src/base/growing_file.cc | src/base/descriptors.cc | src/base/standard_streams.cc) continue ;;
  esac
  code=$(code_only "$file")
  for i in "${!patterns[@]}"; do
    while IFS=: read -r line text; do
      # A child process takes over what its parent has not written yet.
      [[ -n $line && $text != *'std::fflush('* ]] || continue
      breach "$file:$line: ${text#"${text%%[! ]*}"}: ${why[$i]}"
    done < <(grep -nE "${patterns[$i]}" <<<"$code" || true)
  done
done < <(sources_with "$(IFS='|'; echo "${patterns[*]}")" src workloads)
finish

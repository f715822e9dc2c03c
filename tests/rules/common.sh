# Shared by the rule scripts of this folder. Each script takes the root of a source tree (default: this repository),
# prints one line for each breach ("FILE:LINE: what, and why it is a rule") and ends with status 1 if there was any.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

breaches=0
breach() { echo "$*"; breaches=$((breaches + 1)); }

# sources FOLDER...: C++ files below the folders that exist, in order.
sources() {
  local folder
  for folder in "$@"; do
    [[ ! -d $folder ]] || find "$folder" -name '*.h' -o -name '*.cc'
  done | LC_ALL=C sort
}

# sources_with REGEX FOLDER...: those of them whose text, comments included, matches. Reading the code of the others is not necessary.
sources_with() {
  local regex=$1
  shift
  sources "$@" | xargs -r grep -lE -- "$regex" || true
}

# code_only FILE: the file with comments and the contents of string and character literals blanked, line for line.
code_only() {
  awk '{
    line = $0; out = ""
    while (length(line) > 0) {
      if (in_comment) {
        end = index(line, "*/")
        if (end == 0) { line = ""; break }
        line = substr(line, end + 2); in_comment = 0; continue
      }
      two = substr(line, 1, 2); one = substr(line, 1, 1)
      if (two == "//") break
      if (two == "/*") { in_comment = 1; line = substr(line, 3); continue }
      if (one == "\"" && match(line, /^"([^"\\]|\\.)*"/)) { out = out "\"\""; line = substr(line, RLENGTH + 1); continue }
      if (match(line, /^\047([^\047\\]|\\.)[^\047]*\047/)) { out = out "\047\047"; line = substr(line, RLENGTH + 1); continue }
      out = out one; line = substr(line, 2)
    }
    print out
  }' "$1"
}

finish() {
  if [[ $breaches -gt 0 ]]; then
    echo "$breaches breach(es)"
    exit 1
  fi
}

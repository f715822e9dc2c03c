#!/usr/bin/env bash
# The rules themselves: on a small clean tree each says nothing, and each finds the breach planted for it.
set -euo pipefail
rules=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/src/{base,ptx/isa,sim/{model,exec,mem,runtime,decode,state,core,gpu},cpu,host,report,analysis,cli} "$tree"/workloads/w "$tree"/tests/rules "$tree"/docs "$tree"/python
  cp "$rules/../../docs/glossary.md" "$tree/docs/"
  cp "$rules/cpp_words.txt" "$tree/tests/rules/"
  cp "$rules/../../.clang-format" "$tree/"
  printf '// A warp.\n#include "base/a.h"\nenum class Stall { A };\n/* virtual new */\nconst char* word = "throw";\n' \
    >"$tree/src/sim/core/warp.h"
  printf '// A workload.\n#include "host/device/device.h"\n' >"$tree/workloads/w/w.cc"
}

# expect clean|breach RULE WHAT
expect() {
  local outcome=clean output
  output=$(bash "$rules/$2.sh" "$tree" 2>&1) || outcome=breach
  if [[ $outcome != "$1" ]]; then
    echo "$2: expected $1 for: $3"
    echo "$output"
    failures=$((failures + 1))
  fi
}

# plant RULE FILE TEXT: the rule must find it.
plant() {
  fresh_tree
  printf '%b' "$3" >>"$tree/$2"
  expect breach "$1" "$3"
}

for rule in include_direction threads hot_path file_length enum_default format comments wording one_writer locale features no_special_programs saved_members; do
  fresh_tree
  expect clean "$rule" "a clean tree"
done

saved='\n  template <class A>\n  void serialize(Archive& archive) {\n    archive(a_);\n  }\n};\n'
fresh_tree
printf '%b' "class C {\\n  int f(int b_) { return b_; }\\n  uint32_t a_ = 0;\\n public:$saved" >"$tree/src/sim/core/c.h"
expect clean saved_members "a class whose only member is saved"
plant saved_members src/sim/core/a.h "class C {\\n  uint32_t a_ = 0, b_ = 1;\\n public:$saved"
plant saved_members src/sim/core/a.h "struct C {\\n  std::array<int, 2> a_{};\\n  std::vector<T*> b;  // a list$saved"
plant saved_members src/sim/core/a.h "struct C {\\n  int f() { return a_; }\\n  int* a_ = nullptr;\\n  bool b : 1 = false;$saved"
plant one_writer src/host/a.cc 'void f() { std::ofstream out("x"); }\n'
plant one_writer src/cli/a.cc 'auto* f = std::fopen(path, mode);\n'
plant one_writer src/cli/a.cc 'void f() { fmt::print(stderr, text); }\n'
plant one_writer workloads/w/a.cc 'void f() { std::printf(text); }\n'
plant locale src/base/a.cc 'double a = std::strtod(text, &end);\n'
plant locale src/host/a.cc 'int n = std::snprintf(text, 9, format, value);\n'
plant locale src/cli/a.cc 'auto text = std::to_string(0.5);\n'
plant locale src/cli/a.cc 'bool a = std::isalpha(c) != 0;\n'
plant locale src/cli/a.cc 'std::ostringstream out;\n'
plant locale src/base/a.cc 'return std::strerror(errno);\n'
plant locale src/base/a.cc 'return error.message();\n'
plant locale workloads/w/a.cc 'auto text = fmt::format("{:L}", 0.5);\n'
plant no_special_programs src/sim/model/a.cc 'bool slow = kernel.name == "w";\n'
plant include_direction src/base/a.h '#include "ptx/module.h"\n'
plant include_direction src/ptx/a.h '#include "sim/model/machine.h"\n'
plant include_direction src/sim/exec/a.h '#include "sim/mem/request.h"\n'
plant include_direction src/sim/mem/a.h '#include "sim/exec/insn.h"\n'
plant include_direction src/sim/state/a.h '#include "sim/core/sm.h"\n'
plant include_direction src/sim/exec/a.h '#include "sim/decode/decoder.h"\n'
plant include_direction src/cpu/a.h '#include "host/workload/workload.h"\n'
plant include_direction src/sim/core/a.h '#  include "sim/gpu/gpu.h"\n'
plant include_direction src/host/a.h '#include "cli/home.h"\n'
plant include_direction src/host/a.h '#include "report/page.h"\n'
plant include_direction src/report/a.h '#include "cli/home.h"\n'
plant include_direction src/host/a.h '#include "device.h"\n'
plant include_direction src/analysis/a.h '#include "sim/core/sm.h"\n'
plant include_direction src/analysis/a.h '#include "host/report/report.h"\n'
plant include_direction src/report/a.h '#include "analysis/mwp_cwp/benefits.h"\n'
plant include_direction src/lost.h '#include "base/a.h"\n'
plant include_direction workloads/w/w.cc '#include "sim/gpu/gpu.h"\n'
plant threads src/sim/state/warp.h '#include <thread>\n'
plant threads src/host/a.cc '#include <atomic>\n'
plant threads src/sim/mem/a.cc 'auto t = std::chrono::steady_clock::now();\n'
plant hot_path src/sim/state/warp.h 'struct A { virtual void f(); };\n'
plant hot_path src/sim/state/warp.h 'int* a = new int;\n'
plant hot_path src/sim/mem/a.h 'std::unordered_map<int, int> a;\n'
plant hot_path src/sim/mem/a.h 'std::string a;\n'
plant hot_path src/sim/mem/a.h '#include <sstream>\n'
plant hot_path src/sim/mem/a.cc 'void f() { throw 1; }\n'
plant hot_path tests/rules/hot_path_exceptions.txt 'src/sim/state/warp.h new an exception that nothing needs\n'
plant features src/ptx/isa/feature.h '#define PTX_FEATURES(X) \\\n  X(Flight, flight, "wings")\n'
plant file_length src/host/a.cc "$(printf 'int a;\\n%.0s' {1..401})"
plant enum_default src/host/a.cc 'int f(Stall s) {\n  switch (s) {\n    case Stall::A: { return 1; }\n    default: return 2;\n  }\n}\n'
plant format src/host/a.cc 'int   a;\n'
plant comments src/host/a.h 'int a;\n'
plant identifier_words src/sim/mem/a.h 'int flurb_count;\n'
plant references src/host/a.cc '// See gone_away.h.\n'
plant comments src/sim/state/warp.h '// TO''DO: later\n'
plant wording src/sim/mem/a.h 'int a();\n/// Of the last launch.\nint b();\n'
plant wording src/sim/mem/a.h 'int a();\n\n// The same for a warp.\nint b();\n'
plant wording src/sim/mem/a.h 'int a = 0;  // Likewise\n'
plant wording workloads/w/w.cu '// As above, for lanes.\n__device__ int a;\n'
plant wording python/a.py 'def a():\n    """As bytes."""\n'
plant wording tests/a.py '# Of these, one.\n'
plant wording src/host/a.cc 'fail(where, fmt::format("{} is no number", text));\n'
plant wording src/host/a.cc '// From the launch'\''s begin on.\n'
plant wording src/host/a.cc '// The begin of a loop.\n'
plant wording src/host/a.cc 'P(uint32_t, length, "transfers; two a memory cycle")\n'
plant wording workloads/w/w.cc 'add_figure({"issue", 4, "cycles", "a warp instruction"});\n'

fresh_tree
printf 'std::string name;\n' >"$tree/src/sim/mem/a.h"
printf 'src/sim/mem/a.h std::string a name given at set-up\n' >"$tree/tests/rules/hot_path_exceptions.txt"
expect clean hot_path "a use that is excepted"
fresh_tree
printf '// A number.\nauto text = fmt::to_string(2);\nbool is_digit(char c);\nconst char* word = "printf(";\n' >"$tree/src/host/a.cc"
expect clean locale "what has no locale"
fresh_tree
printf '#define PTX_FEATURES(X) \\\n  X(Flight, flight, "wings")\n' >"$tree/src/ptx/isa/feature.h"
printf 'auto form = Form{}.needs(Feature::Flight);\n' >"$tree/src/ptx/a.h"
expect clean features "a feature that a form needs"
fresh_tree
printf '// A number.\nint f(int s) {\n  switch (s) {\n    default: return 2;\n  }\n}\n' >"$tree/src/host/a.cc"
expect clean enum_default "a default over an integer"

fresh_tree
printf '// A list\n// Of files: there is no order, and each is no longer than a page.\nauto at = list.begin();  // of the file\n' >"$tree/src/host/a.cc"
expect clean wording "a comment that goes on, and words that are English"

fresh_tree
printf '// A number.\nint warp_slot_of_lanes = 0x1f;\n' >"$tree/src/sim/mem/a.h"
expect clean identifier_words "English words and terms of the glossary"

# A module of a source with a header, as it is made; each planted line of sed breaks it.
ptx_tree() {
  fresh_tree
  printf '//   nvcc -ptx -arch=compute_75 -lineinfo w.cu -o w.ptx\n#include "w.cuh"\n' >"$tree/workloads/w/w.cu"
  printf '// A header.\n' >"$tree/workloads/w/w.cuh"
  (
    cd "$tree"
    printf '// `./dev ptx` made this file in workloads/w with\n//   nvcc -ptx -arch=compute_75 -lineinfo w.cu -o w.ptx\n'
    printf '// from (SHA-256)\n'
    sha256sum workloads/w/w.cu workloads/w/w.cuh | sed -E 's/^(\S+) +/\/\/   \1 /'
    printf '//\n\t.loc\t1 2 0\n\t.loc\t2 1 3, function_name $L, inlined_at 1 2 0\n'
    printf '\t.file\t1 "workloads/w/w.cu"\n\t.file\t2 "workloads/w/w.cuh"\n'
  ) >"$tree/w.ptx"
  mv "$tree/w.ptx" "$tree/workloads/w/w.ptx"
}
plant_ptx() {  # FILE SED WHAT
  ptx_tree
  sed -i "$2" "$tree/workloads/w/$1"
  expect breach made_ptx "$3"
}
if command -v python3 >/dev/null; then
  fresh_tree
  printf 'Option o{"jobs", Kind::Value, "N", "w"};\nbool b = arguments.has("jobs");\n' >"$tree/src/cli/a.cc"
  expect clean option_names "an option that is declared"
  plant option_names src/cli/a.cc 'Option o{"jobs", Kind::Value, "N", "w"};\nbool b = arguments.has("jbos");\n'
  ptx_tree
  expect clean made_ptx "a module of its source"
  plant_ptx w.cu 's/$/ /' "an edited source"
  plant_ptx w.cuh 's/$/ /' "an edited header"
  plant_ptx w.cu 's/75/80/' "other flags"
  plant_ptx w.ptx 's/-lineinfo/-g/' "other flags in the module"
  plant_ptx w.ptx 's/1 2 0$/1 3 0/' "a line that its file has not"
  plant_ptx w.ptx 's/2 1 3/3 1 3/' "a line of a file without a name"
  plant_ptx w.ptx "s,\"workloads,\"$tree/workloads," "an absolute name"
  plant_ptx w.ptx 's/w.cuh"/v.cuh"/' "a file that is not there"
  plant_ptx w.ptx '/\.loc/d' "a module without lines"
  ptx_tree
  cp "$tree/workloads/w/w.ptx" "$tree/workloads/w/v.ptx"
  expect breach made_ptx "a module without a source"
  ptx_tree
  rm "$tree/workloads/w/w.ptx"
  expect breach made_ptx "a source whose module was not made"

  # A page with the output of `warptime a word`; echo stands for warptime.
  fresh_tree
  printf '```console\n$ warptime a word\n```\n\n```text\na word\n```\n' >"$tree/docs/page.md"
  shown() { python3 "$rules/../tools/update_outputs" --check "$tree/docs/page.md" "$(type -P echo)" >/dev/null; }
  shown || { echo "update_outputs: a page that shows the output is a breach"; failures=$((failures + 1)); }
  sed -i 's/^a word$/a wort/' "$tree/docs/page.md"
  ! shown || { echo "update_outputs: a page that shows another output is none"; failures=$((failures + 1)); }
  printf '```console\n$ warptime a word   # exit 1\n```\n' >"$tree/docs/page.md"
  ! shown 2>/dev/null || { echo "update_outputs: a command with another status is none"; failures=$((failures + 1)); }
fi

echo "$failures failure(s)"
[[ $failures -eq 0 ]]

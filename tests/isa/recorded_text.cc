#include "recorded_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "sim/model/machine_loader.h"

namespace warptime::recorded {

namespace {

sim::Machine an_h200() {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine("h200-sxm", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  return loaded->machine;
}
sim::RunOptions options_of(bool functional) {
  sim::RunOptions options;
  options.functional = functional;
  return options;
}

}  // namespace

std::vector<std::vector<std::string>> lines_of(const std::string& name) {
  gzFile in = gzopen((std::string(WARPTIME_SOURCE_DIR "/tests/isa/recorded/") + name).c_str(), "rb");
  REQUIRE(in != nullptr);
  std::string text;
  char part[1 << 16];
  for (int got = 0; (got = gzread(in, part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(got));
  gzclose(in);
  std::vector<std::vector<std::string>> out;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::stringstream words(line);
    std::vector<std::string>& row = out.emplace_back();
    for (std::string word; words >> word;) row.push_back(word);
  }
  return out;
}

Kernel::Kernel(const std::string& body, bool functional, const std::string& directives)
    : device(an_h200(), options_of(functional)) {
  const std::string text = fmt::format(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {}\n{{\n"
      "  .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .b128 %q<4>; .reg .f32 %f<32>; .reg .pred %p<8>;\n"
      "  .shared .align 16 .b8 shared[512];\n"
      "  ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u64 %rd2, [c];\n"
      "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n{}\n"
      "  ret;\n}}\n",
      directives, body);
  module_ = device.load_module(std::make_shared<SourceText>("k.ptx", text));
}

}  // namespace warptime::recorded

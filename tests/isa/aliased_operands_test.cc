// Instructions whose destination is one of their operands: every operand is read before anything is written.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime::sim {

namespace {

/// The words that 32 threads leave after `body`, which begins with %r1 = thread, %p1 = bit 0 of it, %p2 = bit 1.
std::vector<uint32_t> words_after(const std::string& body) {
  Diagnostics diagnostics;
  auto loaded = load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  RunOptions options;
  options.functional = true;
  host::Device device(loaded->machine, options);
  std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      "  .reg .b64 %rd<3>; .reg .b32 %r<8>; .reg .pred %p<5>;\n  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n"
      "  mad.wide.u32 %rd2, %r1, 4, %rd1;\n  and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0;\n"
      "  and.b32 %r3, %r1, 2; setp.ne.u32 %p2, %r3, 0;\n" +
      body +
      "\n  selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;\n"
      "  st.global.u32 [%rd2], %r4;\n  ret;\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  auto out = device.allocate<uint32_t>(32, "out");
  device.launch(module, "k", {1}, {32}, {out});
  std::vector<uint32_t> words(32);
  device.copy_from(words, out, "out");
  return words;
}

}  // namespace

TEST_CASE("setp with two results combines both with the operand as it was") {
  for (const char* combine : {"and", "or", "xor"}) {
    for (bool negated : {false, true}) {
      for (const char* results : {"%p1|%p2", "%p2|%p1"}) {
        std::string text = fmt::format("setp.lt.{}.s32 {}, %r1, 16, {}%p1;", combine, results, negated ? "!" : "");
        INFO(text);
        std::vector<uint32_t> got = words_after(text);
        for (uint32_t lane = 0; lane < 32; ++lane) {
          bool c = ((lane & 1) != 0) != negated, is = lane < 16;
          auto combined = [&](bool t) { return *combine == 'a' ? t && c : *combine == 'o' ? t || c : t != c; };
          bool p1 = combined(results[2] == '1' ? is : !is), p2 = combined(results[2] == '1' ? !is : is);
          CHECK(got[lane] == uint32_t{p1} + 2 * uint32_t{p2});
        }
      }
    }
  }
}

}  // namespace warptime::sim

// Half precision beyond the bits of its lanes: which machines run what, what is counted, and that the lane code's
// rounding is right for all numbers of a type.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "form_runner.h"
#include "host/device/device.h"
#include "sim/exec/handler_table.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime::sim {

namespace {

host::Device device_of(const std::string& machine, bool functional) {
  Diagnostics diagnostics;
  auto loaded = load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  RunOptions options;
  options.functional = functional;
  return host::Device(loaded->machine, options);
}

/// A kernel whose %r1 is the thread's word of `data` before and after the body.
std::shared_ptr<SourceText> kernel(std::string_view head, std::string_view body) {
  return std::make_shared<SourceText>(
      "k.ptx",
      fmt::format("{}\n.entry k(.param .u32 data) {{\n"
                  "  .reg .b32 %r<4>, %a; .reg .b16 %h<4>; .reg .f32 %f<4>;\n"
                  "  ld.param.u32 %a, [data]; cvt.u32.u16 %r2, %tid.x; mul24.lo.u32 %r2, %r2, 4;\n"
                  "  add.u32 %a, %a, %r2; ld.global.u32 %r1, [%a];\n  {}\n  st.global.u32 [%a], %r1; exit;\n}}\n",
                  head, body));
}

struct HalfRun {
  std::vector<uint32_t> words;
  InstructionCounts counts;
};
HalfRun run(const std::string& machine, std::string_view head, std::string_view body, std::vector<uint32_t> words) {
  host::Device device = device_of(machine, machine == "generic");
  auto module = device.load_module(kernel(head, body));
  auto data = device.allocate<uint32_t>(words.size(), "data");
  device.copy_to(data, words, "data");
  HalfRun out;
  out.counts = device.launch(module, "k", {1}, {static_cast<uint32_t>(words.size())}, {data}).counted().counts;
  device.copy_from(words, data, "data");
  out.words = std::move(words);
  return out;
}

constexpr std::string_view kOld = ".version 1.4\n.target sm_10", kNew = ".version 7.8\n.target sm_90\n.address_size 32";
constexpr std::string_view kThere =
    "mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %f1, %h1; mul.f32 %f1, %f1, 0f40400000;\n"
    "cvt.rn.f16.f32 %h1, %f1; mov.b32 %r1, {%h1, %h2};";

}  // namespace

TEST_CASE("conversion between f16 and f32 runs on every machine, with timing") {
  std::vector<uint32_t> words(32), expected(32);
  for (uint32_t i = 0; i < 32; ++i) {
    words[i] = 0xabcd3c00 + i;
    double tripled = narrow_value(ptx::Type::F16, (words[i] & 0xffff)) * 3;
    expected[i] = 0xabcd0000 | (0x4000 + static_cast<uint32_t>(std::nearbyint((tripled - 2) * 512)));
  }
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060", "geforce-gtx-480", "jetson-tk1", "generic"}) {
    INFO(machine);
    CHECK(run(machine, kOld, kThere, words).words == expected);
  }
}

TEST_CASE("arithmetic in half precision needs a machine that has it, and the error names the line") {
  host::Device device = device_of("geforce-8800-gtx", false);
  auto data = device.allocate<uint32_t>(32, "data");
  for (auto [body, feature] : {std::pair{"add.f16 %h1, %h2, %h3;", "\"add.f16\" needs a machine with the feature f16"},
                               {"fma.rn.bf16x2 %r1, %r1, %r1, %r1;", "needs a machine with the feature bf16"},
                               {"cvt.rna.tf32.f32 %r1, %f1;", "needs a machine with the feature bf16"},
                               {"cvt.rn.relu.f16.f32 %h1, %f1;", "needs a machine with the feature f16"}}) {
    auto module = device.load_module(kernel(kNew, body));
    CHECK_THROWS_WITH(device.launch(module, "k", {1}, {32}, {data}),
                      Catch::Contains("k.ptx:8:3: error: ") && Catch::Contains(feature));
  }
}

TEST_CASE("operations in half precision are counted for themselves, those on two numbers twice") {
  std::vector<uint32_t> words(32, 0x3c003c00);
  auto counts = [&](std::string_view body) { return run("generic", kNew, body, words).counts; };
  CHECK(counts("add.f16x2 %r1, %r1, %r1;").flops_f16 == 32 * 2);
  CHECK(counts("fma.rn.bf16x2 %r1, %r1, %r1, %r1;").flops_f16 == 32 * 4);
  CHECK(counts("mul.f16 %h1, %h2, %h3; ex2.approx.f16 %h1, %h1; cvt.rn.f16x2.f32 %r1, %f1, %f1;").flops_f16 == 32 * 2);
  InstructionCounts all = counts("fma.rn.f16x2 %r1, %r1, %r1, %r1; add.f32 %f1, %f1, %f1;");
  CHECK(all.flops == 32);
  CHECK(all.flops_f64 == 0);
  CHECK(all.flops_f16 == 32 * 4);
}

TEST_CASE("half-precision sums in memory keep every thread's part") {
  std::string body =
      ".reg .u32 %b; ld.param.u32 %b, [data]; mov.b32 %r2, 0x3c003c00; red.global.add.noftz.f16x2 [%b], %r2;\n"
      "cvt.u16.u32 %h1, %r2; red.global.add.noftz.f16 [%b+2], %h1; bar.sync 0; ld.global.u32 %r1, [%b];";
  HalfRun got = run("generic", kNew, body, std::vector<uint32_t>(32, 0));
  CHECK(got.words[31] == 0x54005000);  // 32 and 64
}

TEST_CASE("all half-precision numbers are converted to f32 and back", "[full]") {
  std::vector<Case> cases;
  std::vector<std::vector<uint64_t>> operands;
  const ptx::CardRow& card = *ptx::find_card("cvt");
  for (const ptx::Form& form : card.forms) {
    for (const Case& c : cases_of(card, form, false)) {
      bool widens = c.spelled.type == ptx::Type::F32 && is_half(c.spelled.type2);
      bool narrows = is_half(c.spelled.type) && ptx::bits(c.spelled.type) == 16 && c.spelled.type2 == ptx::Type::F32;
      if (!widens && !narrows) continue;
      cases.push_back(c);
      std::vector<uint64_t>& values = operands.emplace_back();
      for (uint64_t bits = 0; bits < 0x10000; ++bits) {
        if (widens) values.push_back(bits);
        else if (half_element(c.spelled.type) == ptx::Type::BF16)
          values.push_back(bits << 16 | (bits * 40503 & 0xffff));
        else values.push_back((bits & 0x8000) << 16 | ((bits & 0x7fff) << 13) + (98u << 23) + (bits * 40503 & 0x3fff));
      }
    }
  }
  REQUIRE(cases.size() > 30);
  for (std::string_view isa : available_isas()) {
    std::vector<CaseLanes> got = lanes_of(cases, isa, operands);
    for (size_t k = 0; k < cases.size(); ++k) {
      size_t wrong = 0;
      for (size_t i = 0; i < operands[k].size(); ++i) {
        uint64_t value[] = {operands[k][i]};
        wrong += got[k].first[i] != reference(cases[k].spelled, value)->bits ? 1 : 0;
      }
      INFO(isa << ": " << cases[k].text);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace warptime::sim

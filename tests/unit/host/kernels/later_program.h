// Kernels of one warp for forms of later targets, executed on `generic` and, where its features allow, with timing on
// a machine that has them.
#pragma once

#include <fmt/format.h>

#include <bit>

#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host::later {

using Words = std::vector<uint32_t>;

inline sim::Machine machine_with_all(bool functional) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  if (functional) return loaded->machine;
  sim::Machine machine = default_machine();
  machine.config.features = loaded->machine.config.features;
  return machine;
}

/// A kernel of one warp that leaves a word of each thread in %r1. %r0 is the thread, %rd2 a buffer of 1,024 words,
/// which holds 0, 1, 2 ... before, and %rd3 the handle of `texture`, whose texels are that buffer.
struct Program {
  std::string body;
  std::string outside = {};
  std::optional<sim::Texture> texture = {};
  uint32_t further = 0;  // words from the first level of detail to each other
};
inline Words run(const Program& program, bool functional) {
  sim::RunOptions options;
  options.functional = functional;
  Device device(machine_with_all(functional), options);
  std::string text = fmt::format(
      ".version 9.0\n.target sm_100a\n.address_size 64\n{}\n"
      ".visible .entry k(.param .u64 out, .param .u64 data, .param .u64 texture)\n{{\n"
      "  .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .f32 %f<16>; .reg .b16 %h<8>; .reg .b8 %b<4>;\n  "
      ".reg .b128 %q<2>;\n"
      "  mov.u32 %r0, %tid.x; mov.u32 %r1, 0; cvt.rn.f32.u32 %f0, %r0;\n"
      "  ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [texture];\n{}\n"
      "  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"
      "  st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      program.outside, program.body);
  ModuleRef module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Words out(32), data(1024);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = i;
  Buffer results = device.allocate<uint32_t>(out.size(), "out"), words = device.allocate<uint32_t>(data.size(), "data");
  device.copy_to(words, data, "data");
  Argument handle = arg_u64(0);
  if (program.texture) {
    sim::Texture texture = *program.texture;
    texture.base = words.address;
    texture.further.fill(words.address + program.further * 4);
    handle = device.make_texture(texture);
  }
  device.launch(module, "k", {1}, {32}, {results, words, handle});
  device.copy_from(out, results, "out");
  return out;
}

template <class F>
void check_program(const Program& program, const F& expected) {
  for (bool functional : {true, false}) {
    Words out = run(program, functional);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      INFO("thread " << lane << (functional ? ", functional" : ", timed"));
      CHECK(out[lane] == expected(lane));
    }
  }
}

inline std::string fault_of(const Program& program) {
  try {
    run(program, true);
  } catch (const FaultError& error) {
    return error.fault.message;
  }
  return "none";
}

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

}  // namespace warptime::host::later

// One PTX instruction as the simulator decodes it, and 24 warps' registers that it runs on in turn, as on an SM of a
// G80. Sources are random numbers, the same every time, and stay what they are: results go to registers of their own.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "ptx/load_module.h"
#include "sim/decode/compiled_kernel.h"

namespace warptime::bench {

inline constexpr uint32_t kWarps = 24;

/// What is in the source registers.
enum class Numbers { Integers, Floats, Doubles };

class OneInstruction {
 public:
  /// `text` reads %r1 to %r4, %f1 to %f4, %d1 to %d3, %rd1, %rd2, %p1 and %p2, and writes registers with numbers from 5
  /// on.
  OneInstruction(const std::string& text, Numbers numbers) {
    const std::string module_text = R"(.version 7.0
.target sm_75
.address_size 64
.global .texref image;
.visible .entry one()
{
.reg .b32 %r<10>;
.reg .f32 %f<10>;
.reg .f64 %d<10>;
.reg .b64 %rd<10>;
.reg .pred %p<10>;
.shared .align 16 .b8 sh[4096];
)" + text + R"(
st.shared.v4.b32 [sh], {%r1, %r2, %r3, %r4};
st.shared.v4.f32 [sh], {%f1, %f2, %f3, %f4};
st.shared.v2.f64 [sh], {%d1, %d2};
st.shared.f64 [sh], %d3;
st.shared.v2.b64 [sh], {%rd1, %rd2};
@%p1 st.shared.b32 [sh], %r1;
@%p2 st.shared.b32 [sh], %r1;
ret;
}
)";
    Diagnostics diagnostics;
    auto module = ptx::load_module(std::make_shared<SourceText>("one.ptx", module_text), diagnostics);
    SIM_ASSERT(module != nullptr, "{}", diagnostics.to_text());
    sim::MachineConfig machine;
    machine.native_cost = sim::NativeCost::ptx;
    for (const auto& feature : sim::kFeatures) machine.features.emplace_back(feature.name);
    sim::SymbolAddresses addresses(module->symbols.size(), 0);
    kernel_ = sim::decode(module, module->kernels[0], addresses, machine, diagnostics);
    SIM_ASSERT(kernel_ != nullptr, "{}", diagnostics.to_text());
    fill(numbers);
  }

  const sim::Insn& insn() const { return kernel_->insns[0]; }
  const sim::CompiledKernel& kernel() const { return *kernel_; }
  const sim::WordAccess& words() const { return kernel_->words; }
  const sim::TextureAccess& textures() const { return kernel_->textures; }
  sim::WarpValues& warp(uint32_t i) { return warps_[i]; }
  /// Sets a source register of a warp: `value` of each lane.
  template <class T, class Value>
  void set(uint32_t warp, sim::RowRef row, Value value) {
    for (uint32_t lane = 0; lane < sim::kWarpSize; ++lane) {
      T number = static_cast<T>(value(lane));
      std::memcpy(warps_[warp].rows() + row.bits + lane * sizeof(T), &number, sizeof(T));
    }
    before_ = registers_;
  }
  /// Whether any register has changed since it was filled: else nothing was computed.
  bool has_results() const { return registers_ != before_ || predicates_ != predicates_before_; }

 private:
  void fill(Numbers numbers) {
    SplitMix64 random(1);
    size_t row_words = sim::kRowBytes / 8, words = kernel_->rows * row_words;
    registers_.resize(kWarps * words + 8);
    size_t to_line = (64 - reinterpret_cast<uintptr_t>(registers_.data()) % 64) % 64 / 8;
    for (uint64_t& word : registers_) {
      if (numbers == Numbers::Integers) word = random.below(1 << 16) | random.below(1 << 16) << 32;
      else if (numbers == Numbers::Floats) word = float_bits(random) | float_bits(random) << 32;
      else word = double_bits(random);
    }
    for (uint32_t i = 0; i < kWarps * kernel_->predicates; ++i)
      predicates_.push_back(static_cast<uint32_t>(random.next()));
    for (uint32_t i = 0; i < kWarps; ++i)
      warps_.push_back({{reinterpret_cast<const std::byte*>(registers_.data() + to_line + i * words),
                         reinterpret_cast<const std::byte*>(kernel_->launch_rows.data())},
                        predicates_.data() + i * kernel_->predicates});
    before_ = registers_;
    predicates_before_ = predicates_;
  }
  /// In [-4, 4]: no result of an instruction here is infinite or subnormal.
  static uint64_t float_bits(SplitMix64& random) { return std::bit_cast<uint32_t>(random.uniform(-4.0f, 4.0f)); }
  static uint64_t double_bits(SplitMix64& random) { return std::bit_cast<uint64_t>(random.uniform() * 8 - 4); }

  std::unique_ptr<const sim::CompiledKernel> kernel_;
  std::vector<uint64_t> registers_, before_;
  std::vector<uint32_t> predicates_, predicates_before_;
  std::vector<sim::WarpValues> warps_;
};

}  // namespace warptime::bench

// Products of warpgroups: what lies where, by formulas written here again from the manual (PTX ISA 9.0, 9.7.15.4 and
// 9.7.15.5), with numbers whose sums are exact; and against what a real GPU made of the same operands
// (recorded/wgmma.gz).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <set>

#include "host/device/device.h"
#include "ptx/isa/cards.h"
#include "ptx/load_module.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "vector_file.h"
#include "wgmma_forms.h"

namespace warptime::sim {

using ptx::Type;

namespace {

std::vector<std::byte> simulated(const WgmmaForm& form, const std::vector<std::byte>& operands) {
  Diagnostics diagnostics;
  auto loaded = load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  RunOptions options;
  options.functional = true;
  host::Device device(loaded->machine, options);
  std::vector<std::byte> results(wgmma_result_bytes(form));
  auto in = device.allocate<std::byte>(operands.size(), "operands");
  auto out = device.allocate<std::byte>(results.size(), "results");
  device.write_bytes(in.address, operands);
  device.write_bytes(out.address, results);
  auto module = device.load_module(std::make_shared<SourceText>("wgmma.ptx", wgmma_module({&form, 1}, 0)));
  device.launch(module, "k0", {kWgmmaBlocks}, {kWgmmaThreads}, {in, out});
  device.read_bytes(results, out.address);
  return results;
}

/// The number that bits mean; only types of which the exact blocks are checked.
double number(Type type, uint32_t bits) {
  auto floating = [bits](uint32_t exponent_bits, uint32_t fraction_bits) {
    const uint32_t field = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    const double fraction = bits & ((1u << fraction_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1, exponent = static_cast<int>(field == 0 ? 1 : field) - bias;
    const double size = std::ldexp(fraction / (1u << fraction_bits) + (field == 0 ? 0 : 1), exponent);
    return (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -size : size;
  };
  switch (type) {
    case Type::F16: return floating(5, 10);
    case Type::BF16: return floating(8, 7);
    case Type::E4M3: return floating(4, 3);
    case Type::E5M2: return floating(5, 2);
    case Type::S8: return static_cast<int8_t>(bits);
    case Type::U8:
    case Type::B1: return bits;
    case Type::S32: return static_cast<int32_t>(bits);
    default: {
      float value = 0;
      const uint32_t kept = type == Type::TF32 ? bits & ~0x1fffu : bits;
      std::memcpy(&value, &kept, 4);
      return value;
    }
  }
}

/// Pieces of 16 bytes, as the manual's canonical layouts count them.
uint32_t piece_place(const WgmmaOperand& at, uint32_t mn, uint32_t k, uint32_t bits) {
  const uint32_t wide = at.swizzle == 0 ? 1 : at.swizzle / 16;
  const uint32_t major = (at.by_mn ? mn : k) * bits / 8, other = at.by_mn ? k : mn, piece = major / 16;
  if (!at.by_mn)  // ((8, m), (T, 2)): rows of a core matrix, then core matrices
    return other % 8 * wide * 16 + other / 8 * at.stride +
           (at.swizzle == 0 ? piece * at.leading : piece % wide * 16 + piece / wide * at.leading) + major % 16;
  if (at.swizzle == 0) return piece * at.stride + other % 8 * 16 + other / 8 * at.leading + major % 16;
  return piece % wide * 16 + piece / wide * at.leading + other % 8 * wide * 16 + other / 8 * at.stride + major % 16;
}
uint32_t byte_place(const WgmmaOperand& at, uint32_t part, uint32_t mn, uint32_t k, uint32_t bits) {
  const uint32_t place = part + at.start + piece_place(at, mn, k, bits);
  const uint32_t row = (place >> 7) - at.base_offset;  // bits 7 to 9 change bits 4 to 6
  if (at.swizzle == 128) return place ^ (row & 7) << 4;
  if (at.swizzle == 64) return place ^ (row & 3) << 4;
  return at.swizzle == 32 ? place ^ (row & 1) << 4 : place;
}

/// The operands of one block.
struct WgmmaBlock {
  const WgmmaForm& form;
  const std::byte* at;

  uint32_t word(size_t offset) const {
    uint32_t out = 0;
    std::memcpy(&out, at + offset, 4);
    return out;
  }
  uint32_t in_shared(const WgmmaOperand& operand, uint32_t part, uint32_t mn, uint32_t k, Type type) const {
    const uint32_t bits = ptx::bits(type);
    if (bits == 1) return word(byte_place(operand, part, mn, k / 32, 32)) >> k % 32 & 1;
    const uint32_t place = byte_place(operand, part, mn, k, bits);
    uint32_t out = 0;
    std::memcpy(&out, at + place, bits / 8);
    return out;
  }
  uint32_t a(uint32_t row, uint32_t stored) const {
    const uint32_t bits = ptx::bits(form.a);
    if (!form.a_at.in_registers) return in_shared(form.a_at, 0, row, stored, form.a);
    const uint32_t each = 32 / bits, thread = row / 16 * 32 + row % 8 * 4 + stored / each % 4;
    const uint32_t reg = row % 16 / 8 + stored / (4 * each) * 2;
    const size_t first = kWgmmaShared + size_t{form.d_registers()} * kWgmmaThreads * 4;
    const uint32_t value = word(first + (reg * kWgmmaThreads + thread) * 4) >> stored % each * bits;
    return bits == 32 ? value : value & ((1u << bits) - 1);
  }
  uint32_t b(uint32_t k, uint32_t column) const { return in_shared(form.b_at, kWgmmaB, column, k, form.b); }
  static uint32_t d_bits(const WgmmaForm& form, const std::byte* registers, uint32_t row, uint32_t column) {
    const uint32_t thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    const bool halves = form.d == Type::F16;
    const uint32_t i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2, reg = halves ? i / 2 : i;
    uint32_t word = 0;
    std::memcpy(&word, registers + (reg * kWgmmaThreads + thread) * 4, 4);
    return halves ? word >> i % 2 * 16 & 0xffff : word;
  }
  uint32_t metadata(uint32_t thread) const {
    const uint32_t a_registers = form.a_at.in_registers ? 4 : 0;
    return word(kWgmmaShared + (size_t{form.d_registers()} + a_registers) * kWgmmaThreads * 4 + thread * 4);
  }
  /// Column of the stored element of a sparse row.
  uint32_t column_of(uint32_t row, uint32_t stored) const {
    if (!form.sparse) return stored;
    const uint32_t bits = ptx::bits(form.a), group = row / 16 * 32 + row % 8 * 4, upper = row % 16 / 8;
    if (bits == 32) {  // one of two; four pairs a thread and row
      const uint32_t chunk = stored, word = metadata(group + form.selector * 2 + chunk / 4);
      return 2 * chunk + (word >> (upper * 16 + chunk % 4 * 4 + 1) & 1);
    }
    const uint32_t chunk = stored / 2;
    const uint32_t thread = bits == 16 ? group + form.selector * 2 + chunk / 4 : group + chunk / 8 * 2 + upper;
    const uint32_t shift = bits == 16 ? upper * 16 + chunk % 4 * 4 : chunk % 8 * 4;
    return chunk * 4 + (metadata(thread) >> (shift + stored % 2 * 2) & 3);
  }
};

double expected(const WgmmaBlock& block, uint32_t row, uint32_t column) {
  const WgmmaForm& form = block.form;
  double sum = 0;
  for (uint32_t i = 0; i < (form.sparse ? form.k / 2 : form.k); ++i)
    sum += number(form.a, block.a(row, i)) * number(form.b, block.b(block.column_of(row, i), column));
  sum *= form.scale_a * form.scale_b * static_cast<double>(form.groups * form.each);
  if (form.scale_d) sum += number(form.d, WgmmaBlock::d_bits(form, block.at + kWgmmaShared, row, column));
  return sum;
}

/// Blocks whose sums are exact: all of integers that do not overflow, those with small numbers.
bool is_exact(const WgmmaForm& form, uint32_t block) { return form.d == Type::S32 ? block % 4 == 2 : block % 8 == 6; }

void check_form(const WgmmaForm& form) {
  INFO(form.name());
  const std::vector<std::byte> operands = wgmma_operands(form), results = simulated(form, operands);
  for (uint32_t block = 0; block < kWgmmaBlocks; ++block) {
    if (!is_exact(form, block)) continue;
    const WgmmaBlock of{form, operands.data() + operands.size() / kWgmmaBlocks * block};
    const std::byte* registers = results.data() + results.size() / kWgmmaBlocks * block;
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t column = 0; column < form.n; ++column) {
        const double got = number(form.d, WgmmaBlock::d_bits(form, registers, row, column));
        const double wanted = expected(of, row, column);
        if (form.d == Type::F16 && std::fabs(wanted) > 512) continue;  // not exact
        if (got == wanted) continue;
        FAIL_CHECK("block " << block << " row " << row << " column " << column << ": " << got << ", not " << wanted);
        return;
      }
  }
}

}  // namespace

TEST_CASE("wgmma multiplies the matrices that its descriptors and registers mean: some forms") {
  const std::vector<WgmmaForm> forms = wgmma_forms();
  for (size_t i = 0; i < forms.size(); i += 37)
    if (forms[i].contents == WgmmaForm::Contents::Numbers) check_form(forms[i]);
}

TEST_CASE("wgmma multiplies the matrices that its descriptors and registers mean: all forms", "[all]") {
  for (const WgmmaForm& form : wgmma_forms())
    if (form.contents == WgmmaForm::Contents::Numbers) check_form(form);
}

namespace {

void check_recorded(const WgmmaForm& form, const VectorFile& recorded) {
  const auto found = recorded.forms.find(form.name());
  if (found == recorded.forms.end()) FAIL("nothing recorded for " << form.name() << ": see docs/contributing.md");
  REQUIRE(found->second.refusal.empty());
  std::vector<uint64_t> expected(kWgmmaBlocks);
  REQUIRE(found->second.bytes.size() == expected.size() * 8);
  std::memcpy(expected.data(), found->second.bytes.data(), found->second.bytes.size());
  const std::vector<uint64_t> got = wgmma_hashes(form, simulated(form, wgmma_operands(form)));
  for (uint32_t block = 0; block < kWgmmaBlocks; ++block)
    if (got[block] != expected[block]) {
      FAIL_CHECK(form.name() << ": block " << block << " differs, and perhaps more");
      return;
    }
}

}  // namespace

TEST_CASE("wgmma gives the bits that a GPU recorded: some forms") {
  const VectorFile recorded = read_vectors(WARPTIME_SOURCE_DIR "/tests/isa/recorded/wgmma.gz");
  const std::vector<WgmmaForm> forms = wgmma_forms();
  for (size_t i = 0; i < forms.size(); i += 29) check_recorded(forms[i], recorded);
}

TEST_CASE("wgmma gives the bits that a GPU recorded: all forms", "[all]") {
  const VectorFile recorded = read_vectors(WARPTIME_SOURCE_DIR "/tests/isa/recorded/wgmma.gz");
  for (const WgmmaForm& form : wgmma_forms()) check_recorded(form, recorded);
}

TEST_CASE("every form of wgmma is recorded") {
  std::set<const ptx::Form*> used;
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceText>("wgmma.ptx", wgmma_module(wgmma_forms(), 0));
  auto module = ptx::load_module(source, diagnostics);
  REQUIRE(module != nullptr);
  for (const ptx::Kernel& kernel : module->kernels)
    for (const ptx::Instruction& instruction : kernel.instructions) used.insert(instruction.form);
  const ptx::CardRow* card = ptx::find_card("wgmma");
  REQUIRE(card != nullptr);
  for (const ptx::Form& form : card->forms) {
    INFO("form " << &form - card->forms.data() << " " << operands_of(*card->card, form));
    CHECK(used.contains(&form));
  }
}

}  // namespace warptime::sim

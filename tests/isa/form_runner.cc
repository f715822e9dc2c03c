#include "form_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>

#include "ptx/load_module.h"
#include "sim/exec/handler_table.h"

namespace warptime::sim {

using ptx::Type;

namespace {

/// The values of one tuple: mixed radix over the sources' lists.
struct Tuples {
  std::vector<std::vector<uint64_t>> lists;
  uint64_t count = 1;

  explicit Tuples(const Case& c) {
    for (size_t i = 0; i < c.sources.size(); ++i) {
      bool immediate = c.immediate >= 0 && i + 1 == c.sources.size();
      if (immediate) lists.push_back({static_cast<uint64_t>(c.immediate)});
      else lists.push_back(operand_values(c.spelled, c.registers[i]));
      count *= lists.back().size();
    }
  }
  std::vector<uint64_t> at(uint64_t index) const {
    std::vector<uint64_t> out;
    for (const std::vector<uint64_t>& list : lists) {
      out.push_back(list[index % list.size()]);
      index /= list.size();
    }
    return out;
  }
};

struct State {
  std::vector<std::byte> rows;
  std::vector<uint32_t> predicates;
  WarpValues values(const CompiledKernel& kernel) {
    return {{rows.data(), reinterpret_cast<const std::byte*>(kernel.launch_rows.data())}, predicates.data()};
  }
  bool operator==(const State&) const = default;
};

void put(State& state, const Insn& insn, size_t source, const Case& c, uint32_t lane, uint64_t bits) {
  RowRef ref = insn.src[source];
  if (c.sources[source] == Type::Pred) {
    uint32_t& mask = state.predicates[ref.bits];
    bool one = (bits != 0) != c.negates_predicate;
    mask = (mask & ~(1u << lane)) | (uint32_t{one} << lane);
  } else if (ref.is_register()) {
    uint32_t width = ptx::bytes(c.registers[source]);
    std::memcpy(state.rows.data() + ref.bits + lane * width, &bits, width);
  }
}

/// Distance of two numbers of a type in units in the last place; of two pairs of half-precision numbers that of the
/// two that are further apart.
uint64_t distance(Type type, uint64_t a, uint64_t b) {
  if (info(type).kind == ptx::TypeKind::Packed)
    return std::max(distance(half_element(type), a & 0xffff, b & 0xffff),
                    distance(half_element(type), a >> 16, b >> 16));
  uint64_t sign = uint64_t{1} << (ptx::bits(type) - 1);
  auto order = [sign](uint64_t x) {
    auto s = static_cast<int64_t>(x & (sign - 1));
    return (x & sign) != 0 ? -s : s;
  };
  return static_cast<uint64_t>(std::llabs(order(a) - order(b)));
}

void expect_lane(State& expected, const State& got, const Insn& insn, const Case& c, uint32_t lane,
                 const Result& result) {
  auto set_bit = [lane](uint32_t& mask, bool one) { mask = (mask & ~(1u << lane)) | (uint32_t{one} << lane); };
  if (insn.dst_is_predicate) {
    set_bit(expected.predicates[insn.dst], result.bits != 0);
    if (c.has_second) set_bit(expected.predicates[insn.dst2], result.second);
    return;
  }
  uint32_t width = ptx::bytes(c.destination_register);
  uint64_t bits = result.bits;
  if (c.destination_register != c.destination)  // extended to the register
    bits = bits_as(c.destination_register, number(c.destination, bits));
  size_t at = insn.dst + lane * width;
  if (result.ulps > 0) {
    uint64_t actual = 0;
    std::memcpy(&actual, got.rows.data() + at, width);
    if (distance(c.destination, actual, bits) <= result.ulps) bits = actual;
  }
  std::memcpy(expected.rows.data() + at, &bits, width);
}

/// For a failure's message: the first lane that differs.
std::string difference(const Case& c, const Insn& insn, const Tuples& tuples, const std::vector<uint64_t>& indices,
                       const State& expected, const State& got) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    uint64_t want = 0, have = 0;
    if (insn.dst_is_predicate) {
      want = expected.predicates[insn.dst] >> lane & 1;
      have = got.predicates[insn.dst] >> lane & 1;
      if (c.has_second) want |= (expected.predicates[insn.dst2] >> lane & 1) << 1;
      if (c.has_second) have |= (got.predicates[insn.dst2] >> lane & 1) << 1;
    } else {
      uint32_t width = ptx::bytes(c.destination_register);
      std::memcpy(&want, expected.rows.data() + insn.dst + lane * width, width);
      std::memcpy(&have, got.rows.data() + insn.dst + lane * width, width);
    }
    if (want == have) continue;
    std::string text = fmt::format("{}  lane {}: expected {:x}, got {:x}, from", c.text, lane, want, have);
    for (uint64_t v : tuples.at(indices[lane])) text += fmt::format(" {:x}", v);
    return text;
  }
  return c.text + "  changed a byte that is not its own";
}

std::string module_text(const std::vector<Case>& cases, bool legacy) {
  std::map<std::string, Type> registers;
  std::string body;
  for (const Case& c : cases) {
    std::string text = c.text;
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      size_t end = text.find_first_of(",;| ", at);
      std::string reg = text.substr(at, end - at);
      registers[reg] = *ptx::type_named(reg.substr(reg.find('_') + 1));
    }
    body += "  " + text + "\n";
  }
  std::string out = legacy ? ".version 1.4\n.target sm_13\n" : ".version 9.0\n.target sm_100\n.address_size 64\n";
  out += ".entry k()\n{\n";
  for (auto& [reg, type] : registers) out += fmt::format("  .reg .{} {};\n", name(declared_type(type)), reg);
  return out + body + "  exit;\n}\n";
}

std::shared_ptr<const ptx::Module> load(const std::vector<Case>& cases, bool legacy) {
  Diagnostics diagnostics;
  auto text = std::make_shared<SourceText>("forms.ptx", module_text(cases, legacy));
  std::shared_ptr<const ptx::Module> module = ptx::load_module(text, diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  return module;
}

std::unique_ptr<const CompiledKernel> decode_for(std::string_view isa, std::shared_ptr<const ptx::Module> module,
                                                 size_t instructions) {
  Diagnostics diagnostics;
  MachineConfig machine;
  for (const auto& feature : kFeatures) machine.features.emplace_back(feature.name);
  const ptx::Kernel& kernel = module->kernels.front();
  auto compiled = decode_with(*handler_table(isa), module, kernel, {}, machine, diagnostics);
  REQUIRE(compiled != nullptr);
  REQUIRE(compiled->insns.size() == instructions + 2);  // exit, and one more
  return compiled;
}

State fresh_state(const CompiledKernel& compiled) {
  return {std::vector<std::byte>(size_t{compiled.rows} * kRowBytes, std::byte{0xa5}),
          std::vector<uint32_t>(compiled.predicates + 1, 0x5a5a3c3c)};
}

}  // namespace

size_t run_cases(const std::vector<Case>& cases, bool legacy, uint32_t density) {
  auto module = load(cases, legacy);
  size_t warps = 0;
  for (std::string_view isa : available_isas()) {
    auto compiled = decode_for(isa, module, cases.size());
    for (size_t k = 0; k < cases.size(); ++k) {
      const Case& c = cases[k];
      const Insn& insn = compiled->insns[k];
      Tuples tuples(c);
      // A step that is coprime to the lists' sizes walks over all of them.
      uint64_t step = tuples.count <= density ? 1 : tuples.count / density * 2 + 1;
      uint32_t random = static_cast<uint32_t>(k) * 2654435761u + 12345;
      for (uint64_t first = 0, chunk = 0; first < tuples.count; first += step * kWarpSize, ++chunk, ++warps) {
        State before = fresh_state(*compiled);
        std::vector<uint64_t> indices;
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
          indices.push_back((first + lane * step) % tuples.count);
          std::vector<uint64_t> v = tuples.at(indices.back());
          for (size_t i = 0; i < v.size(); ++i) put(before, insn, i, c, lane, v[i]);
        }
        random = random * 1664525u + 1013904223u;
        uint32_t mask = chunk % 2 == 0 ? kFullMask : random ^ (random >> 13);
        State got = before, expected = before;
        insn.run(got.values(*compiled), insn, mask);
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
          if ((mask >> lane & 1) == 0) continue;
          auto result = reference(c.spelled, tuples.at(indices[lane]));
          if (!result) FAIL("no reference values for " << c.text);
          expect_lane(expected, got, insn, c, lane, *result);
        }
        if (!(got == expected)) {
          FAIL_CHECK(isa << (legacy ? " sm_1x: " : ": ") << difference(c, insn, tuples, indices, expected, got));
          break;
        }
      }
    }
  }
  return warps;
}

std::vector<CaseLanes> lanes_of(const std::vector<Case>& cases, std::string_view isa,
                                const std::vector<std::vector<uint64_t>>& operands) {
  auto compiled = decode_for(isa, load(cases, false), cases.size());
  std::vector<CaseLanes> out(cases.size());
  for (size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    const Insn& insn = compiled->insns[k];
    size_t each = c.sources.size() - (c.immediate >= 0 ? 1 : 0), width = 0;
    if (!insn.dst_is_predicate) width = ptx::bytes(c.destination_register);
    for (size_t first = 0; first < operands[k].size(); first += each * kWarpSize) {
      State state = fresh_state(*compiled);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        for (size_t i = 0; i < each; ++i) {
          uint64_t value = operands[k][first + lane * each + i];
          if (c.sources[i] == Type::Pred && c.negates_predicate) value ^= 1;  // put takes what '!' makes of it
          put(state, insn, i, c, lane, value);
        }
      insn.run(state.values(*compiled), insn, kFullMask);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        uint64_t bits = 0;
        if (insn.dst_is_predicate) bits = state.predicates[insn.dst] >> lane & 1;
        else std::memcpy(&bits, state.rows.data() + insn.dst + lane * width, width);
        out[k].first.push_back(bits);
        if (c.has_second) out[k].second.push_back(state.predicates[insn.dst2] >> lane & 1);
      }
    }
  }
  return out;
}

}  // namespace warptime::sim

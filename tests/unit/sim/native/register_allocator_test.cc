// Registers as they are allocated, against a second opinion: a walk over the kernel as it is executed, which follows
// the value that each physical register and each place in memory holds, and knows nothing of how they were chosen.
// Where an instruction of the source reads a register, the executed one must read its value.
#include "sim/native/register_allocator.h"

#include <map>
#include <set>

#include "arranged_modules.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "sim/model/occupancy.h"
#include "sim/native/arrangement.h"

namespace warptime::sim {

namespace {

using ptx::Instruction, ptx::Kernel, ptx::Operand;

/// A part of 32 bits of a register of the source.
using Part = std::pair<uint32_t, uint32_t>;
/// What places hold: of a physical register its number, of memory kMemory and a byte offset.
constexpr uint32_t kMemory = 1u << 20;

struct State {
  bool reached = false;
  std::map<uint32_t, std::set<Part>> held;
  std::set<uint32_t> written;  // registers of the source that may have a value

  /// Whether a place has it, or has no need to: the register has no value.
  bool suits(uint32_t place, const Part& part) const {
    auto there = held.find(place);
    return (there != held.end() && there->second.contains(part)) || !written.contains(part.first);
  }
  bool operator==(const State&) const = default;
};

/// What holds behind all of these.
State met(const std::vector<const State*>& states) {
  State out;
  for (const State* state : states) {
    out.reached |= state->reached;
    out.written.insert(state->written.begin(), state->written.end());
    for (const auto& [place, parts] : state->held) out.held[place].insert(parts.begin(), parts.end());
  }
  for (auto& [place, parts] : out.held)
    std::erase_if(parts, [&, where = place](const Part& part) {
      return std::any_of(states.begin(), states.end(),
                         [&](const State* state) { return state->reached && !state->suits(where, part); });
    });
  return out;
}

/// The registers of an instruction, in the order of its operands.
std::vector<std::pair<uint32_t, bool>> registers_of(const Kernel& kernel, const Instruction& in) {
  std::vector<std::pair<uint32_t, bool>> out;
  for (const Operand& operand : kernel.operands_of(in))
    ptx::for_each_register(kernel, operand, [&](uint32_t reg, bool written) { out.emplace_back(reg, written); });
  return out;
}

class Walk {
 public:
  Walk(const Kernel& source, const Arrangement& arranged)
      : source_(source),
        arranged_(arranged),
        kernel_(*arranged.kernel),
        at_begin_(kernel_.blocks.size()),
        at_end_(kernel_.blocks.size()) {
    for (const Instruction& in : source.instructions)
      for (auto [reg, written] : registers_of(source, in)) writes_[reg] += written ? 1 : 0;
    find_own();
  }

  void run() {
    std::vector<std::vector<uint32_t>> before(kernel_.blocks.size());
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (uint32_t next : kernel_.blocks[b].successors)
        if (next < kernel_.blocks.size()) before[next].push_back(b);
    State start;
    start.reached = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
        std::vector<const State*> states;
        if (b == 0) states.push_back(&start);
        for (uint32_t from : before[b]) states.push_back(&at_end_[from]);
        at_begin_[b] = met(states);
        if (!at_begin_[b].reached) continue;
        State end = walk(b, false);
        changed |= end != at_end_[b];
        at_end_[b] = std::move(end);
      }
    }
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (at_begin_[b].reached) walk(b, true);
  }

 private:
  /// An instruction of the source is the last one that is like it among those which belong to it.
  void find_own() {
    own_.assign(kernel_.instructions.size(), false);
    std::vector<uint32_t> last(source_.instructions.size(), ptx::kNoIndex);
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      const Instruction& from = source_.instructions[arranged_.source_of[i]];
      if (is_like(kernel_.instructions[i], from)) last[arranged_.source_of[i]] = i;
    }
    for (uint32_t i : last) {
      REQUIRE(i != ptx::kNoIndex);
      own_[i] = true;
    }
  }
  bool is_like(const Instruction& a, const Instruction& b) const {
    if (a.card != b.card || a.form != b.form || a.type != b.type || a.guard != b.guard ||
        a.operand_count != b.operand_count || is_spilled(a))
      return false;
    for (uint16_t o = 0; o < a.operand_count; ++o) {
      const Operand &x = kernel_.operands_of(a)[o], &y = source_.operands_of(b)[o];
      if (x.kind != y.kind || x.bits != y.bits || x.count != y.count || x.destination != y.destination) return false;
      const bool same_index = x.kind == Operand::Kind::Special || x.kind == Operand::Kind::SymbolAddress;
      if (same_index && x.index != y.index) return false;
    }
    return registers_of(kernel_, a).size() == registers_of(source_, b).size();
  }
  bool is_spilled(const Instruction& in) const {
    for (const Operand& operand : kernel_.operands_of(in))
      if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol &&
          operand.scope == Operand::Scope::Kernel && operand.index >= source_.symbols.size())
        return true;
    return false;
  }
  uint32_t width(uint32_t reg) const { return ptx::bits(kernel_.registers[reg].type) > 32 ? 2 : 1; }
  bool is_predicate(uint32_t reg) const { return kernel_.registers[reg].type == ptx::Type::Pred; }
  uint32_t place(uint32_t reg, uint32_t part) const {
    const uint16_t first = arranged_.registers.first[reg];
    INFO(kernel_.registers[reg].name << " has no physical register");
    REQUIRE(first != AllocatedRegisters::kNone);
    return first + part;
  }

  State walk(uint32_t b, bool checks) {
    State state = at_begin_[b];
    for (uint32_t i = kernel_.blocks[b].begin; i < kernel_.blocks[b].end; ++i) {
      const Instruction& in = kernel_.instructions[i];
      if (own_[i]) execute(in, source_.instructions[arranged_.source_of[i]], state, checks);
      else if (is_spilled(in)) move(in, state);
      else repeat(in, state);
    }
    return state;
  }

  void execute(const Instruction& in, const Instruction& from, State& state, bool checks) {
    const auto executed = registers_of(kernel_, in), meant = registers_of(source_, from);
    for (size_t r = 0; r < meant.size() && checks; ++r) {
      const auto [reg, written] = meant[r];
      // Some lanes keep what a guarded write does not change.
      const bool reads = !written || from.guard != ptx::kNoIndex;
      if (is_predicate(reg) || !reads || !state.written.contains(reg)) continue;
      for (uint32_t part = 0; part < width(reg); ++part) {
        INFO("line " << from.line << ": " << source_.registers[reg].name);
        CHECK(state.held[place(executed[r].first, part)].contains({reg, part}));
      }
    }
    for (size_t r = 0; r < meant.size(); ++r) {
      const auto [reg, written] = meant[r];
      if (!written || is_predicate(reg)) continue;
      for (auto& [where, parts] : state.held)
        std::erase_if(parts, [used = reg](const Part& part) { return part.first == used; });
      for (uint32_t part = 0; part < width(reg); ++part) state.held[place(executed[r].first, part)] = {{reg, part}};
      state.written.insert(reg);
    }
  }

  /// A load or store of a spilled value: what one place holds, the other does.
  void move(const Instruction& in, State& state) {
    const auto [reg, is_load] = registers_of(kernel_, in).at(0);
    uint32_t offset = 0;
    for (const Operand& operand : kernel_.operands_of(in))
      if (operand.kind == Operand::Kind::Memory) offset = kMemory + static_cast<uint32_t>(operand.bits);
    for (uint32_t part = 0; part < width(reg); ++part) {
      const uint32_t here = place(reg, part), there = offset + 4 * part;
      if (is_load) state.held[here] = state.held[there];
      else state.held[there] = state.held[here];
    }
  }

  /// A constant, anew: the value of each register whose only definition is like it.
  void repeat(const Instruction& in, State& state) {
    const uint32_t reg = registers_of(kernel_, in).at(0).first;
    for (uint32_t part = 0; part < width(reg); ++part) state.held[place(reg, part)].clear();
    for (const Instruction& from : source_.instructions) {
      if (!is_like(in, from)) continue;
      const auto meant = registers_of(source_, from);
      if (meant.size() != 1 || writes_[meant[0].first] != 1 || width(meant[0].first) != width(reg)) continue;
      for (uint32_t part = 0; part < width(reg); ++part) state.held[place(reg, part)].insert({meant[0].first, part});
    }
  }

  const Kernel& source_;
  const Arrangement& arranged_;
  const Kernel& kernel_;
  std::vector<State> at_begin_, at_end_;  // by block
  std::vector<bool> own_;                 // by instruction: it is one of the source
  std::map<uint32_t, uint32_t> writes_;
};

struct Checked {
  size_t kernels = 0, with_spills = 0, over = 0;
};

Checked check_all(const std::vector<std::string>& overrides) {
  const MachineConfig config = config_with(overrides);
  Checked out;
  for_each_kernel([&](const ptx::Module& module, const ptx::Kernel& kernel) {
    const Arrangement arranged = arrange(config, module, kernel);
    if (arranged.kernel == nullptr || kernel.blocks.empty()) return;
    INFO(kernel.name);
    ++out.kernels;
    if (arranged.registers.spilled != 0) ++out.with_spills;
    if (arranged.registers.registers > allocation_limit(config, kernel)) ++out.over;
    Walk(kernel, arranged).run();
  });
  return out;
}

/// A kernel that sums `values` loaded numbers, all of which are live at once.
std::string summing(uint32_t values, std::string_view directive) {
  std::string out = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n" +
                    std::string(directive) + "{\n.reg .b64 %rd<3>;\n.reg .f32 %f<100>;\nld.param.u64 %rd1, [p];\n";
  for (uint32_t i = 0; i < values; ++i) out += fmt::format("ld.global.f32 %f{}, [%rd1+{}];\n", i + 1, 4 * i);
  out += "mov.f32 %f0, 0f00000000;\n";
  for (uint32_t i = values; i-- > 0;) out += fmt::format("add.f32 %f0, %f0, %f{};\n", i + 1);
  return out + "st.global.f32 [%rd1], %f0;\nret;\n}\n";
}

Arrangement arranged(const std::string& text, const std::vector<std::string>& overrides) {
  auto module = module_of(std::make_shared<SourceText>("k.ptx", text));
  REQUIRE(module != nullptr);
  std::vector<std::string> all{"native.allocate=linear_scan"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  Arrangement out = arrange(config_with(all), *module, module->kernels[0]);
  REQUIRE(out.kernel != nullptr);
  Walk(module->kernels[0], out).run();
  return out;
}

}  // namespace

TEST_CASE("register allocator: what is live at once has registers, and no more") {
  const Arrangement out = arranged(summing(20, ""), {});
  CHECK(out.registers.spilled == 0);
  CHECK(out.registers.registers == 2 + 20 + 1);  // the address, the numbers, their sum
  CHECK(out.kernel->allocated_registers == 23);
}

TEST_CASE("register allocator: .maxnreg, .maxntid and .minnctapersm are kept by spills") {
  CHECK(arranged(summing(20, ".maxnreg 16\n"), {}).registers.registers <= 16);
  CHECK(arranged(summing(20, ".maxnreg 16\n"), {}).registers.spilled >= 7);
  CHECK(arranged(summing(40, ".maxntid 1024, 1, 1\n"), {}).registers.registers <= 32);
  CHECK(arranged(summing(40, ".maxntid 512, 1, 1\n.minnctapersm 3\n"), {}).registers.registers <= 20);
  CHECK(arranged(summing(40, ""), {"sm.max_registers_per_thread=24"}).registers.registers <= 24);
}

TEST_CASE("register allocator: a spilled value costs a store, and a load where it is read") {
  const Arrangement out = arranged(summing(20, ".maxnreg 16\n"), {});
  uint32_t loads = 0, stores = 0;
  for (const Instruction& in : out.kernel->instructions) {
    if (in.space != ptx::Space::Local) continue;
    (ptx::is<ptx::St>(in) ? stores : loads) += 1;
  }
  CHECK(stores >= 7);
  CHECK(loads >= 7);
  CHECK(out.kernel->local_bytes == out.registers.spill_bytes);
  CHECK(out.kernel->instructions.size() == out.source_of.size());
}

TEST_CASE("register allocator: lanes with a false guard keep a spilled value") {
  std::string text = summing(20, ".maxnreg 16\n");
  std::string guarded = ".reg .pred %p1;\nsetp.ne.u64 %p1, %rd1, 0;\n";
  for (uint32_t i = 1; i <= 20; ++i) guarded += fmt::format("@%p1 mov.f32 %f{}, 0f3F800000;\n", i);
  text.insert(text.find("mov.f32 %f0"), guarded);
  CHECK(arranged(text, {}).registers.spilled >= 7);
}

TEST_CASE("register allocator: every committed module reads what its source reads") {
  const Checked all = check_all({"native.allocate=linear_scan"});
  CHECK(all.kernels > 100);
}

TEST_CASE("register allocator: every committed module reads it with few registers, in a list scheduler's order") {
  const Checked few =
      check_all({"native.allocate=linear_scan", "native.schedule=list", "sm.max_registers_per_thread=12"});
  CHECK(few.with_spills > 50);
  CHECK(few.over < few.with_spills / 10);
}

}  // namespace warptime::sim

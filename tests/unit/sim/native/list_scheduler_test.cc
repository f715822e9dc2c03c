// The order of the list scheduler against a second opinion, which knows PTX text and nothing of how the order was made:
// of any two instructions that swapped places, neither may need the other.
#include "sim/native/list_scheduler.h"

#include <map>
#include <set>

#include "arranged_modules.h"

namespace warptime::sim {

namespace {

using ptx::Operand;

/// What the checker knows of an instruction.
struct Facts {
  std::string name;  // of its card
  std::set<uint32_t> reads, writes;
  bool loads = false, stores = false;
  std::string space;
  int64_t base = -1;  // register
  uint64_t offset = 0, bytes = 0;
  bool is_plain = false;  // of no other effect than its registers and memory
};

void add_registers(const ptx::Kernel& kernel, const Operand& operand, Facts& facts) {
  if (operand.kind == Operand::Kind::Register) (operand.destination ? facts.writes : facts.reads).insert(operand.index);
  if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register)
    facts.reads.insert(operand.index);
  if (operand.kind == Operand::Kind::Vector)
    for (uint32_t i = 0; i < operand.count; ++i) add_registers(kernel, kernel.operands[operand.index + i], facts);
}

Facts facts_of(const ptx::Module& module, const ptx::Kernel& kernel, const ptx::Instruction& in) {
  static const std::set<std::string> kMoves{"ld", "ldu", "st", "atom", "red", "tex"};
  static const std::set<std::string> kOthers{
      "bra",       "brx.idx",  "call",        "ret",      "exit",      "bar",     "barrier",        "membar",
      "fence",     "trap",     "brkpt",       "addc",     "subc",      "madc",    "griddepcontrol", "pmevent",
      "nanosleep", "bar.warp", "barrier.cta", "prefetch", "prefetchu", "discard", "applypriority",  "cp"};
  Facts out;
  const std::string text = to_text(module, kernel, in, false);
  out.name = text.substr(0, text.find_first_of(". ;"));
  const std::string word = text.substr(0, text.find(' '));
  auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  if (in.guard != ptx::kNoIndex) out.reads.insert(in.guard);
  for (const Operand& operand : kernel.operands_of(in)) add_registers(kernel, operand, out);
  const bool unchanged = has(".nc");
  out.loads = (out.name == "ld" && !unchanged) || out.name == "ldu" || out.name == "atom" || out.name == "red" ||
              out.name == "tex";
  out.stores = out.name == "st" || out.name == "atom" || out.name == "red";
  for (std::string_view space : {"shared", "global", "local", "const", "param"})
    if (has(space)) out.space = space;
  if (out.name == "tex") out.space = "global";
  for (const Operand& operand : kernel.operands_of(in))
    if (operand.kind == Operand::Kind::Memory) {
      out.base = operand.base == Operand::Base::Register ? int64_t{operand.index} : -1;
      out.offset = operand.bits;
    }
  out.bytes = uint64_t{ptx::bytes(in.type)} * in.vector;
  out.is_plain = !kOthers.contains(out.name) && text.find("clock") == std::string::npos;
  if (kMoves.contains(out.name) &&
      (has("volatile") || has("relaxed") || has("acquire") || has("release") || has("acq_rel")))
    out.is_plain = false;
  return out;
}

bool meet(const std::set<uint32_t>& a, const std::set<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t reg) { return b.contains(reg); });
}

/// Why `first`, which is earlier in the source, must stay before `second`; empty: it need not.
std::string need(const Facts& first, const Facts& second, bool base_is_written_between) {
  if (!first.is_plain || !second.is_plain) return "one of them is fixed";
  if (meet(first.writes, second.reads)) return "reads what the other writes";
  if (meet(first.reads, second.writes)) return "overwrites what the other reads";
  if (meet(first.writes, second.writes)) return "both write a register";
  const bool carry = first.name.ends_with("cc") || second.name.ends_with("cc");
  if (carry) return "the carry flag";
  if (!((first.stores && (second.loads || second.stores)) || (first.loads && second.stores))) return {};
  if (!first.space.empty() && !second.space.empty() && first.space != second.space) return {};
  const bool apart = first.base >= 0 && first.base == second.base && !base_is_written_between &&
                     (first.offset + first.bytes <= second.offset || second.offset + second.bytes <= first.offset);
  return apart ? "" : "perhaps the same bytes";
}

struct Moved {
  size_t instructions = 0, swapped = 0;
};

/// Checks every pair that swapped.
Moved check_order(const ptx::Module& module, const ptx::Kernel& source, const std::vector<uint32_t>& order) {
  Moved out{source.instructions.size(), 0};
  REQUIRE(order.size() == source.instructions.size());
  std::vector<uint32_t> place(order.size(), ptx::kNoIndex);
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  REQUIRE(std::find(place.begin(), place.end(), ptx::kNoIndex) == place.end());
  for (const ptx::BasicBlock& block : source.blocks) {
    std::vector<Facts> facts;
    for (uint32_t i = block.begin; i < block.end; ++i)
      facts.push_back(facts_of(module, source, source.instructions[i]));
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const uint32_t at = place[i];
      CHECK((at >= block.begin && at < block.end));
      for (uint32_t j = i + 1; j < block.end; ++j) {
        if (place[j] > at) continue;
        ++out.swapped;
        const Facts &first = facts[i - block.begin], &second = facts[j - block.begin];
        bool between = false;
        for (uint32_t k = i; k < j; ++k)
          between |= first.base >= 0 && facts[k - block.begin].writes.contains(static_cast<uint32_t>(first.base));
        const std::string why = need(first, second, between);
        INFO(source.name << ", lines " << source.instructions[i].line << " and " << source.instructions[j].line);
        CHECK(why == "");
      }
    }
  }
  return out;
}

std::string head(std::string_view body) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<9>;\n"
         ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<3>;\n.shared .b32 s[64];\n" +
         std::string(body) + "ret;\n}\n";
}

/// The lines of the body in their new order, counted from 0; empty: the order is the source's.
std::vector<uint32_t> order_of(std::string_view body) {
  auto module = module_of(std::make_shared<SourceText>("k.ptx", head(body)));
  REQUIRE(module != nullptr);
  const ptx::Kernel& kernel = module->kernels[0];
  std::vector<uint32_t> order = list_order(config_with({}), *module, kernel), out;
  check_order(*module, kernel, order);
  if (std::is_sorted(order.begin(), order.end())) return {};
  for (uint32_t i : order) out.push_back(kernel.instructions[i].line - 11);
  out.pop_back();
  return out;
}

}  // namespace

TEST_CASE("list scheduler: a load goes before arithmetic that does not need it") {
  CHECK(order_of(
            "add.f32 %f1, %f2, %f3;\nmul.f32 %f4, %f1, %f1;\nld.global.f32 %f5, [%rd1];\nadd.f32 %f6, %f5, %f4;\n") ==
        std::vector<uint32_t>{2, 0, 1, 3});
}

TEST_CASE("list scheduler: what reads a register comes before what overwrites it") {
  CHECK(order_of("add.f32 %f1, %f2, %f3;\nld.global.f32 %f2, [%rd1];\n").empty());
  CHECK(order_of("@%p1 add.f32 %f1, %f2, %f3;\nld.global.f32 %f1, [%rd1];\n").empty());
}

TEST_CASE("list scheduler: loads pass stores that cannot be of the same bytes") {
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd1+4];\n") == std::vector<uint32_t>{1, 0});
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.shared.f32 %f2, [%r1];\n") == std::vector<uint32_t>{1, 0});
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd1+3];\n").empty());
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\n").empty());
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.f32 %f2, [%rd1+64];\n").empty());  // generic
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nadd.u64 %rd1, %rd1, 4;\nld.global.f32 %f2, [%rd1+4];\n").empty());
}

TEST_CASE("list scheduler: loads of what does not change, and votes, are passed as arithmetic is") {
  CHECK(order_of("st.global.f32 [%rd1], %f1;\nld.global.nc.f32 %f2, [%rd2];\n") == std::vector<uint32_t>{1, 0});
  CHECK(order_of("vote.sync.any.pred %p2, %p1, -1;\nld.global.f32 %f5, [%rd1];\n") == std::vector<uint32_t>{1, 0});
}

TEST_CASE("list scheduler: nothing passes barriers, fences, volatile accesses and the clock") {
  for (std::string_view fixed : {"bar.sync 0;\n", "membar.gl;\n", "ld.volatile.global.f32 %f6, [%rd2];\n",
                                 "mov.u32 %r3, %clock;\n", "pmevent 1;\n"}) {
    INFO(fixed);
    CHECK(order_of("add.f32 %f1, %f2, %f3;\n" + std::string(fixed) + "ld.global.f32 %f5, [%rd1];\n").empty());
  }
}

TEST_CASE("list scheduler: every committed module keeps each dependence of its source") {
  const MachineConfig config = config_with({});
  Moved all;
  size_t kernels = 0;
  for_each_kernel([&](const ptx::Module& module, const ptx::Kernel& kernel) {
    const std::vector<uint32_t> order = list_order(config, module, kernel);
    if (std::is_sorted(order.begin(), order.end())) return;
    ++kernels;
    const Moved moved = check_order(module, kernel, order);
    all.instructions += moved.instructions;
    all.swapped += moved.swapped;
  });
  CHECK(kernels > 50);
  CHECK(all.swapped > all.instructions);  // it does something
}

}  // namespace warptime::sim

#include "sim/native/list_scheduler.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/clock.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "sim/exec/carry_handlers.h"
#include "sim/native/live_pressure.h"
#include "sim/native/memory_conflicts.h"

namespace warptime::sim {

using ptx::Effect, ptx::Space;

namespace {

/// Cycles from issue to the result of an instruction that is one native one, if nothing else is under way.
uint32_t latency_of_one(const MachineConfig& machine, const ptx::Instruction& in) {
  const ptx::Card& card = *in.card->card;
  const Effect effect = ptx::effect_of(card, *in.form);
  if (effect == Effect::Texture) return machine.texture.tpc_cache.latency + machine.interconnect.request_latency;
  if (effect != Effect::Load && effect != Effect::Atomic)
    return cycles_of(machine.latency, ptx::latency_of(card, *in.form));
  if (in.space == Space::Shared) return machine.sm.shared.load_latency;
  if (in.space == Space::Const || in.space == Space::Param) return machine.constant.load_latency;
  return machine.interconnect.request_latency + machine.interconnect.response_latency;
}

/// One run of instructions without a fixed one: a block, or a part of it.
class Region {
 public:
  /// `pressure`: nullptr: registers do not matter.
  Region(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel,
         const KernelPressure* pressure, uint32_t block, uint32_t begin, uint32_t end)
      : machine_(machine), module_(module), kernel_(kernel), begin_(begin), size_(end - begin), nodes_(size_) {
    if (pressure != nullptr) {
      limit_ = pressure->limit();
      live_.emplace(*pressure, static_cast<uint32_t>(kernel.registers.size()), block, begin, end);
    }
    find_register_dependences();
    find_memory_dependences();
    find_chains();
  }

  /// Appends the numbers of its instructions in their new order.
  void append_order(std::vector<uint32_t>& order) {
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < size_; ++i)
      if (nodes_[i].waits_for == 0) ready.push_back(i);
    Cycle now = 0;
    while (!ready.empty()) {
      const auto next =
          std::min_element(ready.begin(), ready.end(), [&](uint32_t a, uint32_t b) { return goes_before(a, b, now); });
      const uint32_t chosen = *next;
      ready.erase(next);
      now = std::max(now, nodes_[chosen].able);
      order.push_back(begin_ + chosen);
      if (live_) live_->place(begin_ + chosen);
      for (const Edge& edge : nodes_[chosen].later) {
        Node& to = nodes_[edge.to];
        to.able = std::max(to.able, now + edge.latency);
        if (--to.waits_for == 0) ready.push_back(edge.to);
      }
      now += machine_.issue.interval * slots(chosen);
    }
  }

 private:
  struct Edge {
    uint32_t to, latency;
  };
  struct Node {
    std::vector<Edge> later;  // those that must come behind it
    uint32_t waits_for = 0;   // edges from those before it that have not been placed
    uint64_t chain = 0;       // cycles from its issue to the end of the longest chain that begins with it
    Cycle able = 0;           // when what it waits for is there
  };

  /// What fits into the registers, sooner what can issue sooner, then what the longest chain begins with. If nothing
  /// fits, what needs fewest.
  bool goes_before(uint32_t a, uint32_t b, Cycle now) const {
    if (live_) {
      const int32_t more_a = live_->change(begin_ + a), more_b = live_->change(begin_ + b);
      const bool fits_a = fits(more_a), fits_b = fits(more_b);
      if (fits_a != fits_b) return fits_a;
      if (!fits_a && more_a != more_b) return more_a < more_b;
      if (!fits_a) return a < b;
    }
    const Cycle at_a = std::max(now, nodes_[a].able), at_b = std::max(now, nodes_[b].able);
    if (at_a != at_b) return at_a < at_b;
    if (nodes_[a].chain != nodes_[b].chain) return nodes_[a].chain > nodes_[b].chain;
    return a < b;
  }
  bool fits(int32_t more) const { return more <= 0 || live_->live() + static_cast<uint32_t>(more) <= limit_; }

  const ptx::Instruction& at(uint32_t i) const { return kernel_.instructions[begin_ + i]; }
  void add(uint32_t from, uint32_t to, uint32_t latency) {
    nodes_[from].later.push_back({to, latency});
    ++nodes_[to].waits_for;
  }

  /// Native instructions that it issues.
  uint32_t slots(uint32_t i) const { return kernel_.later.empty() ? 1 : kernel_.later[begin_ + i].slots(); }
  uint32_t guard_delay() const { return kernel_.later.empty() ? 0 : machine_.issue.guard_delay; }
  uint32_t latency_of(uint32_t i) const { return slots(i) == 0 ? 0 : latency_of_one(machine_, at(i)); }

  void find_register_dependences() {
    // The carry flag is one more register. A guarded write keeps the old value of some lanes, and is ordered as a read.
    const auto carry = static_cast<uint32_t>(kernel_.registers.size());
    struct Uses {
      std::optional<uint32_t> written;
      std::vector<uint32_t> read;  // since
    };
    std::map<uint32_t, Uses> of_register;
    for (uint32_t i = 0; i < size_; ++i) {
      const ptx::Instruction& in = at(i);
      std::vector<uint32_t> reads, writes;
      for_each_register(kernel_, in, [&](uint32_t reg, bool written) { (written ? writes : reads).push_back(reg); });
      if (reads_carry(in)) reads.push_back(carry);
      if (writes_carry(in)) writes.push_back(carry);
      for (uint32_t reg : reads) {
        Uses& uses = of_register[reg];
        if (uses.written) add(*uses.written, i, latency_of(*uses.written) + (in.guard == reg ? guard_delay() : 0));
        uses.read.push_back(i);
      }
      for (uint32_t reg : writes) {
        Uses& uses = of_register[reg];
        if (uses.written && *uses.written != i) add(*uses.written, i, 0);
        for (uint32_t reader : uses.read)
          if (reader != i) add(reader, i, 0);
        uses.written = i;
        uses.read.clear();
      }
    }
  }

  void find_memory_dependences() {
    std::vector<uint32_t> accesses;
    for (uint32_t i = 0; i < size_; ++i) {
      const Effect effect = ptx::effect_of(*at(i).card->card, *at(i).form);
      if (!ptx::accesses(effect) && effect != Effect::Texture) continue;
      for (uint32_t before : accesses)
        if (may_conflict(module_, kernel_, at(before), at(i))) add(before, i, 0);
      accesses.push_back(i);
    }
  }

  void find_chains() {
    for (uint32_t i = size_; i-- > 0;) {
      nodes_[i].chain = latency_of(i);
      for (const Edge& edge : nodes_[i].later)
        nodes_[i].chain = std::max(nodes_[i].chain, edge.latency + nodes_[edge.to].chain);
    }
  }

  const MachineConfig& machine_;
  const ptx::Module& module_;
  const ptx::Kernel& kernel_;
  uint32_t begin_, size_;
  std::vector<Node> nodes_;
  std::optional<LivePressure> live_;
  uint32_t limit_ = 0;  // of 32-bit registers
};

/// Instructions that are ordered at once; a longer run is divided.
constexpr uint32_t kLongest = 1024;

}  // namespace

std::vector<uint32_t> list_order(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel) {
  std::vector<uint32_t> order;
  order.reserve(kernel.instructions.size());
  std::optional<KernelPressure> pressure;
  if (!kernel.later.empty()) pressure.emplace(kernel, machine.sm.registers / machine.sm.max_threads);
  uint32_t number = 0;
  for (const ptx::BasicBlock& block : kernel.blocks) {
    for (auto i = static_cast<uint32_t>(order.size()); i < block.begin; ++i) order.push_back(i);  // is never reached
    uint32_t begin = block.begin;
    for (uint32_t i = block.begin; i <= block.end; ++i) {
      if (i < block.end && i - begin < kLongest && !is_fixed(kernel, kernel.instructions[i])) continue;
      if (begin < i)
        Region(machine, module, kernel, pressure ? &*pressure : nullptr, number, begin, i).append_order(order);
      if (i < block.end) order.push_back(i);
      begin = i + 1;
    }
    ++number;
  }
  for (auto i = static_cast<uint32_t>(order.size()); i < kernel.instructions.size(); ++i) order.push_back(i);
  return order;
}

}  // namespace warptime::sim

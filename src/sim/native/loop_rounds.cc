#include "sim/native/loop_rounds.h"

#include <map>
#include <set>
#include <vector>

#include "ptx/analysis/register_uses.h"

namespace warptime::sim {

using ptx::Instruction, ptx::kNoIndex, ptx::Operand;

namespace {

constexpr int64_t kMostOffset = 1 << 23;  // of an address

bool accesses_memory(const Instruction& in) { return ptx::accesses(ptx::effect_of(*in.card->card, *in.form)); }

class Rounds {
 public:
  Rounds(RewrittenCode& code, const CountedLoop& loop, uint32_t begin, uint32_t end, uint32_t rounds)
      : code_(code), loop_(loop), begin_(begin), end_(end), rounds_(rounds) {
    find_writes();
    find_kept();
  }

  void run() {
    for (round_ = 0; round_ < rounds_; ++round_) {
      for (auto& [reg, progress] : progress_) progress.stepped = round_;
      for (uint32_t i = begin_; i + 1 < end_; ++i)
        if (i != loop_.test_at) copy(i);
    }
  }

 private:
  /// A register to which each round adds a constant, once.
  struct Progress {
    uint32_t at = 0;  // the instruction
    int64_t step = 0;
    uint32_t stepped = 0;                 // how often, before the instruction that is being copied
    std::map<uint32_t, uint32_t> values;  // by how often: the register that has its value then
  };

  void find_writes() {
    std::map<uint32_t, uint32_t> count;
    for (uint32_t i = begin_; i < end_; ++i)
      ptx::for_each_register(code_.kernel(), code_.before(i), [&](uint32_t reg, bool written) {
        if (!written) return;
        ++count[reg];
        if (code_.before(i).guard == kNoIndex) last_write_[reg] = i;
      });
    for (uint32_t i = begin_; i < end_; ++i) {
      const int64_t by = constant_step(code_.kernel(), code_.before(i));
      if (by == 0) continue;
      const uint32_t reg = code_.operands(i)[0].index;
      if (count[reg] == 1) progress_[reg] = {i, by, 0, {}};
    }
  }
  /// Registers that the loop reads before it writes them, or that other code reads: whose value stays behind a round.
  void find_kept() {
    std::set<uint32_t> written;
    for (uint32_t i = 0; i < code_.size_before(); ++i) {
      const bool is_inside = i >= begin_ && i < end_;
      std::vector<uint32_t> writes;
      ptx::for_each_register(code_.kernel(), code_.before(i), [&](uint32_t reg, bool writes_it) {
        if (writes_it) writes.push_back(reg);
        else if (!is_inside || !written.contains(reg)) kept_.insert(reg);
      });
      if (is_inside && code_.before(i).guard == kNoIndex) written.insert(writes.begin(), writes.end());
    }
  }
  bool is_last_round() const { return round_ + 1 == rounds_; }
  Progress* progress_of(uint32_t reg) {
    const auto found = progress_.find(reg);
    return found == progress_.end() ? nullptr : &found->second;
  }

  void copy(uint32_t i) {
    const Instruction& in = code_.before(i);
    if (Progress* own = step_at(i)) return step(i, *own);
    std::vector<Operand> operands = code_.operands(i);
    Instruction copied = in;
    if (in.guard != kNoIndex) copied.guard = reading(in.guard);
    for (Operand& operand : operands) read(i, operand);
    for (Operand& operand : operands) write(i, operand);
    code_.add(i, copied, operands);
  }
  Progress* step_at(uint32_t i) {
    for (auto& [reg, progress] : progress_)
      if (progress.at == i) return &progress;
    return nullptr;
  }

  /// The steps of all rounds are one, in the last one.
  void step(uint32_t i, Progress& own) {
    ++own.stepped;
    if (is_last_round()) add_steps(i, code_.operands(i)[0].index, rounds_);
  }
  /// `to` = the register that `i` steps, and so many steps.
  void add_steps(uint32_t i, uint32_t to, uint32_t steps) {
    std::vector<Operand> operands = code_.operands(i);
    operands[0].index = to;
    operands[2].bits = cut(operands[2].bits * steps, code_.before(i).type);
    code_.add(i, code_.before(i), operands);
  }

  /// The register that has now what `reg` has in the loop. A sum is added before its first reader.
  uint32_t reading(uint32_t reg) {
    Progress* progress = progress_of(reg);
    if (progress == nullptr) return name_of(reg);
    if (progress->stepped == 0 || progress->stepped == rounds_) return reg;
    const auto [entry, is_new] = progress->values.try_emplace(progress->stepped, 0);
    if (is_new) {
      entry->second = code_.new_register(reg);
      add_steps(progress->at, entry->second, progress->stepped);
    }
    return entry->second;
  }
  uint32_t name_of(uint32_t reg) const {
    const auto found = names_.find(reg);
    return found == names_.end() ? reg : found->second;
  }

  void read(uint32_t i, Operand& operand) {
    if (operand.kind == Operand::Kind::Vector) return for_each_element(operand, [&](Operand& e) { read(i, e); });
    if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register) return address(i, operand);
    if (operand.kind == Operand::Kind::Register && !operand.destination) operand.index = reading(operand.index);
  }
  /// Steps of an address are a part of its offset, which is added to registers of the same width.
  void address(uint32_t i, Operand& operand) {
    const Progress* progress = progress_of(operand.index);
    if (progress != nullptr && progress->stepped != rounds_ && accesses_memory(code_.before(i))) {
      const int64_t offset = static_cast<int64_t>(operand.bits) + progress->step * int64_t{progress->stepped};
      if (offset >= -kMostOffset && offset < kMostOffset) {
        operand.bits = static_cast<uint64_t>(offset);
        return;
      }
    }
    operand.index = reading(operand.index);
  }

  /// Every write has a register of its own, but for the last one of what is needed behind it.
  void write(uint32_t i, Operand& operand) {
    if (operand.kind == Operand::Kind::Vector) return for_each_element(operand, [&](Operand& e) { write(i, e); });
    if (operand.kind != Operand::Kind::Register || !operand.destination) return;
    const uint32_t reg = operand.index;
    const bool keeps_some = code_.before(i).guard != kNoIndex || operand.accumulates || operand.bits != 0;
    if (keeps_some) {
      operand.index = name_of(reg);
      return;
    }
    const bool is_last = is_last_round() && last_write_[reg] == i && kept_.contains(reg);
    operand.index = names_[reg] = is_last ? reg : code_.new_register(reg);
  }

  /// The elements of a brace list, in a list of their own.
  template <class Visit>
  void for_each_element(Operand& list, Visit&& visit) {
    const std::vector<Operand>& all = code_.kernel().operands;
    std::vector<Operand> elements(all.begin() + list.index, all.begin() + list.index + list.count);
    for (Operand& element : elements) visit(element);
    list.index = code_.append(elements);
  }

  RewrittenCode& code_;
  const CountedLoop& loop_;
  uint32_t begin_, end_, rounds_, round_ = 0;
  std::map<uint32_t, uint32_t> last_write_;  // by register that is written without a guard: the last such instruction
  std::map<uint32_t, Progress> progress_;
  std::set<uint32_t> kept_;
  std::map<uint32_t, uint32_t> names_;
};

}  // namespace

void add_rounds(RewrittenCode& code, const CountedLoop& loop, uint32_t begin, uint32_t end, uint32_t rounds) {
  Rounds(code, loop, begin, end, rounds).run();
}

}  // namespace warptime::sim

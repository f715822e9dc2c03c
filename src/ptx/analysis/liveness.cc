// By register, not by block: from each block that reads a register before writing it, walk back to the blocks that
// write it (Appel 1998, section 19.6). Compiled code keeps most registers in one block, so this is near linear, and
// nothing is stored but what blocks mention.
#include "ptx/analysis/liveness.h"

#include <span>

#include "ptx/analysis/register_uses.h"

namespace warptime::ptx {

namespace {

/// That a block mentions a register.
struct Mention {
  uint32_t reg, block;
  bool reads_first;  // before any write of its own
  bool live_out = false;
};

/// Things by number, those of one number in a row and in their order.
template <class T>
class Grouped {
 public:
  template <class Number>
  Grouped(size_t numbers, const std::vector<T>& things, Number&& number) : first_(numbers + 1, 0), list_(things) {
    for (const T& thing : things) ++first_[number(thing) + 1];
    for (size_t n = 0; n < numbers; ++n) first_[n + 1] += first_[n];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const T& thing : things) list_[next[number(thing)]++] = thing;
  }
  std::span<T> operator[](size_t n) { return {list_.data() + first_[n], list_.data() + first_[n + 1]}; }

 private:
  std::vector<uint32_t> first_;
  std::vector<T> list_;
};

struct Edge {
  uint32_t from, to;
};

std::vector<Edge> edges_of(const Kernel& kernel) {
  std::vector<Edge> edges;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (uint32_t s : kernel.blocks[b].successors)
      if (s < kernel.blocks.size()) edges.push_back({b, s});
  return edges;
}

class LivenessFinder {
 public:
  LivenessFinder(const Kernel& kernel, const RegisterPressure& pressure)
      : kernel_(kernel),
        pressure_(pressure),
        predecessors_(kernel.blocks.size(), edges_of(kernel), [](const Edge& edge) { return edge.to; }),
        mentions_(kernel.registers.size(), find_mentions(), [](const Mention& mention) { return mention.reg; }),
        weight_out_(kernel.blocks.size(), 0),
        mention_in_(kernel.blocks.size(), kNoIndex),
        in_(kernel.blocks.size(), kNoIndex),
        out_(kernel.blocks.size(), kNoIndex) {}

  Liveness run() {
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg) walk_back(reg);
    find_pressure();
    return std::move(result_);
  }
  std::vector<std::vector<uint32_t>> run_behind() {
    live_behind_.resize(kernel_.blocks.size());
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg) walk_back(reg);
    return std::move(live_behind_);
  }

 private:
  uint32_t weight(uint32_t reg) const { return pressure_.weights[reg]; }
  template <class Visit>
  void for_each_access(uint32_t instruction, Visit&& visit) const {
    pressure_.accesses.for_each(instruction, visit);
  }

  std::vector<Mention> find_mentions() {
    result_.intervals.resize(kernel_.registers.size());
    std::vector<Mention> mentions;
    std::vector<uint32_t> last(kernel_.registers.size(), kNoIndex);  // by register: the last block that mentions it
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      for (uint32_t i = kernel_.blocks[b].begin; i < kernel_.blocks[b].end; ++i) {
        bool guarded = pressure_.guarded[i];
        auto mention = [&](uint32_t reg, bool reads) {
          if (last[reg] != b) mentions.push_back({reg, b, reads});
          last[reg] = b;
          result_.intervals[reg].cover(i);
        };
        for_each_access(i, [&](uint32_t reg, bool written) {
          if (!written || guarded) mention(reg, true);
        });
        for_each_access(i, [&](uint32_t reg, bool written) {
          if (written) mention(reg, false);
        });
      }
    }
    return mentions;
  }

  void walk_back(uint32_t reg) {
    std::span<Mention> mentions = mentions_[reg];
    bool crosses = false;
    for (const Mention& mention : mentions) crosses = crosses || mention.reads_first;
    if (!crosses) return;
    // Marks hold the register that set them last, so they need no clearing between registers.
    for (uint32_t m = 0; m < mentions.size(); ++m) mention_in_[mentions[m].block] = m;
    LiveInterval& interval = result_.intervals[reg];
    auto enter = [&](uint32_t block) {
      if (in_[block] == reg) return;
      in_[block] = reg;
      interval.cover(kernel_.blocks[block].begin);
      work_.push_back(block);
    };
    for (const Mention& mention : mentions)
      if (mention.reads_first) enter(mention.block);
    while (!work_.empty()) {
      uint32_t block = work_.back();
      work_.pop_back();
      for (const Edge& edge : predecessors_[block]) {
        uint32_t predecessor = edge.from;
        if (out_[predecessor] == reg) continue;
        out_[predecessor] = reg;
        weight_out_[predecessor] += weight(reg);
        if (!live_behind_.empty()) live_behind_[predecessor].push_back(reg);
        interval.cover(kernel_.blocks[predecessor].end - 1);
        uint32_t m = mention_in_[predecessor];
        if (m == kNoIndex) {
          enter(predecessor);
        } else {
          mentions[m].live_out = true;  // if its first mention is a write, nothing is live before that
        }
      }
    }
    for (const Mention& mention : mentions) mention_in_[mention.block] = kNoIndex;
  }

  /// Walks each block backwards from what is live behind it.
  void find_pressure() {
    std::vector<uint32_t> next(kernel_.registers.size(), 0);  // by register: its mention in this block or a later one
    std::vector<uint8_t> live(kernel_.registers.size(), 0);
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const BasicBlock& block = kernel_.blocks[b];
      uint32_t now = weight_out_[b];
      auto set = [&](uint32_t reg, uint8_t value) {
        if (live[reg] == value) return;
        live[reg] = value;
        now = value ? now + weight(reg) : now - weight(reg);
      };
      for (uint32_t i = block.begin; i < block.end; ++i) {
        for_each_access(i, [&](uint32_t reg, bool) {
          std::span<const Mention> mentions = mentions_[reg];
          while (mentions[next[reg]].block < b) ++next[reg];
          live[reg] = mentions[next[reg]].live_out;
        });
      }
      result_.most_registers = std::max(result_.most_registers, now);
      for (uint32_t i = block.end; i-- > block.begin;) {
        // What is written needs a register even if nothing reads it.
        for_each_access(i, [&](uint32_t reg, bool written) {
          if (written) set(reg, 1);
        });
        result_.most_registers = std::max(result_.most_registers, now);
        for_each_access(i, [&](uint32_t reg, bool written) {
          if (written && !pressure_.guarded[i]) set(reg, 0);
        });
        for_each_access(i, [&](uint32_t reg, bool written) {
          if (!written) set(reg, 1);
        });
        result_.most_registers = std::max(result_.most_registers, now + pressure_.extra[i]);
      }
    }
  }

  const Kernel& kernel_;
  const RegisterPressure& pressure_;
  Liveness result_;
  Grouped<Edge> predecessors_;        // by block
  Grouped<Mention> mentions_;         // by register, in order of blocks
  std::vector<uint32_t> weight_out_;  // by block: 32-bit registers live behind it
  std::vector<uint32_t> mention_in_;  // by block: index in the mentions of the current register
  std::vector<uint32_t> in_, out_;    // by block: the register that was last found live there
  std::vector<uint32_t> work_;
  std::vector<std::vector<uint32_t>> live_behind_;  // by block; empty where nobody asks for it
};

}  // namespace

uint32_t register_weight(Type type) { return type == Type::Pred ? 0 : std::max(1u, bits(type) / 32); }

Liveness find_liveness(const Kernel& kernel) {
  RegisterPressure pressure;
  for (const Register& reg : kernel.registers) pressure.weights.push_back(register_weight(reg.type));
  pressure.extra.assign(kernel.instructions.size(), 0);
  for (const Instruction& instruction : kernel.instructions) {
    pressure.accesses.begin_instruction();
    pressure.guarded.push_back(instruction.guard != kNoIndex);
    for_each_register(kernel, instruction, [&](uint32_t reg, bool written) { pressure.accesses.add(reg, written); });
  }
  return LivenessFinder(kernel, pressure).run();
}

uint32_t most_registers(const Kernel& kernel, const RegisterPressure& pressure) {
  return LivenessFinder(kernel, pressure).run().most_registers;
}

std::vector<std::vector<uint32_t>> registers_live_behind(const Kernel& kernel, const RegisterPressure& pressure) {
  return LivenessFinder(kernel, pressure).run_behind();
}

}  // namespace warptime::ptx

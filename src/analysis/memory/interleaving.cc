#include "analysis/memory/interleaving.h"

#include <algorithm>
#include <utility>

namespace warptime::analysis {

namespace {

struct Block {
  size_t first = 0, last = 0;  // in RequestRecord::warps
};

std::vector<Block> blocks_of(const sim::RequestRecord& log) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < log.warps.size(); ++i) {
    if (i == 0 || log.warps[i].block != log.warps[i - 1].block) blocks.push_back({i, i});
    blocks.back().last = i + 1;
  }
  return blocks;
}

struct Warp {
  uint32_t block = 0;
  const sim::RecordedWarp* log = nullptr;
  size_t next = 0;     // request
  uint32_t lines = 0;  // that it waits for
  bool at_barrier = false;

  bool done() const { return next == log->requests.size(); }
};

struct LaunchedBlock {
  uint32_t sm = 0;
  uint32_t warps = 0;                     // that have not ended
  std::vector<uint32_t> at_barrier = {};  // warps
};

class Interleaving {
 public:
  Interleaving(const sim::RequestRecord& log, const std::vector<uint32_t>& uses, const sim::MachineConfig& machine,
               Hierarchy& hierarchy, SplitMix64& random)
      : log_(log),
        uses_(uses),
        hierarchy_(hierarchy),
        random_(random),
        most_lines_(machine.l1.cache.bytes != 0 ? machine.l1.mshrs : ~uint32_t{0}),
        blocks_(blocks_of(log)),
        ready_(sim::sm_count(machine)),
        next_ready_(ready_.size()) {
    for (uint32_t round = 0; round < log.blocks_per_sm; ++round)
      for (uint32_t sm = 0; sm < ready_.size(); ++sm) start_block(sm);
  }

  /// Warps go on while any can; then memory serves one request.
  void run() {
    for (;;) {
      while (issue()) {
      }
      if (!hierarchy_.serve(random_)) return;
      for (uint32_t warp : hierarchy_.returned())
        if (--warps_[warp].lines == 0) goes_on(warp);
    }
  }

 private:
  void start_block(uint32_t sm) {
    if (next_block_ == blocks_.size()) return;
    const Block block = blocks_[next_block_++];
    const auto index = static_cast<uint32_t>(launched_.size());
    launched_.push_back({sm, static_cast<uint32_t>(block.last - block.first)});
    for (size_t i = block.first; i < block.last; ++i) {
      warps_.push_back({index, &log_.warps[i]});
      ready_[sm].push_back(static_cast<uint32_t>(warps_.size() - 1));
    }
  }

  /// Some warp of some SM makes its next accesses; false: none can.
  bool issue() {
    std::vector<uint32_t>& sms = able_;
    sms.clear();
    for (uint32_t sm = 0; sm < ready_.size(); ++sm) {
      if (ready_[sm].empty()) ready_[sm].swap(next_ready_[sm]);
      if (!ready_[sm].empty() && hierarchy_.outstanding(sm) < most_lines_) sms.push_back(sm);
    }
    if (sms.empty()) return false;
    const uint32_t sm = sms[random_.below(sms.size())];
    std::vector<uint32_t>& ready = ready_[sm];
    std::swap(ready[random_.below(ready.size())], ready.back());
    const uint32_t warp = ready.back();
    ready.pop_back();
    access(warp, sm);
    return true;
  }

  /// The accesses, each of one or more requests of one instruction, up to the first use of a result, or a barrier.
  void access(uint32_t index, uint32_t sm) {
    Warp& warp = warps_[index];
    const std::vector<sim::RecordedRequest>& requests = warp.log->requests;
    uint32_t pc = 0, use = 0;
    for (bool first = true; !warp.done(); first = false) {
      const sim::RecordedRequest& next = requests[warp.next];
      if (!first && (next.pc <= pc || next.pc >= use)) break;
      if (next.kind == sim::RecordedRequest::Kind::Barrier) {
        ++warp.next;
        warp.at_barrier = true;
        break;
      }
      pc = next.pc;
      const uint32_t own = pc < uses_.size() ? uses_[pc] : 0;
      use = first ? own : std::min(use, own);
      do warp.lines += hierarchy_.request(sm, requests[warp.next++], index) ? 1 : 0;
      while (!warp.done() && requests[warp.next].continues);
    }
    if (warp.lines == 0) goes_on(index);
  }

  /// All lines of the warp are there.
  void goes_on(uint32_t index) {
    Warp& warp = warps_[index];
    LaunchedBlock& block = launched_[warp.block];
    if (warp.at_barrier) {
      warp.at_barrier = false;
      block.at_barrier.push_back(index);
    } else if (warp.done()) {
      if (--block.warps == 0) return start_block(block.sm);
    } else {
      next_ready_[block.sm].push_back(index);
      return;
    }
    if (block.at_barrier.size() < block.warps) return;
    // All have arrived.
    const std::vector<uint32_t> released = std::exchange(block.at_barrier, {});
    for (uint32_t each : released) goes_on(each);
  }

  const sim::RequestRecord& log_;
  const std::vector<uint32_t>& uses_;
  Hierarchy& hierarchy_;
  SplitMix64& random_;
  uint32_t most_lines_;  // that an SM waits for
  std::vector<Block> blocks_;
  size_t next_block_ = 0;
  std::vector<LaunchedBlock> launched_;
  std::vector<Warp> warps_;                                // of all launched blocks
  std::vector<std::vector<uint32_t>> ready_, next_ready_;  // by SM: those that take their turn, and those that had it
  std::vector<uint32_t> able_;                             // SMs, in issue()
};

}  // namespace

void drive(const sim::RequestRecord& log, const std::vector<uint32_t>& uses, const sim::MachineConfig& machine,
           Hierarchy& hierarchy, SplitMix64& random) {
  Interleaving(log, uses, machine, hierarchy, random).run();
}

}  // namespace warptime::analysis

// Divergence by a stack of (pc, reconvergence pc, lanes) with reconvergence at immediate post-dominators, as on GPUs up
// to compute capability 6.x. The top entry is what runs; `entries_` holds those that wait below it.
//
// A divergent branch pushes one entry that waits at the reconvergence point for all its lanes (unless the entry below
// already waits there, as in a loop that lanes leave one by one), and one for each path that runs later. The paths have
// disjoint lanes, and every reconvergence entry belongs to lanes that diverged, so the depth stays below twice the warp
// size.
//
// A call pushes an entry that waits after the call for its lanes, and begins a frame: the entries above belong to the
// function. Lanes that return leave the frame; when none is left, the entry of the call continues with all its lanes,
// so lanes that return at different times reconverge at the caller. Calls nest as deep as the program's call graph, or,
// with recursion, as the lanes' stacks permit.
#include <bit>
#include <span>

#include "base/assert.h"
#include "base/state_archive.h"
#include "sim/state/divergence.h"

namespace warptime::sim {

namespace {

class StackDivergence final : public Divergence {
 public:
  void start(const Running& now) override {
    in_frame_ = now.active;
    entries_.clear();
    callers_.clear();
  }

  bool branch(Running& now, uint32_t taken, uint32_t target, uint32_t reconvergence) override {
    const std::array<LanePath, 2> paths{
        {{target, reconvergence, taken}, {now.pc + 1, reconvergence, now.active & ~taken}}};
    part(now, paths, reconvergence);
    return true;
  }

  /// The paths run in the order of their first lanes; lanes that do not branch run last.
  bool branch(Running& now, uint32_t lanes, const std::array<uint32_t, 32>& targets, uint32_t reconvergence) override {
    std::array<LanePath, 33> paths;
    uint32_t count = 0;
    const uint32_t others = now.active & ~lanes;
    while (lanes != 0) {
      uint32_t target = targets[static_cast<size_t>(std::countr_zero(lanes))], path = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (targets[static_cast<size_t>(std::countr_zero(rest))] == target) path |= rest & (~rest + 1);
      paths[count++] = {target, reconvergence, path};
      lanes &= ~path;
    }
    if (others != 0) paths[count++] = {now.pc + 1, reconvergence, others};
    if (count > 1) part(now, std::span(paths.data(), count), reconvergence);
    else go_to(now, paths[0].pc);
    return count > 1;
  }

  void call(Running& now, uint32_t lanes, uint32_t target, uint32_t again) override {
    const uint32_t behind = now.pc + 1;
    if (again != 0) {  // all reconverge behind the call
      if (now.reconvergence != behind) entries_.push_back({behind, now.reconvergence, now.active});
      entries_.push_back({now.pc, behind, again});
      now.reconvergence = behind;
      now.active = lanes;
    }
    callers_.push_back({now.pc, static_cast<uint32_t>(entries_.size()), in_frame_});
    entries_.push_back({behind, now.reconvergence, now.active});
    in_frame_ = now.active = lanes;
    now.pc = target;
    now.reconvergence = ptx::kNoIndex;
  }
  uint32_t calls() const override { return static_cast<uint32_t>(callers_.size()); }
  uint32_t caller(uint32_t frame) const override { return callers_[callers_.size() - 1 - frame].pc; }

  void ret(Running& now, uint32_t lanes) override {
    in_frame_ &= ~lanes;
    now.active &= ~lanes;
    if (now.active != 0) go_to(now, now.pc + 1);
    else if (now.live != 0) reconverge(now);
  }
  void exit(Running& now, uint32_t lanes) override { ret(now, lanes); }

  /// The top entry is finished: continue with the next one below that still has lanes.
  void reconverge(Running& now) override {
    do {
      SIM_DEBUG_ASSERT(!entries_.empty(), "SIMT stack empty with {} live lanes", now.live);
      const LanePath& below = entries_.back();
      if (!callers_.empty() && callers_.back().depth == entries_.size() - 1) {
        in_frame_ = callers_.back().in_frame & now.live;
        callers_.pop_back();
      }
      now.pc = below.pc;
      now.reconvergence = below.reconvergence;
      now.active = below.lanes & in_frame_;
      entries_.pop_back();
    } while (now.active == 0 || now.pc == now.reconvergence);
  }

  /// The lowest entry first.
  std::vector<LanePath> waiting(const Running& now) const override {
    std::vector<LanePath> out = entries_;
    auto frame = callers_.begin();
    for (uint32_t i = 0; i < out.size(); ++i) {
      out[i].lanes &= now.live & (frame == callers_.end() ? in_frame_ : frame->in_frame);
      if (frame != callers_.end() && frame->depth == i) ++frame;
    }
    return out;
  }

  void append_state(const Running& /*now*/, std::vector<uint32_t>& out) const override {
    out.insert(out.end(), {in_frame_, static_cast<uint32_t>(entries_.size()), calls()});
    for (const LanePath& entry : entries_) out.insert(out.end(), {entry.pc, entry.reconvergence, entry.lanes});
    for (const Caller& caller : callers_) out.insert(out.end(), {caller.pc, caller.depth, caller.in_frame});
  }
  void save(StateWriter& archive, Running& now) override { serialize(archive, now); }
  void restore(StateReader& archive, Running& now) override { serialize(archive, now); }

 private:
  struct Caller {
    uint32_t pc;        // of the call
    uint32_t depth;     // of its entry
    uint32_t in_frame;  // as it was

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(pc, archive.limits.code);
      archive(depth, in_frame);
    }
  };

  void go_to(Running& now, uint32_t pc) {
    now.pc = pc;
    if (pc == now.reconvergence) reconverge(now);
  }

  /// The first of the paths runs. Without a reconvergence point each of them runs to its end.
  void part(Running& now, std::span<const LanePath> paths, uint32_t reconvergence) {
    const bool meet = reconvergence != ptx::kNoIndex;
    if (meet && reconvergence != now.reconvergence) entries_.push_back({reconvergence, now.reconvergence, now.active});
    // A path that starts at the reconvergence point already waits there.
    for (size_t i = paths.size(); i-- > 0;)
      if (!meet || paths[i].pc != reconvergence)
        entries_.push_back({paths[i].pc, meet ? reconvergence : now.reconvergence, paths[i].lanes});
    reconverge(now);
  }

  std::vector<LanePath> entries_;
  std::vector<Caller> callers_;
  uint32_t in_frame_ = 0;  // lanes that have not returned from the current function; outside of calls, the live lanes

  template <class Archive>
  void serialize(Archive& archive, const Running& now) {
    archive(entries_, callers_, in_frame_);
    for (const Caller& caller : callers_) archive.expect(caller.depth < entries_.size());
    // Lanes that live are at the top or wait in an entry: the stack is never empty before they have ended.
    uint32_t lanes = now.active;
    for (const LanePath& entry : entries_) lanes |= entry.lanes;
    archive.expect((now.live & ~lanes) == 0);
  }
};

}  // namespace

std::unique_ptr<Divergence> make_stack_divergence() { return std::make_unique<StackDivergence>(); }

}  // namespace warptime::sim

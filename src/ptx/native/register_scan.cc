#include "ptx/native/register_scan.h"

#include <algorithm>
#include <map>

namespace warptime::ptx {

namespace {

/// An instruction reads its operands at time 2i and writes its results at 2i + 1. Both ends belong to the range.
struct LiveRange {
  uint32_t begin, end;
};
struct Value {
  std::vector<LiveRange> ranges;  // by begin; none touches the next
  uint32_t width = 1;
};

/// The live ranges of a kernel's registers, found from the end of each block.
class LiveRanges {
 public:
  LiveRanges(const Kernel& kernel, const RegisterPressure& pressure)
      : pressure_(pressure), values_(pressure.weights.size()), end_(pressure.weights.size(), kNoIndex) {
    const std::vector<std::vector<uint32_t>> behind = registers_live_behind(kernel, pressure);
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b) walk(kernel.blocks[b], behind[b]);
    for (uint32_t reg = 0; reg < values_.size(); ++reg) {
      values_[reg].width = pressure.weights[reg];
      join(values_[reg].ranges);
    }
  }
  std::vector<Value> take() { return std::move(values_); }

 private:
  void walk(const BasicBlock& block, const std::vector<uint32_t>& behind) {
    std::vector<uint32_t> live;
    auto begin_at_end = [&](uint32_t reg, uint32_t time) {
      if (end_[reg] != kNoIndex) return;
      end_[reg] = time;
      live.push_back(reg);
    };
    for (uint32_t reg : behind) begin_at_end(reg, 2 * block.end - 1);
    for (uint32_t i = block.end; i-- > block.begin;) {
      pressure_.accesses.for_each(i, [&](uint32_t reg, bool written) {
        if (!written) return;
        begin_at_end(reg, 2 * i + 1);  // what nothing reads is there for a moment
        if (pressure_.guarded[i]) return;
        values_[reg].ranges.push_back({2 * i + 1, end_[reg]});
        end_[reg] = kNoIndex;
      });
      pressure_.accesses.for_each(i, [&](uint32_t reg, bool written) {
        if (!written) begin_at_end(reg, 2 * i);
      });
    }
    for (uint32_t reg : live) {
      if (end_[reg] == kNoIndex) continue;
      values_[reg].ranges.push_back({2 * block.begin, end_[reg]});
      end_[reg] = kNoIndex;
    }
  }

  static void join(std::vector<LiveRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const LiveRange& a, const LiveRange& b) { return a.begin < b.begin; });
    size_t count = 0;
    for (const LiveRange& range : ranges) {
      if (count != 0 && range.begin <= ranges[count - 1].end + 1)
        ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
      else ranges[count++] = range;
    }
    ranges.resize(count);
  }

  const RegisterPressure& pressure_;
  std::vector<Value> values_;
  std::vector<uint32_t> end_;  // by register: the end of the range that is open; kNoIndex: it is not live
};

/// What one physical register holds.
class PhysicalRegister {
 public:
  bool is_free_for(const std::vector<LiveRange>& ranges) const {
    const uint32_t begin = ranges.front().begin;
    if (begin >= last_.begin && begin <= last_.end) return false;  // most registers that are taken
    return begin > end_ ||
           std::all_of(ranges.begin(), ranges.end(), [&](const LiveRange& range) { return is_free_for(range); });
  }
  void take(const std::vector<LiveRange>& ranges) {
    for (const LiveRange& range : ranges) taken_[range.begin] = range.end;
    last_ = ranges.front();
    end_ = std::max<int64_t>(end_, ranges.back().end);
  }

 private:
  bool is_free_for(const LiveRange& range) const {
    auto next = taken_.upper_bound(range.end);
    return next == taken_.begin() || std::prev(next)->second < range.begin;
  }
  std::map<uint32_t, uint32_t> taken_;  // end, by begin
  LiveRange last_{1, 0};                // the first range of what it took last
  int64_t end_ = -1;                    // of all
};

class RegisterScan {
 public:
  RegisterScan(const Kernel& kernel, const RegisterPressure& pressure, const std::vector<PassingValue>& passing)
      : pressure_(pressure), instructions_(static_cast<uint32_t>(kernel.instructions.size())) {
    for (Value& value : LiveRanges(kernel, pressure).take())
      if (value.width != 0 && !value.ranges.empty()) values_.push_back(std::move(value));
    for (const PassingValue& value : passing) values_.push_back({{{2 * value.first, 2 * value.last}}, 1});
    std::stable_sort(values_.begin(), values_.end(),
                     [](const Value& a, const Value& b) { return a.ranges.front().begin < b.ranges.front().begin; });
  }

  uint32_t run() {
    for (const Value& value : values_) {
      const uint32_t first = find_place(value);
      if (registers_.size() < first + value.width) registers_.resize(first + value.width);
      for (uint32_t i = first; i < first + value.width; ++i) registers_[i].take(value.ranges);
    }
    return std::max(static_cast<uint32_t>(registers_.size()), most_for_a_moment());
  }

 private:
  uint32_t find_place(const Value& value) const {
    for (uint32_t first = 0;; first += value.width) {
      bool is_free = true;
      for (uint32_t i = first; i < first + value.width && i < registers_.size(); ++i)
        is_free = is_free && registers_[i].is_free_for(value.ranges);
      if (is_free) return first;
    }
  }

  /// With the registers that instructions need only while they execute.
  uint32_t most_for_a_moment() const {
    std::vector<int> change(2 * size_t{instructions_} + 2, 0);
    for (const Value& value : values_) {
      for (const LiveRange& range : value.ranges) {
        change[range.begin] += static_cast<int>(value.width);
        change[range.end + 1] -= static_cast<int>(value.width);
      }
    }
    int now = 0, most = 0;
    for (uint32_t i = 0; i < instructions_; ++i) {
      now += change[2 * i];
      most = std::max(most, now + static_cast<int>(pressure_.extra[i]));
      now += change[2 * i + 1];
    }
    return static_cast<uint32_t>(most);
  }

  const RegisterPressure& pressure_;
  uint32_t instructions_;
  std::vector<Value> values_;  // by begin
  std::vector<PhysicalRegister> registers_;
};

}  // namespace

uint32_t scan_registers(const Kernel& kernel, const RegisterPressure& pressure,
                        const std::vector<PassingValue>& passing) {
  return RegisterScan(kernel, pressure, passing).run();
}

}  // namespace warptime::ptx

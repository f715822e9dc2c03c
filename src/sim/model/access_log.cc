// How the slices of time grow, and how a buffer is divided into bins.
#include "sim/model/access_log.h"

#include <bit>

namespace warptime::sim {

void SlicedCounts::lengthen() {
  for (size_t item = 0; item < items(); ++item) {
    uint64_t* own = counts_.data() + item * kSlices;
    for (uint32_t i = 0; i < kSlices / 2; ++i) own[i] = own[2 * i] + own[2 * i + 1];
    std::fill(own + kSlices / 2, own + kSlices, 0);
  }
  ++shift_;
}

void SlicedCounts::add(const SlicedCounts& other) {
  if (counts_.empty()) {
    *this = other;
    return;
  }
  while (shift_ < other.shift_) lengthen();
  for (size_t i = 0; i < other.counts_.size(); ++i) {
    const size_t item = i / kSlices, slice = (i % kSlices) >> (shift_ - other.shift_);
    counts_[item * kSlices + slice] += other.counts_[i];
  }
}

void AccessLog::add_buffer(std::string_view name, Addr begin, uint64_t bytes) {
  if (bytes == 0) return;
  if (buffers.size() == kMostBuffers) {
    ++buffers_left_out;
    return;
  }
  Buffer buffer{std::string(name), begin, bytes, 2, 0, 0};  // a bin is at least a word
  while ((bytes - 1) >> buffer.bin_shift >= kMostBins) ++buffer.bin_shift;
  buffer.bins = static_cast<uint32_t>(((bytes - 1) >> buffer.bin_shift) + 1);
  if (!buffers.empty()) buffer.first_bin = buffers.back().first_bin + buffers.back().bins;
  buffers.push_back(std::move(buffer));
}

void AccessLog::prepare(uint32_t sm_count, size_t instructions, uint32_t partition_count, uint32_t bank_count) {
  partitions = partition_count;
  banks = bank_count;
  const size_t bins = buffers.empty() ? 0 : buffers.back().first_bin + buffers.back().bins;
  sms.resize(sm_count);
  for (OfSm& sm : sms) {
    sm.lanes = SlicedCounts(bins);
    sm.bank_bytes = SlicedCounts(size_t{partitions} * banks);
    sm.executions.assign(instructions, 0);
  }
}

const AccessLog::Buffer* AccessLog::find(Addr address, const Buffer* first_guess) const {
  if (first_guess != nullptr && first_guess->has(address)) return first_guess;
  for (const Buffer& buffer : buffers)
    if (buffer.has(address)) return &buffer;
  return nullptr;
}

void AccessLog::add_moment(Cycle now, std::vector<DramStats> partitions_now) {
  if (moments.size() == kMostMoments) {
    size_t kept = 1;
    for (size_t i = 2; i < moments.size(); i += 2) moments[kept++] = std::move(moments[i]);
    moments.resize(kept);
    between_moments *= 2;
    if (!moment_due(now)) return;
  }
  moments.push_back({now, std::move(partitions_now)});
}

void AccessLog::end_moments(Cycle end, std::vector<DramStats> partitions_then) {
  while (!moments.empty() && moments.back().cycle >= end) moments.pop_back();
  moments.push_back({end, std::move(partitions_then)});
}

}  // namespace warptime::sim

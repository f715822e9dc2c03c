// How the trace of a launch and its log of accesses are sent (base/state_archive.h): lists of plain numbers as they lie
// in memory.
#pragma once

#include "base/state_archive.h"
#include "sim/model/access_log.h"
#include "sim/model/trace.h"

namespace warptime::sim {

template <class Archive, class T>
void plain(Archive& archive, std::vector<T>& list) {
  static_assert(std::is_trivially_copyable_v<T>);
  uint64_t bytes = list.size() * sizeof(T);
  archive(bytes);
  if constexpr (Archive::kRestores) {
    archive.expect(bytes <= archive.left() && bytes % sizeof(T) == 0);
    list.resize(bytes / sizeof(T));
    archive.read(list.data(), bytes);
  } else {
    archive.write(list.data(), bytes);
  }
}

template <class Archive>
void serialize(Archive& archive, AccessSample& sample) {
  archive(sample.sm, sample.pc, sample.execution, sample.cycle, sample.block, sample.index_in_block, sample.lanes,
          sample.space, sample.is_load, sample.bytes, sample.addresses);
  plain(archive, sample.transactions);
}

template <class Archive>
void serialize(Archive& archive, AccessLog::Buffer& buffer) {
  archive(buffer.name, buffer.begin, buffer.bytes, buffer.bin_shift, buffer.first_bin, buffer.bins);
}

template <class Archive>
void serialize(Archive& archive, AccessLog::OfSm& sm) {
  archive(sm.lanes, sm.bank_bytes, sm.others, sm.executions, sm.samples);
}

template <class Archive>
void serialize(Archive& archive, AccessLog::Moment& moment) {
  archive(moment.cycle, moment.partitions);
}

template <class Archive>
void serialize(Archive& archive, AccessLog& log) {
  archive(log.buffers, log.buffers_left_out, log.partitions, log.banks, log.sms, log.moments, log.between_moments,
          log.requests_end, log.stacks_end);
  plain(archive, log.units);
  plain(archive, log.requests);
  plain(archive, log.transactions);
  plain(archive, log.answers);
  plain(archive, log.stacks);
  plain(archive, log.entries);
}

/// Without `accesses`, which are another object.
template <class Archive>
void serialize(Archive& archive, TraceLog& log) {
  archive(log.launch, log.sm, log.from, log.to);
  plain(archive, log.warps);
  plain(archive, log.events);
  plain(archive, log.queue);
}

}  // namespace warptime::sim

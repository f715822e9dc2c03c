// Requests of a partition that share one DRAM read. A read that may serve other requests has an MSHR (miss-status
// holding register); requests for the same lines, or with same_address_merge for the same word of a half-warp, are
// merged with it and answered with it.
//
// SameAddressTable is a fast path to the read with which a request of a half-warp is merged. It saves 23 % of the
// host's instructions in matmul:naive on geforce-8800-gtx-merge (n = 64: 4300 instead of 5586 per warp instruction).
// Plain path: a search among all reads of the partition whose data are outstanding; merged_requests_test.cc compares
// the two on random traffic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/slot_pool.h"
#include "sim/mem/arrival.h"

namespace warptime::sim {

/// The MSHRs of one partition. Left out: a limit of their number.
class MergedRequests {
 public:
  uint32_t allocate() {
    const uint32_t mshr = mshrs_.take();
    mshrs_[mshr] = List{};
    return mshr;
  }
  /// Releases an unused MSHR; no request has been merged with it.
  void release(uint32_t mshr) { mshrs_.give_back(mshr); }
  /// Whether a number in a restored state is one of an MSHR.
  bool has(uint32_t mshr) const { return mshr < mshrs_.capacity(); }
  void merge(uint32_t mshr, const Arrival& arrival) {
    const uint32_t number = merged_.take();
    merged_[number] = {arrival, kNone};
    List& list = mshrs_[mshr];
    (list.first == kNone ? list.first : merged_[list.last].next) = number;
    list.last = number;
  }
  /// Calls f(arrival) for all merged requests, in the order of their arrival, and releases the MSHR.
  template <class F>
  void answer(uint32_t mshr, F&& f) {
    for (uint32_t number = mshrs_[mshr].first; number != kNone; number = merged_[number].next) {
      f(merged_[number].arrival);
      merged_.give_back(number);
    }
    mshrs_.give_back(mshr);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct List {
    uint32_t first = kNone, last = kNone;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(first, last);
    }
  };
  struct Merged {
    Arrival arrival;
    uint32_t next = kNone;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(arrival, next);
    }
  };

  SlotPool<List> mshrs_;
  SlotPool<Merged> merged_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(mshrs_, merged_);
    auto is_one = [&](uint32_t number) { return number == kNone || number < merged_.capacity(); };
    mshrs_.for_each_in_use([&](List& list) { archive.expect(is_one(list.first) && is_one(list.last)); });
    merged_.for_each_in_use([&](Merged& one) { archive.expect(is_one(one.next)); });
  }
};

/// same_address_merge: partition. Requests of one half-warp for the same word leave the SM one by one and cross to the
/// partition with the first one, whose DRAM read answers all that arrive before its data are sent. An SM's requests
/// arrive half-warp by half-warp, so the table holds one half-warp per SM.
class SameAddressTable {
 public:
  struct Read {
    uint64_t word = 0;
    uint32_t mshr = 0;
    bool served = false;         // its last column access is issued
    uint64_t data_end = kNever;  // then: memory cycle after its last data

    template <class Archive>
    void serialize(Archive& archive) {
      archive(word, mshr, served, data_end);
    }
  };

  explicit SameAddressTable(uint32_t sms) : groups_(sms) {}

  /// The read that also answers `request`, which arrives at memory cycle `now`; nullptr: the request needs its own
  /// read, with this MSHR.
  const Read* lookup_or_allocate(const PartitionRequest& request, uint32_t mshr, uint64_t now) {
    Group& group = groups_[request.sm];
    if (group.id != request.group()) {
      group.id = request.group();
      group.count = 0;
    }
    for (uint32_t i = 0; i < group.count; ++i) {
      Read& read = group.reads[i];
      if (read.word != request.word()) continue;
      if (!read.served || now <= read.data_end) return &read;
      read = {request.word(), mshr, false, kNever};
      return nullptr;
    }
    if (group.count < group.reads.size()) group.reads[group.count++] = {request.word(), mshr, false, kNever};
    return nullptr;
  }

  /// The last column access of the read with this MSHR has issued.
  void served(const PartitionRequest& request, uint32_t mshr, uint64_t data_end) {
    Group& group = groups_[request.sm];
    if (group.id != request.group()) return;
    for (uint32_t i = 0; i < group.count; ++i) {
      Read& read = group.reads[i];
      if (read.mshr != mshr || read.served) continue;
      read.served = true;
      read.data_end = data_end;
      return;
    }
  }

 private:
  struct Group {
    uint32_t id = ~uint32_t{0};
    uint32_t count = 0;
    std::array<Read, 16> reads;  // one per lane

    template <class Archive>
    void serialize(Archive& archive) {
      archive(id, count);
      archive.expect(count <= reads.size());
      for (uint32_t i = 0; i < count; ++i) archive(reads[i]);
    }
  };
  std::vector<Group> groups_;  // by SM

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(groups_);
  }
};

}  // namespace warptime::sim

// Runs of equal requests: a fast path between an SM and its TPC's crossbar ports.
//
// Lanes that read the same word make equal transactions (compute capability 1.0 and 1.1 do not coalesce them). An SM
// sends them as one run: one entry of its queue, with a count. They still leave one by one, each with a credit, and
// each has its answer; but the purpose of the answers is stored once for all of them, and only the last answer of a
// load is delivered to the SM; the others are counted.
//
// It saves 19 % of the host's instructions in matmul:naive (n = 64: 3510 instead of 4328 per warp instruction).
//
// Plain path: each request sent by itself, which is a run of one, and each answer delivered. request_run_test.cc
// compares the two on random traffic.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "base/assert.h"
#include "sim/mem/crossbar.h"

namespace warptime::sim {

/// A run in an SM's queue.
struct RequestRun {
  PartitionRequest request;           // each of them, except `with_previous`: the first remaining one
  Cycle ready = 0;                    // from which the first remaining one may leave the SM
  uint32_t count = 0;                 // remaining
  uint32_t spacing = 0;               // cycles between them
  uint32_t partition = 0;             // destination
  uint32_t port_cycles = 0;           // per request, unless it is merged with the previous one
  bool others_with_previous = false;  // all but the first are merged with the previous one

  template <class Archive>
  void serialize(Archive& archive) {
    archive(request, ready, count, spacing);
    archive.index(partition, archive.limits.partitions);
    archive(port_cycles, others_with_previous);
  }

  /// The first has left. False: it was the last.
  bool next() {
    if (--count == 0) return false;
    ready += spacing;
    // Written only if it changes: copying an object soon after writing a part of it is slow on the host.
    if (others_with_previous != request.with_previous) request.with_previous = others_with_previous;
    return true;
  }
  Cycle ready_of(uint32_t index) const { return ready + Cycle{index} * spacing; }
  bool with_previous(uint32_t index) const { return index > 0 ? others_with_previous : bool{request.with_previous}; }
};

/// The purpose of the answers to a TPC's runs, until the last one has passed the input port. An answer carries the
/// number of its run. Numbers are assigned cyclically, so that runs sent, and usually answered, in sequence are
/// adjacent in memory.
class RunAnswers {
 public:
  struct Run {
    PendingStore* store = nullptr;
    uint32_t tag = 0;
    uint32_t to_come = 0;      // answers
    uint16_t count = 0;        // of them, at first
    uint16_t sm = 0;           // index on the chip
    uint16_t port_cycles = 0;  // of the input port, for each answer
    ReadKind kind = ReadKind::Plain;
    bool atomic : 1 = false, counted : 1 = false;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(to_come);
      if (to_come == 0) return;
      bool is_atomic = atomic, is_counted = counted;
      archive.pointer(store);
      archive(tag, count);
      archive.index(sm, archive.limits.sms);
      archive(port_cycles, kind, is_atomic, is_counted);
      atomic = is_atomic;
      counted = is_counted;
      expect_answer(archive, *this);
    }
  };
  static_assert(sizeof(Run) == 16 + sizeof(PendingStore*));

  RunAnswers(uint32_t first_sm, uint32_t sms) : first_sm_(first_sm), awaited_(sms) {}

  /// The number of a new run of so many requests, each of whose answers takes so many cycles of the input port.
  uint32_t add(const Request& request, uint32_t count, uint32_t port_cycles) {
    if (in_use_ == runs_.size() / 4 * 3) [[unlikely]]
      runs_.resize(runs_.size() * 2);
    ++in_use_;
    do next_ = (next_ + 1) & static_cast<uint32_t>(runs_.size() - 1);
    while (runs_[next_].to_come != 0);
    Run& run = runs_[next_];
    run.store = request.store;
    run.tag = request.tag;
    run.to_come = count;
    run.count = static_cast<uint16_t>(count);
    run.sm = request.sm;
    run.port_cycles = static_cast<uint16_t>(port_cycles);
    run.kind = request.kind;
    run.atomic = request.atomic;
    run.counted = request.counted;
    return next_;
  }
  uint32_t port_cycles(uint32_t number) const { return runs_[number].port_cycles; }
  /// An answer to this run has arrived. nullptr: the SM is not notified of it.
  const Run* arrived(uint32_t number) {
    Run& run = runs_[number];
    const bool is_last = --run.to_come == 0;
    in_use_ -= is_last;
    return run.counted && (!is_last || is_awaited(run)) ? nullptr : &run;
  }
  /// TpcMemory::expect
  void expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers) {
    std::vector<uint16_t>& of_sm = awaited_[sm_in_tpc];
    if (tag >= of_sm.size()) of_sm.resize(std::max<size_t>(256, std::bit_ceil(size_t{tag} + 1)));
    SIM_DEBUG_ASSERT(of_sm[tag] == 0, "load {} still waits for {} answers", tag, of_sm[tag]);
    of_sm[tag] = static_cast<uint16_t>(answers);
  }

 private:
  /// All answers to a counted run have arrived: returns whether others of the same load are outstanding.
  bool is_awaited(const Run& run) {
    uint16_t& others = awaited_[run.sm - first_sm_][run.tag];
    others = static_cast<uint16_t>(others - run.count);
    return others != 0;
  }

  uint32_t first_sm_;           // of the TPC, on the chip
  std::vector<Run> runs_{256};  // by number; a power of two
  uint32_t in_use_ = 0;         // of them
  uint32_t next_ = 0;
  std::vector<std::vector<uint16_t>> awaited_;  // by SM in the TPC and tag: counted answers to come

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runs_, in_use_, next_);
    archive.expect(std::has_single_bit(runs_.size()) && in_use_ <= runs_.size() / 4 * 3 && next_ < runs_.size());
    if constexpr (Archive::kRestores)
      if (const uint64_t tpc = first_sm_ / std::max<size_t>(1, awaited_.size()); tpc < archive.limits.runs.size())
        archive.expect(archive.limits.runs[tpc] <= runs_.size());
    archive.table(awaited_);
    for (const Run& run : runs_) {
      if (run.to_come == 0) continue;
      archive.expect(run.sm >= first_sm_ && run.sm - first_sm_ < awaited_.size());
      archive.expect(!run.counted || run.tag < awaited_[run.sm - first_sm_].size());
    }
  }
};

}  // namespace warptime::sim

// A file from which a run continues: the state of the launch that was running, what the launches before it gave, and
// what must be the same in the run that continues. All of it is checked before anything is run.
//
//   magic, format, length and checksum of the rest; identity; the rest (base/state_archive.h)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu/session.h"
#include "sim/model/statistics.h"
#include "sim/runtime/device_heap.h"

namespace warptime::host {

/// What was run, and by which program.
struct RunIdentity {
  std::string program;                // version and commit
  std::string machine, machine_hash;  // name, and hash of the values
  std::string target;                 // as the user named it
  std::vector<std::string> settings;  // options that change results, as "--param n=64"; in their order

  template <class Archive>
  void serialize(Archive& archive) {
    archive(program, machine, machine_hash, target, settings);
  }
};

/// Why a run with this identity cannot continue one with the other, in a sentence; empty: it can.
std::string why_not_continued(const RunIdentity& saved, const RunIdentity& now);

struct Checkpoint {
  RunIdentity identity;
  uint64_t launch = 0;                          // number of the one that was running
  std::string calls;                            // hash of what the host program had asked of the device
  std::vector<sim::LaunchStatistics> launches;  // before it
  std::vector<std::byte> reads;                 // what the host had read of device memory, in the order of its calls
  sim::DeviceHeap heap;
  sim::Snapshot snapshot;
};

/// The bytes of the file.
std::string checkpoint_text(const Checkpoint& checkpoint);

/// From such bytes. Throws StateError, in words that follow "FILE ": "is damaged", "is not a checkpoint".
Checkpoint read_checkpoint(std::string_view text);

}  // namespace warptime::host

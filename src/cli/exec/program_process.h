// The process of a program, and the packets that it and the processes that it starts send meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptors.h"

namespace warptime::cli {

/// Where processes connect to (cuda::kRecordVariable), each once, and what they send. A name in place of a descriptor:
/// many programs start others without their descriptors.
class PacketServer {
 public:
  /// `packet`: its process, numbered from 0, and the bytes.
  using Receive = std::function<void(size_t, std::span<const std::byte>)>;
  /// Throws host::InputError.
  explicit PacketServer(Receive receive);

  /// Descriptors that are readable when something is there: the first when a process connects.
  std::vector<int> descriptors() const;
  /// Takes all that is there. `connects`: from new processes, too.
  void take(bool connects);

 private:
  void read(size_t process);

  Receive receive_;
  Descriptor listener_;
  std::vector<Descriptor> processes_;  // -1: it has closed its end
  std::vector<std::byte> bytes_;
};

struct ProgramEnd {
  int status = 0;  // the exit status; 128 + n after signal n
  bool was_killed = false;
  bool timed_out = false;
};

/// Starts the program `path` with these words, the first of which is its name, and waits for its end. Signals from the
/// terminal reach it, too; others are passed on. `timeout`: seconds after which it is ended.
ProgramEnd run_process(const std::string& path, std::vector<std::string> words, PacketServer* server = nullptr,
                       std::optional<uint64_t> timeout = {});

}  // namespace warptime::cli

// What the processes of a program report to `warptime exec` while they run, so that it is there also for one that is
// killed: launches and operations of the timeline when they have ended. It goes through a socket whose packets arrive
// whole, whoever sends them; a longer message is several packets. Numbers are as the host has them: sender and receiver
// are of one build.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "sim/gpu/launch_listener.h"
#include "sim/model/access_log.h"
#include "sim/model/trace.h"

namespace warptime::cuda {

/// The variable with the name of the socket.
inline constexpr const char* kRecordVariable = "WARPTIME_EXEC_RECORD";
/// The variables with the launch that is to be traced, "LAUNCH,SM,FROM,TO", and the cycles of an interval.
inline constexpr const char* kTracedVariable = "WARPTIME_EXEC_TRACED";
inline constexpr const char* kIntervalVariable = "WARPTIME_EXEC_INTERVAL";

/// The address of that name, which is not in the file system, and its length.
std::pair<sockaddr_un, socklen_t> record_address(std::string_view name);

/// A process that uses the device. One device after another, if it resets the first.
struct RecordedDevice {
  std::string machine, machine_hash;
  uint32_t threads = 1;
};
/// The end of a device whose process has ended as it should.
struct RecordedEnd {
  double time_us = 0, simulate_seconds = 0;
};

class RecordSender {
 public:
  /// To the socket that the environment names, if there is one.
  RecordSender();
  bool is_open() const { return descriptor_ >= 0; }

  void begins(const RecordedDevice& device);
  void launch(const sim::LaunchStatistics& launch);
  void event(const host::TimelineEvent& event);
  void interval(const sim::LaunchInterval& part);
  void traced(const sim::TraceLog& log, const sim::LaunchStatistics& launch);
  void fault();
  void ends(const RecordedEnd& end);

 private:
  enum class Kind : uint8_t { Begins, Text, Launch, Event, Interval, Traced, Fault, Ends };
  friend class RecordReader;
  template <class... Values>
  void send(Kind kind, const Values&... values);
  void send_packets(std::span<const std::byte> message);
  /// The number of a module's text, which is sent first if it is new; 0: none.
  uint32_t number_of(const std::shared_ptr<const SourceText>& text);

  int descriptor_ = -1;
  uint64_t inode_ = 0;  // a program may close what it does not know, and have something else there
  std::vector<std::shared_ptr<const SourceText>> texts_;
  std::vector<std::byte> buffer_;
};

/// Receives what all processes report, in the order of arrival. The times of a device begin where those of the devices
/// before it end.
class RecordListener : public host::RunObserver {
 public:
  /// False: nothing of this device is wanted.
  virtual bool begins(const RecordedDevice& device) = 0;
  virtual void interval(const sim::LaunchInterval& part) = 0;
  /// `launch`: the one that was traced.
  virtual void traced(sim::TraceLog log, sim::AccessLog accesses, sim::LaunchStatistics launch) = 0;
  virtual void fault() = 0;
  virtual void ends(const RecordedEnd& end) = 0;
};

class RecordReader {
 public:
  explicit RecordReader(RecordListener& to) : to_(to) {}
  /// What is not of RecordSender is ignored.
  void take(size_t number, std::span<const std::byte> packet);
  /// Devices whose end has not been reported: their processes were killed.
  bool is_cut() const;

 private:
  struct Process {
    std::vector<std::byte> message;  // as far as it has come
    std::vector<std::shared_ptr<const SourceText>> texts;
    bool wanted = false, runs = false;
    double from_us = 0;
  };
  void read(Process& process);

  RecordListener& to_;
  std::map<size_t, Process> processes_;  // by number
  double end_us_ = 0;                    // of all operations so far
};

/// The most bytes of a packet.
inline constexpr size_t kMostPacketBytes = 1 << 15;

}  // namespace warptime::cuda

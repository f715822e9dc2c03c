#include "cuda/record.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cuda/trace_archive.h"
#include "host/checkpoint/launch_archive.h"

namespace warptime::host {

template <class Archive>
void serialize(Archive& archive, TimelineEvent& event) {
  archive(event.kind, event.direction, event.name, event.start_us, event.end_us, event.bytes, event.stream);
}

}  // namespace warptime::host

namespace warptime::sim {

template <class Archive>
void serialize(Archive& archive, LaunchInterval& part) {
  archive(part.launch, part.begin, part.end, part.counted);
}

}  // namespace warptime::sim

namespace warptime::cuda {

namespace {

/// Without its text, and without what a functional run does not count: most launches of many are small.
struct SentLaunch {
  sim::LaunchStatistics& statistics;
};
template <class Archive>
void serialize(Archive& archive, SentLaunch& launch) {
  sim::LaunchStatistics& all = launch.statistics;
  archive(all.timed, all.attributed, all.detailed, all.staged, all.note);
  sim::LaunchStatistics::zip_groups(all, all, [&](const sim::StatGroup& group, auto& values, const auto&) {
    if (all.has(group)) archive(values);
  });
}

}  // namespace

template <class Archive>
void serialize(Archive& archive, RecordedDevice& device) {
  archive(device.machine, device.machine_hash, device.threads);
}
template <class Archive>
void serialize(Archive& archive, RecordedEnd& end) {
  archive(end.time_us, end.simulate_seconds);
}

namespace {

struct PacketHead {
  uint64_t is_last = 0;  // of its message
};

uint64_t inode_of(int descriptor) {
  struct stat place {};
  return fstat(descriptor, &place) == 0 ? place.st_ino : 0;
}

}  // namespace

std::pair<sockaddr_un, socklen_t> record_address(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name = name.substr(0, sizeof address.sun_path - 1);
  std::copy(name.begin(), name.end(), address.sun_path + 1);  // behind a zero byte: not in the file system
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

RecordSender::RecordSender() {
  const char* name = std::getenv(kRecordVariable);
  if (name == nullptr || *name == '\0') return;
  const auto [address, bytes] = record_address(name);
  descriptor_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor_ >= 0 && connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), bytes) != 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
  inode_ = inode_of(descriptor_);
}

void RecordSender::send_packets(std::span<const std::byte> message) {
  std::vector<std::byte> packet;
  for (bool more = true; more && descriptor_ >= 0;) {
    const std::span<const std::byte> part =
        message.first(std::min(message.size(), kMostPacketBytes - sizeof(PacketHead)));
    message = message.subspan(part.size());
    more = !message.empty();
    const PacketHead head{more ? 0u : 1u};
    packet.resize(sizeof head + part.size());
    std::memcpy(packet.data(), &head, sizeof head);
    std::memcpy(packet.data() + sizeof head, part.data(), part.size());
    if (inode_of(descriptor_) != inode_) descriptor_ = -1;
    while (descriptor_ >= 0 && ::send(descriptor_, packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
      if (errno != EINTR) descriptor_ = -1;  // nobody listens any more
  }
}

template <class... Values>
void RecordSender::send(Kind kind, const Values&... values) {
  if (!is_open()) return;
  buffer_.clear();
  StateWriter archive(buffer_);
  archive(kind);
  (archive(values), ...);
  send_packets(buffer_);
}

uint32_t RecordSender::number_of(const std::shared_ptr<const SourceText>& text) {
  if (text == nullptr) return 0;
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  if (known != texts_.end()) return static_cast<uint32_t>(known - texts_.begin() + 1);
  send(Kind::Text, text->name(), std::string(text->text()));
  texts_.push_back(text);
  return static_cast<uint32_t>(texts_.size());
}

void RecordSender::begins(const RecordedDevice& device) { send(Kind::Begins, device); }
void RecordSender::launch(const sim::LaunchStatistics& launch) {
  const uint32_t text = number_of(launch.ptx);
  send(Kind::Launch, text, SentLaunch{const_cast<sim::LaunchStatistics&>(launch)});
}
void RecordSender::event(const host::TimelineEvent& event) { send(Kind::Event, event); }
void RecordSender::interval(const sim::LaunchInterval& part) { send(Kind::Interval, part); }
void RecordSender::traced(const sim::TraceLog& log, const sim::LaunchStatistics& launch) {
  const uint32_t text = number_of(launch.ptx);
  send(Kind::Traced, log, *log.accesses, text, SentLaunch{const_cast<sim::LaunchStatistics&>(launch)});
}
void RecordSender::fault() { send(Kind::Fault); }
void RecordSender::ends(const RecordedEnd& end) { send(Kind::Ends, end); }

void RecordReader::take(size_t number, std::span<const std::byte> packet) {
  PacketHead head;
  if (packet.size() < sizeof head) return;
  std::memcpy(&head, packet.data(), sizeof head);
  Process& process = processes_[number];
  process.message.insert(process.message.end(), packet.begin() + sizeof head, packet.end());
  if (head.is_last == 0) return;
  try {
    read(process);
  } catch (const StateError&) {
    process.wanted = false;
  }
  process.message.clear();
}

void RecordReader::read(Process& process) {
  using Kind = RecordSender::Kind;
  StateReader archive(process.message);
  Kind kind{};
  archive(kind);
  auto next = [&archive]<class T>(T value) {
    archive(value);
    return value;
  };
  auto next_launch = [&] {
    const auto text = next(uint32_t{0});
    sim::LaunchStatistics launch;
    SentLaunch sent{launch};
    archive(sent);
    if (text != 0 && text <= process.texts.size()) launch.ptx = process.texts[text - 1];
    return launch;
  };
  if (kind == Kind::Begins) {
    process.wanted = to_.begins(next(RecordedDevice()));
    process.runs = true;
    process.from_us = end_us_;
  }
  if (!process.wanted) return;
  switch (kind) {
    case Kind::Begins: break;
    case Kind::Text: {
      std::string name = next(std::string()), text = next(std::string());
      process.texts.push_back(std::make_shared<SourceText>(std::move(name), std::move(text)));
      break;
    }
    case Kind::Launch: to_.launch(next_launch()); break;
    case Kind::Event: {
      auto event = next(host::TimelineEvent());
      event.start_us += process.from_us;
      event.end_us += process.from_us;
      end_us_ = std::max(end_us_, event.end_us);
      to_.event(event);
      break;
    }
    case Kind::Interval: to_.interval(next(sim::LaunchInterval())); break;
    case Kind::Traced: {
      auto log = next(sim::TraceLog());
      auto accesses = next(sim::AccessLog());
      to_.traced(std::move(log), std::move(accesses), next_launch());
      break;
    }
    case Kind::Fault: to_.fault(); break;
    case Kind::Ends: {
      const auto end = next(RecordedEnd());
      process.runs = false;
      end_us_ = std::max(end_us_, process.from_us + end.time_us);
      to_.ends(end);
    }
  }
}

bool RecordReader::is_cut() const {
  return std::any_of(processes_.begin(), processes_.end(), [](const auto& one) { return one.second.runs; });
}

}  // namespace warptime::cuda

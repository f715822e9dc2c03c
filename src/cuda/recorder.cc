#include "cuda/recorder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/descriptors.h"
#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "sim/gpu/gpu.h"

namespace warptime::cuda {

Recorder::Recorder() : process_(getpid()) {
  uint32_t number = 0;
  if (const char* given = std::getenv(kRecordVariable))
    if (parse_number(given, number) == NumberError::Ok) descriptor_ = static_cast<int>(number);
}

void Recorder::line(const std::string& text) const {
  if (descriptor_ >= 0 && getpid() == process_) write_whole(descriptor_, text + "\n");
}

void Recorder::begin(const sim::Machine& machine) {
  const char* path = std::getenv("WARPTIME_STATS");
  if (path == nullptr || *path == '\0' || file_ != nullptr) return;
  report_.machine = machine;
  report_.target = program_invocation_name;
  file_ = std::make_unique<OutputFile>(path);
  const bool csv = std::string_view(path).ends_with(".csv");
  text_ = host::statistics_text(csv ? host::StatisticsFormat::Launches : host::StatisticsFormat::Json, machine,
                                report_.target, false, [this](std::string_view part) { file_->write(part); });
}

void Recorder::launch(const sim::LaunchStatistics& launch) {
  ++launches_;
  line(fmt::format("kernel\t{}\t{}\t{}\t{}", launch.kernel, launch.cycles, launch.time_us,
                   launch.counts.warp_instructions));
  if (text_ == nullptr) return;
  host::add_launch(total_, launch);
  text_->launch(launch);
}

void Recorder::event(const host::TimelineEvent& event) {
  using Kind = host::TimelineEvent::Kind;
  using Direction = host::TimelineEvent::Direction;
  const double us = event.end_us - event.start_us;
  const char* direction = event.direction == Direction::HostToDevice   ? "to the device"
                          : event.direction == Direction::DeviceToHost ? "to the host"
                                                                       : "on the device";
  if (event.kind == Kind::Copy) line(fmt::format("copy\t{}\t{}\t{}", direction, event.bytes, us));
  if (event.kind == Kind::Fill) line(fmt::format("fill\t{}\t{}", event.bytes, us));
  if (text_ != nullptr) text_->event(event);
}

void Recorder::fault(const host::FaultError& error) {
  line("fault");
  report_.cut = error;
}

void Recorder::leave(host::Device& device) {
  if (getpid() != process_) return;
  try {
    if (!report_.cut) device.synchronize();
    line(fmt::format("time\t{}", device.now_us()));
    report_.host.simulate_seconds += device.simulate_seconds();
    report_.host.threads = device.options().threads;
  } catch (const host::FaultError& error) {
    print_error(error.what());
    fault(error);
  }
  print_error(device.warnings());
}

void Recorder::finish() {
  if (text_ == nullptr || getpid() != process_) return;
  report_.host.peak_rss_bytes = host::peak_rss_bytes();
  text_->end(report_, total_);
  text_ = nullptr;
  if (!file_->commit()) print_error(fmt::format("error: the statistics were not written: {}\n", file_->error()));
}

}  // namespace warptime::cuda

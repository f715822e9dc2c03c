#include "cuda/recorder.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "sim/gpu/gpu.h"

namespace warptime::cuda {

/// What `warptime exec` wants of single launches: the trace of one, and counters of every so many cycles.
class Recorder::Listener final : public sim::LaunchListener {
 public:
  explicit Listener(RecordSender& sender) : sender_(sender) {
    const char* traced = std::getenv(kTracedVariable);
    std::string_view text = traced == nullptr ? "" : traced;
    if (!text.empty()) {
      std::array<uint64_t, 4> numbers{};
      for (uint64_t& number : numbers) {
        const size_t comma = std::min(text.find(','), text.size());
        parse_number(text.substr(0, comma), number);
        text.remove_prefix(std::min(comma + 1, text.size()));
      }
      log_ = {.launch = numbers[0], .sm = static_cast<uint32_t>(numbers[1]), .from = numbers[2], .to = numbers[3]};
      log_.accesses = &accesses_;
      needs_.trace = &log_;
    }
    if (const char* cycles = std::getenv(kIntervalVariable)) parse_number(cycles, needs_.interval);
  }
  void interval(const sim::LaunchInterval& part) override { sender_.interval(part); }
  void ended(uint64_t number, const sim::LaunchStatistics& launch) {
    if (needs_.trace == nullptr || number != log_.launch || !launch.timed) return;
    needs_.trace = nullptr;
    sender_.traced(log_, launch);
  }

 private:
  RecordSender& sender_;
  sim::TraceLog log_;
  sim::AccessLog accesses_;
};

Recorder::Recorder() = default;
Recorder::~Recorder() = default;
sim::LaunchListener* Recorder::listener() { return listener_.get(); }

void Recorder::begin(const sim::Machine& machine, const Settings& settings) {
  if (getpid() != process_) {
    // What the parent of a forked process had is its own.
    static_cast<void>(file_.release());
    static_cast<void>(text_.release());
    process_ = getpid();
    sender_ = RecordSender();
    listener_ = sender_.is_open() ? std::make_unique<Listener>(sender_) : nullptr;
    report_ = {};
    counts_ = {};
    total_ = {};
  }
  launches_ = 0;
  sender_.begins({machine.name, machine.hash, settings.run.threads});
  const std::string path = setting("stats");
  if (path.empty() || sender_.is_open() || file_ != nullptr) return;
  report_.machine = machine;
  report_.target = program_invocation_name;
  if (settings.is_partly_timed()) report_.partly.emplace();
  file_ = std::make_unique<OutputFile>(path);
  const bool csv = path.ends_with(".csv");
  const bool differ = settings.is_partly_timed() || settings.run.sampling != sim::Sampling::Off;
  text_ = host::statistics_text(csv ? host::StatisticsFormat::Launches : host::StatisticsFormat::Json, machine,
                                report_.target, differ, [this](std::string_view part) { file_->write(part); });
}

void Recorder::launch(const sim::LaunchStatistics& launch) {
  if (getpid() != process_) return;
  sender_.launch(launch);
  if (listener_ != nullptr) listener_->ended(launches_, launch);
  ++launches_;
  if (text_ == nullptr) return;
  host::add_launch(total_, launch);
  count_launch(counts_, launch);
  text_->launch(launch);
}

void Recorder::event(const host::TimelineEvent& event) {
  if (getpid() != process_) return;
  sender_.event(event);
  if (text_ != nullptr) text_->event(event);
}

void Recorder::fault(const host::FaultError& error) {
  if (getpid() != process_) return;
  sender_.fault();
  report_.cut = error;
}

void Recorder::leave(host::Device& device) {
  if (getpid() != process_) return;
  try {
    if (!report_.cut) device.synchronize();
    report_.host.simulate_seconds += device.simulate_seconds();
    report_.host.threads = device.options().threads;
  } catch (const host::FaultError& error) {
    print_error(error.what());
    fault(error);
  }
  print_error(device.warnings());
  sender_.ends({device.now_us(), device.simulate_seconds()});
}

void Recorder::finish() {
  if (text_ == nullptr || getpid() != process_) return;
  report_.host.peak_rss_bytes = host::peak_rss_bytes();
  if (report_.partly) report_.partly = counts_;
  text_->end(report_, total_);
  text_ = nullptr;
  if (!file_->commit()) print_error(fmt::format("error: the statistics were not written: {}\n", file_->error()));
}

}  // namespace warptime::cuda

#include "cuda/runtime.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/host_memory.h"
#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "cuda/capability.h"
#include "cuda/graph.h"
#include "host/device/home.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/launch_listener.h"
#include "sim/model/machine_loader.h"

namespace warptime::cuda {

namespace {

/// Whether the runtime has been used, which the end of the process asks.
bool is_used = false;

/// "PATH=VALUE;PATH=VALUE".
std::vector<std::string> settings(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

sim::Machine machine_of_environment() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&machine_of_environment), &self);
  const std::string named = setting("machine");
  Diagnostics diagnostics;
  auto loaded =
      sim::load_machine(named.empty() ? host::kDefaultMachine : std::string_view(named), settings(setting("set")),
                        host::find_home(self.dli_fname == nullptr ? "" : self.dli_fname) + "/configs", diagnostics);
  if (!loaded) throw host::InputError(diagnostics.to_text());
  return std::move(loaded->machine);
}

/// What device code prints goes where the program's own output goes, in its order.
class ProgramOutput final : public sim::LaunchListener {
 public:
  ProgramOutput() : LaunchListener({.prints = true}) {}
  void printed(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), stdout); }
};

/// The line of a message that names a call of the program.
std::string host_line(const CallSite& site) { return fmt::format("         host: {}\n", site.text()); }

/// Never destroyed, like the runtime that uses it until the process ends.
ProgramOutput& program_output() {
  static auto* const output = new ProgramOutput;
  return *output;
}

}  // namespace

Runtime& Runtime::get() {
  static Runtime* const runtime = [] {
    is_used = true;
    return new Runtime;
  }();
  return *runtime;
}

/// After the program's own exit functions.
__attribute__((destructor)) static void end_of_process() {
  if (!is_used || Runtime::get().is_forked()) return;  // threads of the simulation are those of the parent
  warptime_called = "";
  Runtime::get().reset();
  Runtime::get().recorder().finish();
}

host::Device& Runtime::device() {
  if (device_ != nullptr) return *device_;
  if (no_device_) throw CallError(*no_device_);
  try {
    sim::Machine machine = machine_of_environment();
    if (capture_ == nullptr) capture_ = LaunchCapture::of_environment();
    Settings settings = settings_of_environment(machine.config);
    choice_ = settings.choice;
    settings.run.functional = settings.run.functional || capture_ != nullptr;
    if (const std::string tools = setting("check"); !tools.empty()) {
      make_checks(tools, settings.run.all_calls);
      settings.run.functional = true;
    }
    recorder_.begin(machine, settings);
    listeners_ = std::make_unique<sim::LaunchListeners>(
        std::initializer_list<sim::LaunchListener*>{checks_.get(), &program_output(), recorder_.listener()});
    settings.run.listener = listeners_.get();
    device_ = std::make_unique<host::Device>(std::move(machine), std::move(settings.run));
    device_->observe(&recorder_);
    process_ = getpid();
  } catch (const host::InputError& error) {
    no_device_ = CallError{Error::InitializationError, error.what()};
    throw CallError(*no_device_);
  }
  return *device_;
}

Runtime::Runtime() = default;
Runtime::~Runtime() = default;

bool Runtime::is_forked() const { return device_ != nullptr && process_ != getpid(); }

void Runtime::make_checks(const std::string& tools, bool all_calls) {
  const auto chosen = debug::check_tools_of(tools);
  if (!chosen)
    throw CallError{Error::InitializationError,
                    fmt::format("error: WARPTIME_CHECK is \"{}\", not all or names of checkers\n", tools)};
  checks_ = std::make_unique<ProgramChecks>(
      *chosen,
      [this](const std::string& buffer) {
        auto found = allocated_.find(buffer);
        return found == allocated_.end() ? std::nullopt : std::optional(found->second.named());
      },
      all_calls);
  uint64_t seed = 0;
  if (parse_number(setting("adversarial"), seed) == NumberError::Ok) checks_->reorder(seed);
}

uint32_t Runtime::capability() { return capability_of(machine()); }

void Runtime::reset() {
  try {
    if (device_ != nullptr && fault_ == Error::Success) device_->synchronize();
  } catch (const host::FaultError& error) {
    note(error);
  }
  if (device_ != nullptr) recorder_.leave(*device_);
  for (auto& image : images_) {
    image->module = nullptr;
    image->failure.reset();
  }
  for (auto& [address, block] : host_blocks)
    if (!block.shared && block.kind == HostBlock::Kind::PageLocked) std::free(pointer_to(address));
  host_blocks.clear();
  captures.clear();
  graph_execs.clear();
  events.clear();
  graphs.clear();
  graph_memory.clear();
  arrays.clear();
  mipmapped_arrays.clear();
  pools.clear();
  current_pool = nullptr;
  pool_memory.clear();
  stream_attributes.clear();
  textures.clear();
  lanes_.clear();
  streams.clear();
  fault_ = Error::Success;
  if (checks_ != nullptr) checks_->end();
  device_ = nullptr;
  checks_ = nullptr;
  allocated_.clear();
  waiting_.clear();
  launches = 0;
}

void Runtime::will_launch(const void* stub) {
  if (recorder_.launches() == launches) waiting_.clear();
  CallSite& site = waiting_.emplace_back(call_site());
  site.launch = launches;
  site.stub = stub;
  if (checks_ != nullptr) checks_->launched_by(site.named());
}

bool Runtime::capture(const LaunchToCapture& launch) {
  if (capture_ == nullptr || !capture_->includes(launch)) return false;
  try {
    capture_->write(device(), launch);
    return true;
  } catch (const host::InputError& error) {
    say_once(error.what());
    return false;
  }
}

void Runtime::captured(const LaunchToCapture& launch, uint64_t warp_instructions) {
  try {
    capture_->ran(launch, warp_instructions);
  } catch (const host::InputError& error) {
    say_once(error.what());
  }
}

void Runtime::note(const host::FaultError& error) {
  fault_ = error_of(error.fault.kind);
  recorder_.fault(error);
  if (checks_ != nullptr && checks_->has_fault()) return;  // it is one of the findings
  if (!said_.insert(error.what()).second) return;
  std::string text = error.what();
  // Which of several that ran side by side faulted is not known.
  const CallSite now = call_site();
  if (*now.function != '\0' && (waiting_.size() != 1 || waiting_.front().number != now.number)) text += host_line(now);
  if (waiting_.size() == 1) text += host_line(waiting_.front());
  print_error(text + allocation_lines(error.what()));
}

void Runtime::say_once(const std::string& text) {
  if (text.empty() || !said_.insert(text).second) return;
  print_error(text + host_line(call_site()) + allocation_lines(text));
}

/// Where the buffers were allocated that a message names in quotation marks.
std::string Runtime::allocation_lines(std::string_view message) const {
  std::set<std::string> lines;
  for (size_t at = message.find('"'); at != std::string_view::npos; at = message.find('"', at + 1)) {
    const std::string_view name = message.substr(at + 1, message.find('"', at + 1) - at - 1);
    if (auto found = allocated_.find(name); found != allocated_.end())
      lines.insert(fmt::format("         \"{}\": {}\n", name, found->second.text()));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

host::Stream Runtime::stream_of(const void* stream) const {
  constexpr uintptr_t kLastOfDefault = 2;  // cudaStreamLegacy is 1, cudaStreamPerThread 2
  if (reinterpret_cast<uintptr_t>(stream) <= kLastOfDefault) return {};
  auto found = streams.find(stream);
  if (found == streams.end()) throw CallError{Error::InvalidResourceHandle};
  return found->second->stream;
}

EventObject& Runtime::event_of(const void* event) {
  auto found = events.find(event);
  if (found == events.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}

host::Stream Runtime::take_lane() {
  if (lanes_.empty()) return device().create_stream();
  const host::Stream lane = lanes_.back();
  lanes_.pop_back();
  return lane;
}

void Runtime::give_lanes(std::vector<host::Stream> lanes) { lanes_.insert(lanes_.end(), lanes.rbegin(), lanes.rend()); }

Error& last_error() {
  thread_local Error last = Error::Success;
  return last;
}

Error end_call(Runtime& runtime, std::exception_ptr problem, Error code) {
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const CallError& error) {
    runtime.say_once(error.text);
    code = error.code;
  } catch (const host::FaultError& error) {
    runtime.note(error);
    code = runtime.fault();
  } catch (const host::InputError& error) {
    runtime.say_once(error.what());
    code = Error::InvalidValue;
  } catch (const HostMemoryError& error) {
    runtime.say_once(fmt::format("error: {}\n", error.what()));
    code = Error::MemoryAllocation;
  } catch (const std::bad_alloc&) {
    code = Error::MemoryAllocation;
  } catch (const std::exception& error) {
    runtime.say_once(fmt::format("warptime: a fault of its own: {}\n", error.what()));
    code = Error::Unknown;
  }
  // Not ready is an answer.
  if (code != Error::Success && code != Error::NotReady) last_error() = code;
  return code;
}

}  // namespace warptime::cuda

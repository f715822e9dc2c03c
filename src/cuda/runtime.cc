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

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

uint64_t number_of(const char* name, uint64_t otherwise) {
  const std::string text = variable(name);
  uint64_t value = 0;
  if (text.empty()) return otherwise;
  if (parse_number(text, value) != NumberError::Ok || value == 0)
    throw CallError{Error::InitializationError, fmt::format("error: {} is \"{}\", not a number\n", name, text)};
  return value;
}

sim::Machine machine_of_environment() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&machine_of_environment), &self);
  const std::string named = variable("WARPTIME_MACHINE");
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(
      named.empty() ? host::kDefaultMachine : std::string_view(named), settings(variable("WARPTIME_SET")),
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
  if (!is_used) return;
  Runtime::get().reset();
  Runtime::get().recorder().finish();
}

host::Device& Runtime::device() {
  if (device_ != nullptr) return *device_;
  if (no_device_) throw CallError(*no_device_);
  try {
    sim::Machine machine = machine_of_environment();
    sim::RunOptions options;
    options.threads = static_cast<uint32_t>(std::min<uint64_t>(
        number_of("WARPTIME_THREADS", std::max(1u, std::thread::hardware_concurrency())), machine.config.chip.tpcs));
    options.functional = !variable("WARPTIME_FUNCTIONAL").empty();
    options.max_cycles = number_of("WARPTIME_MAX_CYCLES", kNever);
    options.listener = &program_output();
    recorder_.begin(machine);
    device_ = std::make_unique<host::Device>(std::move(machine), std::move(options));
    device_->observe(&recorder_);
  } catch (const host::InputError& error) {
    no_device_ = CallError{Error::InitializationError, error.what()};
    throw CallError(*no_device_);
  }
  return *device_;
}

Runtime::Runtime() = default;
Runtime::~Runtime() = default;

uint32_t Runtime::capability() { return capability_of(machine()); }

void Runtime::reset() {
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
  pools.clear();
  current_pool = nullptr;
  pool_memory.clear();
  stream_attributes.clear();
  textures.clear();
  lanes_.clear();
  streams.clear();
  fault_ = Error::Success;
  device_ = nullptr;
}

void Runtime::note(const host::FaultError& error) {
  fault_ = error_of(error.fault.kind);
  say_once(error.what());
  recorder_.fault(error);
}

void Runtime::say_once(const std::string& text) {
  if (!text.empty() && said_.insert(text).second) print_error(text);
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

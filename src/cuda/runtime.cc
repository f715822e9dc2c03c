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
  Runtime::get().reset();
  Runtime::get().recorder().finish();
}

host::Device& Runtime::device() {
  if (device_ != nullptr) return *device_;
  if (no_device_) throw CallError(*no_device_);
  try {
    sim::Machine machine = machine_of_environment();
    Settings settings = settings_of_environment(machine.config);
    choice_ = settings.choice;
    recorder_.begin(machine, settings);
    listeners_ = std::make_unique<sim::LaunchListeners>(
        std::initializer_list<sim::LaunchListener*>{&program_output(), recorder_.listener()});
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

bool Runtime::is_forked() const { return device_ != nullptr && process_ != getpid(); }

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
  streams.clear();
  events.clear();
  fault_ = Error::Success;
  device_ = nullptr;
  launches = 0;
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

#include "cuda/settings.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/parse_number.h"
#include "cuda/runtime.h"

namespace warptime::cuda {

namespace {

[[noreturn]] void refuse_setting(std::string_view option, std::string_view what) {
  throw CallError{Error::InitializationError,
                  fmt::format("error: {} is \"{}\", {}\n", variable_of(option), setting(option), what)};
}

uint64_t number_setting(std::string_view option, uint64_t otherwise, uint64_t least = 1) {
  const std::string text = setting(option);
  uint64_t value = 0;
  if (text.empty()) return otherwise;
  if (parse_number(text, value) != NumberError::Ok || value < least) refuse_setting(option, "not a number");
  return value;
}

}  // namespace

std::string setting(std::string_view option) {
  const char* value = std::getenv(variable_of(option).c_str());
  return value == nullptr ? "" : value;
}

Settings settings_of_environment(const sim::MachineConfig& machine) {
  Settings out;
  sim::RunOptions& run = out.run;
  const uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  run.threads = static_cast<uint32_t>(std::min<uint64_t>(number_setting("threads", cores), machine.chip.tpcs));
  run.functional = !setting("functional").empty();
  run.max_cycles = number_setting("max-cycles", kNever);
  run.attribution = setting("attribution") != "off";
  run.all_calls = !setting("calls").empty();
  run.per_instruction = !setting("stats-per-instruction").empty();
  run.sample_seed = number_setting("sample-seed", 1, 0);
  if (!setting("sample").empty()) run.sampling = sim::Sampling::FullValues;
  if (!setting("first-per-kernel").empty()) {
    if (run.sampling != sim::Sampling::Off)
      refuse_setting("first-per-kernel", "which does not go with WARPTIME_SAMPLE");
    run.sampling = sim::Sampling::FirstLaunches;
    run.first_launches = number_setting("first-per-kernel", 1);
  }
  out.choice.functional_before = number_setting("functional-before", 0, 0);
  if (const std::string list = setting("launches"); !list.empty() && !parse_launches(list, out.choice))
    refuse_setting("launches", "not a list of launches such as 0:3,100");
  return out;
}

}  // namespace warptime::cuda

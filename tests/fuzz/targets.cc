#include "fuzz/targets.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/assert.h"
#include "host/device/device.h"
#include "host/launch_file/launch_file.h"
#include "ptx/load_module.h"
#include "ptx/text/report.h"
#include "sim/model/machine_loader.h"

namespace warptime::fuzz {

namespace {

namespace fs = std::filesystem;

/// The loaders read files: one of this process, in a folder of its own with what launch files of the seeds name.
const std::string& scratch_file() {
  static const std::string path = [] {
    fs::path memory = "/dev/shm";
    fs::path folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    folder /= "warptime-fuzz-" + std::to_string(getpid());
    fs::create_directories(folder);
    std::ofstream(folder / "scale.ptx") << ".version 9.0 .target sm_75 .address_size 64 .entry scale() { ret; }";
    std::ofstream(folder / "data.bin", std::ios::binary) << std::string(64, '\1');
    return (folder / "input.yaml").string();
  }();
  return path;
}

const std::string& write_scratch(std::string_view bytes) {
  std::ofstream(scratch_file(), std::ios::binary) << bytes;
  return scratch_file();
}

std::shared_ptr<const ptx::Module> load(std::string name, std::string text, Diagnostics& diagnostics) {
  auto module = ptx::load_module(std::make_shared<SourceText>(std::move(name), std::move(text)), diagnostics);
  SIM_ASSERT((module == nullptr) == diagnostics.has_errors(), "a module, or a reason why not:\n{}",
             diagnostics.to_text());
  return module;
}

/// Variables of so many bytes would print as so many numbers.
bool prints_quickly(const ptx::Module& module) {
  size_t bytes = 0;
  for (const ptx::Symbol& symbol : module.symbols) bytes += symbol.initial.size();
  return bytes <= size_t{1} << 16;
}

}  // namespace

void ptx_text(std::string_view bytes) {
  Diagnostics diagnostics;
  auto module = load("fuzz.ptx", std::string(bytes), diagnostics);
  diagnostics.to_text();
  if (module == nullptr || !prints_quickly(*module)) return;
  std::string text = to_text(*module);
  Diagnostics again;
  auto second = load("printed.ptx", text, again);
  SIM_ASSERT(second != nullptr, "what is printed cannot be read:\n{}\n{}", again.to_text(), text);
  std::string text_again = to_text(*second);
  SIM_ASSERT(text_again == text, "printing is not a fixed point:\n{}\n----\n{}", text, text_again);
  describe(*module);
  for (const ptx::Kernel& kernel : module->kernels) native_listing(*module, kernel);
}

void machine_file(std::string_view bytes) {
  const std::string configs = WARPTIME_SOURCE_DIR "/configs";
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(write_scratch(bytes), {}, configs, diagnostics);
  SIM_ASSERT(loaded.has_value() != diagnostics.has_errors(), "a machine, or a reason why not:\n{}",
             diagnostics.to_text());
  diagnostics.to_text();
  if (!loaded) return;
  std::string text = to_yaml(*loaded);
  Diagnostics again;
  auto second = sim::load_machine(write_scratch(text), {}, configs, again);
  SIM_ASSERT(second.has_value(), "what is written cannot be read:\n{}\n{}", again.to_text(), text);
  SIM_ASSERT(hash_of(second->machine.config) == hash_of(loaded->machine.config), "another machine comes back:\n{}",
             text);
}

void launch_file(std::string_view bytes) {
  try {
    host::load_launch_file(write_scratch(bytes));
  } catch (const host::InputError&) {  // the reason why not
  }
}

const std::vector<Target>& targets() {
  static const std::vector<Target> list{
      {"ptx", ptx_text, {"tests/ptx", "workloads"}, ".ptx"},
      {"machine", machine_file, {"configs", "docs/examples", "tests/fuzz/machine"}, ".yaml"},
      {"launch", launch_file, {"docs/examples", "tests/fuzz/launch"}, ".yaml"},
  };
  return list;
}

std::string seed_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string bytes = std::move(text).str();
  size_t expected = bytes.find("\n// ---- expected\n");
  return expected == std::string::npos ? bytes : bytes.substr(0, expected + 1);
}

}  // namespace warptime::fuzz

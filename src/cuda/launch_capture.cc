#include "cuda/launch_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/fnv.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/system_error.h"
#include "cuda/settings.h"

namespace warptime::cuda {

namespace {

/// YAML reads JSON's texts.
std::string yaml_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

void write_captured(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  if (!file.commit()) throw host::InputError(fmt::format("error: cannot write {}: {}\n", path, file.error()));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

template <class T>
T value_in(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

/// A scalar of the parameter's type, where its text is exact; empty: it is not.
std::string scalar_text(const ptx::Symbol& parameter, std::span<const std::byte> bytes) {
  if (parameter.size != ptx::bytes(parameter.type)) return {};
  const std::string_view type = ptx::name(parameter.type);
  if (type == "u32" || type == "b32") return fmt::format("{{u32: {}}}", value_in<uint32_t>(bytes));
  if (type == "s32") return fmt::format("{{s32: {}}}", value_in<int32_t>(bytes));
  if (type == "u64" || type == "b64") return fmt::format("{{u64: {}}}", value_in<uint64_t>(bytes));
  if (type == "s64") return fmt::format("{{s64: {}}}", value_in<int64_t>(bytes));
  return {};
}

bool fetches_textures(const ptx::Module& module, const ptx::Kernel& kernel) {
  const std::string_view text = module.source->text();
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [&](const ptx::Instruction& one) {
    const std::string_view written = text.substr(one.where.begin, one.where.length);
    return written.starts_with("tex.") || written.starts_with("tld4.") ||
           written.find(" tex.") != std::string_view::npos;
  });
}

}  // namespace

std::unique_ptr<LaunchCapture> LaunchCapture::of_environment() {
  auto out = std::make_unique<LaunchCapture>();
  out->folder_ = setting("capture");
  if (out->folder_.empty()) return nullptr;
  const std::string numbers = setting("capture-launch");
  for (std::string_view rest = numbers; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    uint64_t number = 0;
    if (parse_number(one, number) != NumberError::Ok)
      throw host::InputError(
          fmt::format("error: {} is \"{}\", not numbers of launches\n", variable_of("capture-launch"), numbers));
    out->numbers_.insert(number);
  }
  std::error_code error;
  std::filesystem::create_directories(out->folder_, error);
  if (error)
    throw host::InputError(fmt::format("error: cannot make folder {}: {}\n", out->folder_, error_text(error.value())));
  return out;
}

bool LaunchCapture::includes(const LaunchToCapture& launch) {
  if (!numbers_.empty()) return numbers_.contains(launch.number);
  return seen_
      .emplace(launch.kernel.name, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
               launch.block.z)
      .second;
}

std::string LaunchCapture::contents(std::string_view bytes, std::string_view suffix) {
  Fnv1a hash;
  hash.mix(bytes);
  const std::string name = fmt::format("{}-{}.{}", hash.digits(), bytes.size(), suffix);
  if (!std::filesystem::exists(folder_ + "/" + name)) write_captured(folder_ + "/" + name, bytes);
  return name;
}

void LaunchCapture::write(host::Device& device, const LaunchToCapture& launch) {
  const ptx::Module& module = host::Device::ptx_of(launch.module);
  if (fetches_textures(module, launch.kernel))
    throw host::InputError(fmt::format("error: launch {} cannot be captured: it fetches textures\n", launch.number));
  std::string constants, buffers, arguments;
  std::set<Addr> variables;
  for (const ptx::Symbol& symbol : module.symbols) {
    if ((symbol.space != ptx::Space::Global && symbol.space != ptx::Space::Const) || symbol.size == 0) continue;
    std::string place;
    if (const auto at = device.find_symbol(launch.module, symbol.name); at && symbol.space == ptx::Space::Global) {
      variables.insert(at->address);
      place = fmt::format(", address: {:#x}", at->address);
    }
    const std::vector<std::byte> bytes = device.symbol_bytes(launch.module, symbol.name);
    constants +=
        fmt::format("  {}: {{type: u8, file: {}{}}}\n", yaml_text(symbol.name), contents(as_text(bytes), "bin"), place);
  }
  std::vector<host::Device::NamedBuffer> memory;
  std::set<std::string> names;
  for (host::Device::NamedBuffer& one : device.allocations())
    if (!variables.contains(one.buffer.address) && one.name != "device heap") {
      // Variables of several modules may have one name.
      if (!names.insert(one.name).second) one.name += fmt::format(" at {:#x}", one.buffer.address);
      memory.push_back(std::move(one));
    }
  for (const host::Device::NamedBuffer& one : memory) {
    std::vector<std::byte> bytes(one.buffer.bytes);
    device.read_bytes(bytes, one.buffer.address);
    const std::string values = is_zero(bytes) ? fmt::format("count: {}", bytes.size())
                                              : fmt::format("file: {}", contents(as_text(bytes), "bin"));
    if (!bytes.empty())
      buffers +=
          fmt::format("  {}: {{type: u8, {}, address: {:#x}}}\n", yaml_text(one.name), values, one.buffer.address);
  }
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::span<const std::byte> bytes = launch.arguments[i].bytes;
    const auto value = value_in<Addr>(bytes);
    auto held = std::find_if(memory.begin(), memory.end(), [&](const auto& one) {
      return bytes.size() == sizeof value && value - one.buffer.address < one.buffer.bytes;
    });
    std::string text = scalar_text(launch.kernel.symbols[launch.kernel.parameters[i]], bytes);
    if (held != memory.end())
      text = fmt::format("{{address: {}, offset: {}}}", yaml_text(held->name), value - held->buffer.address);
    if (text.empty()) {
      for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
      text = fmt::format("{{bytes: \"{}\"}}", text);
    }
    arguments += fmt::format("      - {}\n", text);
  }
  const auto &g = launch.grid, &b = launch.block;
  std::string yaml = fmt::format("# Launch {} of {}.\nmodule: {}\n", launch.number, program_invocation_short_name,
                                 contents(module.source->text(), "ptx"));
  if (!buffers.empty()) yaml += "buffers:\n" + buffers;
  if (!constants.empty()) yaml += "constants:\n" + constants;
  yaml += fmt::format(
      "launches:\n  - kernel: {}\n    grid: [{}, {}, {}]\n    "
      "block: [{}, {}, {}]\n    shared_bytes: {}\n",
      yaml_text(launch.kernel.name), g.x, g.y, g.z, b.x, b.y, b.z, launch.shared_bytes);
  if (!arguments.empty()) yaml += "    args:\n" + arguments;
  write_captured(fmt::format("{}/launch-{}.yaml", folder_, launch.number), yaml);
}

void LaunchCapture::ran(const LaunchToCapture& launch, uint64_t warp_instructions) {
  list_ += fmt::format("launch-{}.yaml\t{}\t{}\n", launch.number, launch.kernel.name, warp_instructions);
  write_captured(folder_ + "/" + kCaptureList, list_);
}

}  // namespace warptime::cuda

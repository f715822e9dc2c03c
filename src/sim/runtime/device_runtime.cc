#include "sim/runtime/device_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/plural.h"

namespace warptime::sim {

namespace {

constexpr uint64_t kLongestString = 1 << 20;  // or as long as printf's buffer
constexpr size_t kMostShown = 1000;           // characters of a text of a failed assertion

}  // namespace

DeviceRuntime::DeviceRuntime(uint64_t printf_fifo_bytes)
    : longest_(std::max(kLongestString, printf_fifo_bytes)), printed_(printf_fifo_bytes) {}

/// The characters before the first zero, at most `most` of them. nullopt: they cannot be read.
std::optional<std::string> DeviceRuntime::string_at(const RuntimeCall& call, Addr address, uint64_t most,
                                                    std::string_view what) {
  std::string out;
  std::array<std::byte, 256> bytes;
  while (out.size() < most) {
    size_t wanted = std::min<uint64_t>(bytes.size(), most - out.size());
    size_t count = call.read(address + out.size(), std::span(bytes).first(wanted));
    const char* text = reinterpret_cast<const char*>(bytes.data());
    const void* end = count == 0 ? nullptr : std::memchr(text, 0, count);
    out.append(text, end == nullptr ? count : static_cast<size_t>(static_cast<const char*>(end) - text));
    if (end != nullptr) return out;
    if (count < wanted || out.size() >= longest_) {
      if (out.empty())
        error_ = {fmt::format("vprintf reads {} at {:#x}, where nothing is allocated", what, address), ""};
      else
        error_ = {fmt::format("vprintf reads {} at {:#x}, which has no end: no zero within {}", what, address,
                              plural(out.size(), "byte")),
                  "a string ends with a zero byte"};
      return std::nullopt;
    }
  }
  return out;
}

std::optional<int32_t> DeviceRuntime::print(const RuntimeCall& call) {
  if (call.arguments[0] == 0) return -1;
  auto text = string_at(call, call.arguments[0], longest_ + 1, "its format");
  if (!text) return std::nullopt;
  const PrintfFormat& format = printed_.format(*text, call.address_bytes);
  std::vector<PrintfArgument> arguments;
  Addr at = call.arguments[1];
  // Each value lies at the next multiple of its size (PTX Writer's Guide to Interoperability, "System Calls").
  auto take = [&](uint8_t bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    std::array<std::byte, 8> value{};
    if (call.read(at, std::span(value).first(bytes)) != bytes) {
      error_ = {fmt::format("vprintf reads argument {} of its format at {:#x}, where nothing is allocated",
                            arguments.size() + 1, at),
                "the second parameter of vprintf is the address of a buffer with the arguments"};
      return false;
    }
    at += bytes;
    std::memcpy(&arguments.emplace_back().bits, value.data(), bytes);
    return true;
  };
  for (const PrintfFormat::Piece& piece : format.pieces()) {
    if (piece.kind == PrintfFormat::Kind::Text) continue;
    int64_t precision = piece.precision;
    if (piece.width_given && !take(4)) return std::nullopt;
    if (piece.precision_given) {
      if (!take(4)) return std::nullopt;
      precision = static_cast<int32_t>(arguments.back().bits);
    }
    if (!take(piece.bytes)) return std::nullopt;
    if (piece.kind != PrintfFormat::Kind::String) continue;
    PrintfArgument& argument = arguments.back();
    argument.is_null = argument.bits == 0;
    if (argument.is_null) continue;
    uint64_t most = precision >= 0 ? static_cast<uint64_t>(precision) : longest_ + 1;
    auto string = string_at(call, argument.bits, most, fmt::format("the string of argument {}", arguments.size()));
    if (!string) return std::nullopt;
    argument.text = std::move(*string);
  }
  printed_.add(call.block, call.cycle, format, std::move(arguments));
  return static_cast<int32_t>(format.arguments());
}

/// A text for a message: without control characters, not longer than a message can be, whatever is there.
std::string DeviceRuntime::shown(const RuntimeCall& call, Addr address, uint64_t character_bytes) const {
  uint64_t step = character_bytes == 2 || character_bytes == 4 ? character_bytes : 1;
  std::string out;
  for (; out.size() < kMostShown; address += step) {
    std::array<std::byte, 4> bytes{};
    if (call.read(address, std::span(bytes).first(step)) != step) return out.empty() ? "?" : out;
    uint32_t character = 0;
    std::memcpy(&character, bytes.data(), bytes.size());
    if (character == 0) return out;
    bool plain = character >= 0x20 && character != 0x7f && (character < 0x80 || step == 1);
    out += plain ? static_cast<char>(character) : '?';
  }
  return out + "...";
}

void DeviceRuntime::fail_assertion(const RuntimeCall& call) {
  const auto& [message, file, line, function, character_bytes] = call.arguments;
  error_ = {
      fmt::format("{}:{}: {}: assertion `{}` failed", shown(call, file, character_bytes), static_cast<uint32_t>(line),
                  shown(call, function, character_bytes), shown(call, message, character_bytes)),
      ""};
}

void DeviceRuntime::refuse_free(Addr address, const DeviceHeap& heap) {
  error_.message = fmt::format("free of {:#x}, where no allocated block begins", address);
  switch (heap.place_of(address)) {
    case DeviceHeap::Place::Outside: error_.hint = "it is not in the device heap: malloc did not return it"; break;
    case DeviceHeap::Place::WithinBlock: error_.hint = "it lies within a block: free takes what malloc returned"; break;
    case DeviceHeap::Place::Free: error_.hint = "it is free: was it freed before?"; break;
  }
}

}  // namespace warptime::sim

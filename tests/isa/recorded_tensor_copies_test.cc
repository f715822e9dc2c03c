// Copies of boxes of tensors against what a real GPU made of the same tensors and tensor maps: every case of
// recorded/tensor_copies.cases with the kernel of recorded/tensor_copies.cu, and what shared memory, or the tensor, is
// afterwards, as hashes (recorded/tensor_copies.txt).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "base/fnv.h"
#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/mem/tensor_map.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

using sim::TensorMap;

constexpr size_t kSharedBytes = 8192;
constexpr const char* kFolder = WARPTIME_SOURCE_DIR "/tests/isa/recorded/";

std::vector<int64_t> numbers_of(const std::string& text) {
  std::vector<int64_t> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) out.push_back(part == "-" ? 0 : std::stoll(part));
  return text == "-" ? std::vector<int64_t>{} : out;
}

/// A line of tensor_copies.cases.
struct TensorCase {
  std::string line, operation;
  TensorMap map;
  std::vector<int64_t> coordinates, offsets;
  int shared_offset = 0, pattern = 0;
  size_t bytes = 0;

  explicit TensorCase(const std::string& text) : line(text) {
    std::stringstream in(text);
    std::string mode, dims_, strides_, box_, steps_, layout_, at_, offsets_;
    int type = 0;
    in >> operation >> mode >> type >> dims_ >> strides_ >> box_ >> steps_ >> layout_ >> at_ >> offsets_ >>
        shared_offset >> pattern >> bytes;
    const auto dims = numbers_of(dims_), strides = numbers_of(strides_), box = numbers_of(box_),
               steps = numbers_of(steps_), layout = numbers_of(layout_);
    coordinates = numbers_of(at_);
    offsets = numbers_of(offsets_);
    map.type = static_cast<TensorMap::Type>(type);
    map.rank = static_cast<uint32_t>(dims.size());
    map.is_im2col = mode == "im2col";
    for (size_t d = 0; d < dims.size(); ++d) {
      map.dims[d] = static_cast<uint64_t>(dims[d]);
      map.element_strides[d] = static_cast<uint32_t>(steps[d]);
      if (!map.is_im2col) map.box[d] = static_cast<uint32_t>(box[d]);
      if (d + 1 < dims.size()) map.strides[d] = static_cast<uint64_t>(strides[d]);
    }
    if (map.is_im2col) {
      const size_t spatial = dims.size() - 2;
      map.channels = static_cast<uint32_t>(box[0]);
      map.pixels = static_cast<uint32_t>(box[1]);
      for (size_t s = 0; s < spatial; ++s) {
        map.lower[s] = static_cast<int32_t>(box[2 + s]);
        map.upper[s] = static_cast<int32_t>(box[2 + spatial + s]);
      }
    }
    map.interleave = static_cast<TensorMap::Interleave>(layout[0]);
    map.swizzle = static_cast<TensorMap::Swizzle>(layout[1]);
    map.promotion = static_cast<uint8_t>(layout[2]);
    map.fills_nan = layout[3] != 0;
  }
};

uint32_t mixed(uint32_t i) {
  uint32_t x = i * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ x >> 13;
}

uint16_t half_of(float value) {  // a small multiple of 1/4
  if (value == 0) return 0;
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 127 + 15) << 10 | (bits >> 13 & 0x3ff));
}

/// The bytes that the recorder fills memory with: random ones; small numbers of the type; f32 of which half are
/// subnormal; the numbers of the u16 or u32; f32 at the borders of tf32.
std::vector<std::byte> pattern_bytes(int kind, TensorMap::Type type, size_t size, uint32_t seed) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(mixed(static_cast<uint32_t>(i) + seed) >> 11);
  auto fill = [&](auto make) {
    for (uint32_t i = 0; i < size / sizeof(make(0u)); ++i) {
      const auto value = make(i);
      std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
    }
  };
  auto small = [&](uint32_t i) { return static_cast<float>(static_cast<int>(mixed(i + seed) >> 9) % 64 - 32) * 0.25f; };
  if (kind == 1 && type == TensorMap::Type::F16) fill([&](uint32_t i) { return half_of(small(i)); });
  if (kind == 1 && type == TensorMap::Type::BF16)
    fill([&](uint32_t i) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(small(i)) >> 16); });
  if (kind == 1 && (type == TensorMap::Type::F32 || type >= TensorMap::Type::F32Ftz)) fill(small);
  if (kind == 1 && type == TensorMap::Type::F64) fill([&](uint32_t i) { return static_cast<double>(small(i)); });
  if (kind == 2)
    fill([&](uint32_t i) {
      const uint32_t bits = mixed(i + seed);
      return (bits & 1) != 0 ? bits & 0x807fffff : bits;
    });
  if (kind == 5)
    fill([&](uint32_t i) {
      uint32_t bits = mixed(i + seed);
      if ((bits & 1) != 0) bits = (bits & ~0x1fffu) | 0x1000;
      if ((bits & 0x3e0000) == 0) bits |= 0x7f800000;
      if ((bits & 0x3e0000) == 0x20000) bits &= 0x807fffff;
      return (bits & 0x3e0000) == 0x40000 ? bits | 0x7fe000 : bits;
    });
  if (kind == 3) fill([](uint32_t i) { return static_cast<uint16_t>(i); });
  if (kind == 4) fill([](uint32_t i) { return i; });
  return out;
}

template <class T>
host::Argument bytes_argument(const T& value) {
  host::Argument out;
  out.kind = host::Argument::Kind::Bytes;
  out.bytes.resize(sizeof value);
  std::memcpy(out.bytes.data(), &value, sizeof value);
  return out;
}

struct Place {
  std::array<int32_t, 5> at{};
  std::array<uint16_t, 4> offsets{};
};

class Replay {
 public:
  Replay() : device_(machine(), functional()) {
    std::ifstream in(std::string(kFolder) + "tensor_copies.ptx");
    std::stringstream text;
    text << in.rdbuf();
    module_ = device_.load_module(std::make_shared<SourceText>("tensor_copies.ptx", text.str()));
    source_ = device_.allocate<std::byte>(kSharedBytes, "shared");
    result_ = device_.allocate<std::byte>(kSharedBytes, "result");
    status_ = device_.allocate<int32_t>(1, "status");
  }

  /// "ok HASH", "refused", "fault" or "timeout".
  std::string run(const TensorCase& c) {
    constexpr std::array<std::string_view, 10> kOperations{"load", "store", "add", "min", "max",
                                                           "inc",  "dec",   "and", "or",  "xor"};
    const auto operation =
        static_cast<int32_t>(std::find(kOperations.begin(), kOperations.end(), c.operation) - kOperations.begin());
    auto tensor = device_.allocate<std::byte>(c.bytes, "tensor");
    device_.write_bytes(tensor.address, pattern_bytes(c.pattern, c.map.type, c.bytes, 7));
    std::vector<std::byte> shared(kSharedBytes, std::byte{0xa5});
    if (operation != 0) shared = pattern_bytes(c.pattern, c.map.type, kSharedBytes, 1000003);
    device_.write_bytes(source_.address, shared);
    device_.write_bytes(status_.address, std::array<std::byte, 4>{});
    TensorMap map = c.map;
    map.address = tensor.address;
    std::string out = "refused";
    if (problem_of(map) == sim::TensorProblem::None) out = launch(c, map, operation, tensor);
    device_.free(tensor);
    return out;
  }

 private:
  static sim::Machine machine() {
    Diagnostics diagnostics;
    return sim::load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics)->machine;
  }
  static sim::RunOptions functional() {
    sim::RunOptions options;
    options.functional = true;
    return options;
  }
  template <class Buffer>
  std::string launch(const TensorCase& c, const TensorMap& map, int32_t operation, const Buffer& tensor) {
    Place place;
    for (size_t d = 0; d < c.coordinates.size(); ++d) place.at[d] = static_cast<int32_t>(c.coordinates[d]);
    for (size_t s = 0; s < c.offsets.size(); ++s) place.offsets[s] = static_cast<uint16_t>(c.offsets[s]);
    try {
      device_.launch(module_, "copy_box", {1}, {32},
                     {device_.make_tensor_map(map), bytes_argument(place), host::arg_s32(operation),
                      host::arg_s32(static_cast<int32_t>(map.rank)), host::arg_s32(map.is_im2col),
                      host::arg_s32(c.shared_offset), host::arg_u32(map.copy_bytes()), source_, result_, status_});
    } catch (const host::FaultError&) {
      return "fault";
    }
    std::array<std::byte, 4> late{};
    device_.read_bytes(late, status_.address);
    std::vector<std::byte> after(operation == 0 ? kSharedBytes : c.bytes);
    device_.read_bytes(after, operation == 0 ? result_.address : tensor.address);
    uint64_t hash = 0xcbf29ce484222325;
    for (std::byte byte : after) hash = (hash ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3;
    return fmt::format("{} {:016x}", late[0] != std::byte{0} ? "timeout" : "ok", hash);
  }

  host::Device device_;
  decltype(std::declval<host::Device>().load_module(std::shared_ptr<SourceText>())) module_;
  host::Buffer source_, result_, status_;
};

}  // namespace

TEST_CASE("boxes of tensors are what a GPU copied", "[tensor_copies]") {
  std::ifstream cases(std::string(kFolder) + "tensor_copies.cases"),
      recorded(std::string(kFolder) + "tensor_copies.txt");
  std::map<int, std::string> wanted;
  for (std::string line; std::getline(recorded, line);) {
    std::stringstream in(line);
    int number = 0;
    std::string status, hash;
    in >> number >> status >> hash;
    wanted[number] = status == "ok" ? "ok " + hash : status;
  }
  constexpr size_t kRecorded = 600;
  CHECK(wanted.size() >= kRecorded);
  auto replay = std::make_unique<Replay>();
  int number = 0;
  for (std::string line; std::getline(cases, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string got = replay->run(TensorCase(line));
    INFO(number << ": " << line);
    CHECK(got == wanted[number]);
    if (got == "fault") replay = std::make_unique<Replay>();
    ++number;
  }
  CHECK(static_cast<size_t>(number) == wanted.size());
}

}  // namespace warptime

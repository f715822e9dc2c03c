// A launch plan as data; launch_run.cc runs it.
#include "host/launch_file/launch_plan.h"

#include "host/device/typed_value.h"
#include "host/workload/random.h"

namespace warptime::host {

namespace {

uint64_t random_element(ptx::Type type, const Random& random, SplitMix64& generator) {
  if (ptx::info(type).kind == ptx::TypeKind::Float) {
    double low = random.min ? decode_value(type, *random.min) : 0;
    double high = random.max ? decode_value(type, *random.max) : 1;
    return encode_value(type, low + generator.uniform() * (high - low));
  }
  uint64_t bits = generator.next();
  if (!random.min) return bits;
  // Both limits are there or neither is. A range of all 2^64 values wraps to 0 and takes every bit pattern.
  uint64_t mask = ptx::bits(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << ptx::bits(type)) - 1;
  uint64_t range = ((*random.max - *random.min) & mask) + 1;
  return *random.min + (range == 0 ? bits : bits % range);
}

uint64_t iota_element(ptx::Type type, const Iota& iota, uint64_t index) {
  if (ptx::info(type).kind != ptx::TypeKind::Float) return iota.start + index * iota.step;
  return encode_value(type,
                      decode_value(type, iota.start) + static_cast<double>(index) * decode_value(type, iota.step));
}

}  // namespace

std::vector<std::byte> materialise(const TypedData& data) {
  if (const auto* values = std::get_if<Values>(&data.initial)) return values->bytes;
  std::vector<std::byte> out(data.bytes());
  if (const auto* iota = std::get_if<Iota>(&data.initial))
    for (uint64_t i = 0; i < data.count; ++i) store_element(data.type, out, i, iota_element(data.type, *iota, i));
  if (const auto* random = std::get_if<Random>(&data.initial)) {
    SplitMix64 generator(random->seed);
    for (uint64_t i = 0; i < data.count; ++i)
      store_element(data.type, out, i, random_element(data.type, *random, generator));
  }
  return out;
}

std::optional<size_t> LaunchPlan::find_buffer(std::string_view name) const {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].name == name) return i;
  return std::nullopt;
}

std::vector<std::string_view> LaunchPlan::buffer_names() const {
  std::vector<std::string_view> names;
  for (const TypedData& buffer : buffers) names.push_back(buffer.name);
  return names;
}

}  // namespace warptime::host

#include "cuda/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

namespace warptime::cuda {

namespace {

constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr size_t kContainerHeader = 16, kEntryHeader = 64;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of unpacked code

template <class T>
T number_at(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

FatEntry::Kind kind_of(uint16_t number) {
  for (FatEntry::Kind kind : {FatEntry::Kind::Ptx, FatEntry::Kind::MachineCode})
    if (number == static_cast<uint16_t>(kind)) return kind;
  return FatEntry::Kind::Other;
}

}  // namespace

std::span<const std::byte> container_at(const void* begin) {
  const auto* first = static_cast<const std::byte*>(begin);
  if (first == nullptr) throw FatBinaryError("is missing");
  std::span header(first, kContainerHeader);
  if (number_at<uint32_t>(header, 0) != kContainerMagic) throw FatBinaryError("does not begin as one");
  return {first, number_at<uint16_t>(header, 6) + number_at<uint64_t>(header, 8)};
}

std::vector<FatEntry> entries_of(std::span<const std::byte> container) {
  if (container.size() < kContainerHeader || number_at<uint32_t>(container, 0) != kContainerMagic)
    throw FatBinaryError("does not begin as one");
  uint64_t at = number_at<uint16_t>(container, 6);
  const uint64_t bytes = number_at<uint64_t>(container, 8);
  if (at < kContainerHeader || at > container.size() || bytes > container.size() - at)
    throw FatBinaryError("is shorter than it says");
  const uint64_t end = at + bytes;
  std::vector<FatEntry> entries;
  while (at < end) {
    if (end - at < kEntryHeader) throw FatBinaryError("ends within an entry");
    const std::span<const std::byte> rest = container.subspan(at, end - at);
    const uint64_t header = number_at<uint32_t>(rest, 4), padded = number_at<uint64_t>(rest, 8);
    if (header < kEntryHeader || header > rest.size() || padded > rest.size() - header)
      throw FatBinaryError("has an entry that is longer than itself");
    const auto flags = number_at<uint64_t>(rest, 40);
    FatEntry entry;
    entry.kind = kind_of(number_at<uint16_t>(rest, 0));
    entry.capability = number_at<uint32_t>(rest, 28);
    entry.packing = (flags & kFlagZstd) != 0  ? FatEntry::Packing::Zstd
                    : (flags & kFlagLz4) != 0 ? FatEntry::Packing::Lz4
                                              : FatEntry::Packing::None;
    const bool packed = entry.packing != FatEntry::Packing::None;
    const uint64_t stored = packed ? number_at<uint32_t>(rest, 16) : padded;
    if (stored > padded) throw FatBinaryError("has an entry that is longer than itself");
    entry.data = rest.subspan(header, stored);
    entry.bytes = packed ? number_at<uint64_t>(rest, 56) : stored;
    entries.push_back(entry);
    at += header + padded;
  }
  return entries;
}

const FatEntry* best_ptx(std::span<const FatEntry> entries, uint32_t capability) {
  const FatEntry* best = nullptr;
  for (const FatEntry& entry : entries) {
    if (entry.kind != FatEntry::Kind::Ptx) continue;
    const bool fits = entry.capability <= capability;
    if (best == nullptr) best = &entry;
    else if (fits == (best->capability <= capability) ? (entry.capability > best->capability) == fits : fits)
      best = &entry;
  }
  return best;
}

std::string text_of(const FatEntry& entry) {
  if (entry.bytes > kMostBytes) throw FatBinaryError(fmt::format("has an entry of {} bytes", entry.bytes));
  std::string out(entry.bytes, '\0');
  const auto* from = reinterpret_cast<const char*>(entry.data.data());
  uint64_t got = 0;
  switch (entry.packing) {
    case FatEntry::Packing::None:
      if (!entry.data.empty()) std::memcpy(out.data(), from, got = entry.data.size());
      break;
    case FatEntry::Packing::Lz4: {
      const int done =
          LZ4_decompress_safe(from, out.data(), static_cast<int>(entry.data.size()), static_cast<int>(out.size()));
      if (done < 0) throw FatBinaryError("has an entry that LZ4 cannot unpack");
      got = static_cast<uint64_t>(done);
      break;
    }
    case FatEntry::Packing::Zstd:
      got = ZSTD_decompress(out.data(), out.size(), from, entry.data.size());
      if (ZSTD_isError(got) != 0) throw FatBinaryError("has an entry that zstd cannot unpack");
      break;
  }
  if (got != entry.bytes) throw FatBinaryError(fmt::format("has an entry of {} bytes, not {}", got, entry.bytes));
  out.resize(std::min(out.find('\0'), out.size()));
  return out;
}

}  // namespace warptime::cuda

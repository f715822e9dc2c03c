// Fat binaries made by hand: which PTX is chosen, how it is unpacked, and what a forged or cut container gives.
#include "cuda/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstring>

using namespace warptime::cuda;

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& bytes, size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Bytes bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Bytes entry(uint16_t kind, uint32_t capability, uint64_t flags, const Bytes& data, uint64_t unpacked) {
  Bytes out;
  put(out, 0, kind);
  put(out, 4, uint32_t{64});
  put(out, 8, uint64_t{data.size()});
  put(out, 16, static_cast<uint32_t>(data.size()));
  put(out, 28, capability);
  put(out, 40, flags);
  put(out, 56, unpacked);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

Bytes container(const std::vector<Bytes>& entries) {
  Bytes out;
  put(out, 0, uint32_t{0xba55ed50});
  put(out, 4, uint16_t{1});
  put(out, 6, uint16_t{16});
  put(out, 8, uint64_t{0});
  for (const Bytes& one : entries) out.insert(out.end(), one.begin(), one.end());
  put(out, 8, uint64_t{out.size() - 16});
  return out;
}

const std::string kText = ".version 8.0\n.target sm_50\n.address_size 64\n.address_size 64\n.address_size 64\n";

Bytes zstd_packed() {
  Bytes out(ZSTD_compressBound(kText.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), kText.data(), kText.size(), 1));
  return out;
}

Bytes lz4_packed() {
  std::string out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(kText.size()))), ' ');
  out.resize(static_cast<size_t>(
      LZ4_compress_default(kText.data(), out.data(), static_cast<int>(kText.size()), static_cast<int>(out.size()))));
  return bytes_of(out);
}

std::string why(const Bytes& from) {
  try {
    for (const FatEntry& one : entries_of(from)) text_of(one);
  } catch (const FatBinaryError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fat binary: PTX as it is, and packed by LZ4 and zstd") {
  const Bytes all =
      container({entry(2, 50, 0, bytes_of("code"), 0), entry(1, 50, 0x11, bytes_of(kText + '\0'), 0),
                 entry(1, 52, 0x2011, lz4_packed(), kText.size()), entry(1, 60, 0x8011, zstd_packed(), kText.size())});
  CHECK(container_at(all.data()).size() == all.size());
  const std::vector<FatEntry> entries = entries_of(all);
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].kind == FatEntry::Kind::MachineCode);
  for (size_t i = 1; i < entries.size(); ++i) CHECK(text_of(entries[i]) == kText);
}

TEST_CASE("fat binary: the PTX for the highest capability that the machine has, else for the lowest") {
  const Bytes all =
      container({entry(2, 90, 0, {}, 0), entry(1, 75, 0, {}, 0), entry(1, 50, 0, {}, 0), entry(1, 60, 0, {}, 0)});
  const std::vector<FatEntry> entries = entries_of(all);
  for (auto [machine, chosen] :
       std::vector<std::pair<uint32_t, uint32_t>>{{10, 50}, {50, 50}, {59, 50}, {60, 60}, {74, 60}, {90, 75}})
    CHECK(best_ptx(entries, machine)->capability == chosen);
  CHECK(best_ptx(std::span(entries).first(1), 90) == nullptr);
}

TEST_CASE("fat binary: forged and cut containers are errors") {
  const Bytes good = container({entry(1, 60, 0x8011, zstd_packed(), kText.size())});
  CHECK(why(good).empty());
  for (size_t bytes = 0; bytes < good.size(); ++bytes)
    CHECK_FALSE(why({good.begin(), good.begin() + static_cast<ptrdiff_t>(bytes)}).empty());
  auto with = [&](size_t at, auto value) {
    Bytes forged = good;
    put(forged, at, value);
    return why(forged);
  };
  CHECK(with(0, uint32_t{1}) == "does not begin as one");
  CHECK(with(8, ~uint64_t{0}) == "is shorter than it says");
  CHECK(with(6, uint16_t{8}) == "is shorter than it says");
  CHECK(with(16 + 4, uint32_t{63}) == "has an entry that is longer than itself");
  CHECK(with(16 + 8, ~uint64_t{0}) == "has an entry that is longer than itself");
  CHECK(with(16 + 16, ~uint32_t{0}) == "has an entry that is longer than itself");
  CHECK(with(16 + 56, uint64_t{1} << 40) == "has an entry of 1099511627776 bytes");
  CHECK(with(16 + 56, uint64_t{1}) == "has an entry that zstd cannot unpack");
  CHECK(with(16 + 56, uint64_t{kText.size() + 1}) == "has an entry of 78 bytes, not 79");
  CHECK(with(16 + 40, uint64_t{0x2000}).starts_with("has an entry"));
  CHECK_THROWS_AS(container_at(nullptr), FatBinaryError);
}

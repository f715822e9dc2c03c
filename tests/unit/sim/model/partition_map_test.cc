#include "sim/model/partition_map.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

using namespace warptime;
using namespace warptime::sim;

namespace {

MemoryConfig config(AddressMap kind, uint32_t partitions, uint32_t interleave = 256) {
  MemoryConfig memory;
  memory.address_map = kind;
  memory.partitions = partitions;
  memory.interleave_bytes = interleave;
  return memory;
}

}  // namespace

TEST_CASE("every map is one to one and keeps the bytes of a block together", "[partition_map]") {
  for (AddressMap kind : {AddressMap::short_, AddressMap::long_, AddressMap::xor_, AddressMap::hashed}) {
    for (uint32_t partitions : {1u, 2u, 3u, 6u, 7u, 8u}) {
      PartitionMap map(config(kind, partitions));
      // A whole number of turns fills every partition from 0 without holes: distinct places within the bound.
      Addr blocks = Addr{partitions} * 64;
      std::set<std::pair<uint32_t, Addr>> places;
      for (Addr block = 0; block < blocks; ++block) {
        PartitionAddress place = map.locate(block * 256);
        REQUIRE(place.partition < partitions);
        REQUIRE(place.offset < 64 * 256);
        places.insert({place.partition, place.offset});
        PartitionAddress inside = map.locate(block * 256 + 200);
        CHECK(inside.partition == place.partition);
        CHECK(inside.offset == place.offset + 200);
      }
      CHECK(places.size() == blocks);
      for (Addr address : {Addr{0}, Addr{0x12345678}, Addr{0x7ffffffff}, Addr{1} << 39})
        CHECK(map.address_of(map.locate(address)) == address);
    }
  }
}

TEST_CASE("short: the partition changes with every block", "[partition_map]") {
  PartitionMap map(config(AddressMap::short_, 6));
  // Block 8 is the second of partition 2.
  CHECK(map.locate(8 * 256 + 17).partition == 2);
  CHECK(map.locate(8 * 256 + 17).offset == 256 + 17);
}

TEST_CASE("long: four blocks a turn", "[partition_map]") {
  PartitionMap map(config(AddressMap::long_, 6));
  CHECK(map.locate(3 * 256).partition == 0);
  CHECK(map.locate(4 * 256).partition == 1);
  // Block 25 is block 1 of turn 1 of partition 0.
  CHECK(map.locate(25 * 256).partition == 0);
  CHECK(map.locate(25 * 256).offset == 5 * 256);
}

TEST_CASE("xor: a pitch of two blocks reaches every partition", "[partition_map]") {
  auto reached = [](AddressMap kind) {
    PartitionMap map(config(kind, 6));
    std::set<uint32_t> partitions;
    for (Addr row = 0; row < 1024; ++row) partitions.insert(map.locate(row * 512).partition);
    return partitions.size();
  };
  CHECK(reached(AddressMap::short_) == 3);
  CHECK(reached(AddressMap::xor_) == 6);
  // Local block 1 (blocks 6 to 11) has odd parity: neighbours change places; local block 3 has even parity.
  PartitionMap map(config(AddressMap::xor_, 6));
  CHECK(map.locate(0).partition == 0);
  CHECK(map.locate(6 * 256).partition == 1);
  CHECK(map.locate(7 * 256).partition == 0);
  CHECK(map.locate(18 * 256).partition == 0);
  CHECK(map.locate(32 * 6 * 256).partition == 0);  // only the low five bits count
}

TEST_CASE("hashed: no pitch keeps to few partitions", "[partition_map]") {
  PartitionMap map(config(AddressMap::hashed, 6));
  // The most blocks that any partition has of 384 rows: 64 would be even, 384 all in one.
  for (Addr pitch : {256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384, 24576, 24832, 32768, 65536, 98304}) {
    std::array<uint32_t, 6> blocks{};
    for (Addr row = 0; row < 384; ++row) ++blocks[map.locate(row * pitch).partition];
    INFO("a pitch of " << pitch << " bytes");
    CHECK(*std::max_element(blocks.begin(), blocks.end()) < 96);
  }
}

TEST_CASE("the interleave is a parameter", "[partition_map]") {
  PartitionMap map(config(AddressMap::short_, 4, 1024));
  CHECK(map.locate(1023).partition == 0);
  CHECK(map.locate(1024).partition == 1);
  CHECK(map.locate(4096).offset == 1024);
}

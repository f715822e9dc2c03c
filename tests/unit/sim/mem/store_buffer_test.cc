#include "sim/mem/store_buffer.h"

#include <array>
#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

PendingStore* put(StoreBuffer& buffer, Addr segment, uint32_t from, uint32_t count, uint8_t value) {
  PendingStore* store = buffer.add(segment);
  for (uint32_t i = from; i < from + count; ++i) {
    store->byte_mask[i / 64] |= uint64_t{1} << (i % 64);
    store->bytes[i] = std::byte{value};
  }
  return store;
}

/// What a load sees over memory full of 0xee.
template <size_t N>
std::array<uint32_t, N> seen(const StoreBuffer& buffer, Addr address) {
  std::array<std::byte, N> bytes;
  bytes.fill(std::byte{0xee});
  buffer.overlay(address, N, bytes.data());
  std::array<uint32_t, N> values;
  for (size_t i = 0; i < N; ++i) values[i] = static_cast<uint32_t>(bytes[i]);
  return values;
}

constexpr Addr kLine = 0x20000;

}  // namespace

TEST_CASE("a load sees its SM's pending store, byte by byte", "[store_buffer]") {
  StoreBuffer buffer;
  CHECK(buffer.empty());
  CHECK_FALSE(buffer.may_hold(kLine));
  put(buffer, kLine, 4, 2, 1);
  CHECK_FALSE(buffer.empty());
  CHECK(buffer.may_hold(kLine + 127));
  CHECK_FALSE(buffer.may_hold(kLine + 128));
  CHECK(seen<4>(buffer, kLine + 4) == std::array<uint32_t, 4>{1, 1, 0xee, 0xee});
  CHECK(seen<4>(buffer, kLine + 2) == std::array<uint32_t, 4>{0xee, 0xee, 1, 1});
  CHECK(seen<2>(buffer, kLine + 6) == std::array<uint32_t, 2>{0xee, 0xee});
  CHECK(seen<2>(buffer, kLine + 4 + 128) == std::array<uint32_t, 2>{0xee, 0xee});
}

TEST_CASE("the later store wins, whatever their segments", "[store_buffer]") {
  StoreBuffer buffer;
  put(buffer, kLine, 0, 128, 1);     // a whole line
  put(buffer, kLine + 32, 0, 4, 2);  // a smaller segment of it
  put(buffer, kLine, 34, 1, 3);
  CHECK(seen<8>(buffer, kLine + 30) == std::array<uint32_t, 8>{1, 1, 2, 2, 3, 2, 1, 1});
}

TEST_CASE("a load may cross lines", "[store_buffer]") {
  StoreBuffer buffer;
  put(buffer, kLine + 96, 28, 4, 1);
  put(buffer, kLine + 128, 0, 2, 2);
  CHECK(seen<6>(buffer, kLine + 126) == std::array<uint32_t, 6>{1, 1, 2, 2, 0xee, 0xee});
  CHECK(seen<260>(buffer, kLine)[125] == 1);
  CHECK(seen<260>(buffer, kLine)[129] == 2);
}

TEST_CASE("a released store is gone, the others stay", "[store_buffer]") {
  StoreBuffer buffer;
  std::array<PendingStore*, 3> stores{put(buffer, kLine, 0, 3, 1), put(buffer, kLine, 1, 2, 2),
                                      put(buffer, kLine, 2, 1, 3)};
  CHECK(seen<3>(buffer, kLine) == std::array<uint32_t, 3>{1, 2, 3});
  buffer.release(stores[1]);  // answers may come in any order
  CHECK(seen<3>(buffer, kLine) == std::array<uint32_t, 3>{1, 1, 3});
  buffer.release(stores[2]);
  CHECK(seen<3>(buffer, kLine) == std::array<uint32_t, 3>{1, 1, 1});
  buffer.release(stores[0]);
  CHECK(seen<3>(buffer, kLine) == std::array<uint32_t, 3>{0xee, 0xee, 0xee});
  CHECK(buffer.empty());
  CHECK_FALSE(buffer.may_hold(kLine));
}

TEST_CASE("a store that is in memory no longer hides what came after it there", "[store_buffer]") {
  StoreBuffer buffer;
  PendingStore* store = put(buffer, kLine, 0, 1, 1);
  store->visible = true;  // its partition has written it; another SM's store may have followed
  CHECK(seen<1>(buffer, kLine)[0] == 0xee);
  buffer.release(store);
}

TEST_CASE("stores of many lines do not disturb each other", "[store_buffer]") {
  StoreBuffer buffer;
  std::array<PendingStore*, 5000> stores;
  for (uint32_t i = 0; i < stores.size(); ++i) stores[i] = put(buffer, kLine + 128 * i, 7, 1, static_cast<uint8_t>(i));
  bool right = true;
  for (uint32_t i = 0; i < stores.size(); ++i) right &= seen<1>(buffer, kLine + 128 * i + 7)[0] == (i & 0xff);
  CHECK(right);
  for (uint32_t i = 0; i < stores.size(); i += 2) buffer.release(stores[i]);
  for (uint32_t i = 0; i < stores.size(); ++i)
    right &= seen<1>(buffer, kLine + 128 * i + 7)[0] == (i % 2 == 0 ? 0xee : i & 0xff);
  CHECK(right);
  // A new store starts empty, though its place has been used.
  CHECK(buffer.add(kLine)->byte_mask == std::array<uint64_t, 2>{});
}

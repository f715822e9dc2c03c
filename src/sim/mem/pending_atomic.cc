// An atomic operation as its partition performs it: lane after lane, on the bytes of one transaction.
#include <bit>
#include <cstring>

#include "sim/mem/request.h"

namespace warptime::sim {

void PendingAtomic::perform() {
  byte_mask = {};
  if (word_bytes > sizeof(uint64_t)) [[unlikely]]
    return perform_wide();
  uint64_t word_mask = (uint64_t{1} << word_bytes) - 1;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<size_t>(std::countr_zero(rest));
    std::byte* word = bytes.data() + at[lane];
    uint64_t value = 0;
    std::memcpy(&value, word, word_bytes);
    old[lane] = value;
    value = combine(value, b[lane], c[lane]);
    std::memcpy(word, &value, word_bytes);
    byte_mask[at[lane] / 64] |= word_mask << (at[lane] % 64);
  }
}

/// Words of 128 bits: exchanged, or compared and swapped.
void PendingAtomic::perform_wide() {
  constexpr uint64_t kWord = 0xffff;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest)), high = upper(lane);
    std::array<uint64_t, 2> value{};
    std::memcpy(value.data(), bytes.data() + at[lane], sizeof value);
    old[lane] = value[0];
    old[high] = value[1];
    if (!compares) value = {b[lane], b[high]};
    else if (value[0] == b[lane] && value[1] == b[high]) value = {c[lane], c[high]};
    std::memcpy(bytes.data() + at[lane], value.data(), sizeof value);
    byte_mask[at[lane] / 64] |= kWord << (at[lane] % 64);
  }
}

uint32_t PendingAtomic::conflict_degree() const {
  if (conflict_free || combined) return 1;
  std::array<uint8_t, kMaxStoreBytes / 4> lanes_of{};
  uint32_t most = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    most = std::max<uint32_t>(most, ++lanes_of[at[static_cast<size_t>(std::countr_zero(rest))] / 4]);
  return most;
}

}  // namespace warptime::sim

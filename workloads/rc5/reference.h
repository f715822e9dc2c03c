// RC5-32/12 (Rivest 1994, section 4) for any type of 32-bit unsigned number: key expansion and encryption of a block.
// The number of words decides the length of the key: 3 words of which the last has 8 bits are RC5-72.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu/counted.h"

namespace warptime::workloads {

inline constexpr size_t kRc5Rounds = 12, kRc5Subkeys = 2 * (kRc5Rounds + 1);

/// x rotated by the lowest 5 bits of n, which is one instruction of a CPU.
template <class T>
T rotate_left(T x, T n) {
  return rotl(x, n);
}
inline uint32_t rotate_left(uint32_t x, uint32_t n) { return std::rotl(x, static_cast<int>(n & 31)); }

/// The subkeys of a key of any number of words.
template <class T, size_t Words, class Subkeys>
void expand_key(std::array<T, Words> key, Subkeys& s) {
  constexpr size_t kSteps = 3 * (kRc5Subkeys > Words ? kRc5Subkeys : Words);
  T a = T(0), b = T(0);
  for (size_t i = 0; i < kSteps; ++i) {
    T sum = a + b, first = T(0xb7e15163u + static_cast<uint32_t>(i) * 0x9e3779b9u);
    a = rotate_left(T((i < kRc5Subkeys ? first : T(s[i % kRc5Subkeys])) + sum), T(3));
    s[i % kRc5Subkeys] = a;
    sum = a + b;
    b = rotate_left(T(key[i % Words] + sum), sum);
    key[i % Words] = b;
  }
}

template <class T, class Subkeys>
std::array<T, 2> encrypt(const std::array<T, 2>& plain, const Subkeys& s) {
  T a = plain[0] + s[0], b = plain[1] + s[1];
  for (size_t i = 1; i <= kRc5Rounds; ++i) {
    a = rotate_left(T(a ^ b), b) + s[2 * i];
    b = rotate_left(T(b ^ a), a) + s[2 * i + 1];
  }
  return {a, b};
}

/// The key that follows: words are added with carry.
template <class T>
void increment(std::array<T, 3>& key) {
  for (T& word : key) {
    word = word + T(1);
    if (word != T(0)) return;
  }
}

/// What a search of `keys` keys from `key` on finds.
template <class T>
struct Rc5Outcome {
  bool found = false;
  std::array<T, 3> key = {};  // the one found
  uint32_t screened = 0;      // keys whose first word agrees with the ciphertext's in the bits of `screen`
};

/// `s`: room for the subkeys.
template <class T, class Subkeys>
Rc5Outcome<T> search_keys(const std::array<T, 2>& plain, const std::array<T, 2>& cipher, std::array<T, 3> key,
                          uint32_t keys, uint32_t screen, Subkeys& s) {
  Rc5Outcome<T> out;
  for ([[maybe_unused]] size_t k : cpu::steps<T>(keys)) {
    expand_key(key, s);
    std::array<T, 2> block = encrypt(plain, s);
    if (((block[0] ^ cipher[0]) & T(screen)) == T(0)) {
      ++out.screened;
      if (block[0] == cipher[0])
        if (block[1] == cipher[1]) {
          out.found = true;
          out.key = key;
        }
    }
    increment(key);
  }
  return out;
}

}  // namespace warptime::workloads

// FNV-1a, 64 bits: tells texts apart in a report (machines, sweeps). No cryptography; the same digits on every host.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace warptime {

class Fnv1a {
 public:
  void mix(std::string_view text) {
    for (char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  /// 16 hexadecimal digits.
  std::string digits() const { return fmt::format("{:016x}", hash_); }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace warptime

// A message of Protocol Buffers as bytes: tags and varints ("Encoding" in the description of Protocol Buffers). Only
// what a trace needs. Linking libprotobuf-lite would cost each start of the program 450,000 host instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptime::cli {

class ProtoMessage {
 public:
  ProtoMessage& number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  ProtoMessage& real(uint32_t field, double value) {
    varint(uint64_t{field} << 3 | 1);
    auto bits = std::bit_cast<uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) bytes_ += static_cast<char>(bits & 0xff);
    return *this;
  }
  /// Text, and messages within.
  ProtoMessage& bytes(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(uint32_t field, const ProtoMessage& value) { return bytes(field, value.bytes_); }
  void clear() { bytes_.clear(); }
  const std::string& text() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace warptime::cli

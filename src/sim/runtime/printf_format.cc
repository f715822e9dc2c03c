#include "sim/runtime/printf_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/ascii.h"
#include "sim/runtime/printf_number.h"

namespace warptime::sim {

namespace {

constexpr std::string_view kFlags = "-+ #0";

/// What a size says about an integer. Other arguments have a size of their own.
struct Size {
  std::string_view name;
  uint8_t bytes;
};
constexpr uint8_t kAddress = 0;  // as many as an address of the module has
constexpr std::array kSizes{Size{"", 4},  Size{"h", 2}, Size{"hh", 1},       Size{"l", kAddress}, Size{"ll", 8},
                            Size{"L", 8}, Size{"j", 8}, Size{"z", kAddress}, Size{"t", kAddress}};

void append_padded(std::string_view text, int64_t width, bool left, std::string& out) {
  size_t padding = static_cast<size_t>(width) > text.size() ? static_cast<size_t>(width) - text.size() : 0;
  if (!left) out.append(padding, ' ');
  out += text;
  if (left) out.append(padding, ' ');
}

uint64_t kept_unsigned(uint64_t bits, uint8_t bytes) { return bytes == 8 ? bits : bits & ((1ull << 8 * bytes) - 1); }
int64_t kept_signed(uint64_t bits, uint8_t bytes) {
  int unused = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

PrintfFormat::PrintfFormat(std::string_view format, uint8_t address_bytes) {
  while (!format.empty()) {
    size_t plain = std::min(format.find('%'), format.size());
    add_text(format.substr(0, plain));
    format.remove_prefix(plain);
    if (!format.empty()) format.remove_prefix(conversion(format, address_bytes));
  }
}

void PrintfFormat::add_text(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().kind != Kind::Text) pieces_.emplace_back();
  pieces_.back().text += text;
}

/// Adds what begins with the '%' of `rest`; how long it is.
size_t PrintfFormat::conversion(std::string_view rest, uint8_t address_bytes) {
  Piece piece;
  size_t at = 1;
  auto now = [&] { return at < rest.size() ? rest[at] : '\0'; };
  auto number = [&](bool& given) {
    int64_t value = 0;
    if (now() == '*') {
      given = true;
      ++at;
    } else {
      for (; ascii::is_digit(now()); ++at) value = std::min(value * 10 + (now() - '0'), kMostPrintfDigits);
    }
    return value;
  };
  for (; at < rest.size() && kFlags.find(rest[at]) != std::string_view::npos; ++at)
    if (piece.text.find(rest[at]) == std::string::npos) piece.text += rest[at];
  piece.width = number(piece.width_given);
  if (now() == '.') {
    ++at;
    piece.precision = number(piece.precision_given);
  }
  size_t size_at = at;
  while (at < rest.size() && std::string_view("hlLjzt").find(rest[at]) != std::string_view::npos) ++at;
  std::string_view size = rest.substr(size_at, at - size_at);
  auto row = std::find_if(kSizes.begin(), kSizes.end(), [size](const Size& known) { return known.name == size; });
  bool known = row != kSizes.end();
  if (known) piece.keeps = row->bytes == kAddress ? address_bytes : row->bytes;
  uint8_t bytes = std::max<uint8_t>(piece.keeps, 4);  // narrow integers are passed as int
  piece.type = now();
  switch (piece.type) {
    case 'd':
    case 'i': piece.kind = Kind::Signed; break;
    case 'u':
    case 'o':
    case 'x':
    case 'X': piece.kind = Kind::Unsigned; break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      piece.kind = Kind::Floating;
      bytes = 8;
      break;
    case 'c':
      piece.kind = Kind::Character;
      bytes = 4;
      break;
    case 's':
      piece.kind = Kind::String;
      bytes = address_bytes;
      break;
    case 'p':
      piece.kind = Kind::Pointer;
      bytes = address_bytes;
      break;
    case '%': add_text("%"); return at + 1;
    default: known = false; break;
  }
  size_t length = std::min(at + 1, rest.size());
  uint32_t takes = 1u + (piece.width_given ? 1 : 0) + (piece.precision_given ? 1 : 0);
  if (!known || arguments_ + takes > kMostPrintfArguments) {
    add_text(rest.substr(0, length));
    return length;
  }
  piece.bytes = bytes;
  arguments_ += takes;
  pieces_.push_back(std::move(piece));
  return length;
}

void PrintfFormat::print(std::span<const PrintfArgument> arguments, std::string& out) const {
  size_t next = 0;
  auto given = [&] {
    return std::clamp<int64_t>(static_cast<int32_t>(arguments[next++].bits), -kMostPrintfDigits, kMostPrintfDigits);
  };
  for (const Piece& piece : pieces_) {
    if (piece.kind == Kind::Text) {
      out += piece.text;
      continue;
    }
    std::string flags = piece.text;
    int64_t width = piece.width_given ? given() : piece.width;
    if (width < 0) {  // as the flag '-' and the width without its sign
      flags += '-';
      width = -width;
    }
    int64_t precision = piece.precision_given ? std::max<int64_t>(given(), -1) : piece.precision;
    bool left = flags.find('-') != std::string::npos;
    const PrintfArgument& argument = arguments[next++];
    PrintfSpecification specification{flags, width, precision};
    switch (piece.kind) {
      case Kind::Text: break;
      case Kind::Signed: append_signed(specification, kept_signed(argument.bits, piece.keeps), out); break;
      case Kind::Unsigned:
        append_unsigned(specification, piece.type, kept_unsigned(argument.bits, piece.keeps), out);
        break;
      case Kind::Floating: append_floating(specification, piece.type, std::bit_cast<double>(argument.bits), out); break;
      case Kind::Character: {
        char c = static_cast<char>(argument.bits);
        append_padded({&c, 1}, width, left, out);
        break;
      }
      case Kind::String: {
        std::string_view text = argument.is_null ? "(null)" : std::string_view(argument.text);
        append_padded(precision >= 0 ? text.substr(0, static_cast<size_t>(precision)) : text, width, left, out);
        break;
      }
      case Kind::Pointer:
        append_padded(argument.bits == 0 ? "(nil)" : fmt::format("{:#x}", argument.bits), width, left, out);
        break;
    }
  }
}

}  // namespace warptime::sim

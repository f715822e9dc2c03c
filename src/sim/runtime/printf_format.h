// A format of device printf: its arguments, and the resulting text. The conversions are those of "Formatted Output" in
// the CUDA C++ Programming Guide; numbers look as the C library writes them in the locale "C" (printf_number.h). Any
// other specification is printed literally and takes no argument.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::sim {

/// Further arguments are ignored, and their specifications appear as they are written (Guide, "Limitations").
inline constexpr size_t kMostPrintfArguments = 32;
/// A larger width or precision counts as this one.
inline constexpr int64_t kMostPrintfDigits = 1 << 20;

/// One argument as it was when printf was called.
struct PrintfArgument {
  uint64_t bits = 0;
  std::string text;      // of %s
  bool is_null = false;  // of %s

  template <class Archive>
  void serialize(Archive& archive) {
    archive(bits, text, is_null);
  }
};

class PrintfFormat {
 public:
  enum class Kind : uint8_t { Text, Signed, Unsigned, Floating, Character, String, Pointer };

  /// A piece of the format: text as it is, or a conversion.
  struct Piece {
    Kind kind = Kind::Text;
    std::string text;          // of Text; else the flags
    char type = 0;             // the letter of the conversion
    uint8_t bytes = 0;         // of its argument
    uint8_t keeps = 0;         // of Signed and Unsigned: how many of them count
    bool width_given = false;  // by an argument, as precision_given
    bool precision_given = false;
    int64_t width = 0, precision = -1;  // -1: none
  };

  /// `address_bytes`: of pointers and long.
  PrintfFormat(std::string_view format, uint8_t address_bytes);

  const std::vector<Piece>& pieces() const { return pieces_; }
  uint32_t arguments() const { return arguments_; }
  /// Appends the text of a call; `arguments` in their order, those of `*` among them.
  void print(std::span<const PrintfArgument> arguments, std::string& out) const;

 private:
  void add_text(std::string_view text);
  size_t conversion(std::string_view rest, uint8_t address_bytes);

  std::vector<Piece> pieces_;
  uint32_t arguments_ = 0;
};

}  // namespace warptime::sim

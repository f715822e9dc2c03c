// A format of device printf: pieces, arguments, text.
#include "sim/runtime/printf_format.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstdio>
#include <limits>

namespace warptime::sim {

namespace {

PrintfArgument number(uint64_t bits) { return {bits, "", false}; }
PrintfArgument real(double value) { return {std::bit_cast<uint64_t>(value), "", false}; }
PrintfArgument text(std::string value) { return {1, std::move(value), false}; }

std::string printed(std::string_view format, std::vector<PrintfArgument> arguments, uint8_t address_bytes = 8) {
  PrintfFormat parsed(format, address_bytes);
  REQUIRE(parsed.arguments() == arguments.size());
  std::string out = ">";
  parsed.print(arguments, out);
  return out.substr(1);
}

std::vector<uint8_t> sizes(std::string_view format, uint8_t address_bytes) {
  std::vector<uint8_t> out;
  PrintfFormat parsed(format, address_bytes);
  for (const PrintfFormat::Piece& piece : parsed.pieces())
    if (piece.kind != PrintfFormat::Kind::Text) out.push_back(piece.bytes);
  return out;
}

}  // namespace

TEST_CASE("sizes say how long an integer is, and how much of it counts") {
  CHECK(sizes("%d%hd%hhd%ld%lld%jd%zd%td%Lu", 8) == std::vector<uint8_t>{4, 4, 4, 8, 8, 8, 8, 8, 8});
  CHECK(sizes("%d%hd%hhd%ld%lld%jd%zd%td", 4) == std::vector<uint8_t>{4, 4, 4, 4, 8, 8, 4, 4});
  CHECK(sizes("%f%lf%hf%Lf%c%lc%s%p", 8) == std::vector<uint8_t>{8, 8, 8, 8, 4, 4, 8, 8});
  CHECK(sizes("%s%p", 4) == std::vector<uint8_t>{4, 4});
  uint64_t bits = 0xfedcba9876548081;
  CHECK(printed("%d|%i|%u|%x", {number(bits), number(bits), number(bits), number(bits)}) ==
        "1985249409|1985249409|1985249409|76548081");
  CHECK(printed("%hd|%hu|%hx|%hhd|%hhu|%hhX", std::vector(6, number(bits))) == "-32639|32897|8081|-127|129|81");
  CHECK(printed("%lld|%llu|%llx|%llo", std::vector(4, number(bits))) ==
        "-81985529216466815|18364758544493084801|fedcba9876548081|1773345651416625100201");
  CHECK(printed("%ld|%zu|%jd|%tx", std::vector(4, number(bits))) ==
        "-81985529216466815|18364758544493084801|-81985529216466815|fedcba9876548081");
  CHECK(printed("%ld", {number(0xffffffff)}, 4) == "-1");
}

TEST_CASE("flags, width and precision are those of the C library") {
  for (const char* format : {"%5d", "%-5d", "%05d", "%+d", "% d", "%+5d", "%-+5d", "%.3d", "%8.3d", "%-8.3d", "%.0d",
                             "%.d", "% +d", "%-05d", "%+ d"}) {
    INFO(format);
    char expected[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(expected, sizeof(expected), format, 42);
#pragma GCC diagnostic pop
    CHECK(printed(format, {number(42)}) == expected);
  }
  CHECK(printed("%#x|%#o|%#X|%#010x", std::vector(4, number(0xbeef))) == "0xbeef|0137357|0XBEEF|0x0000beef");
  CHECK(printed("%.0d|", {number(0)}) == "|");
  CHECK(printed("%f|%.2e|%g|%a|%G|%+.0f|%#.0f", std::vector(7, real(-2.5))) ==
        "-2.500000|-2.50e+00|-2.5|-0x1.4p+1|-2.5|-2|-2.");
  CHECK(printed("%5.1f|%-7f|%07f|", {real(1.0 / 0.0), real(-1.0 / 0.0), real(1.0 / 0.0)}) == "  inf|-inf   |    inf|");
  CHECK(printed("%.100f", {real(0.5)}) == "0.5" + std::string(99, '0'));  // longer than what is tried first
}

TEST_CASE("every combination of flags, width and precision looks as the C library writes it") {
  const std::vector<double> values{0.0,
                                   -0.0,
                                   1,
                                   0.1,
                                   2.5,
                                   -9.96,
                                   99.5,
                                   1e-5,
                                   123456,
                                   1e22,
                                   1e-310,
                                   0x1.fcp-3,
                                   0x1.f8p0,
                                   std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::denorm_min(),
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::quiet_NaN()};
  const std::vector<uint64_t> integers{0, 1, 8, 42, 255, ~uint64_t{0}, uint64_t{1} << 63};
  uint32_t differences = 0;
  auto check = [&](const std::string& format, auto value, const std::string& got) {
    char expected[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(expected, sizeof(expected), format.c_str(), value);
#pragma GCC diagnostic pop
    if (got == expected) return;
    UNSCOPED_INFO(format << ": " << got << ", expected " << expected);
    ++differences;
  };
  for (uint32_t flags = 0; flags < 32; ++flags)
    for (const char* size : {"", "1", "14", ".0", ".1", ".4", "12.3", ".25", "30.17"})
      for (char type : std::string("feagFEAGdiuoxX")) {
        std::string format = "%";
        for (uint32_t i = 0; i < 5; ++i)
          if ((flags >> i & 1) != 0) format += "-+ #0"[i];
        format += size;
        if (std::string("feagFEAG").find(type) != std::string::npos)
          for (double value : values) check(format + type, value, printed(format + type, {real(value)}));
        else
          for (uint64_t value : integers)
            check(format + "ll" + type, value, printed(format + "ll" + type, {number(value)}));
      }
  CHECK(differences == 0);
}

TEST_CASE("width and precision may be arguments") {
  CHECK(printed("[%*d][%-*d]", {number(6), number(42), number(6), number(42)}) == "[    42][42    ]");
  CHECK(printed("[%*d]", {number(static_cast<uint32_t>(-6)), number(42)}) == "[42    ]");
  CHECK(printed("[%.*f][%*.*f]", {number(1), real(2.25), number(7), number(3), real(2.25)}) == "[2.2][  2.250]");
  CHECK(printed("[%.*d]", {number(static_cast<uint32_t>(-3)), number(42)}) == "[42]");
  CHECK(printed("[%.*s]", {number(2), text("abc")}) == "[ab]");
  size_t most = static_cast<size_t>(kMostPrintfDigits);
  CHECK(printed("%2000000000d", {number(1)}).size() == most);
  CHECK(printed("%.99999999999999999999d", {number(1)}).size() == most);
  CHECK(printed("%*s", {number(0x7fffffff), text("")}).size() == most);
  CHECK(printed("%*s|", {number(0x80000000), text("")}).size() == most + 1);
}

TEST_CASE("characters, strings and addresses") {
  CHECK(printed("%c|%3c|%-3c|", {number('a'), number('b'), number('c' + 256)}) == "a|  b|c  |");
  CHECK(printed("%c", {number(0)}) == std::string(1, '\0'));
  CHECK(printed("%s|%6s|%-6s|%.2s|%6.2s", std::vector(5, text("text"))) == "text|  text|text  |te|    te");
  PrintfArgument null{0, "", true};
  CHECK(printed("%s|%8s", {null, null}) == "(null)|  (null)");
  CHECK(printed("%p|%8p|%-8p|%p", {number(0x1234), number(0x1234), number(0x1234), number(0)}) ==
        "0x1234|  0x1234|0x1234  |(nil)");
}

TEST_CASE("what is not a specification appears as it is written") {
  CHECK(printed("100%%|%5%|%y|%-8.3w|%n|%C", {}) == "100%|%|%y|%-8.3w|%n|%C");
  CHECK(printed("%d%", {number(1)}) == "1%");
  CHECK(printed("%", {}) == "%");
  CHECK(printed("%-08", {}) == "%-08");
  CHECK(printed("%1$d|%'d", {}) == "%1$d|%'d");
  CHECK(printed("%hhhd|%lld", {number(3)}) == "%hhhd|3");
  CHECK(printed("", {}).empty());
}

TEST_CASE("more than 32 arguments are ignored") {
  std::string format, expected;
  std::vector<PrintfArgument> arguments;
  for (uint32_t i = 0; i < 40; ++i) {
    format += "%d ";
    expected += i < 32 ? std::to_string(i) + " " : "%d ";
    if (i < 32) arguments.push_back(number(i));
  }
  CHECK(printed(format, arguments) == expected);
  PrintfFormat over(format.substr(0, 3 * 31) + "%*d", 8);
  CHECK(over.arguments() == 31);
}

}  // namespace warptime::sim

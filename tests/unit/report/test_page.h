// Reads the data of a page back.
#pragma once

#include <zlib.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace warptime::test {

inline std::string base64_decoded(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    if (c == '=') break;
    size_t digit = kDigits.find(c);
    REQUIRE(digit != std::string_view::npos);
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

inline std::string unzipped(const std::string& packed) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string input = packed, out, piece(1 << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  REQUIRE(status == Z_STREAM_END);
  return out;
}

/// The data of a page that `warptime report` wrote.
inline nlohmann::ordered_json page_data(const std::string& html) {
  constexpr std::string_view kBegin = "<script type=\"text/plain\" id=\"data\">";
  size_t begin = html.find(kBegin);
  REQUIRE(begin != std::string::npos);
  begin += kBegin.size();
  return nlohmann::ordered_json::parse(unzipped(base64_decoded(html.substr(begin, html.find('<', begin) - begin))));
}

}  // namespace warptime::test

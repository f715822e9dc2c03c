#include "report/page.h"

#include "base/assert.h"
#include "report/gzip.h"

namespace warptime::report {

namespace {

constexpr std::string_view kPlaceOfData = "@WARPTIME_DATA@";

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = i; j < i + 3; ++j)
      three = three << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[three >> shift & 63];
  }
  for (size_t missing = (3 - bytes.size() % 3) % 3; missing > 0; --missing) out[out.size() - missing] = '=';
  return out;
}

std::string page_with(std::string_view json) {
  std::string_view page = page_template();
  size_t place = page.find(kPlaceOfData);
  SIM_ASSERT(place != std::string_view::npos, "the page has no place for its data");
  std::string out(page.substr(0, place));
  out += base64(gzip(json));
  out += page.substr(place + kPlaceOfData.size());
  return out;
}

}  // namespace warptime::report

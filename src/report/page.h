// The page itself: the bundle of web/, which is part of the program, with its data.
#pragma once

#include <string>
#include <string_view>

namespace warptime::report {

/// The bundle as it was built (web/bundle/report.html), made into an array by cmake/embed.cmake.
std::string_view page_template();

/// With this JSON document as its data, compressed.
std::string page_with(std::string_view json);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace warptime::report

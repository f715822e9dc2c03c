// Makes external text (files, the command line) safe for a terminal: names may contain control characters, and may be
// long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warptime {

/// What a terminal would obey or cannot show (control characters, bytes that are not UTF-8) as \xNN. Tabs stay, and
/// with `lines` the ends of lines.
std::string printable(std::string_view text, bool lines = false);

/// Whether all of it stays as it is.
bool is_printable(std::string_view text, bool lines = false);

/// A name longer than kLongestShown as its beginning and "...".
inline constexpr size_t kLongestShown = 60;
std::string clipped(std::string_view name);

/// A sentence with every quoted or undivided run of letters in it clipped. Paths stay whole: their ends tell them
/// apart.
std::string clip_names(std::string_view sentence);

}  // namespace warptime

// One line of comma-separated values as profilers write it: cells with or without quotes, each with its place in the
// text. A cell never goes on in the next line, so output of a program between the rows does no harm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"

namespace warptime {

struct CsvCell {
  SourceSpan where;  // without its quotes
  std::string text;  // doubled quotes as one
};

struct CsvLine {
  std::vector<CsvCell> cells;
  SourceSpan open_quote = {};  // of a cell without a closing quote; its source is null: there is none
  bool is_quoted = false;      // the first cell is
};

/// `number`: from 1.
CsvLine read_csv_line(const SourceText& source, uint32_t number);

/// Bytes of the source as a span of it.
inline SourceSpan span_of(const SourceText& source, std::string_view part) {
  return {&source, static_cast<uint32_t>(part.data() - source.text().data()), static_cast<uint32_t>(part.size())};
}

inline std::string_view text_of(const SourceSpan& span) { return span.source->text().substr(span.begin, span.length); }

/// Without blanks at both ends.
std::string_view without_blanks(std::string_view text);

}  // namespace warptime

// Columns of text.
#include "cli/text_table.h"

#include <catch2/catch.hpp>

using warptime::cli::text_table;

TEST_CASE("columns are as wide as their widest cell, lines end at their last letter") {
  CHECK(text_table({{"a", "bbb", "c"}, {"aaaa", "b", ""}, {"a"}}, "  ") ==
        "  a     bbb  c\n"
        "  aaaa  b\n"
        "  a\n");
  CHECK(text_table({}).empty());
  // 41 letters do not widen the column: the next cell of that row moves instead.
  std::string wide(41, 'w');
  CHECK(text_table({{wide, "b"}, {"a", "b"}}) == wide + "  b\na  b\n");
}

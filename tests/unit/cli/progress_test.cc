// What the progress line says.
#include "cli/progress.h"

#include <catch2/catch.hpp>

using warptime::cli::progress_text;

TEST_CASE("progress: share and time left of the present launch") {
  CHECK(progress_text(1, 0.005, 3) == "  launch 1: 0 %");
  // A quarter took 3 s, so three quarters take 9 s.
  CHECK(progress_text(2, 0.25, 3) == "  launch 2: 25 %, 9 s left");
  CHECK(progress_text(2, 1, 3) == "  launch 2: 100 %, 0 s left");
  // 1 % took 2 s: 198 s are 3.3 minutes, told as 4.
  CHECK(progress_text(1, 0.01, 2) == "  launch 1: 1 %, 4 min left");
}

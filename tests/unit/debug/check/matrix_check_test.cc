// Checkers see the rows of matrices that ldmatrix and stmatrix access, by the lanes that give their addresses, and the
// elements that wmma.load and wmma.store access.
#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

using Kinds = std::vector<std::string>;

Outcome check_matrices(const std::string& body, const CheckRun& run = {.threads = 32}) { return check(body, run); }

/// Eight lanes have the rows of part; the others no address at all.
const std::string kRows =
    "mov.u32 %r4, part; shl.b32 %r5, %r0, 4; add.u32 %r2, %r4, %r5; and.b32 %r9, %r0, 31; setp.gt.u32 %p0, %r9, 7; "
    "@%p0 mov.u32 %r2, 0xfffffff1;\n";
const std::string kFill =
    "and.b32 %r9, %r0, 31; mov.u32 %r4, part; shl.b32 %r5, %r9, 2; add.u32 %r3, %r4, %r5; st.shared.u32 [%r3], %r0;\n";
const std::string kLoad = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r2];";

}  // namespace

TEST_CASE("memcheck and initcheck: rows of matrices") {
  CHECK(check_matrices(kFill + "bar.sync 0;\n" + kRows + kLoad).kinds().empty());
  // Nothing was written there.
  const Kinds unwritten = check_matrices(kRows + kLoad).kinds();
  REQUIRE(unwritten.size() == 1);
  CHECK(unwritten[0].starts_with("uninitialized_shared:1"));
  // The last row is beyond the end.
  const Kinds beyond =
      check_matrices(kFill + "bar.sync 0;\n" + kRows + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r2+16];")
          .kinds();
  REQUIRE(beyond.size() == 1);
  CHECK(beyond[0] == "out_of_bounds_shared:3 x1");
}

TEST_CASE("racecheck: rows of matrices") {
  const CheckRun two{.tools = {.racecheck = true}, .threads = 64};
  // Warp 1 writes words that warp 0 reads as rows, with and without a barrier.
  const std::string write = "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra NEXT;\n" + kFill + "NEXT:\n";
  const std::string read = "@!%p1 bra DONE;\n" + kRows + kLoad + "\nDONE:";
  CHECK_FALSE(check_matrices(write + read, two).kinds().empty());
  CHECK(check_matrices(write + "bar.sync 0;\n" + read, two).kinds().empty());
}

TEST_CASE("racecheck and memcheck: fragments of wmma") {
  const std::string matrix = "mov.u32 %r4, part;\nwmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {%r5, %r6}, [%r4], ";
  const Kinds beyond = check_matrices(kFill + "bar.sync 0;\n" + matrix + "8;").kinds();  // 256 bytes of 128
  REQUIRE(beyond.size() == 1);
  CHECK(beyond[0].starts_with("out_of_bounds_shared:3"));
}

}  // namespace warptime::debug

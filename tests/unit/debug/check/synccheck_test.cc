// synccheck: barriers and member masks that not all of their threads reach, and who waits for whom.
#include <set>

#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

Outcome synccheck(const std::string& body, CheckRun run = {}) {
  run.tools = {.synccheck = true};
  return check(body, run);
}

const std::string kFirstHalf = "and.b32 %r2, %r0, 31;\nsetp.lt.u32 %p0, %r2, 16;\n";

}  // namespace

TEST_CASE("synccheck: a barrier that part of a warp skips") {
  const std::string body = kFirstHalf + "@%p0 bar.sync 0;";
  for (const char* machine : {kIndependent, kLockstep}) {
    INFO(machine);
    Outcome out = synccheck(body, {.machine = machine, .threads = 32});
    REQUIRE(out.findings.size() == 1);
    CHECK(out.findings[0].kind == Kind::DivergentBarrier);
    CHECK(out.findings[0].place.line == kFirstLine + 2);
  }
  CHECK(synccheck(kFirstHalf + "@%p0 mov.u32 %r3, 1;\nbar.sync 0;").kinds().empty());
}

TEST_CASE("synccheck: lanes that come to a barrier one after the other have all come") {
  const std::string body = kFirstHalf + "@%p0 bra A;\nmov.u32 %r3, 1;\nbra B;\nA:\nmov.u32 %r3, 2;\nB:\nbar.sync 0;";
  CHECK(synccheck(body).kinds().empty());
}

TEST_CASE("synccheck: barriers without alignment may be reached at two places") {
  const std::string two = kFirstHalf + "@%p0 bra A;\nX 0;\nbra B;\nA:\nX 0;\nB:";
  auto with = [&](const std::string& barrier) {
    std::string body = two;
    for (size_t at = body.find('X'); at != std::string::npos; at = body.find('X')) body.replace(at, 1, barrier);
    return synccheck(body, {.threads = 32}).findings;
  };
  CHECK(with("barrier.sync").empty());
  REQUIRE_FALSE(with("bar.sync").empty());
  CHECK(with("bar.sync")[0].kind == Kind::DivergentBarrier);
  CHECK(with("barrier.sync.aligned")[0].kind == Kind::DivergentBarrier);
}

TEST_CASE("synccheck: a barrier of the block after threads have exited") {
  CHECK(synccheck("setp.gt.u32 %p0, %r0, 31;\n@%p0 exit;\nbar.sync 0;").kinds() == Kinds{"barrier_exited:2 x1"});
  CHECK(synccheck("setp.gt.u32 %p0, %r0, 40;\n@%p0 exit;\nbar.sync 0;").kinds() == Kinds{"barrier_exited:2 x1"});
  // One with a thread count is for those that it counts.
  CHECK(synccheck("setp.gt.u32 %p0, %r0, 31;\n@%p0 exit;\nbar.sync 1, 32;").kinds().empty());
  // Half of warp 0 waits when the other half exits; then the warp has arrived.
  CHECK(synccheck("setp.lt.u32 %p0, %r0, 16;\n@!%p0 bra OUT;\nbarrier.sync 1, 32;\nOUT:").kinds().empty());
}

TEST_CASE("synccheck: lanes that have only their exit left are not missed at a barrier of a machine in lockstep") {
  const std::string guard = "setp.gt.u32 %p0, %r0, 40;\n@%p0 bra OUT;\nbar.sync 0;\nOUT:";
  Outcome out = synccheck(guard, {.machine = kLockstep});
  CHECK(out.kinds() == Kinds{"barrier_exited:2 x1"});
  // Nor is an exit that no lane takes a reason to part those that go on.
  const std::string never = kFirstHalf + "@%p0 bra B;\nsetp.gt.u32 %p1, %r0, 99;\n@%p1 bra OUT;\nmov.u32 %r3, 1;\n" +
                            "B:\nbar.sync 0;\nmov.u32 %r3, 2;\nOUT:";
  CHECK(synccheck(never, {.machine = kLockstep}).kinds().empty());
  CHECK(synccheck(never).kinds().empty());
  // A path with work left is one.
  const std::string work = kFirstHalf + "@%p0 bra B;\nbar.sync 0;\nB:\nst.global.u32 [%rd1], %r0;";
  CHECK(synccheck(work, {.machine = kLockstep}).kinds()[0].starts_with("divergent_barrier:3"));
}

TEST_CASE("synccheck: wrong thread counts") {
  CHECK(synccheck("mov.u32 %r3, 48;\nbar.sync 1, %r3;").kinds()[0].starts_with("barrier_count:1"));
  CHECK(synccheck("shr.u32 %r2, %r0, 5;\nmad.lo.u32 %r3, %r2, 32, 64;\nbar.sync 1, %r3;")
            .kinds()[0]
            .starts_with("barrier_count:2"));
}

TEST_CASE("synccheck: member masks") {
  const std::string guarded = kFirstHalf + "@%p0 ";
  CHECK(synccheck("bar.warp.sync 0xffffffff;").kinds().empty());
  CHECK(synccheck(guarded + "bar.warp.sync 0xffff;").kinds().empty());
  CHECK(synccheck("bar.warp.sync 0xffff;").kinds()[0].starts_with("sync_mask:0"));
  Outcome after_exit =
      synccheck(kFirstHalf + "@!%p0 exit;\nshfl.sync.idx.b32 %r3, %r0, 0, 31, 0xffffffff;", {.threads = 32});
  CHECK(after_exit.kinds() == Kinds{"sync_mask:3 x1"});
  // A mask may name lanes that the block never had.
  CHECK(synccheck("bar.warp.sync 0xffffffff;", {.threads = 20}).kinds().empty());
  // Those that wait, and then the others exit.
  CHECK(synccheck(kFirstHalf + "@!%p0 bra OUT;\nshfl.sync.idx.b32 %r3, %r0, 0, 31, 0xffffffff;\nOUT:", {.threads = 32})
            .kinds()[0]
            .starts_with("sync_mask:3"));
}

TEST_CASE("synccheck: a deadlock has a place and says who waits for whom") {
  Outcome out = synccheck(
      "shr.u32 %r2, %r0, 5;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 bra A;\nbar.sync 2, 64;\nbar.sync 1, 64;\nbra "
      "B;\nA:\nbar.sync "
      "1, 64;\nbar.sync 2, 64;\nB:");
  REQUIRE(out.findings.size() == 1);
  CHECK(out.findings[0].kind == Kind::Deadlock);
  CHECK(out.findings[0].place.line == kFirstLine + 7);
  CHECK(out.findings[0].hint.starts_with(
      "block (0,0,0) warp 0 waits at barrier 1 (PTX line 20) for 64 threads; 32 have arrived\n"
      "block (0,0,0) warp 1 waits at barrier 2 (PTX line 16) for 64 threads; 32 have arrived\n"
      "each waits for the next, and the last for block (0,0,0) warp 0\n"));
  Outcome missing = synccheck("bar.sync 1, 96;");
  REQUIRE(missing.findings.size() == 1);
  CHECK_THAT(missing.findings[0].hint,
             Catch::Contains("for 96 threads; 64 have arrived\nno other warp will arrive there\n"));
}

TEST_CASE("synccheck: of lanes that wait at several places, each has its own line") {
  // The lanes that come last are not those of the barrier that is told first.
  Outcome out =
      synccheck(kFirstHalf + "@%p0 bra A;\nbarrier.sync 3, 64;\nbra B;\nA:\nbarrier.sync 3, 64;\nB:", {.threads = 32});
  REQUIRE(out.findings.size() == 1);
  CHECK(out.findings[0].kind == Kind::Deadlock);
  CHECK(out.findings[0].place.line == kFirstLine + 3);
  CHECK_THAT(out.findings[0].hint,
             Catch::Contains(fmt::format("lanes 16-31 wait at barrier 3 (PTX line {}), lanes 0-15 wait at "
                                         "barrier 3 (PTX line {})",
                                         kFirstLine + 3, kFirstLine + 6)));
}

TEST_CASE("kinds: each name once and a row for each in the page for users") {
  std::set<std::string_view> names;
  std::string why;
  auto page = SourceText::read_file(WARPTIME_SOURCE_DIR "/docs/checkers.md", &why);
  REQUIRE(page != nullptr);
  for (const KindRow& row : kKinds) {
    CHECK(names.insert(row.name).second);
    INFO(row.name);
    CHECK(page->text().find(fmt::format("| `{}` |", row.name)) != std::string_view::npos);
    CHECK(row_of(row.kind).name == row.name);
  }
}

}  // namespace warptime::debug

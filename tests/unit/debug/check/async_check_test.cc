// racecheck of asynchronous copies: which waits make their bytes known to whom, and by which proxy they are read.
#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

Outcome check_copies(const std::string& body, CheckTools tools = {.racecheck = true}) {
  return check(body, {.tools = tools, .target = ".version 8.6\n.target sm_90"},
               ".shared .align 128 .b8 tile[256]; .shared .align 8 .b64 full; ");
}

/// %p1: not thread 0; %p2: warp 0; %r2: the thread's word of tile. The object expects so many arrivals. 6 lines.
std::string object_of(const std::string& arrivals) {
  return "setp.ne.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32; mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r2, %r4, "
         "%r5;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [full], " +
         arrivals + ";\nREADY:\nbar.sync 0;\n\n";
}
/// Thread 0 copies x to tile. 4 lines.
std::string copy(const std::string& label) {
  return "@%p1 bra " + label +
         ";\nmbarrier.arrive.expect_tx.shared.b64 %rd6, [full], 256;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd0], 256, [full];\n" +
         label + ":\n";
}
/// 3 lines.
std::string wait(const std::string& label, const std::string& parity, const std::string& semantics = "") {
  return label + ":\nmbarrier.try_wait.parity" + semantics + ".shared.b64 %p3, [full], " + parity + ";\n@!%p3 bra " +
         label + ";\n";
}
/// Until the other warp has waited. 3 lines.
std::string delay(const std::string& label) {
  return "mov.u32 %r9, 0;\n" + label + ":\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 300; @%p4 bra " + label + ";\n";
}
const std::string kRead = "ld.shared.u32 %r7, [%r2];";

}  // namespace

TEST_CASE("racecheck: the bytes of a copy are known to who has waited for the phase that counts them") {
  const std::string begin = object_of("1") + copy("COPIED");
  CHECK(check_copies(begin + wait("W", "0") + kRead).kinds().empty());
  // Warp 1 waits, warp 0 comes later.
  const std::string one_waits = begin + "@%p2 bra LATER;\n" + wait("W", "0");
  CHECK(check_copies(one_waits + "bar.arrive 1, 64;\nbra READ;\nLATER:\nbar.sync 1, 64;\nREAD:\n" + kRead)
            .kinds()
            .empty());
  CHECK(check_copies(one_waits + "LATER:\n" + delay("D") + kRead).kinds() == Kinds{"async_copy_read:18 x32"});
  // A barrier that the exit of warp 1 releases.
  CHECK(check_copies(one_waits + "exit;\nLATER:\nbar.sync 0;\n" + kRead).kinds().empty());
}

TEST_CASE("racecheck: a wait without .acquire needs a fence behind it") {
  const std::string begin = object_of("1") + copy("COPIED") + wait("W", "0", ".relaxed.cta");
  CHECK(check_copies(begin + "fence.acq_rel.cta;\n" + kRead).kinds().empty());
  CHECK(check_copies(begin + kRead).kinds() == Kinds{"async_copy_read:13 x64"});
}

TEST_CASE("racecheck: a wait for groups counts for copies that an mbarrier object counts, too") {
  const std::string begin = object_of("64") +
                            "cp.async.ca.shared.global [%r2], [%rd1], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 "
                            "[full];\n@%p2 bra LATER;\n" +
                            wait("W", "0") + "LATER:\n" + delay("D");
  CHECK(check_copies(begin + "cp.async.wait_all;\n" + kRead).kinds().empty());
  CHECK(check_copies(begin + kRead).kinds() == Kinds{"async_copy_read:16 x32"});
}

TEST_CASE("racecheck: phases before an mbarrier object was initialised again are not those behind it") {
  const std::string again =
      "bar.sync 0;\n@%p1 bra AGAIN;\nmbarrier.inval.shared.b64 [full];\nmbarrier.init.shared.b64 [full], 1;\nAGAIN:\n"
      "bar.sync 0;\n";
  const std::string begin = object_of("1") + copy("C1") + wait("W1", "0") + again + copy("C2");
  CHECK(check_copies(begin + wait("W2", "0") + kRead).kinds().empty());
  CHECK(check_copies(begin + "@%p2 bra LATER;\n" + wait("W2", "0") + "LATER:\n" + delay("D") + kRead).kinds() ==
        Kinds{"async_copy_read:31 x32"});
}

TEST_CASE("racecheck: a read that does not wait for its copy is one finding") {
  // The parity of the phase before: warp 1 reads before the copy begins, and what it reads has no value.
  const std::string early = object_of("1") + copy("COPIED") + wait("W", "1") + kRead;
  const CheckTools all{.memcheck = true, .initcheck = true, .racecheck = true, .synccheck = true};
  CHECK(check_copies(early, all).kinds() == Kinds{"async_copy_read:13 x32", "async_copy_unwaited:8 x1"});
  // Thread 0 waits for all, for the parity of the phase before.
  const std::string one_waits =
      object_of("1") + "@%p1 bra WAITED;\n" + copy("COPIED") + wait("W", "1") + "WAITED:\nbar.sync 0;\n";
  const Outcome outcome = check_copies(one_waits + kRead, all);
  CHECK(outcome.kinds() == Kinds{"async_copy_read:16 x64", "async_copy_unwaited:9 x1"});
  REQUIRE_FALSE(outcome.findings.empty());
  CHECK(outcome.findings[0].remedy == "the other parity in the wait of line 25");
}

TEST_CASE("racecheck: fence.proxy.async between a store and a bulk copy from shared memory") {
  auto stored = [](const std::string& before_barrier, const std::string& behind) {
    return check_copies(object_of("1") + "st.shared.u32 [%r2], %r0;\n" + before_barrier + "\nbar.sync 0;\n" + behind +
                        "\n@%p1 bra DONE;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], 256;\n"
                        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:")
        .kinds();
  };
  CHECK(stored("", "") == Kinds{"async_copy_proxy:11 x1"});
  CHECK(stored("fence.proxy.async;", "").empty());
  CHECK(stored("fence.proxy.async.shared::cta;", "").empty());
  CHECK(stored("", "fence.proxy.async;").empty());
  CHECK(stored("", "@!%p1 fence.proxy.async;").empty());
  CHECK(stored("fence.proxy.async.global;", "") == Kinds{"async_copy_proxy:11 x1"});
  // A fence that does not come behind the store of the other warp.
  CHECK(stored("@%p2 fence.proxy.async;", "") == Kinds{"async_copy_proxy:11 x1"});
  // A bulk copy fills all that was stored.
  CHECK(stored("bar.sync 0;\n" + copy("COPIED") + wait("W", "0"), "").empty());
}

TEST_CASE("racecheck: fence.proxy.async counts behind the wait at the mbarrier object that counts the copies") {
  // Warp 0 copies, warp 1 waits; then warp 0 executes a fence, but has not waited.
  const std::string begin =
      object_of("32") +
      "shl.b32 %r8, %r0, 3; add.u32 %r8, %r4, %r8; mul.wide.u32 %rd2, %r0, 8; add.u64 %rd2, %rd0, %rd2;\n"
      "@!%p2 bra W;\ncp.async.ca.shared.global [%r8], [%rd2], 8;\ncp.async.mbarrier.arrive.noinc.shared.b64 [full];\n" +
      delay("D") + "fence.proxy.async;\nbra WAITED;\n" + wait("W", "0");
  const std::string end =
      "@%p1 bra DONE;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], 256;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:";
  CHECK(check_copies(begin + "WAITED:\nbar.sync 0;\n" + end).kinds() == Kinds{"async_copy_proxy:21 x1"});
  CHECK(check_copies(begin + "fence.proxy.async;\nWAITED:\nbar.sync 0;\n" + end).kinds().empty());
  CHECK(check_copies(begin + "WAITED:\nbar.sync 0;\nfence.proxy.async;\n" + end).kinds().empty());
}

}  // namespace warptime::debug

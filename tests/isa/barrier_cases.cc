#include "barrier_cases.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

namespace warptime::sim {

namespace {

/// Keeps a warp busy for so many turns (a register or a number), so that warps come in a known order.
std::string busy_loop(std::string_view turns) {
  static int label = 0;
  ++label;
  return fmt::format(
      "  mov.u32 %r4, {0};\nBUSY{1}:\n  ld.volatile.shared.u32 %r5, [spin];\n  sub.u32 %r4, %r4, 1;\n"
      "  setp.ne.u32 %p5, %r4, 0;\n  @%p5 bra BUSY{1};\n",
      turns, label);
}
const char* const kLong = "2000";

/// Warp after warp.
std::string in_order() { return "  mad.lo.u32 %r6, %r2, 1000, 1;\n" + busy_loop("%r6"); }

/// "bar.sync 1" or "bar.sync 1, %c0".
constexpr uint32_t kNone = 0xfffffffe;  // no thread count
std::string wait_for(uint32_t count, std::string_view how = "bar.sync") {
  return fmt::format("  {} 1{};\n  mov.u32 %r1, 1;\n", how, count == kNone ? "" : ", %c0");
}
std::string count_text(uint32_t count) {
  if (count == kNone) return "all";
  return count > 100'000 ? fmt::format("{:#x}", count) : std::to_string(count);
}

class Cases {
 public:
  std::vector<BarrierCase> make() {
    thread_counts();
    immediate_counts();
    exited_warps();
    exited_lanes();
    different_counts();
    arrivals();
    reductions();
    parted_warps();
    mixtures();
    barrier_numbers();
    return std::move(cases_);
  }

 private:
  void add(std::string name, uint32_t threads, std::vector<uint32_t> counts, std::string body, bool parts = false) {
    cases_.push_back({std::move(name), threads, std::move(counts), std::move(body), parts});
  }

  void thread_counts() {
    struct Of {
      uint32_t threads;
      std::vector<uint32_t> counts;
    };
    const Of kOf[] = {
        {32, {kNone, 0, 1, 16, 31, 32, 33, 63, 64, 1024, 1056, 1088, 1984, 2016, 2048, 4096, 0xffffffe0, 0xffffffff}},
        {48, {kNone, 0, 32, 33, 48, 49, 64, 96}},
        {64, {0, 1, 31, 32, 33, 63, 64, 65, 96, 2048, 4095, 4096, 4128, 4160, 0x80000040}},
        {96, {32, 64, 65, 96}},
        {128, {0, 1, 32, 33, 64, 65, 95, 96, 97, 127, 128, 129, 160}}};
    for (const Of& of : kOf)
      for (uint32_t count : of.counts)
        add(fmt::format("{} threads wait for {}", of.threads, count_text(count)), of.threads, {count},
            in_order() + wait_for(count));
  }

  void immediate_counts() {
    for (const char* count : {"0", "32", "64", "96", "1024", "1056", "4064", "4096", "4128", "4294967264"})
      add(fmt::format("64 threads wait for an immediate {}", count), 64, {},
          in_order() + fmt::format("  bar.sync 1, {};\n  mov.u32 %r1, 1;\n", count));
    add("an immediate arrival above the block", 32, {}, "  bar.arrive 1, 64;\n  mov.u32 %r1, 1;\n");
  }

  void exited_warps() {
    struct Of {
      uint32_t threads, stay;
      std::vector<uint32_t> counts;
    };
    const Of kOf[] = {{64, 1, {kNone, 0, 1, 31, 32, 33, 63, 64, 96}}, {128, 2, {kNone, 0, 32, 64, 65, 96, 128, 160}}};
    for (const Of& of : kOf)
      for (uint32_t count : of.counts) {
        std::string leave = fmt::format("  setp.ge.u32 %p6, %r2, {};\n", of.stay);
        std::string what = fmt::format("of {} threads wait for {}", of.threads, count_text(count));
        add(fmt::format("{} {}, the others exit first", of.stay * 32, what), of.threads, {count},
            leave + "  @%p6 exit;\n" + busy_loop(kLong) + in_order() + wait_for(count));
        add(fmt::format("{} {}, the others exit later", of.stay * 32, what), of.threads, {count},
            leave + "  @%p6 bra LATE;\n" + in_order() + wait_for(count) + "  bra DONE;\nLATE:\n" + busy_loop(kLong) +
                busy_loop(kLong) + "  exit;\n");
      }
  }

  /// The upper half of a block's last warp.
  void exited_lanes() {
    const std::string leave = "  mov.u32 %r7, %ntid.x;\n  sub.u32 %r7, %r7, 17;\n  setp.gt.u32 %p6, %r0, %r7;\n";
    for (uint32_t threads : {32u, 64u})
      for (uint32_t count : {kNone, 16u, 32u, 48u, 64u, 96u}) {
        add(fmt::format("16 of {} threads exit, the others wait for {}", threads, count_text(count)), threads, {count},
            leave + "  @%p6 exit;\n" + in_order() + wait_for(count));
        add(fmt::format("16 of {} threads exit later, the others wait for {}", threads, count_text(count)), threads,
            {count},
            leave + "  @%p6 bra LATE;\n" + in_order() + wait_for(count, "barrier.sync") + "  bra DONE;\nLATE:\n" +
                busy_loop(kLong) + busy_loop(kLong) + "  exit;\n",
            true);
      }
  }

  void different_counts() {
    const std::vector<uint32_t> kLists[] = {{64, 96},
                                            {96, 64},
                                            {32, 64},
                                            {64, 32},
                                            {0, 64},
                                            {64, 0},
                                            {0, 32},
                                            {96, 96, 64},
                                            {96, 64, 96},
                                            {64, 96, 96},
                                            {64, 64, 96},
                                            {128, 128, 64, 128},
                                            {64, 128, 64, 128},
                                            {96, 96, 96, 32},
                                            {128, 96, 64, 32},
                                            {0, 64, 0, 64},
                                            {96, 128, 128, 96}};
    for (const auto& list : kLists) {
      std::string body = "  mov.u32 %r8, %c0;\n";
      for (size_t warp = 1; warp < list.size(); ++warp) body += fmt::format("  @%p{0} mov.u32 %r8, %c{0};\n", warp);
      add(fmt::format("warps that wait for {}", fmt::join(list, ", ")), static_cast<uint32_t>(32 * list.size()), list,
          body + in_order() + "  bar.sync 1, %r8;\n  mov.u32 %r1, 1;\n");
    }
  }

  void arrivals() {
    const std::string arrive = "  bar.arrive 1, %c0;\n  mov.u32 %r1, 2;\n";
    auto sync = [](int count) { return fmt::format("  bar.sync 1, %c{};\n  mov.u32 %r1, 1;\n", count); };
    struct Pair {
      uint32_t arrives, waits;
    };
    for (Pair pair : {Pair{64, 64},
                      {96, 96},
                      {32, 32},
                      {0, 0},
                      {1, 1},
                      {31, 31},
                      {33, 33},
                      {63, 63},
                      {65, 65},
                      {64, 96},
                      {96, 64},
                      {0, 64},
                      {64, 0},
                      {32, 64},
                      {64, 32}}) {
      std::string what = fmt::format("a warp arrives at {}, one waits for {}", pair.arrives, pair.waits);
      add(what + ", later", 64, {pair.arrives, pair.waits},
          "  @%p1 bra WAITS;\n" + arrive + "  bra DONE;\nWAITS:\n" + busy_loop(kLong) + sync(1));
      add(what + ", earlier", 64, {pair.arrives, pair.waits},
          "  @%p1 bra WAITS;\n" + busy_loop(kLong) + arrive + "  bra DONE;\nWAITS:\n" + sync(1));
    }
    for (uint32_t count : {0u, 32u, 64u, 96u})
      add(fmt::format("a warp arrives at {}, nobody waits", count), 64, {count}, "  @%p1 exit;\n" + arrive);
    for (uint32_t count : {64u, 96u, 128u}) {
      add(fmt::format("a warp arrives twice at {}, one waits, later", count), 64, {count, count},
          "  @%p1 bra WAITS;\n" + arrive + arrive + "  bra DONE;\nWAITS:\n" + busy_loop(kLong) + sync(1));
      add(fmt::format("a warp arrives twice at {}, one waits, earlier", count), 64, {count, count},
          "  @%p1 bra WAITS;\n" + busy_loop(kLong) + arrive + arrive + "  bra DONE;\nWAITS:\n" + sync(1));
      add(fmt::format("a lone warp arrives at {} and waits", count), 32, {count, count}, arrive + sync(1));
    }
    for (uint32_t count : {64u, 96u}) {
      const std::string roles = "  @%p1 bra WAITS;\n  @%p2 bra EXITS;\n";
      const std::string body = busy_loop(kLong) + arrive + "  bra DONE;\nWAITS:\n" + sync(1) + "  bra DONE;\nEXITS:\n";
      add(fmt::format("a warp arrives at {}, one waits, one has exited", count), 96, {count, count},
          roles + body + "  exit;\n");
      add(fmt::format("a warp arrives at {}, one waits, one exits later", count), 96, {count, count},
          roles + body + busy_loop(kLong) + busy_loop(kLong) + busy_loop(kLong) + "  exit;\n");
    }
  }

  void reductions() {
    const std::string yes = "  setp.ge.u32 %p7, %r0, 0;\n";
    auto popc = [](uint32_t count) {
      return fmt::format("  bar.red.popc.u32 %r1, 1{}, %p7;\n", count == kNone ? "" : ", %c0");
    };
    const std::string all =
        "  bar.red.and.pred %p6, 1, %p7;\n  selp.u32 %r1, 1, 0, %p6;\n  bar.red.or.pred %p6, 1, !%p7;\n"
        "  selp.u32 %r9, 2, 4, %p6;\n  add.u32 %r1, %r1, %r9;\n";
    for (uint32_t threads : {32u, 48u, 64u, 96u})
      for (uint32_t count : {kNone, 0u, 1u, 31u, 32u, 33u, 48u, 64u, 96u})
        add(fmt::format("{} threads count over {}", threads, count_text(count)), threads, {count},
            yes + in_order() + popc(count));
    const std::string last = "  mov.u32 %r7, %ntid.x;\n  sub.u32 %r7, %r7, {};\n  setp.gt.u32 %p6, %r0, %r7;\n";
    struct Leaves {
      const char* who;
      uint32_t threads;
    };
    for (Leaves leaves : {Leaves{"half a warp has", 16}, {"a warp has", 32}}) {
      std::string leave =
          yes + fmt::format(fmt::runtime(last), leaves.threads + 1) + "  @%p6 exit;\n" + busy_loop(kLong) + in_order();
      for (uint32_t threads : {64u, 96u}) {
        add(fmt::format("{} threads count, {} exited", threads, leaves.who), threads, {}, leave + popc(kNone));
        add(fmt::format("{} threads agree, {} exited", threads, leaves.who), threads, {}, leave + all);
      }
    }
  }

  /// Halves of warps.
  void parted_warps() {
    const std::string part = "  @%p4 bra LOW;\n";
    for (uint32_t threads : {32u, 64u})
      for (uint32_t count : {kNone, 0u, 16u, 32u, 48u, 64u, 96u}) {
        auto at = [&](int barrier) {
          return fmt::format("  barrier.sync {}{};\n  mov.u32 %r1, {};\n", barrier, count == kNone ? "" : ", %c0",
                             barrier);
        };
        std::string what = fmt::format("halves of warps, {} threads, wait for {}", threads, count_text(count));
        add(what + " at one barrier", threads, {count}, part + at(1) + "  bra DONE;\nLOW:\n" + busy_loop(kLong) + at(1),
            true);
        add(what + " at two barriers", threads, {count},
            part + at(1) + "  bra DONE;\nLOW:\n" + busy_loop(kLong) + at(2), true);
      }
    for (uint32_t count : {16u, 32u, 64u}) {
      add(fmt::format("half a warp arrives at {}, the other waits, later", count), 32, {count},
          part + busy_loop(kLong) + "  barrier.sync 1, %c0;\n  mov.u32 %r1, 1;\n  bra DONE;\nLOW:\n" +
              "  barrier.arrive 1, %c0;\n  mov.u32 %r1, 2;\n",
          true);
      add(fmt::format("half a warp arrives at {}, the other waits, earlier", count), 32, {count},
          part + "  barrier.sync 1, %c0;\n  mov.u32 %r1, 1;\n  bra DONE;\nLOW:\n" + busy_loop(kLong) +
              "  barrier.arrive 1, %c0;\n  mov.u32 %r1, 2;\n",
          true);
    }
  }

  /// Barriers at which not all do the same.
  void mixtures() {
    const std::string yes = "  setp.ge.u32 %p7, %r0, 0;\n";
    const std::string count = "  barrier.red.popc.u32 %r1, 1, %p7;\n", sync = "  barrier.sync 1;\n  mov.u32 %r1, 1;\n";
    const std::string all = "  barrier.red.and.pred %p6, 1, %p7;\n  selp.u32 %r1, 3, 4, %p6;\n";
    auto sync_at = [](int i) { return fmt::format("  barrier.sync 1, %c{};\n  mov.u32 %r1, 1;\n", i); };
    const std::string arrive = "  barrier.arrive 1, %c0;\n  mov.u32 %r1, 2;\n";
    auto two = [&](std::string_view first, std::string_view second, std::string_view who) {
      return fmt::format("{}  @{} bra OTHER;\n{}  bra DONE;\nOTHER:\n{}{}", yes, who, first, busy_loop(kLong), second);
    };
    for (uint32_t threads : {32u, 64u}) {
      std::string what = fmt::format("halves of warps, {} threads", threads);
      add(what + ", wait for 64 and 32", threads, {64, 32}, two(sync_at(0), sync_at(1), "%p4"), true);
      add(what + ", wait and count", threads, {}, two(sync, count, "%p4"), true);
      add(what + ", count at two places", threads, {}, two(count, count, "%p4"), true);
      add(what + ", count and agree", threads, {}, two(count, all, "%p4"), true);
      add(what + ", wait, and exit by a guard", threads, {}, "  @%p4 barrier.sync 1;\n  @%p4 mov.u32 %r1, 1;\n", true);
      add(what + ", wait one after the other by guards", threads, {},
          "  @%p4 barrier.sync 1;\n  @!%p4 barrier.sync 1;\n  mov.u32 %r1, 1;\n", true);
    }
    const std::string others = "  setp.eq.u32 %p6, %r2, 1;\n  @%p6 bra WAITS;\n";
    const std::string waits = "  bra DONE;\nWAITS:\n" + busy_loop(kLong) + sync_at(0);
    add("halves of a warp arrive at two places, a warp waits", 64, {64},
        others + "  @%p4 bra LOW;\n" + arrive + "  bra DONE;\nLOW:\n" + busy_loop(kLong) + arrive + waits, true);
    add("half a warp arrives, the other exits later, a warp waits", 64, {64},
        others + "  @%p4 bra LOW;\n" + arrive + "  bra DONE;\nLOW:\n" + busy_loop(kLong) + busy_loop(kLong) +
            "  exit;\n" + waits,
        true);
    add("half a warp arrives by a guard, a warp waits", 64, {64},
        others + "  @%p4 barrier.arrive 1, %c0;\n  mov.u32 %r1, 2;\n" + waits, true);
    add("a warp waits, one counts", 64, {},
        two("  bar.sync 1;\n  mov.u32 %r1, 1;\n", "  bar.red.popc.u32 %r1, 1, %p7;\n", "%p1"));
    add("a warp counts, one waits", 64, {},
        two("  bar.red.popc.u32 %r1, 1, %p7;\n", "  bar.sync 1;\n  mov.u32 %r1, 1;\n", "%p1"));
    add("a warp counts, one agrees", 64, {},
        two("  bar.red.popc.u32 %r1, 1, %p7;\n", "  bar.red.and.pred %p6, 1, %p7;\n  selp.u32 %r1, 3, 4, %p6;\n",
            "%p1"));
    add("a warp arrives, one counts", 64, {64},
        two("  bar.arrive 1, %c0;\n  mov.u32 %r1, 2;\n", "  bar.red.popc.u32 %r1, 1, %c0, %p7;\n", "%p1"));
    add("a warp waits for all, one for 0 in a register", 64, {0},
        two("  bar.sync 1;\n  mov.u32 %r1, 1;\n", "  bar.sync 1, %c0;\n  mov.u32 %r1, 1;\n", "%p1"));
    add("a warp waits for all, one for 64", 64, {64},
        two("  bar.sync 1;\n  mov.u32 %r1, 1;\n", "  bar.sync 1, %c0;\n  mov.u32 %r1, 1;\n", "%p1"));
    add("warps that wait for 64, 4160", 64, {64, 4160},
        two("  bar.sync 1, %c0;\n  mov.u32 %r1, 1;\n", "  bar.sync 1, %c1;\n  mov.u32 %r1, 1;\n", "%p1"));
    add("warps that wait for all at two barriers", 64, {},
        two("  bar.sync 1;\n  mov.u32 %r1, 1;\n", "  bar.sync 2;\n  mov.u32 %r1, 1;\n", "%p1"));
  }

  void barrier_numbers() {
    for (uint32_t barrier : {0u, 15u, 16u, 17u, 31u, 32u, 255u, 256u, 4096u, 65536u, 65537u, 0x80000000u, 0xffffffffu})
      add(fmt::format("one warp at barrier {}", count_text(barrier)), 32, {barrier},
          "  bar.sync %c0;\n  mov.u32 %r1, 1;\n");
    for (uint32_t barrier : {0u, 16u, 256u, 65536u})
      add(fmt::format("two warps at barriers 0 and {}", count_text(barrier)), 64, {0, barrier},
          "  mov.u32 %r8, %c0;\n  @%p1 mov.u32 %r8, %c1;\n" + in_order() + "  bar.sync %r8, 64;\n  mov.u32 %r1, 1;\n");
  }

  std::vector<BarrierCase> cases_;
};

}  // namespace

std::vector<BarrierCase> barrier_cases() { return Cases().make(); }

std::string text_of(const BarrierCase& c) {
  std::string loads;
  for (uint32_t i = 0; i < kMostCounts; ++i) loads += fmt::format("  ld.global.u32 %c{}, [%rd0+{}];\n", i, 4 * i);
  for (uint32_t warp = 0; warp < 4; ++warp) loads += fmt::format("  setp.eq.u32 %p{0}, %r2, {0};\n", warp);
  return fmt::format(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 counts, .param .u64 out)
{{
  .reg .b32 %r<10>, %c<{}>; .reg .b64 %rd<4>; .reg .pred %p<8>;
  .shared .align 4 .b32 spin;
  mov.u32 %r0, %tid.x; shr.u32 %r2, %r0, 5; and.b32 %r3, %r0, 31; mov.u32 %r1, 0;
  ld.param.u64 %rd0, [counts];
{}  setp.lt.u32 %p4, %r3, 16;
{}DONE:
  ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r0, 4, %rd1; st.global.u32 [%rd1], %r1;
  membar.sys;
  exit;
}}
)",
                     kMostCounts, loads, c.body);
}

std::string to_text(const BarrierOutcome& outcome) {
  if (outcome.end == BarrierOutcome::End::Refused) return "refused: " + outcome.message;
  if (outcome.end == BarrierOutcome::End::Fault) return "fault: " + outcome.message;
  std::string words;
  for (size_t i = 0; i < outcome.words.size();) {
    size_t next = i;
    while (next < outcome.words.size() && outcome.words[next] == outcome.words[i]) ++next;
    std::string word = outcome.words[i] == kNothing ? "-" : std::to_string(outcome.words[i]);
    words += fmt::format("{}{} x {}", words.empty() ? "" : ", ", word, next - i);
    i = next;
  }
  return (outcome.end == BarrierOutcome::End::Hang ? "hang: " : "complete: ") + words;
}

std::map<std::string, std::string> read_barrier_outcomes(const std::string& path) {
  std::map<std::string, std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    out[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return out;
}

}  // namespace warptime::sim

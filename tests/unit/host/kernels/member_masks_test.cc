// Member masks of .sync instructions: lanes with different masks that execute one together, masks that name lanes of
// another path or lanes that have exited, and masks that leave out their own lane. The values and faults of lanes that
// are scheduled independently are those of an H100.
#include <fmt/format.h>

#include "base/random.h"
#include "sim/gpu/gpu.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

using Words = std::vector<uint32_t>;  // one per lane

struct Way {
  bool independent, timed;
};
constexpr Way kTimed{false, true}, kStack{false, false}, kIndependent{true, false};

/// Runs `body` in one warp, with a word of `masks` in %m of each lane; what is then in %o.
Words after(const std::string& body, const Words& masks, Way way) {
  sim::Machine machine = default_machine();
  machine.config.features = {"vote", "shuffle", "match"};
  if (way.independent) {
    machine.config.sm.reconvergence = sim::Reconvergence::independent;
    machine.config.has_timing = false;
  }
  sim::RunOptions options;
  options.functional = !way.timed;
  Device device(machine, options);
  std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %at; .reg .b32 %m, %o, %lane, %value, %a, %b, %c; .reg .pred %odd, %low, %p, %q;
  .shared .align 8 .b8 words[256];
  mov.u32 %lane, %tid.x; mul.wide.u32 %at, %lane, 4;
  ld.param.u64 %in, [in]; add.u64 %in, %in, %at; ld.global.u32 %m, [%in];
  ld.param.u64 %out, [out]; add.u64 %out, %out, %at;
  and.b32 %a, %lane, 1; setp.eq.u32 %odd, %a, 1; setp.lt.u32 %low, %lane, 16;
  add.u32 %value, %lane, 100; mov.u32 %o, 0xdead;
)" + body + R"(
END:
  st.global.u32 [%out], %o;
  ret;
})";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Buffer in = device.allocate<uint32_t>(32, "in"), out = device.allocate<uint32_t>(32, "out");
  device.copy_to(in, masks, "in");
  device.launch(module, "k", {1}, {32}, {in, out});
  Words words(32);
  device.copy_from(words, out, "out");
  return words;
}

sim::Fault fault_of(const std::string& body, const Words& masks, Way way) {
  try {
    after(body, masks, way);
  } catch (const FaultError& error) {
    return error.fault;
  }
  FAIL("no fault");
  return {};
}

template <class F>
Words each_lane(const F& f) {
  Words out(32);
  for (uint32_t lane = 0; lane < 32; ++lane) out[lane] = f(lane);
  return out;
}

/// An instruction that leaves %o, and its value in a lane from the lanes that take part (of which it is one).
struct Operation {
  const char* text;
  uint32_t (*value)(uint32_t lane, uint32_t group);
};
constexpr uint32_t kOdd = 0xaaaaaaaa, kLow = 0xffff;

uint32_t sum_of(uint32_t group) {
  uint32_t sum = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) sum += (group >> lane & 1) * (lane + 100);
  return sum;
}
const Operation kOperations[]{
    {"vote.sync.ballot.b32 %o, %odd, %m;", [](uint32_t, uint32_t group) { return group & kOdd; }},
    {"vote.sync.any.pred %p, !%low, %m; selp.u32 %o, 1, 0, %p;",
     [](uint32_t, uint32_t group) { return uint32_t{(group & ~kLow) != 0}; }},
    {"vote.sync.all.pred %p, %low, %m; selp.u32 %o, 1, 0, %p;",
     [](uint32_t, uint32_t group) { return uint32_t{(group & kLow) == group}; }},
    {"vote.sync.uni.pred %p, %low, %m; selp.u32 %o, 1, 0, %p;",
     [](uint32_t, uint32_t group) { return uint32_t{(group & kLow) == group || (group & kLow) == 0}; }},
    {"and.b32 %a, %lane, 3; match.any.sync.b32 %o, %a, %m;",
     [](uint32_t lane, uint32_t group) { return group & 0x11111111u << lane % 4; }},
    {"shr.u32 %a, %lane, 2; mul.wide.u32 %at, %a, %a; match.all.sync.b64 %o|%p, %at, %m; selp.u32 %b, 0x100, 0, %p; "
     "xor.b32 %o, %o, %b;",
     [](uint32_t lane, uint32_t group) { return (group & ~(0xfu << lane / 4 * 4)) == 0 ? group ^ 0x100 : 0; }},
    {"redux.sync.add.u32 %o, %value, %m;", [](uint32_t, uint32_t group) { return sum_of(group); }},
    {"neg.s32 %a, %value; redux.sync.min.s32 %o, %a, %m;",
     [](uint32_t, uint32_t group) { return 0u - (131 - static_cast<uint32_t>(std::countl_zero(group))); }},
    {"elect.sync %o|%p, %m; selp.u32 %a, 0x100, 0, %p; or.b32 %o, %o, %a;",
     [](uint32_t lane, uint32_t group) {
       auto first = static_cast<uint32_t>(std::countr_zero(group));
       return first | (lane == first ? 0x100 : 0);
     }},
    // from the last lane that takes part
    {"bfind.u32 %a, %m; shfl.sync.idx.b32 %o|%p, %value, %a, 0x1f, %m;",
     [](uint32_t, uint32_t group) { return 131 - static_cast<uint32_t>(std::countl_zero(group)); }},
    {"mov.u32 %b, words; mad.lo.u32 %a, %lane, 4, %b; st.shared.u32 [%a], %value; bar.warp.sync %m; bfind.u32 %a, %m; "
     "mad.lo.u32 %a, %a, 4, %b; ld.shared.u32 %o, [%a];",
     [](uint32_t, uint32_t group) { return 131 - static_cast<uint32_t>(std::countl_zero(group)); }},
};

/// The lanes parted into so many sets by chance: each lane's own.
Words partition(uint32_t sets, SplitMix64& random) {
  Words set = each_lane([&](uint32_t lane) { return sets == 32 ? lane : static_cast<uint32_t>(random.below(sets)); });
  return each_lane([&](uint32_t lane) {
    uint32_t mask = 0;
    for (uint32_t other = 0; other < 32; ++other) mask |= uint32_t{set[other] == set[lane]} << other;
    return mask;
  });
}

const Words kAll = each_lane([](uint32_t) { return ~0u; });

}  // namespace

TEST_CASE("lanes that execute a .sync instruction together compute with those of their own mask") {
  SplitMix64 random(29);
  for (uint32_t sets : {1u, 2u, 3u, 5u, 32u}) {
    Words masks = partition(sets, random);
    for (const Operation& operation : kOperations) {
      Words expected = each_lane([&](uint32_t lane) { return operation.value(lane, masks[lane]); });
      for (Way way : {kTimed, kStack, kIndependent}) {
        INFO(operation.text << " " << sets << " sets" << (way.timed ? ", timed" : "")
                            << (way.independent ? ", independent" : ""));
        CHECK(after(operation.text, masks, way) == expected);
      }
    }
  }
}

TEST_CASE("the mask's register may be the result's") {
  Words halves = each_lane([](uint32_t lane) { return lane % 2 == 0 ? ~kOdd : kOdd; });
  Words expected = each_lane([](uint32_t lane) { return (lane % 2 == 0 ? ~kOdd : kOdd) & kLow; });
  for (Way way : {kTimed, kStack, kIndependent})
    CHECK(after("vote.sync.ballot.b32 %m, %low, %m; mov.u32 %o, %m;", halves, way) == expected);
}

TEST_CASE("lanes that have exited are not waited for") {
  Words masks = each_lane([](uint32_t lane) { return lane % 16 < 8 ? 0x00ff00ffu : 0xff00ff00u; });
  for (const Operation& operation : kOperations) {
    if (std::string_view(operation.text).find("bfind") != std::string_view::npos) continue;  // reads from those lanes
    INFO(operation.text);
    // The upper lanes exit before the others come, and after.
    for (const char* leave : {"@!%low exit; ",
                              "@%low bra ON; mov.u32 %a, 9; AGAIN: sub.u32 %a, %a, 1; "
                              "setp.ne.u32 %p, %a, 0; @%p bra AGAIN; exit; ON: "}) {
      for (const Words& named : {kAll, masks}) {
        Words got = after(leave + std::string(operation.text), named, kIndependent);
        for (uint32_t lane = 0; lane < 16; ++lane) CHECK(got[lane] == operation.value(lane, named[lane] & kLow));
        CHECK(got[16] == 0);
      }
    }
  }
}

TEST_CASE("lanes of one mask meet at several places that have the same operation") {
  Words halves = each_lane([](uint32_t lane) { return lane < 16 ? 0xffffu : 0xffff0000u; });
  for (const Operation& operation : kOperations) {
    std::string text = operation.text;
    INFO(text);
    // Other registers, so that operands come from two places and results go to two.
    std::string other = "mov.b32 %c, %value; mov.b32 %b, %m; " + text;
    for (auto [from, to] : {std::pair{" %value,", " %c,"}, {", %m;", ", %b;"}})
      if (size_t at = other.rfind(from); at != std::string::npos && text.find("bar.warp") == std::string::npos)
        other.replace(at, std::string_view(from).size(), to);
    for (const Words& masks : {kAll, halves}) {
      Words expected = each_lane([&](uint32_t lane) { return operation.value(lane, masks[lane]); });
      CHECK(after("@%low bra LOW; " + other + " bra END; LOW: " + text, masks, kIndependent) == expected);
    }
  }
  // A predicate and its opposite, a constant and a register.
  CHECK(after("@%low bra LOW; vote.sync.ballot.b32 %o, !%odd, %m; bra END; LOW: vote.sync.ballot.b32 %a, %odd, -1; "
              "mov.u32 %o, %a;",
              kAll, kIndependent) == each_lane([](uint32_t) { return 0x5555aaaau; }));
  CHECK(after("@%low bra LOW; xor.b32 %a, %lane, 16; shfl.sync.idx.b32 %o, %value, %a, 0x1f, %m; bra END; "
              "LOW: mul.lo.u32 %b, %value, 3; shfl.sync.idx.b32 %o|%p, %b, 17, 0x1f, -1; @%p add.u32 %o, %o, 1000;",
              kAll, kIndependent) == each_lane([](uint32_t lane) { return lane < 16 ? 1117 : 3 * (lane - 16 + 100); }));
}

TEST_CASE("a warp barrier orders memory between paths") {
  Words got = after(R"(mov.u32 %a, words; mad.lo.u32 %a, %lane, 4, %a;
  @%low bra LOW;
  bar.warp.sync %m; ld.shared.u32 %o, [%a+-64]; add.u32 %b, %o, 1; st.shared.u32 [%a], %b; bar.warp.sync %m; bra END;
LOW:
  add.u32 %b, %lane, 500; st.shared.u32 [%a], %b; bar.warp.sync %m; bar.warp.sync %m; ld.shared.u32 %o, [%a+64];)",
                    kAll, kIndependent);
  CHECK(got == each_lane([](uint32_t lane) { return lane < 16 ? 501 + lane : 484 + lane; }));
}

TEST_CASE("lanes whose mask is complete go on while those of another mask wait") {
  // Lanes 24 to 31 come when lane 0 is past the vote, which lanes 0 to 15 reach together.
  Words masks = each_lane([](uint32_t lane) { return lane % 16 < 8 ? 0x00ff00ffu : 0xff00ff00u; });
  Words got = after(R"(setp.lt.u32 %p, %lane, 24; @%p bra VOTE;
SPIN: ld.volatile.shared.u32 %a, [words]; setp.eq.u32 %p, %a, 0; @%p bra SPIN;
VOTE: vote.sync.ballot.b32 %o, %odd, %m;
  setp.eq.u32 %p, %lane, 0; @%p st.volatile.shared.u32 [words], 1;)",
                    masks, kIndependent);
  CHECK(got == each_lane([&](uint32_t lane) { return masks[lane] & kOdd; }));
}

TEST_CASE("lanes with a larger mask wait until the others of it have exited") {
  Words masks = each_lane([](uint32_t lane) { return lane % 2 == 0 ? ~0u : kOdd; });
  CHECK(after("vote.sync.ballot.b32 %o, %odd, %m;", masks, kIndependent) ==
        each_lane([](uint32_t lane) { return lane % 2 == 0 ? 0 : kOdd; }));
}

TEST_CASE("a mask without its own lane is a fault") {
  Words low = each_lane([](uint32_t) { return 0x0000ffffu; });
  Words swapped = each_lane([](uint32_t lane) { return lane < 16 ? 0xffff0000u : 0xffffu; });
  for (const Operation& operation : kOperations) {
    INFO(operation.text);
    for (Way way : {kTimed, kStack, kIndependent}) {
      sim::Fault fault = fault_of(operation.text, low, way);
      CHECK(fault.kind == sim::Fault::Kind::MemberMask);
      CHECK(fault.message == "the member mask 0x0000ffff does not name the thread that executes the instruction");
      CHECK(fault.thread[0] == 16);
      CHECK(fault_of(operation.text, swapped, way).thread[0] == 0);
    }
  }
}

TEST_CASE("lanes of one mask at different operations wait for ever") {
  for (const char* other :
       {"vote.sync.any.pred %p, %odd, %m;", "bar.warp.sync %m;", "redux.sync.add.u32 %o, %lane, %m;"}) {
    std::string ballot = "vote.sync.ballot.b32 %o, %odd, %m;";
    sim::Fault fault = fault_of(fmt::format("@%low bra LOW; {} bra END; LOW: {}", ballot, other), kAll, kIndependent);
    INFO(other);
    CHECK(fault.kind == sim::Fault::Kind::Deadlock);
    CHECK(fault.hint.find("warp 0: waits for the lanes of its member mask, PTX line") != std::string::npos);
  }
}

}  // namespace warptime::host

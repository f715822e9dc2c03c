// Functions that call themselves: values, timed and functional, with lanes of one warp at different depths; what each
// activation has for itself; where the stack ends.
#include <numeric>

#include "unit/host/kernels/run_with_words.h"

namespace warptime::host {

namespace {

/// G80 with time and without, and a machine whose lanes are scheduled independently.
constexpr WayToRun kHows[] = {{"geforce-8800-gtx", false}, {"geforce-8800-gtx", true}, {"generic", true}};

constexpr const char* kRecursionHead = ".version 6.4\n.target sm_30\n.address_size 64\n";

/// Runs kernel "k" of a module with one block and returns its first `count` words.
std::vector<uint32_t> run_recursive(const WayToRun& how, const std::string& text, uint32_t threads = 32,
                                    size_t count = 32) {
  return run_with_words(how, text, std::vector<uint32_t>(count), 1, threads);
}

/// A kernel that calls f(tid) and stores what it gives.
const std::string kCallsF = R"(
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>; .param .b32 a, r;
  mov.u32 %r1, %tid.x;
  st.param.b32 [a], %r1;
  call (r), f, (a);
  ld.param.b32 %r2, [r];
  bar.sync 0;
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

uint32_t fibonacci(uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

}  // namespace

TEST_CASE("lanes call themselves to different depths and come back together") {
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, kRecursionHead + std::string(R"(
.func (.param .b32 r) f (.param .b32 a)
{
  .reg .b32 %r<6>; .reg .pred %p;
  ld.param.b32 %r1, [a];
  and.b32 %r1, %r1, 15;
  setp.lt.u32 %p, %r1, 2;
  @%p bra DONE;
  {
    .param .b32 x, y;
    sub.u32 %r2, %r1, 1; st.param.b32 [x], %r2; call (y), f, (x); ld.param.b32 %r3, [y];
  }
  {
    .param .b32 x, y;
    sub.u32 %r2, %r1, 2; st.param.b32 [x], %r2; call (y), f, (x); ld.param.b32 %r4, [y];
  }
  add.u32 %r1, %r3, %r4;
DONE:
  st.param.b32 [r], %r1;
  ret;
}
)") + kCallsF);
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == fibonacci(lane & 15));
  }
}

TEST_CASE("registers of every width and predicates are the activation's own") {
  // f(n): sets registers from n, calls f(n - 1), and adds up what they still hold: n in each of five, and 1000 where n
  // is even. f(n) = 5n + 1000 (n even) + f(n - 1).
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, kRecursionHead + std::string(R"(
.func (.param .b32 r) f (.param .b32 a)
{
  .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .b16 %h<3>; .reg .b8 %c<2>; .reg .pred %p, %even;
  .param .b32 x, y;
  ld.param.b32 %r1, [a];
  mov.u32 %r8, 0;
  setp.eq.u32 %p, %r1, 0;
  @%p bra DONE;
  and.b32 %r2, %r1, 1; setp.eq.u32 %even, %r2, 0;
  cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 32;
  cvt.u16.u32 %h1, %r1;
  ld.param.u8 %c1, [a];
  sub.u32 %r3, %r1, 1; st.param.b32 [x], %r3; call (y), f, (x); ld.param.b32 %r8, [y];
  shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r4, %rd2;
  cvt.u32.u16 %r5, %h1;
  cvt.u32.u8 %r6, %c1;
  ld.param.b32 %r7, [a];
  add.u32 %r8, %r8, %r1; add.u32 %r8, %r8, %r4; add.u32 %r8, %r8, %r5; add.u32 %r8, %r8, %r6;
  add.u32 %r8, %r8, %r7;
  @%even add.u32 %r8, %r8, 1000;
DONE:
  st.param.b32 [r], %r8;
  ret;
}
)") + kCallsF);
    uint32_t expected = 0;
    for (uint32_t n = 0; n < 32; ++n) {
      if (n != 0) expected += 5 * n + (n % 2 == 0 ? 1000 : 0);
      CHECK(found[n] == expected);
    }
  }
}

TEST_CASE("arguments in registers may change places") {
  // Euclid: gcd(a, b) = gcd(b, a mod b), the function's own registers as arguments.
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, R"(.version 1.4
.target sm_10
.func (.reg .u32 r) gcd (.reg .u32 a, .reg .u32 b)
{
  .reg .pred p;
  mov.u32 r, a;
  setp.eq.u32 p, b, 0;
  @p ret;
  rem.u32 a, a, b;
  call (r), gcd, (b, a);
  ret;
}
.entry k (.param .u64 out)
{
  .reg .u32 %r<4>; .reg .u64 %rd<3>;
  cvt.u32.u16 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  call (%r3), gcd, (360, %r2);
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r3;
}
)");
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == std::gcd(360u, lane + 1));
  }
}

TEST_CASE("every activation has its own local variables, which inner ones can reach by address") {
  // f(n, p): own[0] = n, *p += 100; if n > 0: f(n - 1, own); gives own[0] + own[1] + what the inner one gave.
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, kRecursionHead + std::string(R"(
.func (.param .b32 r) g (.param .b32 a, .param .b64 p);
.func (.param .b32 r) f (.param .b32 a)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>; .local .align 8 .b8 mine[8];
  .param .b32 x, y; .param .b64 z;
  ld.param.b32 %r1, [a]; st.param.b32 [x], %r1;
  mov.u64 %rd1, mine; st.local.u32 [%rd1], 0; st.param.b64 [z], %rd1;
  call (y), g, (x, z);
  ld.param.b32 %r1, [y]; ld.local.u32 %r2, [mine]; add.u32 %r1, %r1, %r2;
  st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) g (.param .b32 a, .param .b64 p)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %q; .local .align 16 .b8 own[16];
  .param .b32 x, y; .param .b64 z;
  ld.param.b32 %r1, [a]; ld.param.b64 %rd1, [p];
  ld.local.u32 %r2, [%rd1]; add.u32 %r2, %r2, 100; st.local.u32 [%rd1], %r2;
  st.local.u32 [own], %r1; st.local.u32 [own+4], 1;
  mov.u32 %r3, 0;
  setp.eq.u32 %q, %r1, 0;
  @%q bra DONE;
  sub.u32 %r4, %r1, 1; st.param.b32 [x], %r4; mov.u64 %rd2, own; st.param.b64 [z], %rd2;
  call (y), g, (x, z);
  ld.param.b32 %r3, [y];
DONE:
  ld.local.v2.u32 {%r4, %r5}, [own];
  add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;
  st.param.b32 [r], %r3; ret;
}
)") + kCallsF);
    // n + (n - 1) + ... + 0, one each for n + 1 activations, 100 for each: the outermost one's in f's variable.
    for (uint32_t n = 0; n < 32; ++n) CHECK(found[n] == n * (n + 1) / 2 + (n + 1) + 100 * (n + 1));
  }
}

TEST_CASE("what an atomic operation gives is there when the function calls itself") {
  // f(n): old = atomicAdd(counter, 1), then f(n + 1) up to 4; the register must hold this activation's value
  // afterwards.
  for (const WayToRun& how :
       {WayToRun{"tesla-c1060", false}, WayToRun{"tesla-c1060", true}, WayToRun{"generic", true}}) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, kRecursionHead + std::string(R"(
.global .u32 counter = 1;
.func (.param .b32 r) f (.param .b32 a)
{
  .reg .b32 %r<6>; .reg .pred %p; .param .b32 x, y;
  ld.param.b32 %r1, [a];
  mov.u32 %r3, 0;
  setp.eq.u32 %p, %r1, 4;
  @%p bra DONE;
  add.u32 %r2, %r1, 1; st.param.b32 [x], %r2;
  atom.global.add.u32 %r4, [counter], 1;
  call (y), f, (x);
  ld.param.b32 %r3, [y];
  mad.lo.u32 %r3, %r3, 10, %r4;
DONE:
  st.param.b32 [r], %r3;
  ret;
}
)") + kCallsF,
                               1, 1);
    CHECK(found[0] == 4321);
  }
}

namespace {

/// f(n) = n == 0 ? 0 : 1 + f(n - 1), of the kernel's constant.
std::string counts_to(uint32_t n) {
  return kRecursionHead + std::string(R"(
.func (.param .b32 r) f (.param .b32 a)
{
  .reg .b32 %r<3>; .reg .pred %p; .param .b32 x, y;
  ld.param.b32 %r1, [a];
  setp.eq.u32 %p, %r1, 0;
  @%p bra DONE;
  sub.u32 %r1, %r1, 1; st.param.b32 [x], %r1;
  call (y), f, (x);
  ld.param.b32 %r1, [y]; add.u32 %r1, %r1, 1;
DONE:
  st.param.b32 [r], %r1;
  ret;
}
.entry k (.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b32 x, y;
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; mul.lo.u32 %r2, %r2, )") +
         std::to_string(n) + R"(;
  st.param.b32 [x], %r2; call (y), f, (x); ld.param.b32 %r2, [y];
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r2;
}
)";
}

}  // namespace

TEST_CASE("calls nest until a thread's stack is full, which is a fault") {
  // An activation has 5 words (two registers, a, r, x, y: four of .param, one of %r1) and a predicate: less than the
  // least, 32 bytes. So 2048 calls of f in f fit into 64 KiB, and the first, from the kernel, comes for nothing.
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_recursive(how, counts_to(2048), 64, 64);
    for (uint32_t t = 0; t < 64; ++t) CHECK(found[t] == (t % 2 == 1 ? 2048 : 0));
    try {
      run_recursive(how, counts_to(2049), 64, 64);
      FAIL("no fault");
    } catch (const FaultError& error) {
      CHECK(error.fault.kind == sim::Fault::Kind::StackOverflow);
      CHECK(error.fault.message == "stack overflow: 2049 calls, one within the other");
      CHECK(error.fault.thread[0] == 1);
      CHECK_THAT(error.what(), Catch::Contains("test.ptx:12:"));
      CHECK_THAT(error.what(), Catch::Contains("65536 bytes per thread"));
    }
  }
}

TEST_CASE("a recursion without an end is a fault, with local variables too") {
  // An activation of g has 800 bytes of local memory and keeps %rd, p, q and the address of `own`, 8 bytes each: 832;
  // one of f keeps 24, and so counts 32. The first, of f, comes for nothing; 75 of g and 75 of f have 64800 bytes, and
  // the next of g has no room.
  for (const WayToRun& how : kHows) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    CHECK_THROWS_WITH(run_recursive(how, kRecursionHead + std::string(R"(
.func g (.param .b64 p);
.func f (.param .b64 p) { .param .b64 q; .reg .b64 %rd; ld.param.b64 %rd, [p]; st.param.b64 [q], %rd; call g, (q); ret; }
.func g (.param .b64 p) { .local .b64 own[100]; .param .b64 q; .reg .b64 %rd;
  mov.u64 %rd, own; st.local.b64 [%rd+792], %rd; st.param.b64 [q], %rd; call f, (q); ret; }
.entry k (.param .u64 out) { .param .b64 q; .reg .b64 %rd; mov.u64 %rd, 0; st.param.b64 [q], %rd; call f, (q); ret; }
)")),
                      Catch::Contains("test.ptx:6:") && Catch::Contains("stack overflow: 151 calls"));
  }
}

}  // namespace warptime::host

// Device functions and indexed branches end to end: values, timed and functional, from nvcc's PTX and from PTX 1.x.
#include "sim/gpu/gpu.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

std::shared_ptr<const SourceText> file(const std::string& name) {
  std::ifstream in(std::string(WARPTIME_SOURCE_DIR) + "/tests/unit/host/kernels/ptx/" + name, std::ios::binary);
  REQUIRE(in.good());
  return std::make_shared<SourceText>(name, std::string(std::istreambuf_iterator<char>(in), {}));
}

sim::RunOptions options(bool functional) {
  sim::RunOptions out;
  out.functional = functional;
  return out;
}

struct Pair {
  float x;
  int k[3];
  uint8_t bytes[4];
};

int collatz(uint32_t n) {
  int steps = 0;
  for (; n != 1; ++steps) n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
  return steps;
}

Pair mix(Pair p, int16_t s, int8_t c) {
  if (p.x < 0) return p;
  p.x += s;
  p.k[1] = collatz(static_cast<uint32_t>(p.k[0] + 1));
  p.k[2] -= c;
  p.bytes[2] = static_cast<uint8_t>(c);
  return p;
}

/// Runs kernel "k" of a module with one block of `threads` and returns its first `count` words.
std::vector<uint32_t> run(const std::string& text, bool functional, uint32_t threads = 32, size_t count = 32) {
  Device device(default_machine(), options(functional));
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  Buffer out = device.allocate<uint32_t>(count, "out");
  device.launch(module, "k", {1}, {threads}, {out});
  std::vector<uint32_t> values(count);
  device.copy_from(values, out, "out");
  return values;
}

}  // namespace

TEST_CASE("a kernel that calls a function which is only declared is refused at its launch, the others run") {
  bool functional = GENERATE(false, true);
  const std::string text =
      ".version 6.4\n.target sm_75\n.address_size 64\n"
      ".extern .func (.param .b32 r) elsewhere(.param .b64 f, .param .b64 v);\n"
      ".func says() {\n.reg .b32 x; .reg .b64 y;\ncall.uni (x), elsewhere, (y, y);\n"
      "call.uni (x), elsewhere, (y, y);\nret;\n}\n"
      ".entry k(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 7; ret; }\n"
      ".entry loud() { call.uni says; ret; }\n";
  Device device(default_machine(), options(functional));
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  Buffer out = device.allocate<uint32_t>(1, "out");
  for (int twice = 0; twice < 2; ++twice) {
    std::string error = input_error([&] { device.launch(module, "loud", {1}, {32}, {}); });
    CHECK_THAT(error, Catch::Contains("test.ptx:7:1: error: \"elsewhere\" is declared but not defined in this module"));
    CHECK_THAT(error, !Catch::Contains("test.ptx:8"));
  }
  device.launch(module, "k", {1}, {32}, {out});
  std::vector<uint32_t> values(1);
  device.copy_from(values, out, "out");
  CHECK(values[0] == 7);
  CHECK(device.launches().size() == 1);
}

TEST_CASE("nvcc's device functions give the host's values") {
  bool functional = GENERATE(false, true);
  constexpr int kThreads = 200, kBlock = 64;
  Device device(default_machine(), options(functional));
  ModuleRef module = device.load_module(file("device_functions.ptx"));
  std::vector<int> in(kThreads), found(kThreads);
  std::vector<Pair> pairs(kThreads), found_pairs(kThreads);
  std::vector<int64_t> products(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    auto n = static_cast<size_t>(i);
    in[n] = 1 + (i * 37) % 113;
    pairs[n] = {static_cast<float>(i % 5 == 3 ? -i : i) + 0.5f, {i * 3, -i, i * i}, {1, 2, 3, static_cast<uint8_t>(i)}};
  }
  Buffer out = device.allocate<int>(kThreads, "out"), from = device.allocate<int>(kThreads, "in");
  Buffer both = device.allocate<Pair>(kThreads, "pairs"), wide = device.allocate<int64_t>(kThreads, "products");
  device.copy_to(from, in, "in");
  device.copy_to(both, pairs, "pairs");
  device.launch(module, "functions", {(kThreads + kBlock - 1) / kBlock}, {kBlock},
                {out, from, both, wide, arg_s32(kThreads)});
  device.copy_from(found, out, "out");
  device.copy_from(found_pairs, both, "pairs");
  device.copy_from(products, wide, "products");
  for (int i = 0; i < kThreads; ++i) {
    INFO(i);
    auto n = static_cast<size_t>(i);
    CHECK(found[n] == collatz(static_cast<uint32_t>(in[n])));
    CHECK(products[n] == (3000000000ll + i) * in[n]);
    Pair p = i % 2 == 1 ? mix(pairs[n], static_cast<int16_t>(-i), static_cast<int8_t>(i * 5)) : pairs[n];
    CHECK(found_pairs[n].x == p.x);
    for (int k = 0; k < 3; ++k) CHECK(found_pairs[n].k[k] == p.k[k]);
    for (int k = 0; k < 4; ++k) CHECK(found_pairs[n].bytes[k] == p.bytes[k]);
  }
}

TEST_CASE("functions of PTX 1.x take and give registers") {
  bool functional = GENERATE(false, true);
  // mixed: 64, 32 and 16 bits at once, a constant as an argument, a predicate's worth of lanes that do not call.
  auto found = run(R"(.version 1.4
.target sm_10
.func (.reg .u32 r, .reg .u64 w) mixed (.reg .u64 a, .reg .u32 b, .reg .u16 c, .reg .u32 unused)
{
  .reg .u32 t;
  cvt.u32.u16 t, c;
  add.u32 r, b, t;
  add.u64 w, a, a;
  ret;
}
.entry k (.param .u32 out)
{
  .reg .u32 r<8>; .reg .u64 w<3>; .reg .u16 h; .reg .pred p;
  mov.u32 r1, %tid.x;
  cvt.u16.u32 h, r1;
  cvt.u64.u32 w1, r1;
  mov.u32 r2, 7; mov.u64 w2, 9;
  setp.ne.u32 p, r1, 5;
  @p call (r2, w2), mixed, (w1, 1000, h, r1);
  cvt.u32.u64 r3, w2;
  mad.lo.u32 r4, r3, 10000, r2;
  ld.param.u32 r5, [out]; shl.b32 r6, r1, 2; add.u32 r5, r5, r6;
  st.global.u32 [r5], r4;
}
)",
                   functional);
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == (lane == 5 ? 90007 : lane * 20000 + 1000 + lane));
}

TEST_CASE("lanes that return at different places meet again at the caller") {
  bool functional = GENERATE(false, true);
  // early: lanes below 8 return at once, below 16 from a loop that runs as often as their number, the rest at the end.
  // What `vote` sees afterwards is all lanes.
  auto found = run(R"(.version 6.0
.target sm_30
.address_size 64
.func (.param .b32 r) early (.param .b32 a)
{
  .reg .b32 %r<4>; .reg .pred %p<4>;
  ld.param.b32 %r1, [a];
  st.param.b32 [r], 1;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 ret;
  mov.u32 %r2, 0;
  setp.ge.u32 %p2, %r1, 16;
  @%p2 bra END;
LOOP:
  add.u32 %r2, %r2, 1;
  st.param.b32 [r], %r2;
  setp.ge.u32 %p3, %r2, %r1;
  @%p3 ret;
  bra LOOP;
END:
  st.param.b32 [r], 100;
}
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 31;
  @%p1 bra SKIP;
  {
    .param .b32 a0; .param .b32 r0;
    st.param.b32 [a0], %r1;
    call.uni (r0), early, (a0);
    ld.param.b32 %r2, [r0];
  }
SKIP:
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  bar.sync 0;
  st.global.u32 [%rd2], %r2;
}
)",
                   functional);
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(found[lane] == (lane == 31 ? 0 : lane < 8 ? 1 : lane < 16 ? lane : 100));
}

TEST_CASE("lanes that end inside a branch are not waited for at a barrier behind it") {
  bool functional = GENERATE(false, true);
  auto found = run(R"(.version 6.0
.target sm_30
.address_size 64
.entry k (.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra UPPER;
  setp.eq.u32 %p2, %r1, 5;
  @%p2 exit;
  bra DONE;
UPPER:
  setp.eq.u32 %p2, %r1, 30;
  @%p2 exit;
DONE:
  bar.sync 0;
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], 7;
  exit;
}
)",
                   functional);
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == (lane == 5 || lane == 30 ? 0 : 7));
}

TEST_CASE("lanes may leave the program inside a function") {
  bool functional = GENERATE(false, true);
  auto found = run(R"(.version 6.0
.target sm_30
.address_size 64
.func inner (.param .b32 a) { .reg .b32 %r; .reg .pred %p; ld.param.b32 %r, [a]; setp.gt.u32 %p, %r, 20; @%p exit; }
.func outer (.param .b32 a) { .reg .b32 %r; .param .b32 b; ld.param.b32 %r, [a]; add.u32 %r, %r, 1;
  st.param.b32 [b], %r; call inner, (b); ret; }
.entry k (.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  .param .b32 a;
  mov.u32 %r1, %tid.x;
  st.param.b32 [a], %r1;
  call outer, (a);
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], 3;
}
)",
                   functional);
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == (lane + 1 > 20 ? 0 : 3));
}

TEST_CASE("functions share the kernel's shared memory, and have local memory of their own") {
  bool functional = GENERATE(false, true);
  auto found = run(R"(.version 6.0
.target sm_30
.address_size 64
.shared .align 4 .b32 common[64];
.func (.param .b32 r) neighbour (.param .b32 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<3>;
  .local .align 4 .b32 kept[2];
  .shared .align 4 .b32 own[64];
  mov.u32 %r1, %tid.x;
  ld.param.b32 %r2, [a];
  st.local.b32 [kept+4], %r2;
  mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, own; add.u64 %rd1, %rd1, %rd2;
  st.shared.b32 [%rd1], %r2;
  xor.b32 %r3, %r1, 1;
  mul.wide.u32 %rd1, %r3, 4; mov.u64 %rd2, common; add.u64 %rd1, %rd1, %rd2;
  ld.shared.b32 %r2, [%rd1];
  ld.local.b32 %r3, [kept+4];
  mad.lo.u32 %r2, %r3, 1000, %r2;
  st.param.b32 [r], %r2;
  ret;
}
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .local .align 4 .b32 mine[2];
  .param .b32 a; .param .b32 r;
  mov.u32 %r1, %tid.x;
  st.local.b32 [mine+4], 77;
  mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, common; add.u64 %rd2, %rd1, %rd2;
  st.shared.b32 [%rd2], %r1;
  add.u32 %r2, %r1, 3;
  st.param.b32 [a], %r2;
  bar.sync 0;
  call (r), neighbour, (a);
  ld.param.b32 %r3, [r];
  ld.local.b32 %r4, [mine+4];
  mad.lo.u32 %r3, %r4, 1000000, %r3;
  ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1;
  st.global.u32 [%rd3], %r3;
}
)",
                   functional, 64, 64);
  for (uint32_t t = 0; t < 64; ++t) CHECK(found[t] == 77000000 + (t + 3) * 1000 + (t ^ 1));
}

namespace {

std::string branches(const std::string& index) {
  return R"(.version 6.0
.target sm_30
.address_size 64
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 30;
  mov.u32 %r3, 5;
)" + index +
         R"(
  list: .branchtargets A, B, C, A;
  @%p brx.idx %r2, list;
  add.u32 %r3, %r3, 1000;
  bra JOIN;
A: add.u32 %r3, %r3, 10; bra JOIN;
B: add.u32 %r3, %r3, 20;
C: add.u32 %r3, %r3, 30;
JOIN:
  add.u32 %r3, %r3, 1;
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1;
  st.global.u32 [%rd3], %r3;
}
)";
}

}  // namespace

TEST_CASE("brx.idx takes each lane to its label") {
  bool functional = GENERATE(false, true);
  auto found = run(branches("and.b32 %r2, %r1, 3;"), functional);
  const uint32_t sums[] = {16, 56, 36, 16};
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == (lane < 30 ? sums[lane & 3] : 1006));
}

TEST_CASE("brx.idx beyond its list is a fault with its line") {
  bool functional = GENERATE(false, true);
  try {
    run(branches("shr.u32 %r2, %r1, 2;"), functional);  // lane 16 has 4
    FAIL("no fault");
  } catch (const FaultError& error) {
    CHECK(error.fault.message == "branch to label 4 of a list of 4");
    CHECK(error.fault.thread[0] == 16);
    CHECK(error.fault.where.begin != 0);
  }
}

TEST_CASE("a constant may stand for a predicate") {
  bool functional = GENERATE(false, true);
  auto found = run(R"(.version 6.0
.target sm_30
.address_size 64
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<6>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 8;
  mov.pred %p2, 0;
  mov.pred %p3, 1;
  xor.pred %p4, %p1, %p3;
  or.pred %p4, %p4, %p2;
  selp.u32 %r2, 5, 6, %p4;
  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1;
  st.global.u32 [%rd3], %r2;
}
)",
                   functional);
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(found[lane] == (lane < 8 ? 6 : 5));
}

}  // namespace warptime::host

// Generic addresses of constants and kernel parameters, addresses in initial values, parameters of functions that have
// an address: values, timed and functional.
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

constexpr const char* kAddressesHead = R"(.version 7.7
.target sm_70
.address_size 64
.const .align 4 .u32 primes[4] = {2, 3, 5, 7};
.global .align 4 .u32 squares[4] = {0, 1, 4, 9};
.global .align 8 .u64 pointers[2] = {generic(primes)+8, squares};
.global .align 8 .b8 bytes[8] = {0xFF(squares), 0xFF00(squares), 0xFF0000(squares), 0xFF000000(squares),
  0xFF00000000(squares), 0xFF0000000000(squares), 0xFF000000000000(squares), 0xFF00000000000000(squares)};
)";
constexpr const char* kAddressesKernel = R"(
.entry k (.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<8>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3; mul.wide.u32 %rd1, %r2, 4;
)";

std::vector<uint32_t> run_addresses(const std::string& machine, bool functional, const std::string& body,
                                    const std::string& functions = "") {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = functional;
  Device device(loaded->machine, options);
  std::string text = kAddressesHead + functions + kAddressesKernel + body +
                     "\n  mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd1;\n"
                     "  st.global.u32 [%rd2], %r3;\n}\n";
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  std::vector<uint32_t> values(32);
  Buffer out = device.allocate<uint32_t>(values.size(), "out");
  device.launch(module, "k", {1}, {32}, {out});
  device.copy_from(values, out, "out");
  return values;
}

constexpr uint32_t kPrimes[4] = {2, 3, 5, 7};

}  // namespace

TEST_CASE("constants have generic addresses") {
  for (auto [machine, functional] :
       {std::pair("geforce-8800-gtx", false), std::pair("geforce-gtx-480", false), std::pair("generic", true)}) {
    INFO(machine);
    auto found = run_addresses(machine, functional,
                               "mov.u64 %rd2, primes; cvta.const.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1;\n"
                               "ld.u32 %r3, [%rd2];");
    for (uint32_t i = 0; i < 32; ++i) CHECK(found[i] == kPrimes[i & 3]);
    // Half of the lanes read constants, the others global memory, in one instruction.
    found = run_addresses(machine, functional,
                          "mov.u64 %rd2, primes; cvta.const.u64 %rd2, %rd2; mov.u64 %rd3, squares;\n"
                          "setp.lt.u32 %p1, %r1, 16; selp.b64 %rd2, %rd2, %rd3, %p1; add.u64 %rd2, %rd2, %rd1;\n"
                          "ld.u32 %r3, [%rd2];");
    for (uint32_t i = 0; i < 32; ++i) CHECK(found[i] == (i < 16 ? kPrimes[i & 3] : (i & 3) * (i & 3)));
    found = run_addresses(machine, functional,
                          "mov.u64 %rd2, primes; cvta.const.u64 %rd2, %rd2; cvta.to.const.u64 %rd3, %rd2;\n"
                          "add.u64 %rd3, %rd3, %rd1; ld.const.u32 %r3, [%rd3];");
    for (uint32_t i = 0; i < 32; ++i) CHECK(found[i] == kPrimes[i & 3]);
  }
}

TEST_CASE("initial values hold addresses: generic ones of constants, and single bytes") {
  for (bool functional : {false, true}) {
    auto found = run_addresses("geforce-8800-gtx", functional,
                               "ld.global.u64 %rd2, [pointers]; ld.u32 %r3, [%rd2];\n"
                               "ld.global.u64 %rd3, [pointers+8]; ld.global.u64 %rd4, [bytes];\n"
                               "setp.eq.u64 %p1, %rd3, %rd4; @%p1 add.u32 %r3, %r3, 100;");
    for (uint32_t value : found) CHECK(value == 105);
  }
}

TEST_CASE("parameters of a kernel have generic addresses, neither they nor constants can be written") {
  for (bool functional : {false, true}) {
    // The first word of the parameter is that of the pointer, and so of `out` itself.
    auto found = run_addresses("geforce-8800-gtx", functional,
                               "mov.u64 %rd2, out; cvta.param.u64 %rd2, %rd2; ld.u64 %rd3, [%rd2];\n"
                               "ld.param.u64 %rd4, [out]; setp.eq.u64 %p1, %rd3, %rd4; selp.u32 %r3, 1, 0, %p1;\n"
                               "isspacep.param %p2, %rd2; @%p2 add.u32 %r3, %r3, 10;\n"
                               "isspacep.const %p2, %rd2; @%p2 add.u32 %r3, %r3, 100;\n"
                               "isspacep.global %p2, %rd2; @%p2 add.u32 %r3, %r3, 100;\n"
                               "mov.u64 %rd2, primes; cvta.const.u64 %rd2, %rd2;\n"
                               "isspacep.const %p2, %rd2; @%p2 add.u32 %r3, %r3, 1000;\n"
                               "isspacep.global %p2, %rd2; @%p2 add.u32 %r3, %r3, 100;\n"
                               "isspacep.param %p2, %rd2; @%p2 add.u32 %r3, %r3, 100;");
    for (uint32_t value : found) CHECK(value == 1011);
    CHECK_THROWS_WITH(run_addresses("geforce-8800-gtx", functional,
                                    "mov.u64 %rd2, primes; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2], 7;"),
                      Catch::Contains("store to const memory, which is read-only"));
    CHECK_THROWS_WITH(run_addresses("geforce-8800-gtx", functional,
                                    "mov.u64 %rd2, out; cvta.param.u64 %rd2, %rd2; st.u32 [%rd2], 7;"),
                      Catch::Contains("store to param memory, which is read-only"));
  }
}

TEST_CASE("a parameter of a function whose address is taken lies in local memory") {
  // pick(s, i): s.words[i] through a pointer, then doubles that word, and adds what is there by the name.
  const std::string pick = R"(
.func (.param .b32 r) pick (.param .align 8 .b8 s[24], .param .b32 i)
{
  .reg .b64 %rd<6>; .reg .b32 %r<6>;
  LOOP:
  mov.b64 %rd1, s;
  ld.param.u32 %r1, [i];
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  ld.param.u32 %r2, [%rd3];
  cvta.local.u64 %rd4, %rd3;
  ld.u32 %r3, [%rd4];
  add.u32 %r3, %r3, %r2; st.u32 [%rd4], %r3;
  ld.param.u32 %r4, [s+8];
  mad.lo.u32 %r4, %r4, 1000, %r3;
  st.param.b32 [r], %r4;
  ret;
}
)";
  for (auto [machine, functional] : {std::pair("geforce-8800-gtx", false), std::pair("generic", true)}) {
    auto found = run_addresses(machine, functional, R"(
  { .param .align 8 .b8 a[24]; .param .b32 b, c;
    st.param.u32 [a], %r1; st.param.u32 [a+4], 11; st.param.u32 [a+8], 12; st.param.u32 [a+12], 13;
    st.param.u32 [b], %r2;
    call (c), pick, (a, b);
    ld.param.u32 %r3, [c]; }
)",
                               pick);
    for (uint32_t i = 0; i < 32; ++i) {
      uint32_t word = (i & 3) == 0 ? i : 10 + (i & 3);
      CHECK(found[i] == ((i & 3) == 2 ? 24 : 12) * 1000 + 2 * word);
    }
  }
}

}  // namespace warptime::host

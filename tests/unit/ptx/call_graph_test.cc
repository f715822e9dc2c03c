// Which function may call which: cycles, depth below, registers of the deepest chain.
#include "ptx/analysis/call_graph.h"

#include <ctime>

#include "load.h"

namespace warptime::ptx {
namespace {

const std::string kFunctionsHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

uint32_t index_of(const Module& module, std::string_view name) {
  for (uint32_t f = 0; f < module.functions.size(); ++f)
    if (module.functions[f].name == name) return f;
  FAIL("no function " << name);
  return 0;
}

TEST_CASE("Call graph: functions that call each other have one number, others none", "[ptx][calls]") {
  auto module = load(kFunctionsHead + R"(
.func last () { ret; }
.func self () { call self; call last; ret; }
.func odd ();
.func even () { call odd; ret; }
.func odd () { call even; call self; ret; }
.func first () { call even; call last; ret; }
.entry k () { call first; ret; }
)");
  CallGraph graph(*module);
  auto node = [&](std::string_view name) { return graph[index_of(*module, name)]; };
  CHECK(node("last").cycle == 0);
  CHECK(node("first").cycle == 0);
  CHECK(node("self").cycle != 0);
  CHECK(node("odd").cycle != 0);
  CHECK(node("odd").cycle == node("even").cycle);
  CHECK(node("odd").cycle != node("self").cycle);
  CHECK(node("last").depth == 0);
  CHECK(node("self").depth == 1);
  CHECK(node("even").depth == 2);  // odd, then self, then last; but odd and even count as one
  CHECK(node("first").depth == 3);
}

TEST_CASE("Call graph: the largest function of a cycle counts once", "[ptx][calls]") {
  auto module = load(kFunctionsHead + R"(
.func (.param .b32 r) small (.param .b32 a);
.func (.param .b32 r) large (.param .b32 a) {
  .reg .b32 %r<5>; .param .b32 x, y;
  ld.param.b32 %r0, [a]; mul.lo.u32 %r1, %r0, %r0; xor.b32 %r2, %r1, %r0; st.param.b32 [x], %r2;
  call (y), small, (x);
  ld.param.b32 %r3, [y]; add.u32 %r3, %r3, %r1; add.u32 %r3, %r3, %r0; st.param.b32 [r], %r3; ret; }
.func (.param .b32 r) small (.param .b32 a) {
  .reg .b32 %r<2>; .param .b32 x, y;
  ld.param.b32 %r0, [a]; st.param.b32 [x], %r0; call (y), large, (x);
  ld.param.b32 %r1, [y]; st.param.b32 [r], %r1; ret; }
.entry k () { .param .b32 x, y; st.param.b32 [x], 3; call (y), small, (x); ret; }
)");
  CallGraph graph(*module);
  uint32_t large = module->functions[index_of(*module, "large")].estimated_registers;
  REQUIRE(large > module->functions[index_of(*module, "small")].estimated_registers);
  CHECK(graph[index_of(*module, "small")].registers == large);
  CHECK(graph[index_of(*module, "large")].registers == large);
}

TEST_CASE("Call graph: a call through a register may reach what fits it and has its address taken", "[ptx][calls]") {
  auto module = load(kFunctionsHead + R"(
.func (.param .b32 r) a (.param .b32 x) { ret; }
.func (.param .b32 r) b (.param .b32 x) { ret; }
.func (.param .b32 r) unnamed (.param .b32 x) { ret; }
.func (.param .b32 r) wide (.param .b64 x) { ret; }
.global .u64 table[2] = {b, wide};
.func (.param .b32 r) caller (.param .b32 x) {
  .reg .b64 %rd1; .param .b32 y, z;
  mov.u64 %rd1, a;
  p: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (y), %rd1, (z), p;
  ret; }
.entry k () { .param .b32 x, y; call (y), caller, (x); ret; }
)");
  CallGraph graph(*module);
  CHECK(graph.callees(index_of(*module, "caller")) ==
        std::vector<uint32_t>{index_of(*module, "a"), index_of(*module, "b")});
  CHECK(module->kernels[0].functions.size() == 3);
}

TEST_CASE("Call graph: a list of targets narrows what a call through a register may reach", "[ptx][calls]") {
  auto text = [](const std::string& label) {
    return kFunctionsHead + R"(
.func (.param .b32 r) unused (.param .b32 x) { ret; }
.func (.param .b32 r) small (.param .b32 x) { ret; }
.func (.param .b32 r) large (.param .b32 x) {
  .reg .b32 %r<9>;
  ld.param.b32 %r0, [x]; mul.lo.u32 %r1, %r0, %r0; xor.b32 %r2, %r1, %r0; add.u32 %r3, %r2, %r1;
  add.u32 %r4, %r0, %r1; add.u32 %r4, %r4, %r2; add.u32 %r4, %r4, %r3; st.param.b32 [r], %r4; ret; }
.func (.param .b32 r) caller (.param .b32 x);
.global .u64 table[3] = {large, small, caller};
.func (.param .b32 r) caller (.param .b32 x) {
  .reg .b64 %rd1; .param .b32 y, z;
  ld.global.u64 %rd1, [table];
  )" + label +
           R"(
  call (y), %rd1, (z), p;
  ret; }
.entry k () { .param .b32 x, y; call (y), caller, (x); ret; }
)";
  };
  auto any = load(text("p: .callprototype (.param .b32 _) _ (.param .b32 _);"));
  uint32_t caller = index_of(*any, "caller"), small = index_of(*any, "small"), large = index_of(*any, "large");
  CallGraph wide(*any);
  CHECK(wide.callees(caller) == std::vector<uint32_t>{small, large, caller});
  CHECK(wide[caller].cycle != 0);  // it may call itself
  CHECK(any->kernels[0].functions.size() == 3);

  auto listed = load(text("p: .calltargets unused, small;"));  // nobody has the address of `unused`
  REQUIRE(index_of(*listed, "caller") == caller);
  CallGraph narrow(*listed);
  CHECK(narrow.callees(caller) == std::vector<uint32_t>{small});
  CHECK(narrow[caller].cycle == 0);
  CHECK(narrow[caller].depth == 1);
  CHECK(listed->kernels[0].functions.size() == 2);
  auto own = [&](uint32_t function) { return listed->functions[function].estimated_registers; };
  REQUIRE(own(large) > own(small));
  CHECK(wide[caller].registers == own(caller) + own(large));
  CHECK(narrow[caller].registers == own(caller) + own(small));
}

TEST_CASE("Call graph: a long chain and a large cycle", "[ptx][calls]") {
  // f0 calls f1 calls f2 ...; the last calls f1000, so all behind that are in a cycle.
  std::string text;
  for (int f = 0; f < 3000; ++f) text += ".func f" + std::to_string(f) + "();\n";
  for (int f = 0; f < 3000; ++f)
    text += ".func f" + std::to_string(f) + "() { call f" + std::to_string(f == 2999 ? 1000 : f + 1) + "; ret; }\n";
  auto module = load(kFunctionsHead + text + ".entry k () { call f2000; ret; }\n");
  CallGraph graph(*module);
  CHECK(graph[999].cycle == 0);
  CHECK(graph[999].depth == 1);
  CHECK(graph[0].depth == 1000);
  CHECK(graph[1000].cycle != 0);
  CHECK(graph[2999].cycle == graph[1000].cycle);
}

/// A module of functions that call the next one; of a ring the last calls the first.
Module calls_in_a_row(uint32_t functions, bool ring) {
  Module module;
  module.functions.resize(functions);
  for (uint32_t f = 0; f + (ring ? 0 : 1) < functions; ++f) {
    Operand callee;
    callee.kind = Operand::Kind::Function;
    callee.index = (f + 1) % functions;
    Instruction call;
    call.operand_count = 3;
    module.functions[f].operands = {{}, callee, {}};
    module.functions[f].instructions = {call};
  }
  return module;
}

TEST_CASE("Call graph: a large cycle takes no longer than a chain as long", "[ptx][calls]") {
  constexpr uint32_t kFunctions = 20'000;
  auto seconds = [](const Module& module) {
    std::clock_t begin = std::clock();
    CallGraph graph(module);
    CHECK((graph[0].cycle != 0) == !module.functions.back().instructions.empty());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  Module chain = calls_in_a_row(kFunctions, false), ring = calls_in_a_row(kFunctions, true);
  seconds(chain);  // the first run finds cold memory
  // 340 ms against 5 ms if every call within a cycle is looked for among all of its functions.
  CHECK(seconds(ring) < 10 * seconds(chain) + 0.02);
}

}  // namespace
}  // namespace warptime::ptx

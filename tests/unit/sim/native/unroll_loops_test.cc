// Which loops are unrolled, and what becomes of their instructions. tests/isa/unrolled_loops_test.cc has the values.
#include "sim/native/unroll_loops.h"

#include <set>

#include "arranged_modules.h"
#include "sim/native/arrangement.h"
#include "sim/native/counted_loops.h"

namespace warptime::sim {
namespace {

/// A kernel with a loop of one block: `before`, then the loop with `body`, `step` and `test`, which sets %p1.
std::shared_ptr<const ptx::Module> module_with(std::string_view body, std::string_view step, std::string_view test,
                                               std::string_view before = {}) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
      ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .f64 %d<9>;\n"
      ".reg .b64 %rd<40>;\n.shared .align 4 .b8 s[1024];\n.const .align 4 .b8 c[1024];\n"
      "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, 0;\n";
  for (std::string_view part : {before, std::string_view("LOOP:\n"), body, step, test})
    text += std::string(part) + "\n";
  text += "@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;\nst.global.u32 [%rd1+4], %r3;\nret;\n}\n";
  auto module = module_of(std::make_shared<SourceText>("k.ptx", text));
  INFO(text);
  REQUIRE(module != nullptr);
  return module;
}

const std::string kStep = "add.s32 %r3, %r3, 1;", kTest = "setp.lt.s32 %p1, %r3, %r1;";
const std::string kSum = "add.f32 %f1, %f1, %f2;\n";

bool unrolls(std::string_view body, std::string_view step = kStep, std::string_view test = kTest,
             std::string_view before = {}) {
  const auto module = module_with(body, step, test, before);
  return !find_counted_loops(module->kernels[0]).empty();
}

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}
/// Loads of these words, and a sum of each.
std::string loads(int count, const std::string& space, const std::string& base) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += "ld." + space + ".f32 %f2, [" + base + "+" + std::to_string(4 * i) + "];\n" + kSum;
  return out;
}

/// Instructions of the kernel after unrolling, as text.
std::vector<std::string> unrolled_text(const ptx::Module& module) {
  ptx::Kernel kernel = module.kernels[0];
  unroll_loops(module, kernel);
  std::vector<std::string> out;
  for (const ptx::Instruction& in : kernel.instructions) out.push_back(to_text(module, kernel, in));
  return out;
}
size_t count_of(const std::vector<std::string>& text, std::string_view part) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

}  // namespace

TEST_CASE("unroll: a loop that adds a constant until a comparison with a bound fails") {
  CHECK(unrolls(kSum));
  CHECK(unrolls(kSum, "sub.s32 %r3, %r3, -7;"));
  CHECK(unrolls(kSum, kStep, "setp.gt.s32 %p1, %r1, %r3;"));
  CHECK(unrolls(kSum, kStep, "setp.ne.s32 %p1, %r3, %r1;"));
  CHECK(unrolls(kSum, "add.s32 %r3, %r3, -1;", "setp.gt.s32 %p1, %r3, 0;"));
  CHECK(unrolls(kSum, "add.s64 %rd3, %rd3, 1;", "setp.lt.u64 %p1, %rd3, %rd1;"));
  CHECK_FALSE(unrolls(kSum, "add.s32 %r3, %r3, %r2;"));                            // a step that nobody knows
  CHECK_FALSE(unrolls(kSum, kStep, "setp.gt.s32 %p1, %r3, %r1;"));                 // away from the bound
  CHECK_FALSE(unrolls(kSum, kTest, kStep));                                        // compared before the step
  CHECK_FALSE(unrolls(kSum, kStep + kStep));                                       // two steps
  CHECK_FALSE(unrolls(kSum + "add.s32 %r1, %r1, 1;\n"));                           // a bound that moves
  CHECK_FALSE(unrolls(kSum, "shr.u32 %r3, %r3, 1;", "setp.ne.s32 %p1, %r3, 0;"));  // not a sum
  CHECK_FALSE(unrolls(kSum, "add.s16 %h1, %h1, 1;", "setp.lt.s16 %p1, %h1, %h2;"));
  CHECK_FALSE(unrolls(kSum, kStep, "setp.lt.and.s32 %p1, %r3, %r1, %p2;"));
  CHECK_FALSE(unrolls(kSum, "@%p2 add.s32 %r3, %r3, 1;"));
  CHECK_FALSE(unrolls("@%p2 bra SKIP;\nadd.f32 %f1, %f1, %f1;\nSKIP:\n" + kSum));  // two ways through a round
}

TEST_CASE("unroll: the pragma keeps a loop, a kernel or a module as it is") {
  CHECK_FALSE(unrolls(".pragma \"nounroll\";\n" + kSum));
  CHECK(unrolls(".pragma \"other\";\n" + kSum));
  CHECK(unrolls(kSum + ".pragma \"nounroll\";\n"));  // not where the loop begins
  const std::string code =
      ".entry k(.param .u32 n)\n%s{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
      "LOOP: add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra LOOP;\nret;\n}\n";
  auto loops = [&](std::string before, std::string in_header, std::string behind) {
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + before + code + behind;
    text.replace(text.find("%s"), 2, in_header);
    const auto module = module_of(std::make_shared<SourceText>("k.ptx", text));
    REQUIRE(module != nullptr);
    const auto again = module_of(std::make_shared<SourceText>("k.ptx", to_text(*module)));
    REQUIRE(again != nullptr);
    const size_t found = find_counted_loops(module->kernels[0]).size();
    CHECK(find_counted_loops(again->kernels[0]).size() == found);
    return found;
  };
  const std::string pragma = ".pragma \"nounroll\";\n";
  CHECK(loops("", "", "") == 1);
  CHECK(loops("", pragma, "") == 0);
  CHECK(loops(pragma, "", "") == 0);
  CHECK(loops("", "", pragma) == 0);
}

TEST_CASE("unroll: as many instructions as ptxas unrolls, and not one more") {
  CHECK(unrolls(times(18, kSum)));
  CHECK_FALSE(unrolls(times(19, kSum)));
  CHECK(unrolls(times(9, "@%p2 add.f32 %f1, %f1, %f2;\n")));
  CHECK_FALSE(unrolls(times(10, "@%p2 add.f32 %f1, %f1, %f2;\n")));
  CHECK(unrolls(loads(6, "const", "c") + times(6, kSum)));
  CHECK_FALSE(unrolls(loads(6, "const", "c") + times(7, kSum)));
  const std::string next = "add.s64 %rd1, %rd1, 128;\n", global = loads(1, "global", "%rd1") + next;
  CHECK(unrolls(global + times(43, kSum)));
  CHECK_FALSE(unrolls(global + times(44, kSum)));
  CHECK(unrolls(loads(15, "global", "%rd1") + next));
  CHECK_FALSE(unrolls(loads(16, "global", "%rd1") + next));
  CHECK(unrolls("ld.local.f32 %f2, [%r4];\nadd.s32 %r4, %r4, 4;\n" + times(44, kSum)));
  CHECK_FALSE(unrolls("ld.local.f32 %f2, [%r4];\nadd.s32 %r4, %r4, 4;\n" + times(45, kSum)));
  const std::string next_word = "add.s32 %r4, %r4, 128;\n";
  CHECK(unrolls(loads(1, "shared", "%r4") + next_word + times(20, kSum)));
  CHECK_FALSE(unrolls(loads(1, "shared", "%r4") + next_word + times(21, kSum)));
  CHECK(unrolls(loads(12, "shared", "%r4") + next_word + times(42, kSum)));
  CHECK_FALSE(unrolls(loads(12, "shared", "%r4") + next_word + times(43, kSum)));
  CHECK(unrolls(loads(32, "shared", "%r4") + next_word));
  CHECK_FALSE(unrolls(loads(33, "shared", "%r4") + next_word));
  CHECK(unrolls("ex2.approx.f32 %f1, %f1;\n" + times(12, kSum)));
  CHECK_FALSE(unrolls("ex2.approx.f32 %f1, %f1;\n" + times(13, kSum)));
  CHECK(unrolls("ex2.approx.ftz.f32 %f1, %f1;\n" + times(17, kSum)));
  CHECK(unrolls("red.global.add.u32 [%rd1], %r2;\n" + times(8, kSum)));
  CHECK_FALSE(unrolls("red.global.add.u32 [%rd1], %r2;\n" + times(9, kSum)));
  CHECK_FALSE(unrolls("div.rn.f32 %f1, %f1, %f2;\n"));
  CHECK_FALSE(unrolls("membar.gl;\n"));
}

TEST_CASE("unroll: what lanes execute together, only where they leave the loop together") {
  for (const char* together : {"bar.sync 0;\n", "shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;\n",
                               "vote.sync.ballot.b32 %r9, %p2, -1;\n", "bar.warp.sync -1;\n"}) {
    CHECK(unrolls(together));
    CHECK_FALSE(unrolls(together, kStep, kTest, "mov.u32 %r3, %tid.x;\n"));
  }
  CHECK(unrolls(kSum, kStep, kTest, "mov.u32 %r3, %tid.x;\n"));
  // Nor are loads and stores of global memory reordered there, unless each round's addresses are steps.
  const std::string indexed =
      "add.s64 %rd5, %rd1, %rd4;\nld.global.f32 %f2, [%rd5];\nst.global.f32 [%rd5+64], %f2;\nadd.s64 %rd4, %rd4, 4;\n";
  const std::string stepped = "ld.global.f32 %f2, [%rd4];\nst.global.f32 [%rd4+64], %f2;\nadd.s64 %rd4, %rd4, 4;\n";
  CHECK(unrolls(indexed));
  CHECK_FALSE(unrolls(indexed, kStep, kTest, "mov.u32 %r3, %tid.x;\n"));
  CHECK(unrolls(stepped, kStep, kTest, "mov.u32 %r3, %tid.x;\n"));
}

TEST_CASE("unroll: four rounds, two rounds and the loop, with steps in the offsets of addresses") {
  const auto module = module_with("ld.global.f32 %f2, [%rd1+8];\n" + kSum + "add.s64 %rd1, %rd1, 256;\n", kStep, kTest);
  const std::vector<std::string> text = unrolled_text(*module);
  CHECK(count_of(text, "ld.global.f32") == 7);
  CHECK(count_of(text, "add.f32") == 7);
  for (std::string_view offset : {"[%rd1+8]", "[%rd1+264]"}) CHECK(count_of(text, offset) >= 2);
  for (std::string_view offset : {"[%rd1+520]", "[%rd1+776]"}) CHECK(count_of(text, offset) == 1);
  CHECK(count_of(text, "add.s64 %rd1, %rd1, 1024") == 1);
  CHECK(count_of(text, "add.s64 %rd1, %rd1, 512") == 1);
  CHECK(count_of(text, "add.s32 %r3, %r3, 4") == 1);
  CHECK(count_of(text, "add.s32 %r3, %r3, 2") == 1);
  CHECK(count_of(text, "add.s32 %r3, %r3, 1;") == 1);
}

TEST_CASE("unroll: each instruction says which of the kernel it is, and has its line") {
  const MachineConfig machine = config_with({"native.unroll=loops", "native.schedule=list"});
  size_t more = 0;
  for_each_kernel([&](const ptx::Module& module, const ptx::Kernel& kernel) {
    if (kernel.unsupported != ptx::kNoIndex || !kernel.functions.empty()) return;
    const Arrangement arranged = arrange(machine, module, kernel);
    if (arranged.kernel == nullptr) return;
    REQUIRE(arranged.source_of.size() == arranged.kernel->instructions.size());
    more += arranged.source_of.size() - kernel.instructions.size();
    std::set<uint32_t> seen;
    for (size_t i = 0; i < arranged.source_of.size(); ++i) {
      const ptx::Instruction &copy = arranged.kernel->instructions[i], &of = kernel.instructions[arranged.source_of[i]];
      seen.insert(arranged.source_of[i]);
      REQUIRE(copy.line == of.line);
      REQUIRE(copy.location == of.location);
      REQUIRE(copy.card == of.card);
    }
    CHECK(seen.size() == kernel.instructions.size());
  });
  CHECK(more > 100);
}

}  // namespace warptime::sim

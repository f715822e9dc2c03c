// What load_module hands to others: layout, operands, names; and that no bytes whatsoever can upset it.
#include "load.h"

namespace warptime::ptx {
namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

TEST_CASE("Module: header", "[ptx][module]") {
  auto module = load(".version 1.4\n.target sm_13, map_f64_to_f32\n");
  CHECK(module->version == 14);
  CHECK(module->target == 13);
  CHECK(module->map_f64_to_f32);
  CHECK(module->address_bytes == 4);
  CHECK(load(kHead)->address_bytes == 8);
  CHECK(load(".version 8.5 .target sm_90a .address_size 64")->target == 90);
}

TEST_CASE("Module: const and global variables lie in order, aligned", "[ptx][module]") {
  auto module =
      load(kHead + ".const .u8 a; .global .u16 b; .const .u32 c[2]; .global .align 16 .b8 d[3]; .const .u8 e;");
  auto offset = [&](size_t i) { return module->symbols[i].offset; };
  CHECK(offset(0) == 0);
  CHECK(offset(2) == 4);
  CHECK(offset(4) == 12);
  CHECK(module->const_bytes == 13);
  CHECK(offset(1) == 0);
  CHECK(offset(3) == 16);
  CHECK(module->global_bytes == 19);
}

TEST_CASE("Module: initial values are little-endian bytes", "[ptx][module]") {
  auto module = load(kHead + ".const .u16 a[3] = {1, 0x203}; .const .f32 b = 1.0; .global .u64 c = a+2;");
  CHECK(module->symbols[0].initial == std::vector<std::byte>{std::byte{1}, {}, std::byte{3}, std::byte{2}, {}, {}});
  CHECK(module->symbols[1].initial[3] == std::byte{0x3f});
  REQUIRE(module->symbols[2].relocations.size() == 1);
  const auto& relocation = module->symbols[2].relocations[0];
  CHECK(relocation.symbol == 0);
  CHECK(relocation.addend == 2);
  CHECK(relocation.bytes == 8);
  CHECK_FALSE(relocation.generic);
}

TEST_CASE("Kernel: parameters, shared and local memory", "[ptx][module]") {
  auto module = load(kHead + R"(
.shared .align 8 .b8 common[10];
.extern .shared .align 16 .b8 dynamic[];
.entry a(.param .u8 x, .param .u64 y, .param .align 16 .b8 z[4])
{
  .reg .b32 %r<4>;
  .shared .u32 own;
  .local .align 8 .b8 l1[12];
  .local .u64 l2;
  mov.u32 %r1, own;
  mov.u32 %r2, common;
  mov.u32 %r3, dynamic;
}
.entry b() { .reg .b32 %r<4>; mov.u32 %r3, dynamic; }
)");
  const Kernel& a = module->kernels[0];
  CHECK(a.symbols[a.parameters[0]].offset == 0);
  CHECK(a.symbols[a.parameters[1]].offset == 8);
  CHECK(a.symbols[a.parameters[2]].offset == 16);
  CHECK(a.parameter_bytes == 20);
  CHECK(a.local_bytes == 24);
  CHECK(a.uses_dynamic_shared);
  CHECK(a.static_shared_bytes == 16);  // common 0-9, own 12-15, and the dynamic part begins at 16
  auto address = [](const Kernel& kernel, size_t instruction) {
    const Operand& operand = kernel.operands_of(kernel.instructions[instruction])[1];
    REQUIRE(operand.kind == Operand::Kind::SymbolAddress);
    REQUIRE(operand.scope == Operand::Scope::Kernel);
    return kernel.symbols[operand.index].offset;
  };
  CHECK(address(a, 0) == 12);
  CHECK(address(a, 1) == 0);
  CHECK(address(a, 2) == 16);
  // Another kernel has its own layout.
  CHECK(module->kernels[1].static_shared_bytes == 0);
  CHECK(address(module->kernels[1], 0) == 0);
  CHECK(module->find_kernel("b") == &module->kernels[1]);
  CHECK(module->find_kernel("c") == nullptr);
}

TEST_CASE("Instructions: forms, types and operands", "[ptx][module]") {
  auto module = load_body("@!%p1 setp.lt.and.s32 %p2|%p3, %r1, -2, !%p4;\nld.global.nc.v2.f32 {%f1, _}, [%rd1-8];");
  const Kernel& kernel = module->kernels[0];
  const Instruction& setp = kernel.instructions[0];
  CHECK(setp.card->card->name == "setp");
  CHECK(setp.type == Type::S32);
  CHECK(setp.mods == mods(Mod::Lt, Mod::And));
  CHECK(setp.guard == register_named(kernel, "%p1"));
  CHECK(setp.guard_negated);
  auto operands = kernel.operands_of(setp);
  REQUIRE(operands.size() == 5);  // d, q, a, b, c
  CHECK(operands[0].destination);
  CHECK(operands[1].destination);
  CHECK(operands[2].type == Type::S32);
  CHECK(operands[3].kind == Operand::Kind::Immediate);
  CHECK(operands[3].bits == 0xfffffffe);
  CHECK(operands[4].negated);
  CHECK(operands[4].type == Type::Pred);

  const Instruction& ld = kernel.instructions[1];
  CHECK(ld.space == Space::Global);
  CHECK(ld.vector == 2);
  operands = kernel.operands_of(ld);
  REQUIRE(operands[0].kind == Operand::Kind::Vector);
  CHECK(operands[0].count == 2);
  CHECK(kernel.operands[operands[0].index].kind == Operand::Kind::Register);
  CHECK(kernel.operands[operands[0].index].destination);
  CHECK(kernel.operands[operands[0].index + 1].kind == Operand::Kind::Sink);
  CHECK(operands[1].base == Operand::Base::Register);
  CHECK(operands[1].bits == static_cast<uint64_t>(-8));
  CHECK(ld.line == 2);
}

TEST_CASE("Instructions: an absent second predicate keeps its place", "[ptx][module]") {
  auto module = load_body("setp.lt.s32 %p2, %r1, %r2;");
  auto operands = module->kernels[0].operands_of(module->kernels[0].instructions[0]);
  REQUIRE(operands.size() == 4);
  CHECK(operands[1].kind == Operand::Kind::None);
  CHECK(operands[2].kind == Operand::Kind::Register);
}

TEST_CASE("Instructions: source lines of .loc", "[ptx][module]") {
  auto module =
      load_body(".file 3 \"a.cu\"\n.file 4 \"b.cu\"\n.loc 3 17 2\nmov.u32 %r1, 1;\n.loc 4 18 1\nmov.u32 %r2, 1;");
  CHECK(module->kernels[0].instructions[0].source_file == 3);
  CHECK(module->kernels[0].instructions[0].source_line == 17);
  CHECK(module->kernels[0].instructions[1].source_line == 18);
}

TEST_CASE("One instruction as text, with and without its guard", "[ptx][module]") {
  auto module = load_body("@%p1 fma.rn.f32 %f3, %f1, %f2, 0f00000000;");
  const Kernel& kernel = module->kernels[0];
  CHECK(to_text(*module, kernel, kernel.instructions[0]) == "@%p1 fma.rn.f32 %f3, %f1, %f2, 0f00000000;");
  CHECK(to_text(*module, kernel, kernel.instructions[0], false) == "fma.rn.f32 %f3, %f1, %f2, 0f00000000;");
}

TEST_CASE("Errors stop after fifty", "[ptx][robust]") {
  std::string text = kHead + ".entry k() {\n";
  for (int i = 0; i < 1000; ++i) text += "  nonsense_" + std::to_string(i) + ".u32 1;\n";
  std::string errors = errors_of(text + "}");
  CHECK(errors.find("50 errors\n") != std::string::npos);
  CHECK(errors.find("too many errors") != std::string::npos);
}

}  // namespace
}  // namespace warptime::ptx

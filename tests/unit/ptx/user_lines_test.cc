// What users know of a module: their own CUDA lines, and names as they wrote them.
#include "ptx/user/user_lines.h"

#include "ptx/user/demangle.h"
#include "ptx/user/element_types.h"
#include "ptx/user/variables.h"
#include "tools/cuda_module.h"
#include "unit/ptx/load.h"

namespace warptime::ptx {

namespace {

constexpr uint32_t kAtomicLine = 31;

const Instruction& at_line(const Kernel& kernel, uint32_t line) {
  for (const Instruction& instruction : kernel.instructions)
    if (instruction.line == line) return instruction;
  FAIL("no instruction in line " << line);
  return kernel.instructions.front();
}

std::string names_of(const std::vector<const Kernel*>& kernels) {
  std::string out;
  for (const Kernel* kernel : kernels) out += (out.empty() ? "" : " ") + kernel->name;
  return out;
}

}  // namespace

TEST_CASE("Files of the toolkit are not the user's own", "[ptx][user]") {
  for (const char* path :
       {"/usr/local/cuda/bin/../targets/x86_64-linux/include/device_atomic_functions.hpp",
        "/usr/local/cuda-12.4/include/crt/device_functions.hpp", "/opt/nvidia/hpc_sdk/include/thrust/copy.h",
        "/home/me/cuda/targets/sbsa-linux/include/cooperative_groups.h", "/usr/include/c++/12/cmath",
        "/usr/lib/llvm-15/lib/clang/15.0.7/include/__clang_cuda_intrinsics.h", "cub/block/block_reduce.cuh",
        "/home/me/libcudacxx/include/cuda/std/atomic"})
    CHECK(is_toolkit_file(path));
  for (const char* path : {"k.cu", "/home/me/project/scale.cu", "src/helpers.cuh", "/home/me/include/vector.h",
                           "/home/me/thrust/mine.cu", "../common/include/book.h", "/home/me/cubes/side.h"})
    CHECK_FALSE(is_toolkit_file(path));
}

TEST_CASE("The line of the user is the innermost of the chain of calls in a file of the user", "[ptx][user]") {
  auto module = load(test::cuda_module());
  const Kernel& kernel = module->kernels[0];
  const Instruction& atomic = at_line(kernel, kAtomicLine);
  CHECK(module->files[atomic.source_file] == "k.cu");
  CHECK(atomic.source_line == 2);
  const UserLine line = UserLines(*module).of(atomic.location);
  CHECK(line.file == "k.cu");
  CHECK(line.line == 2);
  CHECK(line.column == 3);
  CHECK(line.callers == std::vector<std::string>{"k.cu:7"});
  CHECK(line.calls == std::vector<std::string>{"device_atomic_functions.hpp:107, in atomicAdd(int*, int)",
                                               "k.cu:2, in add(int*, int)", "k.cu:7"});
  const UserLine plain = UserLines(*module).of(at_line(kernel, 24).location);
  CHECK(plain.line == 6);
  CHECK(plain.calls.empty());
  CHECK(plain.callers.empty());
}

TEST_CASE("Code of the toolkit alone keeps the outermost place", "[ptx][user]") {
  auto module = load_body(
      ".file 1 \"/usr/local/cuda/include/a.h\"\n.file 2 \"/usr/local/cuda/include/b.h\"\n.loc 1 5 1\n.loc 2 9 1, "
      "function_name L, inlined_at 1 5 1\nmov.u32 %r1, 1;\n.loc 2 9 1\nmov.u32 %r1, 2;");
  CHECK(module->kernels[0].instructions[0].source_line == 5);
  CHECK(module->kernels[0].instructions[1].source_line == 9);
}

TEST_CASE("A .loc of a file that nothing names has no line", "[ptx][user]") {
  auto module =
      load_body(".loc 7 17 2\nmov.u32 %r1, 1;\n.loc 2 1 1, function_name L+4, inlined_at 9 9 9\nmov.u32 %r1, 2;");
  for (const Instruction& instruction : module->kernels[0].instructions) CHECK(instruction.source_line == 0);
  CHECK(UserLines(*module).of(module->kernels[0].instructions[1].location).file.empty());
}

TEST_CASE("The chain of calls survives printing", "[ptx][user]") {
  auto module = load(test::cuda_module());
  const std::string text = to_text(*module);
  auto second = load(text);
  CHECK(to_text(*second) == text);
  for (size_t i = 0; i < module->kernels[0].instructions.size(); ++i)
    CHECK(UserLines(*second).of(second->kernels[0].instructions[i].location).calls ==
          UserLines(*module).of(module->kernels[0].instructions[i].location).calls);
}

TEST_CASE("Broken directives of source lines are errors with a place", "[ptx][user]") {
  const std::string head = ".version 7.5\n.target sm_75\n.address_size 64\n";
  for (const char* text :
       {".entry k() { .loc 1 2 3, inlined_at 1 2\nret; }", ".entry k() { .loc 1 2 3, function_name L + x\nret; }",
        ".section .debug_str { L: .b8 1, { 2 } }", ".entry k() { .loc 1 2 3, somewhere 1\nret; }"})
    CHECK_THAT(errors_of(head + text), Catch::Contains("error"));
  for (const char* text :
       {".section .debug_str { L: .b8 0x5a, 0x", ".section .debug_str { .b8 99999999999999999999999, -1, L L: : }",
        ".entry k() { .loc 1 2 3, function_name L + 4294967295, inlined_at 1 2 3\nret; }\n.section .debug_str {\nL: "
        ".b8 95\n}"})
    errors_of(head + text);
}

TEST_CASE("Names as their authors wrote them", "[ptx][user]") {
  CHECK(demangled("_Z5scalePKffi") == "scale(const float*, float, int)");
  CHECK(demangled("_Z4tmplIfLi16EEvPT_") == "tmpl<float, 16>(float*)");
  CHECK(demangled("_ZN2ns39_GLOBAL__N__7a106adf_7_nest_cu_d3f8b8a74anonEPi") == "ns::anon(int*)");
  CHECK(demangled("_Z3fooPKPKjPVKcRKi").starts_with("foo(const unsigned int* const*, "));
  CHECK(demangled("_ZNK3abc4sizeEv") == "abc::size()");
  CHECK(demangled("saxpy") == "saxpy");
  CHECK(demangled("_Z") == "_Z");
  CHECK(demangled("_Z5scalePKffi_param_0") == "_Z5scalePKffi_param_0");
  CHECK(short_name("_ZZ5scalePKfE4tile") == "tile");
  CHECK(short_name("_ZZ4tmplIfLi16EEvPT_E4hits") == "hits");
  CHECK(short_name("_ZN2ns5tableE") == "table");
  CHECK(short_name("_Z4tmplIfLi16EEvPT_") == "tmpl<float, 16>");
  CHECK(short_name("_Z5scalePKfPfi$_ZZ5scalePKfPfiE4tile") == "tile");
  CHECK(short_name("__cuda_local_var_35411_32_non_const_tile") == "tile");
  CHECK(short_name("tile") == "tile");
  CHECK(short_name("_ZN3foo3barclEv") == "operator()");
  // Each S_ would double the text.
  std::string doubling = "_Z1fN1a";
  for (int i = 0; i < 60; ++i) doubling += "IS_S_E";
  CHECK(demangled(doubling) == doubling);
}

TEST_CASE("A kernel is found by the name that its author gave it", "[ptx][user]") {
  auto module = load(test::cuda_module());
  for (const char* name : {"count", "_Z5countPKfPii", "count(const float*, int*, int)", "count(const float*,int*,int)"})
    CHECK(names_of(kernels_named(*module, name)) == "_Z5countPKfPii");
  CHECK(names_of(kernels_named(*module, "fill<double>")) == "_Z4fillIdEvPT_");
  CHECK(names_of(kernels_named(*module, "fill")) == "_Z4fillIfEvPT_ _Z4fillIdEvPT_");
  CHECK(kernels_named(*module, "coun").empty());
  CHECK(kernels_named(*module, "").empty());
  KernelNameError several = kernel_name_error(*module, "fill");
  CHECK(several.message == "\"test.ptx\" has 2 kernels \"fill\": which one?");
  CHECK(several.hint == "one of fill<float>(float*), fill<double>(double*)");
  CHECK(kernel_name_error(*module, "coumt").hint == "did you mean \"count\"?");
}

TEST_CASE("Addresses as variables, in elements of what reads and writes them", "[ptx][user]") {
  auto module = load(test::cuda_module());
  const Kernel& kernel = module->kernels[0];
  CHECK(variable_text(*module, kernel, Space::Shared, 68, Type::F32) == "tile[17]");
  CHECK(variable_text(*module, kernel, Space::Shared, 70, Type::F32) == "byte 70 of tile");
  CHECK(variable_text(*module, kernel, Space::Shared, 128, Type::F32).empty());
  CHECK(element_text("_ZZ1fvE5total", 0, 4, 4) == "total");
  const Symbol* tile = variable_at(*module, kernel, Space::Shared, 0);
  REQUIRE(tile != nullptr);
  CHECK(element_type(kernel, *tile) == Type::F32);
}

}  // namespace warptime::ptx

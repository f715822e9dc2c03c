// The committed PTX has the loop shapes that the published analysis counts, and lines of the sources in the repository.
#include <algorithm>
#include <map>
#include <tuple>

#include "ptx/load_module.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::shared_ptr<const ptx::Module> load(const std::string& workload) {
  std::string why;
  auto source = SourceText::read_file(WARPTIME_SOURCE_DIR "/workloads/" + workload + "/" + workload + ".ptx", &why);
  REQUIRE(source != nullptr);
  Diagnostics diagnostics;
  auto module = ptx::load_module(source, diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  return module;
}

/// Instructions from the target of each backward branch to the branch itself, counted by mnemonic ("" is all of them).
std::vector<std::map<std::string, int>> loops(const ptx::Module& module, const std::string& kernel_name) {
  const ptx::Kernel* kernel = module.find_kernel(kernel_name);
  REQUIRE(kernel != nullptr);
  std::vector<std::map<std::string, int>> found;
  for (uint32_t i = 0; i < kernel->instructions.size(); ++i) {
    for (const ptx::Operand& operand : kernel->operands_of(kernel->instructions[i])) {
      if (operand.kind != ptx::Operand::Kind::Label || operand.index > i) continue;
      std::map<std::string, int> counts;
      for (uint32_t k = operand.index; k <= i; ++k) {
        ++counts[std::string(kernel->instructions[k].card->card->name)];
        ++counts[""];
      }
      found.push_back(counts);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("The naive inner loop has 8 PTX instructions, one of them a multiply-add") {
  auto found = loops(*load("matmul"), "naive");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == std::map<std::string, int>{{"", 8}, {"ld", 2}, {"fma", 1}, {"add", 3}, {"setp", 1}, {"bra", 1}});
}

TEST_CASE("The rolled tile loop has 14 PTX instructions around an inner loop of 8") {
  for (int tile : {4, 8, 12, 16}) {
    auto found = loops(*load("matmul"), "tiled_" + std::to_string(tile));
    REQUIRE(found.size() == 2);
    CHECK(found[0].at("") == 8);
    CHECK(found[0].at("fma") == 1);
    CHECK(found[1].at("") == 14 + 8);
  }
}

TEST_CASE("The unrolled tile loop has 59 PTX instructions with 16 multiply-adds, with and without prefetch") {
  for (const char* kernel : {"unrolled", "prefetch"}) {
    auto found = loops(*load("matmul"), kernel);
    REQUIRE(found.size() == 1);
    CHECK(found[0] ==
          std::map<std::string, int>{
              {"", 59}, {"ld", 34}, {"st", 2}, {"fma", 16}, {"bar", 2}, {"add", 3}, {"setp", 1}, {"bra", 1}});
  }
}

TEST_CASE("Registers of four kernels, published 10, 10, 9 and 11 (Ryoo 2008, section 4)") {
  auto module = load("matmul");
  auto estimate = [&](const char* kernel) { return module->find_kernel(kernel)->native.registers; };
  CHECK(estimate("naive") == 9);
  CHECK(estimate("tiled_16") == 12);
  CHECK(estimate("unrolled") == 9);
  CHECK(estimate("prefetch") == 11);
}

TEST_CASE("An iteration of the Mandelbrot loop has 13 PTX instructions, 8 of them arithmetic of its precision") {
  for (const char* kernel : {"mandelbrot_f32", "mandelbrot_f64"}) {
    auto found = loops(*load("mandelbrot"), kernel);
    REQUIRE(found.size() == 4);  // inside the loop over pixels, that loop, the same for depth 0, and a pixel left over
    for (size_t i : {0, 3})
      CHECK(found[i] ==
            std::map<std::string, int>{{"", 13}, {"mul", 3}, {"add", 5}, {"sub", 1}, {"setp", 2}, {"bra", 2}});
  }
}

TEST_CASE("An atom of the Coulomb loop is 39 instructions for 8 points: 8 roots, 26 of arithmetic, loop and load") {
  auto found = loops(*load("cp"), "potential");
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        std::map<std::string, int>{
            {"", 39}, {"ld", 1}, {"sub", 2}, {"fma", 17}, {"add", 9}, {"rsqrt", 8}, {"setp", 1}, {"bra", 1}});
  auto one = loops(*load("cp"), "one_point");
  REQUIRE(one.size() == 1);
  CHECK(one[0] == std::map<std::string, int>{
                      {"", 11}, {"ld", 1}, {"sub", 2}, {"fma", 3}, {"add", 2}, {"rsqrt", 1}, {"setp", 1}, {"bra", 1}});
}

TEST_CASE("An interaction of nbody is 14 instructions, four in a pass of the unrolled loop, with one end") {
  auto found = loops(*load("nbody"), "accelerate_rolled");
  REQUIRE(found.size() == 2);  // over the tile, over the tiles
  CHECK(
      found[0] ==
      std::map<std::string, int>{
          {"", 18}, {"ld", 1}, {"sub", 3}, {"fma", 6}, {"mul", 3}, {"rsqrt", 1}, {"add", 2}, {"setp", 1}, {"bra", 1}});
  auto four = loops(*load("nbody"), "accelerate_unrolled");
  REQUIRE(four.size() == 2);
  CHECK(four[0] == std::map<std::string, int>{{"", 60},
                                              {"ld", 4},
                                              {"sub", 12},
                                              {"fma", 24},
                                              {"mul", 12},
                                              {"rsqrt", 4},
                                              {"add", 2},
                                              {"setp", 1},
                                              {"bra", 1}});
}

TEST_CASE("A step of sgemm is 256 multiply-adds with an operand in shared memory, 16 words of A and 4 of B") {
  auto module = load("sgemm");
  auto found = loops(*module, "sgemm");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("fma") == 256);
  CHECK(found[0].at("ld") == 256 + 16 + 4);
  CHECK(found[0].at("st") == 4);
  CHECK(found[0].at("bar") == 2);
  // 4 blocks of 64 threads fit an SM with up to 32 registers, as published: 8 warps.
  CHECK(module->find_kernel("sgemm")->native.registers <= 32);
  CHECK(module->find_kernel("sgemm")->native.registers > 25);
}

TEST_CASE("A key of RC5 is 180 rotations: two in each of 78 steps of its expansion, two in each of 12 rounds") {
  auto found = loops(*load("rc5"), "search_unrolled");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("shf") == 2 * 78 + 2 * 12);
  CHECK(found[0].at("xor") == 2 * 12 + 1);  // and one to compare
  CHECK(found[0].count("ld") == 1);         // parameters
  auto rolled = loops(*load("rc5"), "search_rolled");
  REQUIRE(rolled.size() == 2);  // a pass over the subkeys, a key
  CHECK(rolled[0].at("shf") == 2 * 26);
  CHECK(rolled[1].at("shf") == 2 * 26 + 2 * 12);
}

TEST_CASE("A sample of the MRI loops is 13 and 18 instructions, in software 24 more, and none in double precision") {
  using Counts = std::map<std::string, int>;
  CHECK(
      loops(*load("mri-q"), "q_constant") ==
      std::vector<Counts>{
          {{"", 13}, {"ld", 1}, {"mul", 2}, {"fma", 4}, {"cos", 1}, {"sin", 1}, {"add", 2}, {"setp", 1}, {"bra", 1}}});
  CHECK(loops(*load("mri-fhd"), "fhd_constant") == std::vector<Counts>{{{"", 18},
                                                                        {"ld", 2},
                                                                        {"mul", 3},
                                                                        {"fma", 5},
                                                                        {"cos", 1},
                                                                        {"sin", 1},
                                                                        {"sub", 1},
                                                                        {"add", 3},
                                                                        {"setp", 1},
                                                                        {"bra", 1}}});
  for (auto [workload, kernel, length] :
       {std::tuple("mri-q", "q_software_sine", 13 + 24), std::tuple("mri-fhd", "fhd_software_sine", 18 + 24)}) {
    auto module = load(workload);
    CHECK(loops(*module, kernel).front().at("") == length);
    CHECK(module->source->text().find("f64") == std::string_view::npos);
  }
}

TEST_CASE("Instructions of the workloads have lines of CUDA sources of the repository") {
  for (const host::Workload& workload : host::workloads()) {
    auto module = load(workload.name);
    std::vector<uint32_t> line_counts{0};
    for (size_t i = 1; i < module->files.size(); ++i) {
      const std::string& file = module->files[i];
      CAPTURE(workload.name, file);
      auto source = SourceText::read_file(WARPTIME_SOURCE_DIR "/" + file, nullptr);
      line_counts.push_back(source == nullptr ? 0 : source->line_count());
      CHECK((file.empty() || (file.starts_with("workloads/") && source != nullptr)));
    }
    for (const ptx::Kernel& kernel : module->kernels) {
      CAPTURE(workload.name, kernel.name);
      size_t with_line = 0;
      for (const ptx::Instruction& instruction : kernel.instructions) {
        REQUIRE(instruction.source_file < line_counts.size());
        REQUIRE(instruction.source_line <= line_counts[instruction.source_file]);
        with_line += instruction.source_line != 0;
      }
      // nvcc gives line 0 to what belongs to no line.
      CHECK(2 * with_line > kernel.instructions.size());
    }
  }
}

}  // namespace warptime

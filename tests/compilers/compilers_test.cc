// Modules that real compilers made of the programs beside this file, run on `generic`, those with calls also with
// timing: nvcc for compute capability 7.5, clang's NVPTX back end with and without optimization. The reference is the
// same source, compiled here; cooperating threads have one of their own.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/random.h"
#include "host/device/device.h"
#include "narrow_numbers.h"
#include "program.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

// NOLINTBEGIN(bugprone-suspicious-include)
namespace templates {
#include "templates.cu"
}
namespace structs {
#include "structs.cu"
}
namespace doubles {
#include "doubles.cu"
}
namespace floats {
#include "floats.cu"
}
namespace wide_integers {
#include "wide_integers.cu"
}
namespace switches {
#include "switches.cu"
}
namespace local_arrays {
#include "local_arrays.cu"
}
namespace tables {
#include "tables.cu"
}
namespace narrow {
#include "narrow.cu"
}
namespace paths {
#include "paths.cu"
}
namespace histogram {
#include "histogram.cu"
}
namespace compare_and_swap {
#include "compare_and_swap.cu"
}
namespace sort {
#include "sort.cu"
}
namespace scan {
#include "scan.cu"
}
namespace votes {
#include "votes.cu"
}
namespace recursion {
#include "recursion.cu"
}
namespace function_pointers {
#include "function_pointers.cu"
}
namespace recursive_arrays {
#include "recursive_arrays.cu"
}
namespace dispatch {
#include "dispatch.cu"
}
namespace counts {
#include "counts.cu"
}
namespace shuffles {
#include "shuffles.cu"
}
namespace walsh {
#include "walsh.cu"
}
namespace stencil {
#include "stencil.cu"
}
namespace halves {
#include "halves.cu"
}
namespace bfloats {
#include "bfloats.cu"
}  // namespace bfloats
// NOLINTEND(bugprone-suspicious-include)

namespace warptime::host {

namespace {

struct Program {
  std::string name;
  void (*reference)(const unsigned* in, unsigned* out);
  uint32_t dynamic_shared_bytes = 0;
  uint32_t blocks = kBlocks, threads = kBlockThreads;
  bool has_second = false;     // a second kernel, of the same shape
  const char* only = nullptr;  // the one compiler that has compiled it
};
const Program kPrograms[] = {{"templates", templates::reference},
                             {"structs", structs::reference},
                             {"doubles", doubles::reference},
                             {"floats", floats::reference},
                             {"wide_integers", wide_integers::reference},
                             {"switches", switches::reference},
                             {"local_arrays", local_arrays::reference},
                             {"tables", tables::reference},
                             {"narrow", narrow::reference},
                             {"paths", paths::reference},
                             {"histogram", histogram::reference},
                             {"compare_and_swap", compare_and_swap::reference},
                             {"sort", sort::reference, 64 * 6},
                             {"scan", scan::reference},
                             {"votes", votes::reference},
                             {"recursion", recursion::reference},
                             {"function_pointers", function_pointers::reference},
                             {"recursive_arrays", recursive_arrays::reference},
                             {"dispatch", dispatch::reference},
                             {"counts", counts::reference},
                             {"shuffles", shuffles::reference},
                             {"walsh", walsh::reference, 0, walsh::kWalshBlocks, walsh::kWalshThreads, true},
                             {"stencil", stencil::reference, 0, stencil::kStencilBlocks, stencil::kTileThreads, true},
                             {"halves", halves::reference, 0, kBlocks, kBlockThreads, false, ".nvcc-sm_75"},
                             {"bfloats", bfloats::reference, 0, kBlocks, kBlockThreads, false, ".nvcc-sm_80"}};

std::vector<unsigned> output_of(const Program& program, const std::string& file, const std::vector<unsigned>& input,
                                const std::string& machine = "generic", bool timed = false) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = !timed;
  Device device(loaded->machine, options);
  auto module = device.load_module_file(WARPTIME_SOURCE_DIR "/tests/compilers/ptx/" + file);
  std::vector<unsigned> output(kWords);
  Buffer in = device.allocate<unsigned>(kWords, "in"), out = device.allocate<unsigned>(kWords, "out");
  device.copy_to(in, input, "in");
  device.copy_to(out, output, "out");
  LaunchOptions launch;
  launch.dynamic_shared_bytes = program.dynamic_shared_bytes;
  device.launch(module, "run", {program.blocks}, {program.threads}, {in, out}, launch);
  if (program.has_second) device.launch(module, "run_second", {program.blocks}, {program.threads}, {out});
  device.copy_from(output, out, "out");
  return output;
}

std::vector<unsigned> random_words(uint64_t seed) {
  warptime::SplitMix64 random(seed);
  std::vector<unsigned> words(kWords);
  for (unsigned& word : words) word = static_cast<unsigned>(random.next());
  return words;
}

}  // namespace

TEST_CASE("compiled programs give the values of their source") {
  std::vector<unsigned> input = random_words(2007);
  for (const Program& program : kPrograms) {
    std::vector<unsigned> expected(kWords);
    program.reference(input.data(), expected.data());
    bool masks = program.name == "votes" || program.name == "shuffles";
    for (const char* compiler : {".nvcc-sm_75", masks ? ".clang-O2-sm_70" : ".clang-O2-sm_20", ".clang-O0-sm_70"}) {
      if (program.only != nullptr && compiler != std::string_view(".nvcc-sm_75")) continue;
      std::string file = program.name + (program.only != nullptr ? program.only : compiler) + ".ptx";
      INFO(file);
      try {
        std::vector<unsigned> got = output_of(program, file, input);
        for (unsigned i = 0; i < kWords; ++i)
          if (got[i] != expected[i]) {
            FAIL_CHECK("word " << i << " is " << got[i] << ", expected " << expected[i]);
            break;
          }
      } catch (const std::runtime_error& error) {
        FAIL_CHECK(error.what());
      }
    }
  }
}

TEST_CASE("compiled calls give the values of their source where lanes run together, with timing") {
  std::vector<unsigned> input = random_words(2010);
  for (const Program& program : kPrograms) {
    bool calls = program.name == "recursion" || program.name == "recursive_arrays" || program.name == "dispatch" ||
                 program.name == "function_pointers";
    if (!calls) continue;
    std::vector<unsigned> expected(kWords);
    program.reference(input.data(), expected.data());
    for (const char* compiler : {".nvcc-sm_75", ".clang-O2-sm_20"}) {
      std::string file = program.name + compiler + ".ptx";
      INFO(file);
      CHECK(output_of(program, file, input, "jetson-tk1", true) == expected);
    }
  }
}

TEST_CASE("threads that cooperate in shared memory give the same with and without time, on every machine") {
  std::vector<unsigned> input = random_words(2011);
  std::vector<std::string> machines;
  for (const auto& entry : std::filesystem::directory_iterator(WARPTIME_SOURCE_DIR "/configs"))
    if (std::string name = entry.path().stem().string(); !name.starts_with("cpu-")) machines.push_back(name);
  CHECK(machines.size() >= 8);
  for (const Program& program : kPrograms) {
    if (program.name != "walsh" && program.name != "stencil" && program.name != "scan" && program.name != "sort")
      continue;
    std::vector<unsigned> expected(kWords);
    program.reference(input.data(), expected.data());
    for (const char* compiler : {".nvcc-sm_75", ".clang-O2-sm_20"}) {
      for (const std::string& machine : machines) {
        INFO(program.name << compiler << " on " << machine);
        std::string file = program.name + compiler + ".ptx";
        CHECK(output_of(program, file, input, machine) == expected);
        if (machine != "generic") CHECK(output_of(program, file, input, machine, true) == expected);
      }
    }
  }
}

}  // namespace warptime::host

// Runs a kernel of a few lines under checkers.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "debug/check/checker.h"
#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime::debug {

inline sim::Machine machine_named(const std::string& name) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

/// Machines whose lanes are scheduled independently, and whose lanes run in lockstep.
inline const char* const kIndependent = "generic";
inline const char* const kLockstep = "geforce-gtx-480";

struct CheckRun {
  std::string machine = kIndependent;
  CheckTools tools{.memcheck = true, .initcheck = true, .racecheck = true, .synccheck = true};
  uint32_t blocks = 1, threads = 64, dynamic_shared = 0;
  bool written = true;  // the buffer x
  uint32_t threads_of_host = 1;
  std::string target = ".version 7.8\n.target sm_80";
};

/// The body may use %r0 (the thread's number), %r1 (its block's), %rd0 (x: 64 words that are their numbers), %rd1 (the
/// address of word %r0 of x), part (128 bytes of shared memory) and registers %r2 to %r15, %rd2 to %rd7, %p0 to %p7.
/// Its first line is line 13.
inline std::string kernel_with(const std::string& body, const std::string& functions = "",
                               const std::string& target = CheckRun().target) {
  return target + "\n.address_size 64\n" + functions +
         ".visible .entry k(.param .u64 x)\n{\n"
         "  .shared .align 16 .b8 part[128];\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<8>;\n"
         "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n  ld.param.u64 %rd0, [x];\n  mad.wide.u32 %rd1, %r0, 4, "
         "%rd0;\n" +
         body + "\n  ret;\n}\n";
}
inline constexpr uint32_t kFirstLine = 13;

/// What is found in a launch of the kernel, and then the words of x.
struct Outcome {
  std::vector<Finding> findings;
  std::vector<uint32_t> x;

  /// "out_of_bounds_global:14 x3": kind, line and count of each finding.
  std::vector<std::string> kinds() const {
    std::vector<std::string> out;
    for (const Finding& f : findings)
      out.push_back(fmt::format("{}:{} x{}", row_of(f.kind).name, f.place.line - kFirstLine, f.count));
    return out;
  }
};

inline Outcome check(const std::string& body, const CheckRun& run = {}, const std::string& functions = "") {
  Checker checker(run.tools);
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  options.threads = run.threads_of_host;
  host::Device device(machine_named(run.machine), options);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", kernel_with(body, functions, run.target)));
  Outcome out;
  host::Buffer x = device.allocate<uint32_t>(64, "x");
  for (uint32_t i = 0; i < 64; ++i) out.x.push_back(i);
  if (run.written) device.copy_to(x, out.x, "x");
  host::LaunchOptions launch;
  launch.dynamic_shared_bytes = run.dynamic_shared;
  try {
    device.launch(module, "k", {run.blocks}, {run.threads}, {x}, launch);
  } catch (const host::FaultError& error) {
    INFO(error.what());
    CHECK(checker.has_fault());
  }
  device.copy_from(out.x, x, "x");
  checker.finish();
  out.findings = checker.findings().all();
  return out;
}

using Kinds = std::vector<std::string>;

}  // namespace warptime::debug

// lookup: a table in constant memory, read by all threads of a block at one place or by each at its own.
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;
constexpr uint32_t kTable = 16384;  // entries of the module's `table`

/// What the kernels do for thread i of the grid.
uint32_t sum_of(bool uniform, uint32_t i, uint32_t rounds, const std::vector<uint32_t>& table, uint32_t mask) {
  uint32_t sum = i, first = uniform ? i / kBlock : i * 17;
  for (uint32_t k = 0; k < rounds; ++k) sum = sum * 33 + table[(first + k * 5) & mask];
  return sum;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]), rounds = static_cast<uint32_t>(context["rounds"]);
  auto mask = static_cast<uint32_t>(context["entries"]) - 1;
  host::SplitMix64 random(4);
  std::vector<uint32_t> table(kTable), result(n), expected(n);
  for (uint32_t& entry : table) entry = static_cast<uint32_t>(random.next());

  auto module = device.load_module_file(context.directory + "/lookup.ptx");
  device.set_symbol(module, "table", std::as_bytes(std::span(table)));
  host::Buffer out = device.allocate<uint32_t>(n, "out");
  for (const char* variant : {"uniform", "scattered"}) {
    if (!context.variant.empty() && context.variant != variant) continue;
    device.launch(module, variant, {(n + kBlock - 1) / kBlock}, {kBlock},
                  {out, host::arg_u32(n), host::arg_u32(rounds), host::arg_u32(mask)});
    device.copy_from(result, out, "out");
    if (!context.check) continue;
    bool uniform = variant == std::string("uniform");
    for (uint32_t i = 0; i < n; ++i) expected[i] = sum_of(uniform, i, rounds, table, mask);
    context.checks.push_back(host::compare(std::string("out of ") + variant, ptx::Type::U32,
                                           std::as_bytes(std::span(result)), std::as_bytes(std::span(expected)), {}));
  }
}

const bool kRegistered = host::register_workload({
    .name = "lookup",
    .summary = "a table in constant memory: one entry for all lanes at a time, or each its own",
    .variants = {"uniform", "scattered"},
    .parameters =
        {{.name = "n", .default_value = 65536, .low = 1, .high = 65535 * kBlock, .choices = {}, .what = "threads"},
         {.name = "rounds", .default_value = 64, .low = 0, .high = 65536, .choices = {}, .what = "lookups per thread"},
         {.name = "entries",
          .default_value = 1024,
          .low = 1,
          .high = kTable,
          .choices = {1, 2, 4, 8, 16, 64, 256, 1024, 2048, 4096, 8192, 16384},
          .what = "entries in use, 4 bytes each"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads

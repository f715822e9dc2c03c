// reduce-ticket: the sum of n words in one launch; the last block to finish adds up what the others left.
#include <numeric>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 128;

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]), blocks = static_cast<uint32_t>(context["blocks"]);
  host::SplitMix64 random(3);
  std::vector<uint32_t> data(n);
  for (uint32_t& word : data) word = static_cast<uint32_t>(random.next());

  auto module = device.load_module_file(context.directory + "/reduce-ticket.ptx");
  host::Buffer device_data = device.allocate<uint32_t>(n, "data");
  host::Buffer parts = device.allocate<uint32_t>(blocks, "parts");
  // The ticket (0 before the launch) and the result.
  host::Buffer ticket = device.allocate<uint32_t>(1, "ticket"), result = device.allocate<uint32_t>(1, "result");
  const uint32_t first_ticket = 0;
  device.write_bytes(ticket.address, std::as_bytes(std::span(&first_ticket, 1)));
  device.copy_to(device_data, data, "data");
  device.launch(module, "reduce_ticket", {blocks}, {kThreads}, {device_data, host::arg_u32(n), parts, ticket, result});
  std::vector<uint32_t> sum(1), left(1);
  device.copy_from(sum, result, "result");
  device.copy_from(left, ticket, "ticket");

  if (!context.check) return;
  std::vector<uint32_t> expected{std::accumulate(data.begin(), data.end(), uint32_t{0})}, zero{0};
  auto check = [&](const char* name, const std::vector<uint32_t>& got, const std::vector<uint32_t>& wanted) {
    context.checks.push_back(
        host::compare(name, ptx::Type::U32, std::as_bytes(std::span(got)), std::as_bytes(std::span(wanted)), {0, 0}));
  };
  check("result", sum, expected);
  check("ticket", left, zero);
}

const bool kRegistered = host::register_workload({
    .name = "reduce-ticket",
    .summary = "sum of n words in one launch: the last block adds up the others' parts",
    .variants = {},
    .parameters = {{.name = "n", .default_value = 1 << 20, .low = 1, .high = 1 << 28, .choices = {}, .what = "words"},
                   {.name = "blocks", .default_value = 128, .low = 1, .high = 65535, .choices = {}, .what = "blocks"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads

// `warptime occupancy`: how many blocks an SM of a machine holds at once, and which resource says so; from figures, or
// from a kernel in a PTX file.
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/ptx/ptx_file.h"
#include "cli/text_table.h"
#include "host/device/launch_limits.h"
#include "sim/model/occupancy.h"
#include "sim/native/arrangement.h"

namespace warptime::cli {

namespace {

const Command& describe_occupancy() {
  static const Command command = [] {
    Command c{
        .name = "occupancy",
        .usage =
            "--registers R --block T [--shared B] [options]\n"
            "       warptime occupancy FILE.ptx --block T [--kernel NAME] [options]",
        .summary = "compute the blocks per SM, and the limiting resource",
        .details =
            "Without a file: R registers per thread, B bytes of shared memory per block (none if it is left out; in\n"
            "total: on a G80 this includes 16 bytes of header and the kernel's parameters), T threads per block.\n"
            "With a PTX file: the kernel's own figures; --shared is then its dynamic shared memory, and --registers\n"
            "replaces the estimate.\n",
        .options = {{"registers", Option::Kind::Value, "R", "registers per thread"},
                    {"shared", Option::Kind::Value, "B",
                     "shared memory per block, bytes, default 0; with a file: dynamic"},
                    {"block", Option::Kind::Value, "T|X,Y,Z", "threads per block"},
                    {"kernel", Option::Kind::Value, "NAME", "kernel of the file, if it has several"},
                    {"json", Option::Kind::OptionalValue, Takes::file("FILE"), "as JSON, to FILE or standard output"}},
        .unavailable = {},
        .examples = {"warptime occupancy --registers 10 --shared 2084 --block 256",
                     "warptime occupancy workloads/matmul/matmul.ptx --kernel matmul_naive --block 16,16",
                     "warptime occupancy --registers 11 --shared 0 --block 256 --set sm.registers=16384"},
        .min_words = 0,
        .max_words = 1,
        .word_name = "PTX file"};
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

struct Request {
  uint32_t threads = 0, registers = 0, estimated = 0, over_limit = 0, shared = 0;
  std::string kernel;
};

uint32_t threads_of_block(const Arguments& arguments) {
  auto block = arguments.value("block");
  if (!block) fail(arguments.whole(), "how many threads per block?", "--block T, or --block X,Y,Z");
  std::vector<uint32_t> extents = parse_extents(*block, "--block");
  uint64_t threads = uint64_t{1} * extents[0] * extents[1];
  if (threads > 0xffffffffu || (threads *= extents[2]) > 0xffffffffu)
    fail(block->where, "no machine allows that many threads per block");
  return static_cast<uint32_t>(threads);
}

Request read_request(const Arguments& arguments, const sim::Machine& machine) {
  Request request;
  request.threads = threads_of_block(arguments);
  auto registers = arguments.number("registers", 1, 65535);
  auto shared = arguments.number("shared", 0, 0xffffffff);
  if (arguments.words().empty()) {
    if (auto kernel = arguments.value("kernel")) fail(kernel->where, "--kernel goes with a PTX file");
    if (!registers) fail(arguments.whole(), "how many registers per thread?", "--registers R, or a PTX file");
    request.registers = static_cast<uint32_t>(*registers);
    request.shared = static_cast<uint32_t>(shared.value_or(0));
    return request;
  }
  KernelInFile found = find_kernel(arguments.words().front(), arguments.value("kernel"));
  const sim::Arrangement arrangement = sim::arrange(machine.config, *found.module, *found.kernel);
  const ptx::Kernel& kernel = sim::executed(arrangement, *found.kernel);
  request.kernel = kernel.name;
  request.estimated = sim::registers_estimated(machine.config, kernel);
  request.registers =
      registers ? static_cast<uint32_t>(*registers) : sim::registers_allocated(machine.config, kernel, request.threads);
  request.over_limit = sim::registers_over_limit(machine.config, kernel, request.registers);
  request.shared = sim::shared_bytes_per_block(machine.config, kernel, static_cast<uint32_t>(shared.value_or(0)));
  return request;
}

/// What a block has too much of. `limiter`: that of sim::Occupancy.
std::string excess_text(const std::string& limiter) {
  return limiter == "shared_memory" ? "too much shared memory" : fmt::format("too many {}", limiter);
}

std::string to_text(const sim::Machine& machine, const Request& request, const sim::Occupancy& occupancy) {
  const sim::SmConfig& sm = machine.config.sm;
  TextRows rows;
  if (!request.kernel.empty()) rows.push_back({"kernel", request.kernel});
  rows.push_back({"machine", machine.name});
  if (machine.config.chip.tpcs_per_gpc != 0)
    rows.push_back(
        {"SMs", fmt::format("{} in {}", sim::sm_count(machine.config), plural(sim::gpc_count(machine.config), "GPC"))});
  rows.push_back({"threads per block", fmt::format("{}", request.threads)});
  rows.push_back({"registers per thread",
                  request.over_limit == 0
                      ? fmt::format("{}", request.registers)
                      : fmt::format("{}; about {} would be spilled with the program's limit of {}", request.registers,
                                    plural(request.over_limit, "value"), request.estimated - request.over_limit)});
  rows.push_back({"shared bytes per block", fmt::format("{}", request.shared)});
  rows.push_back({"blocks per SM", fmt::format("{} of at most {}", occupancy.blocks_per_sm, sm.max_blocks)});
  rows.push_back({"warps per SM", fmt::format("{} of at most {} ({:.0f} %)", occupancy.warps_per_sm, sm.max_warps,
                                              100.0 * occupancy.warps_per_sm / sm.max_warps)});
  rows.push_back({"limited by", occupancy.limiter});
  return text_table(rows);
}

std::string to_json(const Request& request, const sim::Occupancy& occupancy) {
  nlohmann::ordered_json out{{"blocks_per_sm", occupancy.blocks_per_sm},
                             {"warps_per_sm", occupancy.warps_per_sm},
                             {"limiter", occupancy.limiter},
                             {"registers_per_thread", request.registers},
                             {"registers_estimated", nullptr},
                             {"shared_bytes_per_block", request.shared}};
  if (!request.kernel.empty()) out["registers_estimated"] = request.estimated;
  if (!request.kernel.empty()) out["registers_over_limit"] = request.over_limit;
  return json_text(out);
}

int execute_occupancy(const Arguments& arguments) {
  sim::LoadedMachine loaded = load_machine(arguments);
  const sim::Machine& machine = loaded.machine;
  Request request = read_request(arguments, machine);
  sim::Occupancy occupancy = sim::occupancy(machine.config, request.threads, request.registers, request.shared);
  if (occupancy.blocks_per_sm == 0)
    fail(arguments.whole(),
         fmt::format("this block does not fit on {}: {}", machine.name, excess_text(occupancy.limiter)),
         occupancy.limiter == "registers" ? host::too_many_registers(machine.config, request.threads, request.registers)
                                          : "");
  if (auto json = output_of(arguments, "json")) json->write_all(to_json(request, occupancy));
  else print(to_text(machine, request, occupancy));
  return kDone;
}

}  // namespace

Entry occupancy_command() { return {describe_occupancy, execute_occupancy}; }

}  // namespace warptime::cli

#include "host/device/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "ptx/module.h"
#include "sim/model/address_space.h"
#include "sim/model/machine.h"
#include "sim/model/occupancy.h"

namespace warptime::host {

namespace {

std::string text(Dim3 d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

struct Limit {
  const char* axis;
  uint32_t given;
  uint32_t highest;
  const char* path;
};

void check_axes(const sim::Machine& machine, const char* what, Dim3 size, const Limit (&limits)[3], SourceSpan where,
                Diagnostics& diagnostics) {
  for (const Limit& limit : limits) {
    if (limit.given == 0)
      diagnostics.error(where, fmt::format("the {} {} is empty: {} is 0", what, text(size), limit.axis));
    else if (limit.given > limit.highest)
      diagnostics.error(where,
                        fmt::format("the {} {} is too large for machine \"{}\": {} is at most {}", what, text(size),
                                    machine.name, limit.axis, limit.highest),
                        fmt::format("the limit is {} of the machine", limit.path));
  }
}

// `.reqntid` and `.maxntid` (PTX ISA 9.0, 11.2): the first fixes every extent, the second bounds their product.
void check_directives(const ptx::Kernel& kernel, Dim3 block, SourceSpan where, Diagnostics& diagnostics) {
  const uint32_t* required = kernel.required_threads;
  if (required[0] != 0) {
    Dim3 want{required[0], std::max(1u, required[1]), std::max(1u, required[2])};
    if (block.x != want.x || block.y != want.y || block.z != want.z)
      diagnostics.error(where, fmt::format("kernel \"{}\" requires blocks of {} threads (.reqntid), not {}",
                                           kernel.name, text(want), text(block)));
  }
  const uint32_t* most = kernel.max_threads;
  if (most[0] != 0) {
    uint64_t product = uint64_t{most[0]} * std::max(1u, most[1]) * std::max(1u, most[2]);
    uint64_t threads = uint64_t{block.x} * block.y * block.z;
    if (threads > product)
      diagnostics.error(where, fmt::format("kernel \"{}\" allows at most {} threads per block (.maxntid), not {}",
                                           kernel.name, product, threads));
  }
}

/// The blocks of a cluster are resident together: on SMs of one GPC, or without time in the slots of one SM.
void check_cluster_fits(const sim::Machine& machine, const ptx::Kernel& kernel, uint64_t blocks, uint32_t threads,
                        const LaunchOptions& options, uint32_t blocks_per_sm, Diagnostics& diagnostics) {
  const sim::SmConfig& sm = machine.config.sm;
  const sim::ChipConfig& chip = machine.config.chip;
  if (options.functional || !machine.config.has_timing) {
    const uint64_t warps = blocks * ((threads + 31) / 32);
    if (blocks <= sm.max_blocks && warps <= sm.max_warps) return;
    return diagnostics.error(
        options.where,
        fmt::format(
            "a cluster of {} blocks of kernel \"{}\" has {}; in a functional run on machine \"{}\" there are at "
            "most {} blocks and {}",
            blocks, kernel.name, plural(warps, "warp"), machine.name, sm.max_blocks, plural(sm.max_warps, "warp")),
        "without time, the blocks of a cluster are in the slots of one SM (sm.max_blocks, sm.max_warps)");
  }
  const std::vector<uint32_t> gpcs = sim::tpcs_of_gpcs(chip);
  const uint64_t sms = uint64_t{*std::max_element(gpcs.begin(), gpcs.end())} * chip.sms_per_tpc;
  if (sms * blocks_per_sm >= blocks) return;
  diagnostics.error(options.where,
                    fmt::format("a cluster of {} blocks of kernel \"{}\" can never be resident on machine \"{}\": the "
                                "largest GPC has {}, which hold {} of its blocks together",
                                blocks, kernel.name, machine.name, plural(sms, "SM"), sms * blocks_per_sm),
                    "the blocks of a cluster run at the same time on the SMs of one GPC; smaller clusters, or blocks "
                    "with fewer threads, registers or bytes of shared memory, may fit");
}

/// Clusters (PTX ISA 9.0, 11.7): those of the grid are whole, and what the kernel requires.
void check_cluster(const sim::Machine& machine, const ptx::Kernel& kernel, Dim3 grid, uint32_t threads,
                   const LaunchOptions& options, uint32_t blocks_per_sm, Diagnostics& diagnostics) {
  const Dim3 cluster = cluster_of(kernel, options);
  const uint64_t blocks = uint64_t{cluster.x} * cluster.y * cluster.z;
  auto error = [&](std::string message, std::string hint = {}) {
    diagnostics.error(options.where, std::move(message), std::move(hint));
  };
  if (kernel.explicit_cluster && kernel.required_cluster[0] == 0 && options.cluster.x == 0)
    return error(fmt::format("kernel \"{}\" requires that its launch names a cluster (.explicitcluster)", kernel.name));
  if (blocks == 1) return;
  if (!sim::has_feature(machine.config, sim::Feature::Clusters))
    return error(fmt::format(
        "a launch with clusters needs a machine with the feature clusters; machine \"{}\" has none", machine.name));
  const uint32_t* required = kernel.required_cluster;
  const Dim3 named{options.cluster.x, std::max(1u, options.cluster.y), std::max(1u, options.cluster.z)};
  if (required[0] != 0 && named.x != 0 && (named.x != cluster.x || named.y != cluster.y || named.z != cluster.z))
    return error(fmt::format("kernel \"{}\" requires clusters of {} blocks (.reqnctapercluster), not {}", kernel.name,
                             text(cluster), text(named)));
  const uint64_t most = kernel.max_cluster_blocks != 0 ? kernel.max_cluster_blocks : sim::kMostClusterBlocks;
  if (blocks > most)
    return error(fmt::format("a cluster of {} blocks; there are at most {}", blocks, most),
                 kernel.max_cluster_blocks != 0 ? ".maxclusterrank of the kernel" : "");
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return error(fmt::format("the grid {} is not made of whole clusters of {}", text(grid), text(cluster)));
  check_cluster_fits(machine, kernel, blocks, threads, options, blocks_per_sm, diagnostics);
}

void check_fit(const sim::Machine& machine, const ptx::Kernel& kernel, Dim3 grid, uint32_t threads,
               const LaunchOptions& options, Diagnostics& diagnostics) {
  const sim::SmConfig& sm = machine.config.sm;
  uint32_t registers = registers_per_thread(machine, kernel, threads, options);
  const char* advice = options.registers_per_thread != 0
                           ? ""
                           : "this is an estimate from the PTX; registers_per_thread (or --registers) overrides it";
  if (registers > sm.max_registers_per_thread) {
    diagnostics.error(options.where,
                      fmt::format("kernel \"{}\" uses {} registers per thread; machine \"{}\" has {} "
                                  "(sm.max_registers_per_thread)",
                                  kernel.name, registers, machine.name, sm.max_registers_per_thread),
                      advice);
    return;
  }
  // Beyond an SM's memory it never fits, whatever header and parameters add (and their sum could wrap).
  uint32_t dynamic = std::min(options.dynamic_shared_bytes, sm.shared.bytes + 1);
  uint32_t shared = sim::shared_bytes_per_block(machine.config, kernel, dynamic);
  sim::Occupancy fit = sim::occupancy(machine.config, threads, registers, shared);
  const uint64_t resident = uint64_t{fit.blocks_per_sm} * sim::sm_count(machine.config);
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  if (fit.blocks_per_sm > 0 && options.cooperative && blocks > resident)
    diagnostics.error(options.where,
                      fmt::format("the grid of kernel \"{}\" has {}, and a cooperative launch requires that all are "
                                  "resident: machine \"{}\" holds {}",
                                  kernel.name, plural(blocks, "block"), machine.name, resident));
  if (fit.blocks_per_sm > 0) check_cluster(machine, kernel, grid, threads, options, fit.blocks_per_sm, diagnostics);
  if (fit.blocks_per_sm > 0) return;
  std::string needs, hint;
  if (fit.limiter == "registers") {
    needs = too_many_registers(machine.config, threads, registers);
    hint = advice;
  } else if (fit.limiter == "shared_memory") {
    needs = fmt::format("it needs {} of shared memory; an SM has {} (sm.shared.bytes)",
                        plural(uint64_t{shared} - dynamic + options.dynamic_shared_bytes, "byte"), sm.shared.bytes);
    hint = fmt::format("{} static, {} dynamic, {} for header and parameters", kernel.static_shared_bytes,
                       options.dynamic_shared_bytes, shared - kernel.static_shared_bytes - dynamic);
  } else if (fit.limiter == "threads") {
    needs = fmt::format("it has {}; an SM holds {} (sm.max_threads)", plural(threads, "thread"), sm.max_threads);
  } else {
    needs = fmt::format("it has {}; an SM holds {} (sm.max_warps)", plural((threads + 31) / 32, "warp"), sm.max_warps);
  }
  diagnostics.error(
      options.where,
      fmt::format("a block of kernel \"{}\" does not fit on machine \"{}\": {}", kernel.name, machine.name, needs),
      hint);
}

/// Most bytes of a kernel's parameters, by version of PTX (PTX ISA 9.0, 11.1.1).
uint64_t most_parameter_bytes(const ptx::Module& module) {
  if (module.version >= 81) return 32764;
  return module.version >= 15 ? 4352 : 256;
}

/// An error at the largest variable of the state space, if all of them together take more than `most`.
void check_space(const ptx::Kernel& kernel, ptx::Space space, uint64_t most, std::string_view what,
                 Diagnostics& diagnostics) {
  const ptx::Symbol* largest = nullptr;
  uint64_t end = 0;
  for (const ptx::Symbol& symbol : kernel.symbols) {
    if (symbol.space != space || symbol.passed) continue;
    if (largest == nullptr || symbol.size > largest->size) largest = &symbol;
    end = std::max(end, symbol.offset + symbol.size);
  }
  if (end <= most) return;
  diagnostics.error(
      largest->where,
      fmt::format("\"{}\" has {} of {}; there are at most {}", kernel.name, plural(end, "byte"), what, most),
      fmt::format("\"{}\" takes {} of them", largest->name, largest->size));
}

}  // namespace

void check_declared_memory(const sim::Machine& machine, const ptx::Module& module, const ptx::Kernel& kernel,
                           Diagnostics& diagnostics) {
  uint32_t most = machine.config.sm.max_local_bytes_per_thread;
  std::string what =
      fmt::format("local memory per thread on machine \"{}\" (sm.max_local_bytes_per_thread)", machine.name);
  check_space(kernel, ptx::Space::Param, most_parameter_bytes(module),
              fmt::format("parameters in PTX {}.{}", module.version / 10, module.version % 10), diagnostics);
  check_space(kernel, ptx::Space::Local, most, what, diagnostics);
  for (const ptx::Kernel& function : module.functions)
    check_space(function, ptx::Space::Local, most, what, diagnostics);
}

Dim3 cluster_of(const ptx::Kernel& kernel, const LaunchOptions& options) {
  const uint32_t* required = kernel.required_cluster;
  if (required[0] != 0) return {required[0], std::max(1u, required[1]), std::max(1u, required[2])};
  if (options.cluster.x == 0) return {1, 1, 1};
  return {options.cluster.x, std::max(1u, options.cluster.y), std::max(1u, options.cluster.z)};
}

uint32_t registers_per_thread(const sim::Machine& machine, const ptx::Kernel& kernel, uint32_t threads,
                              const LaunchOptions& options) {
  if (options.registers_per_thread != 0) return options.registers_per_thread;
  return sim::registers_allocated(machine.config, kernel, threads);
}

std::string too_many_registers(const sim::MachineConfig& machine, uint32_t threads, uint32_t registers) {
  const sim::SmConfig& sm = machine.sm;
  if (registers > sm.max_registers_per_thread)
    return fmt::format("a thread has at most {} (sm.max_registers_per_thread)",
                       plural(sm.max_registers_per_thread, "register"));
  const uint64_t needed = sim::registers_per_block(machine, threads, registers),
                 counted = sim::registers_at_launch(machine, threads, registers);
  std::string text = fmt::format("{} threads with {} registers each need {} registers", threads, registers, needed);
  if (counted != needed)
    text += fmt::format(", {} with the warps rounded up to a multiple of {} (sm.register_partitions)", counted,
                        sm.register_partitions);
  const uint32_t most = sim::max_registers_per_block(machine);
  return text + (needed > sm.registers || most == sm.registers
                     ? fmt::format("; an SM has {} (sm.registers)", sm.registers)
                     : fmt::format("; a block has at most {} (sm.max_registers_per_block)", most));
}

void warn_of_spills(const sim::Machine& machine, const ptx::Kernel& kernel, uint32_t registers,
                    Diagnostics& diagnostics) {
  const uint32_t values = sim::registers_over_limit(machine.config, kernel, registers);
  if (values == 0) return;
  const uint32_t limit = sim::register_limit(machine.config, kernel);
  const bool by_number = kernel.max_registers != 0 && kernel.max_registers <= limit;
  std::string directive =
      by_number ? fmt::format(".maxnreg {}", kernel.max_registers) : fmt::format(".minnctapersm {}", kernel.min_blocks);
  diagnostics.warning(
      by_number ? kernel.max_registers_where : kernel.min_blocks_where,
      fmt::format("{} leaves {} per thread to kernel \"{}\", which needs about {}: about {} would be spilled to local "
                  "memory",
                  directive, plural(limit, "register"), kernel.name, limit + values, plural(values, "value")),
      fmt::format("no value is spilled here: it runs with {}; --registers (or registers_per_thread) gives "
                  "another number, such as that of ptxas -v",
                  plural(registers, "register")));
}

void check_launch_limits(const sim::Machine& machine, const ptx::Kernel& kernel, Dim3 grid, Dim3 block,
                         const LaunchOptions& options, Diagnostics& diagnostics) {
  const sim::GridConfig& limits = machine.config.grid;
  size_t errors = diagnostics.error_count();
  check_axes(machine, "grid", grid,
             {{"x", grid.x, limits.max_x, "grid.max_x"},
              {"y", grid.y, limits.max_y, "grid.max_y"},
              {"z", grid.z, limits.max_z, "grid.max_z"}},
             options.where, diagnostics);
  check_axes(machine, "block", block,
             {{"x", block.x, limits.max_block_x, "grid.max_block_x"},
              {"y", block.y, limits.max_block_y, "grid.max_block_y"},
              {"z", block.z, limits.max_block_z, "grid.max_block_z"}},
             options.where, diagnostics);
  if (diagnostics.error_count() > errors) return;
  // Extents are within 1024 x 1024 x 64 here, so the product is exact.
  uint32_t threads = block.x * block.y * block.z;
  if (threads > machine.config.sm.max_threads_per_block) {
    diagnostics.error(options.where,
                      fmt::format("the block {} has {}; machine \"{}\" allows {}", text(block),
                                  plural(threads, "thread"), machine.name, machine.config.sm.max_threads_per_block),
                      "the limit is sm.max_threads_per_block of the machine");
    return;
  }
  check_directives(kernel, block, options.where, diagnostics);
  if (diagnostics.error_count() == errors) check_fit(machine, kernel, grid, threads, options, diagnostics);
  for (uint64_t index : options.blocks)
    if (index >= uint64_t{grid.x} * grid.y * grid.z) {
      diagnostics.error(options.where, fmt::format("block {} is not in the grid {}", index, text(grid)));
      break;
    }
}

}  // namespace warptime::host

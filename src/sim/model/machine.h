// The machine: every parameter of the model, one row each. configs/*.yaml give the values with their sources; the
// defaults here are those of a GeForce 8800 GTX and serve only where a machine file says nothing.
//
// Cycles are shader cycles unless the row says core or memory cycles.
//
// Each description starts with its scope: "in each SM: " (TPC, partition) where every SM has this much, so that the
// chip has a multiple, or "per block: " and the like. A row that does not say takes its scope from the row of its table
// (l2.cache.bytes from l2.cache).
//
// `untimed` marks rows that no time of a launch depends on: `warptime whatif` varies all others.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/config_struct.h"
#include "ptx/isa/card.h"
#include "sim/model/cache_config.h"
#include "sim/model/cluster_config.h"
#include "sim/model/issue_config.h"
#include "sim/model/pipe_config.h"
#include "sim/model/tlb_config.h"

namespace warptime::sim {

CONFIG_ENUM(BlockOrder, tpc_first, sm_first)
CONFIG_ENUM(RegisterAllocation, per_block, per_warp)
CONFIG_ENUM(OnChipPipe, sp, memory)
CONFIG_ENUM(SharedBroadcast, one_word, every_word)
CONFIG_ENUM(WideAccess, words, fewer_lanes)
CONFIG_ENUM(AddressMap, short_, long_, xor_, hashed)
CONFIG_ENUM(SameAddressMerge, none, partition)
CONFIG_ENUM(DramPolicy, fr_fcfs, fcfs)
CONFIG_ENUM(RefreshScope, all_banks, per_bank)
CONFIG_ENUM(BankHash, none, row)
CONFIG_ENUM(CommandBuses, one, row_and_column)
CONFIG_ENUM(ParameterSpace, shared, constant)
CONFIG_ENUM(Reconvergence, stack, independent)
CONFIG_ENUM(NativeCost, ptx, g80, g80_rotate, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90)
CONFIG_ENUM(NativeSchedule, source, list)
CONFIG_ENUM(NativeAllocation, live, linear_scan)
CONFIG_ENUM(NativeUnroll, none, loops)
CONFIG_ENUM(WritePolicy, write_through, write_back)
CONFIG_ENUM(CacheContents, empty, keep)
CONFIG_ENUM(LineAllocation, every_miss, reused)
CONFIG_ENUM(LineReserved, fill, miss)
CONFIG_ENUM(StoredLines, evict, keep, allocate)
CONFIG_ENUM(SharedCarveout, largest, fitting)
CONFIG_ENUM(StoreAllocation, allocate, pass)
CONFIG_ENUM(PartialSectors, masked, filled)
CONFIG_ENUM(CachedSpaces, local, global_and_local)
CONFIG_ENUM(OpenRows, close, keep)

// clang-format off
//      type      name                   default  check             what it is
#define CACHES_BETWEEN_LAUNCHES_PARAMS(P)                                                                               \
  P(CacheContents, l1,                CacheContents::empty, any(), "per chip: what a launch finds in the caches for data and textures that SMs and TPCs have: nothing, or what the launch before left") \
  P(CacheContents, l2,                CacheContents::empty, any(), "per chip: what it finds in those that partitions have") \
  P(CacheContents, constant,          CacheContents::empty, any(), "per chip: what it finds in the caches for constants")   \
  P(CacheContents, instruction,       CacheContents::empty, any(), "per chip: what it finds in the caches for instructions")
CONFIG_STRUCT(CachesBetweenLaunchesConfig, CACHES_BETWEEN_LAUNCHES_PARAMS)

#define CHIP_PARAMS(P)                                                                                                  \
  P(uint32_t, tpcs,                   8,    range(1, 256),    "per chip: texture processor clusters (TPCs)")         \
  P(uint32_t, tpcs_per_gpc,           0,    untimed(range(0, 256)), "in each GPC: TPCs; the last GPC may have fewer; 0: one GPC has all") \
  P(uint32_t, sms_per_tpc,            2,    range(1, 8),      "in each TPC: streaming multiprocessors (SMs)")              \
  P(uint32_t, window_cycles,          64,   power_of_two(8, 1024), "per chip: grid on which stores become visible and credits return; at most every latency out of a TPC") \
  P(uint32_t, launch_cycles,          0,    range(0, 1000000), "per launch: from its start to the first block that the block scheduler hands out") \
  P(uint32_t, block_launch_cycles,    64,   range(8, 100000), "per block: from a free place on an SM to the first instruction of the block put there; at least window_cycles") \
  P(uint32_t, block_interval_cycles,  4,    range(0, 100000), "per chip: cycles in which the block scheduler hands out block_interval_blocks")                       \
  P(uint32_t, block_interval_blocks,  1,    range(1, 64),     "per chip: blocks that the block scheduler hands out in each block_interval_cycles") \
  P(BlockOrder, block_order,          BlockOrder::tpc_first, any(), "order in which SMs get their first blocks: one to each TPC in turn, or filling SM by SM") \
  P(uint32_t, concurrent_kernels,     1,    range(1, 128),    "per chip: kernels of different streams that run at the same time") \
  P(double,   compute_capability,     1.0,  untimed(range(1, 99)), "per chip: compute capability, which CUDA programs read and by which their code is chosen") \
  P(CachesBetweenLaunchesConfig, caches_between_launches, {}, any(), "caches when a launch begins")                      \
  P(std::string, gpc_tpcs,            "",   untimed(any()),   "per chip: TPCs of each GPC in place of tpcs_per_gpc, as \"16 18\"; those behind them have as many as the last")
CONFIG_STRUCT(ChipConfig, CHIP_PARAMS)

#define CLOCK_PARAMS(P)                                                                                                 \
  P(double,   shader_mhz,             1350, range(1, 10000),  "per chip: shader clock, MHz")                                     \
  P(double,   core_mhz,               575,  range(1, 10000),  "per chip: core clock (interconnect), MHz")                        \
  P(double,   memory_mhz,             900,  range(1, 10000),  "per chip: memory clock, MHz; data move on both edges")
CONFIG_STRUCT(ClockConfig, CLOCK_PARAMS)

#define SHARED_PARAMS(P)                                                                                                \
  P(uint32_t, bytes,                  16384, range(0, 1048576), "in each SM: shared memory, bytes")                       \
  P(uint32_t, allocation_unit,        512,  power_of_two(1, 4096), "per block: a block's shared memory is rounded up to this, bytes") \
  P(uint32_t, header_bytes,           16,   range(0, 1024),   "per block: bytes of shared memory that the hardware uses") \
  P(uint32_t, banks,                  16,   power_of_two(1, 128), "in each SM: banks")                          \
  P(uint32_t, bank_bytes,             4,    power_of_two(4, 8), "per request: bytes that a bank serves at each step")           \
  P(uint32_t, bank_interleave_bytes,  4,    power_of_two(4, 8), "per bank: consecutive bytes in one bank; at most bank_bytes") \
  P(SharedBroadcast, broadcast,       SharedBroadcast::one_word, any(), "which words of a request reach all of their lanes in one step: one, or every word") \
  P(WideAccess, wide_access,          WideAccess::words, any(), "how accesses of 64 and 128 bits are served: word by word, or whole, in requests of so many lanes as all banks serve at a step") \
  P(uint32_t, load_128_replays,       0,    range(0, 16),     "per request: fewer_lanes: replays of a 128-bit load besides those of bank conflicts") \
  P(uint32_t, request_lanes,          16,   power_of_two(1, 32), "per request: lanes served together: 16 is a half-warp")           \
  P(OnChipPipe, pipe,                 OnChipPipe::sp, any(),  "the pipe of an access: the streaming processors, as an operand of their instructions, together with the warp scheduler; or the memory port") \
  P(uint32_t, base_cycles,            2,    range(0, 100),    "per warp instruction: issue cycles of an instruction that reads an operand in shared memory, before conflicts") \
  P(uint32_t, cycles_per_degree,      4,    range(1, 100),    "per request: issue cycles for each step of a bank conflict (degree 1: none)") \
  P(uint32_t, conflict_latency,       0,    range(0, 100),    "per request: cycles by which each further step of a bank conflict delays the result of a load; 0: cycles_per_degree") \
  P(uint32_t, atomic_cycles,          8,    range(1, 1000),   "per request: cycles of an atomic operation, for each lane at its bank with the most lanes") \
  P(uint32_t, load_latency,           26,   range(1, 1000),   "per warp instruction: from issue of a conflict-free load to its result") \
  P(uint32_t, atomic_latency,         0,    range(0, 10000),  "per warp instruction: the same of an atomic operation, but for exchanges; 0: load_latency") \
  P(uint32_t, atomic_cas_latency,     0,    range(0, 10000),  "per warp instruction: the same of a comparison and exchange; 0: load_latency") \
  P(uint32_t, atomic_float_latency,   0,    range(0, 10000),  "per warp instruction: the same of an atomic operation on floating-point words; 0: load_latency")
CONFIG_STRUCT(SharedConfig, SHARED_PARAMS)

#define SM_PARAMS(P)                                                                                                    \
  P(uint32_t, max_threads,            768,  range(32, 4096),  "in each SM: resident threads")                                      \
  P(uint32_t, max_warps,              24,   range(1, 64),     "in each SM: resident warps")                                        \
  P(uint32_t, max_blocks,             8,    range(1, 64),     "in each SM: resident blocks")                                       \
  P(uint32_t, max_threads_per_block,  512,  untimed(range(1, 4096)),   "per block: threads")                                    \
  P(uint32_t, registers,              8192, range(32, 1048576), "in each SM: 32-bit registers")                                    \
  P(uint32_t, max_registers_per_thread, 124, untimed(range(1, 255)),   "per thread: registers at most")                     \
  P(uint32_t, max_local_bytes_per_thread, 16384, untimed(range(0, 524288)), "per thread: local memory at most, bytes")      \
  P(RegisterAllocation, register_allocation, RegisterAllocation::per_block, any(), "unit of register allocation: a block or a warp")  \
  P(uint32_t, register_unit,          256,  power_of_two(1, 4096), "per block or warp: registers are allocated in multiples of this")     \
  P(uint32_t, register_partitions,    1,    range(1, 8),      "in each SM: sub-partitions that have an equal part of the registers each; where a warp gets registers, it gets them from one") \
  P(uint32_t, max_registers_per_block, 0,   untimed(range(0, 1048576)), "per block: registers at most; where warps get registers, its warps count rounded up to a multiple of register_partitions; 0: as many as an SM has") \
  P(uint32_t, warp_allocation_unit,   2,    range(1, 8),      "per block: a block's warps are rounded up to this for register allocation") \
  P(ParameterSpace, parameter_space,  ParameterSpace::shared, any(), "memory of kernel parameters: the block's shared memory or constant memory") \
  P(uint32_t, address_bytes,          4,    range(4, 8),      "per parameter: bytes of an address parameter in shared memory")        \
  P(Reconvergence, reconvergence,     Reconvergence::stack, any(), "how lanes of a warp reconverge after they diverge: by a stack, at immediate post-dominators, or scheduled independently (functional runs only)") \
  P(SharedConfig, shared,             {},   any(),            "shared memory")
CONFIG_STRUCT(SmConfig, SM_PARAMS)

#define GRID_PARAMS(P)                                                                                                  \
  P(uint32_t, max_x,                  65535, untimed(range(1, 2147483647)), "per grid: blocks along x")                                   \
  P(uint32_t, max_y,                  65535, untimed(range(1, 65535)), "per grid: blocks along y")                                        \
  P(uint32_t, max_z,                  1,    untimed(range(1, 65535)),  "per grid: blocks along z")                                        \
  P(uint32_t, max_block_x,            512,  untimed(range(1, 1024)),   "per block: threads of a block along x")                            \
  P(uint32_t, max_block_y,            512,  untimed(range(1, 1024)),   "per block: threads of a block along y")                            \
  P(uint32_t, max_block_z,            64,   untimed(range(1, 64)),     "per block: threads of a block along z")
CONFIG_STRUCT(GridConfig, GRID_PARAMS)

// Defaults of the latency classes; what each covers is said in ptx/isa/latency.h. One that is not named has that of
// integer arithmetic.
struct UsualLatency {
#define X(unused, name, key, ...) static constexpr uint32_t key = 22;
  PTX_LATENCIES(X, )
#undef X
};
struct DefaultLatency : UsualLatency {
  static constexpr uint32_t int_alu = 22, int_mul = 88, int_mul24 = 22, int_mul_hi = 126, int_div = 600;
  static constexpr uint32_t float_alu = 20, float_mad = 24, float_div = 138, convert = 22;
  static constexpr uint32_t special = 28, special_range = 56, double_alu = 48, double_div = 400, branch = 8;
  static constexpr uint32_t tensor = 10, tensor_double = 18;
};
#define LATENCY_PARAM(P, name, key, what) P(uint32_t, key, DefaultLatency::key, range(1, 10000), what)
#define LATENCY_PARAMS(P) PTX_LATENCIES(LATENCY_PARAM, P)
CONFIG_STRUCT(LatencyConfig, LATENCY_PARAMS)

#define INSTRUCTION_PARAMS(P)                                                                                           \
  P(uint32_t, bytes,                  8,    power_of_two(4, 16), "per instruction: bytes of a native instruction")                     \
  P(uint32_t, short_bytes,            4,    power_of_two(4, 16), "per instruction: bytes of a native instruction in its short form, at most bytes; with native_cost g80") \
  P(uint32_t, prefetch_lines,         1,    range(0, 8),      "per fetch: lines behind the one that a warp needs that its SM fetches, too") \
  P(bool,     preloaded,              false, any(),           "per launch: whether the caches of the TPCs hold its code, whatever its size, when it begins") \
  P(CacheConfig, sm_cache, (CacheConfig{4096, 64, 4, 0}), any(),            "in each SM: instruction cache")                            \
  P(CacheConfig, tpc_cache, (CacheConfig{8192, 64, 4, 20}), any(),            "in each TPC: instruction cache that the SMs of a TPC share")         \
  P(CacheConfig, partition_cache, (CacheConfig{4096, 64, 4, 20}), any(),            "in each partition: instruction cache")
CONFIG_STRUCT(InstructionConfig, INSTRUCTION_PARAMS)

#define TEXTURE_PARAMS(P)                                                                                               \
  P(uint32_t, cycles,                 38,   range(1, 1000),   "per warp instruction: cycles that a fetch of a warp occupies the SM's memory port") \
  P(uint32_t, line_rows,              2,    power_of_two(1, 32), "per line: rows of texels that a cache line covers (textures of CUDA arrays)") \
  P(uint32_t, tile_width_bytes,       64,   power_of_two(32, 4096), "per tile: bytes of a row of texels in a tile, whose lines lie together") \
  P(uint32_t, tile_rows,              4,    power_of_two(1, 64), "per tile: rows of texels in a tile")                             \
  P(bool,     in_l1,                  false, any(),           "in each SM: whether fetches, and read-only loads, look up the L1 data cache instead of a texture cache") \
  P(bool,     read_only_loads,        false, any(),           "per warp instruction: whether loads of read-only memory (ld.global.nc, __ldg) go through the texture cache") \
  P(CacheConfig, tpc_cache, (CacheConfig{16384, 32, 16, 200}), any(),            "in each TPC: texture cache")                                \
  P(CacheConfig, partition_cache, (CacheConfig{32768, 32, 16, 20}), any(),            "in each partition: texture cache")
CONFIG_STRUCT(TextureConfig, TEXTURE_PARAMS)

#define L1_PARAMS(P)                                                                                                    \
  P(CacheConfig, cache,               {},   any(),            "in each SM: L1 data cache; a store to global memory bypasses it and evicts its line") \
  P(CachedSpaces, spaces,             CachedSpaces::global_and_local, any(), "in each SM: memory whose loads look up the L1 data cache") \
  P(WritePolicy, local_stores,        WritePolicy::write_through, any(), "in each SM: when a store to local memory leaves the L1 data cache: at once, and its line is evicted, or when its line is replaced") \
  P(uint32_t, mshrs,                  32,   range(1, 4096),   "in each SM: miss status holding registers (MSHRs), one for each line on its way; a load that needs another line waits in the memory port for a free one") \
  P(uint32_t, mshr_reads,             4096, range(1, 4096),   "in each SM: reads that can wait for the line of one MSHR, the first among them; a load with another read of it waits in the memory port") \
  P(uint32_t, sector_bytes,           128,  power_of_two(32, 128), "per line: bytes that are fetched separately; at most a line") \
  P(StoredLines, stored_lines,        StoredLines::evict, any(), "per store: what becomes of the line of a store to global memory, which goes on to the L2: it is evicted; it is kept, with what was stored; or it is allocated if it is not there") \
  P(Replacement, replacement,         Replacement::lru, any(), "per set: the line that makes room: the least recently used one, by a list or nearly by a tree of bits, or one at random") \
  P(SetIndex, sets,                   SetIndex::low_bits, any(), "per line: what selects its set: the low bits of its number, or a hash of all of its bits") \
  P(LineReserved, reserve,            LineReserved::fill, any(), "per line: when it takes the place of another: when its data arrive (fill), or when they are requested (miss)") \
  P(LineAllocation, allocate,         LineAllocation::every_miss, any(), "in each SM: the lines that a miss puts into the L1 data cache: every line, or only those whose reuse the history has seen") \
  P(uint32_t, history,                2048, range(1, 1048576), "in each SM: reused: lines that the history of misses has room for") \
  P(uint32_t, array_bytes,            0,    range(0, 1048576), "in each SM: bytes of the array that shared memory and L1 data cache share; 0: each has its own") \
  P(std::string, carveouts,           "",   any(),           "in each SM: with array_bytes: bytes that shared memory may have, as \"16384 49152\"; the L1 has the rest, instead of cache.bytes") \
  P(SharedCarveout, carveout,         SharedCarveout::largest, any(), "per launch: which of these shared memory has: the largest, or the smallest that holds the blocks of an SM")
CONFIG_STRUCT(L1Config, L1_PARAMS)

#define L2_PARAMS(P)                                                                                                    \
  P(CacheConfig, cache,               {},   any(),            "in each partition: L2 cache")                     \
  P(uint32_t, sector_bytes,           128,  power_of_two(32, 128), "per line: bytes that are read from DRAM and written to it separately; at most a line") \
  P(uint32_t, fetch_bytes,            32,   power_of_two(32, 128), "per request: aligned bytes that are read from DRAM together; at least a sector, at most a line") \
  P(PartialSectors, partial_sectors,  PartialSectors::masked, any(), "per line: how a sector reaches DRAM of which stores wrote only some bytes: with a mask, or after it was read") \
  P(WritePolicy, write_policy,        WritePolicy::write_back, any(), "when a store reaches DRAM: at once, or when its line is replaced") \
  P(StoreAllocation, stores,          StoreAllocation::allocate, any(), "per store: write_back: whether a store of a line that is not there allocates it, or passes it on to DRAM") \
  P(Replacement, replacement,         Replacement::lru, any(), "per set: the line that makes room: the least recently used one, by a list or nearly by a tree of bits, or one at random") \
  P(SetIndex, sets,                   SetIndex::low_bits, any(), "per line: what selects its set: the low bits of its number, or a hash of all of its bits") \
  P(LineReserved, reserve,            LineReserved::fill, any(), "per line: when it takes the place of another: when its data arrive (fill), or when they are requested (miss)") \
  P(uint32_t, slices,                 1,    power_of_two(1, 16), "in each partition: slices, among which lines are distributed, each with a data port of its own") \
  P(uint32_t, slice_bytes,            0,    range(0, 1024),   "per slice: bytes that its data port moves each core cycle, of hits, fills, stores and atomic operations; 0: any number") \
  P(uint32_t, halves,                 1,    range(1, 2),      "per chip: parts of the L2: with two, the first half of the TPCs is near the first half of the partitions") \
  P(uint32_t, far_cycles,             0,    range(0, 10000),  "per packet: cycles that it takes besides, in each direction, between a TPC and a partition of the other half")
CONFIG_STRUCT(L2Config, L2_PARAMS)

#define CONSTANT_PARAMS(P)                                                                                              \
  P(uint32_t, bytes,                  65536, untimed(range(0, 1048576)), "per module: constant memory that a module may declare, bytes")    \
  P(uint32_t, request_lanes,          16,   power_of_two(1, 32), "per request: lanes served together: 16 is a half-warp")           \
  P(uint32_t, cycles_per_address,     4,    range(1, 100),    "per request: cycles of the pipe for each distinct address of a request")   \
  P(uint32_t, address_latency,        0,    range(0, 1000),   "per request: cycles by which each further address delays the result of a load, besides its miss; 0: cycles_per_address, and misses do not wait for each other") \
  P(uint32_t, word_bytes,             4,    power_of_two(4, 16), "per request: bytes of an access at one address that are served together") \
  P(OnChipPipe, pipe,                 OnChipPipe::sp, any(),  "the pipe of a load: the streaming processors, together with the warp scheduler; or the memory port") \
  P(uint32_t, fill_cycles,            0,    range(0, 1000),   "in each SM: cycles from a line that reaches the SM's constant cache to the next") \
  P(uint32_t, load_latency,           26,   range(1, 1000),   "per warp instruction: from issue of a uniform load to its result")          \
  P(UniformCacheConfig, uniform_cache, {},  any(),            "per warp scheduler: cache of parameters and constants whose address is the same for all lanes by construction; with it, constant.tpc_cache holds the parameters when a launch begins") \
  P(CacheConfig, sm_cache, (CacheConfig{8192, 64, 4, 0}), any(),            "in each SM: constant cache")                               \
  P(CacheConfig, tpc_cache, (CacheConfig{16384, 64, 4, 60}), any(),            "in each TPC: constant cache that the SMs of a TPC share")            \
  P(CacheConfig, partition_cache, (CacheConfig{4096, 64, 4, 20}), any(),            "in each partition: constant cache")
CONFIG_STRUCT(ConstantConfig, CONSTANT_PARAMS)

#define MEMORY_PARAMS(P)                                                                                                \
  P(std::string, coalescing,          "1.0", one_of("1.0|1.2|2.x"), "rule that makes transactions of a warp's addresses, by compute capability: 1.0 (strict half-warps), 1.2 (segments of half-warps), 2.x (lines of warps)") \
  P(SameAddressMerge, same_address_merge, SameAddressMerge::none, any(), "whether requests of one half-warp to the same word cross to the partition together and read DRAM once") \
  P(uint64_t, bytes,                  805306368, range(1048576, 1099511627776.0), "per chip: device memory, bytes")              \
  P(uint32_t, partitions,             6,    range(1, 128),    "per chip: memory partitions")                                     \
  P(uint32_t, interleave_bytes,       256,  power_of_two(128, 65536), "per partition: consecutive bytes in one partition") \
  P(AddressMap, address_map,          AddressMap::hashed, any(), "how blocks of interleave_bytes are distributed over the partitions") \
  P(uint32_t, allocation_alignment,   256,  power_of_two(4, 1048576), "per allocation: alignment of device allocations, bytes")        \
  P(uint32_t, request_cycles,         4,    range(1, 1000),   "per transaction: cycles that each transaction occupies the SM's memory port") \
  P(uint32_t, request_bytes,          32,   power_of_two(32, 128), "per transaction: 2.x: aligned bytes that a load past the L1, a store or an atomic operation covers with one transaction, of which those segments of 32 travel that its lanes access") \
  P(uint32_t, store_bytes,            0,    range(0, 1024),   "in each SM: bytes of stores and atomic operations that leave it each cycle; 0: any number") \
  P(uint32_t, mask_bytes,             0,    range(0, 32),     "per transaction: bytes that 32 bytes take on their way to a partition beside themselves if a store does not write them all, or for an atomic operation") \
  P(uint32_t, queue_entries,          64,   range(1, 4096),   "in each SM: transactions that the memory queue holds")          \
  P(uint32_t, max_outstanding_loads,  48,   range(1, 4096),   "in each SM: loads that may be outstanding (warp instructions)")  \
  P(uint32_t, credits_per_tpc,        64,   range(1, 4096),   "per partition and TPC: requests that a partition's input queue holds for each TPC (credits)") \
  P(uint32_t, atomic_cycles,          4,    range(1, 1000),   "per request: cycles of a partition's atomic unit for a request, for each lane at its word with the most lanes") \
  P(double,   atomic_word_cycles,     0,    range(0, 1000),   "in each partition: cycles from a lane's atomic operation on a word to the next on the same word, while others go on; 0: atomic_cycles of the whole unit") \
  P(double,   atomic_float_word_cycles, 0,  range(0, 1000),   "in each partition: the same of operations on floating-point words; 0: atomic_word_cycles") \
  P(uint32_t, atomic_lanes,           1,    range(1, 32),     "in each partition: lanes that the atomic unit serves in a cycle at different words, where atomic_word_cycles is not 0") \
  P(uint32_t, atomic_latency,         0,    range(0, 10000),  "per request: cycles from an atomic operation that is done to its answer") \
  P(uint32_t, pipeline_cycles,        20,   range(0, 10000),  "per request: fixed cycles in a partition besides DRAM and queues") \
  P(bool,     lookups_in_misses,      false, any(),           "per request: whether a read that misses a cache takes the latency of that cache as well; false: the times of the network and of DRAM were measured with all lookups") \
  P(TlbConfig, tlb,                   {},   any(),            "address translation (TLB)")
CONFIG_STRUCT(MemoryConfig, MEMORY_PARAMS)

#define INTERCONNECT_PARAMS(P)                                                                                          \
  P(uint32_t, request_latency,        130,   range(8, 10000),  "per packet: cycles from a TPC's port to a partition, unloaded; at least window_cycles") \
  P(uint32_t, response_latency,       130,   range(8, 10000),  "per packet: cycles from a partition to a TPC's port, unloaded; at least window_cycles") \
  P(uint32_t, tpc_width_bytes,        16,   power_of_two(1, 1024), "per TPC: bytes that a TPC's port moves each core cycle, in each direction") \
  P(uint32_t, partition_width_bytes,  32,   range(1, 1024),   "per partition: bytes that a partition's port moves each core cycle, in each direction") \
  P(uint32_t, partition_answer_bytes, 0,    range(0, 1024),   "per partition: bytes of answers that its port moves each core cycle; 0: partition_width_bytes") \
  P(uint32_t, cycle_parts,            1,    power_of_two(1, 64), "per core cycle: parts of which a packet takes a whole number in a port") \
  P(uint32_t, header_bytes,           0,    range(0, 1024),   "per packet: bytes of a packet besides its data") \
  P(uint32_t, request_header_bytes,   8,    range(0, 1024),   "per packet: bytes of a request besides header_bytes and its data") \
  P(bool,     data_per_lane,          false, any(),           "whether the data of a load pass a TPC's port once for each lane that reads them, so that bytes read by several lanes count several times; without an L1")
CONFIG_STRUCT(InterconnectConfig, INTERCONNECT_PARAMS)

#define DRAM_PARAMS(P)                                                                                                  \
  P(double,   latency_scale,          1,    range(0.05, 20),  "per partition: factor of the times below that a cell array takes: tRCD, tRP, tRAS, tRC, tCL, tWL, tWR, tWTR, tWTR_L, tRTP; applied once, when the machine is loaded") \
  P(double,   bandwidth_scale,        1,    range(0.05, 20),  "per partition: factor of clocks.memory_mhz and of all times below, so that they stay as long; applied once, when the machine is loaded") \
  P(DramPolicy, scheduler,            DramPolicy::fr_fcfs, any(), "order in which a partition serves its queue")        \
  P(uint32_t, queue_entries,          32,   range(1, 256),    "in each partition: requests that the scheduler chooses among")             \
  P(uint32_t, bypass_limit,           64,   range(1, 65536),  "per partition: fr_fcfs: column accesses of younger requests after which the oldest request goes first") \
  P(uint32_t, write_high,             16,   range(0, 256),    "in each partition: fr_fcfs: writes in the queue, at most queue_entries, from which on they go before reads; until then they wait for all reads; 0: reads and writes are equal") \
  P(uint32_t, write_low,              0,    range(0, 255),    "in each partition: fr_fcfs: writes left in the queue at which reads go first again, where write_high is not 0") \
  P(uint32_t, pseudo_channels,        1,    power_of_two(1, 8), "in each partition: pseudo channels, each with a data bus of bus_bytes and its part of the banks; they share the commands and the queue") \
  P(CommandBuses, command_buses,      CommandBuses::one, any(), "in each partition: buses of one command per memory cycle each: one for all, or one for activates and precharges and one for reads and writes") \
  P(uint32_t, bus_bytes,              8,    power_of_two(1, 128), "in each pseudo channel: width of the data bus, bytes")            \
  P(uint32_t, burst_length,           4,    power_of_two(1, 32), "per column access: transfers of a column access; two per memory cycle")   \
  P(uint32_t, banks,                  8,    power_of_two(1, 64), "in each partition: banks, of all pseudo channels")                               \
  P(uint32_t, bank_bytes,             65536, power_of_two(128, 65536), "in each partition: bytes after which those of the next bank follow; at most a row") \
  P(BankHash, bank_hash,              BankHash::row, any(),  "in each partition: what the number of a bank is combined with by exclusive or: nothing, or the lowest bits of the row") \
  P(uint32_t, bank_groups,            1,    power_of_two(1, 16), "in each pseudo channel: bank groups; neighbouring banks are in different groups; 1: none, and no timing of groups holds") \
  P(uint32_t, row_bytes,              4096, power_of_two(128, 65536), "per bank: bytes of an open row")          \
  P(OpenRows, rows_between_launches,  OpenRows::close, any(), "per bank: whether a launch finds open the row that the launch before left open") \
  P(uint32_t, tRCD,                   14,   range(1, 1000),   "per partition: activate to column access, memory cycles")              \
  P(uint32_t, tRP,                    12,   range(1, 1000),   "per partition: precharge to activate, memory cycles")                  \
  P(uint32_t, tRAS,                   29,   range(1, 1000),   "per partition: activate to precharge, memory cycles")                  \
  P(uint32_t, tRC,                    41,   range(1, 1000),   "per partition: activate to activate of one bank, memory cycles")       \
  P(uint32_t, tRRD,                   9,    range(1, 1000),   "per partition: activate to activate of another bank, memory cycles")   \
  P(uint32_t, tRRD_L,                 0,    range(0, 1000),   "per partition: activate to activate of another bank in the same group, memory cycles; 0: as tRRD") \
  P(uint32_t, tFAW,                   0,    range(0, 1000),   "per partition: window that has at most four activates, memory cycles; 0: any number") \
  P(uint32_t, tCCD,                   2,    range(1, 1000),   "per partition: column access to column access, memory cycles")         \
  P(uint32_t, tCCD_L,                 0,    range(0, 1000),   "per partition: column access to column access in the same bank group, memory cycles; 0: as tCCD") \
  P(uint32_t, tCL,                    11,   range(1, 1000),   "per partition: read to its first data, memory cycles")                 \
  P(uint32_t, tWL,                    7,    range(1, 1000),   "per partition: write to its first data, memory cycles")                \
  P(uint32_t, tWTR,                   6,    range(1, 1000),   "per partition: last write data to read, memory cycles; also called tCDLR")  \
  P(uint32_t, tWTR_L,                 0,    range(0, 1000),   "per partition: last write data to read in the same bank group, memory cycles; 0: as tWTR") \
  P(uint32_t, tWR,                    13,   range(1, 1000),   "per partition: last write data to precharge, memory cycles")           \
  P(uint32_t, tRTW,                   8,    range(1, 1000),   "per partition: read to write command, memory cycles (CL + burst - WL + turnaround)") \
  P(uint32_t, tRTP,                   4,    range(1, 1000),   "per partition: read to precharge, memory cycles")                      \
  P(RefreshScope, refresh,            RefreshScope::all_banks, any(), "per partition: whether a refresh closes all banks, each tREFI, or one bank in turn, each tREFI / banks, while the others go on") \
  P(uint32_t, tREFI,                  3510, range(0, 1000000), "per partition: between refreshes, memory cycles; 0: none")            \
  P(uint32_t, tRFC,                   47,   range(1, 10000),  "per partition: duration of a refresh, memory cycles") \
  P(uint32_t, tRFCpb,                 0,    range(0, 10000),  "per partition: duration of a refresh of one bank, memory cycles; 0: as tRFC")
CONFIG_STRUCT(DramConfig, DRAM_PARAMS)

#define RUNTIME_PARAMS(P)                                                                                               \
  P(uint64_t, printf_fifo_bytes,      1048576, range(0, 1073741824), "per launch: buffer for printf in device code, bytes (cudaLimitPrintfFifoSize); output that does not fit overwrites the oldest") \
  P(uint64_t, malloc_heap_bytes,      8388608, range(0, 1099511627776.0), "per chip: heap of malloc and free in device code, bytes of device memory (cudaLimitMallocHeapSize)") \
  P(uint32_t, call_cycles,            400,  range(1, 1000000), "per call: from a call of vprintf to the next instruction of the warp; for malloc and free, from the next window edge")
CONFIG_STRUCT(RuntimeConfig, RUNTIME_PARAMS)

#define HOST_PARAMS(P)                                                                                                 \
  P(double,   launch_us,              7,    untimed(range(0, 1e6)),    "per launch: from launch call to the first block, microseconds")     \
  P(double,   call_us,                3,    untimed(range(0, 1e6)),    "per call: time of the host in an asynchronous call, microseconds") \
  P(double,   synchronize_us,         7,    untimed(range(0, 1e6)),    "per call: from the end of the device's work to the host that waits for it, microseconds") \
  P(double,   copy_latency_us,        10,   untimed(range(0, 1e6)),    "per copy: fixed time of a copy, microseconds")                    \
  P(double,   host_to_device_gb_s,    1.5,  untimed(range(0.001, 1e4)), "per copy: copy bandwidth from pageable memory to the device, GB/s") \
  P(double,   device_to_host_gb_s,    1.5,  untimed(range(0.001, 1e4)), "per copy: copy bandwidth from the device to pageable memory, GB/s") \
  P(double,   pinned_host_to_device_gb_s, 3.2, untimed(range(0.001, 1e4)), "per copy: copy bandwidth from page-locked memory to the device, GB/s") \
  P(double,   pinned_device_to_host_gb_s, 3.2, untimed(range(0.001, 1e4)), "per copy: copy bandwidth from the device to page-locked memory, GB/s") \
  P(uint32_t, copy_engines,           0,    untimed(range(0, 2)),      "per chip: copies at a time that may run beside a kernel of another stream; 2: one for each direction")
CONFIG_STRUCT(HostConfig, HOST_PARAMS)

#define NATIVE_PARAMS(P)                                                                                               \
  P(NativeSchedule, schedule,         NativeSchedule::source, any(), "order in which the instructions of a basic block issue: that of the PTX, or that of a list scheduler, which has loads early and what needs them late") \
  P(NativeUnroll, unroll,             NativeUnroll::none, any(), "loops of which the compiler makes several copies that run in a row, with a loop for the rest: none, or short ones that it can count, as NVIDIA's assembler does for compute capability 9.0") \
  P(bool,     combines_atomics,       false, any(),           "whether a warp makes one operation of its additions, minima, maxima and logical operations on 32-bit integers whose address is the same for all lanes by construction") \
  P(NativeAllocation, allocate,       NativeAllocation::live, any(), "registers per thread: estimated from the values that are live at once, or allocated by linear scan, in which values beyond the limit of the kernel or the machine are spilled to local memory")
CONFIG_STRUCT(NativeConfig, NATIVE_PARAMS)

// A pipe's struct is in pipe_config.h, whatever it has beside initiation and groups (pipe.h).
#define PIPE_PARAM(P, name, key, unit, what, where, ...) P(name##Config, key, {}, any(), what where)
#define MACHINE_PARAMS(P)                                                                                               \
  P(std::string, description,         "", untimed(any()),              "one line about the machine")                            \
  P(std::vector<std::string>, features, {}, untimed(any()),            "capabilities beyond the base instruction set: f64, global_atomics, ...") \
  P(bool, has_timing,                 true, untimed(any()),            "false: functional runs only")                           \
  P(bool, map_f64_to_f32,             false, any(),           "f64 instructions execute as f32, as where the PTX says so (.target ..., map_f64_to_f32)") \
  P(NativeCost, native_cost,          NativeCost::g80, any(), "instructions that the warp scheduler issues for a PTX instruction: itself, the native ones of a G80 (`warptime ptx --native`), those of a G80 that could rotate, or those of a later compute capability (7.0 to 9.0); the estimate of registers follows the same choice") \
  P(NativeConfig, native,             {}, any(),              "what the machine's compiler does besides choosing instructions") \
  P(ChipConfig, chip,                 {}, any(),              "the chip")                                              \
  P(ClockConfig, clocks,              {}, any(),              "clock domains")                                         \
  P(GridConfig, grid,                 {}, any(),              "limits of grids and blocks")                            \
  P(SmConfig, sm,                     {}, any(),              "a streaming multiprocessor")                            \
  P(ClusterConfig, cluster,           {}, any(),              "between the SMs of a GPC, for clusters of blocks, where features has clusters") \
  P(IssueConfig, issue,               {}, any(),              "instruction issue")                                     \
  PTX_PIPES(PIPE_PARAM, P)                                                                                              \
  P(LatencyConfig, latency,           {}, any(),              "per warp instruction: cycles from issue to a usable result")                  \
  P(InstructionConfig, instruction,   {}, any(),              "instruction memory")                                    \
  P(ConstantConfig, constant,         {}, any(),              "constant memory")                                       \
  P(TextureConfig, texture,           {}, any(),              "texture memory")                                        \
  P(L1Config, l1,                     {}, any(),              "L1 data cache")                                         \
  P(L2Config, l2,                     {}, any(),              "L2 cache")                                              \
  P(MemoryConfig, memory,             {}, any(),              "global memory: coalescing, partitions, queues")            \
  P(InterconnectConfig, interconnect, {}, any(),              "between TPCs and partitions")                           \
  P(DramConfig, dram,                 {}, any(),              "DRAM of a partition")                                   \
  P(RuntimeConfig, runtime,           {}, any(),              "functions of CUDA's runtime that device code calls, where features has device_runtime") \
  P(HostConfig, host,                 {}, any(),              "times of a host program's calls and copies")
// clang-format on
CONFIG_STRUCT(MachineConfig, MACHINE_PARAMS)

using ptx::Feature, ptx::kFeatures;

/// A loaded, checked machine with what the report needs to name it.
struct Machine {
  std::string name;
  MachineConfig config;
  std::string hash;         // 16 hex digits over the resolved values only
  std::string folder = {};  // of the machine files, where others are named
};

/// Cycles of a latency class. Latency::Memory has none (0).
uint32_t cycles_of(const LatencyConfig& latency, ptx::Latency latency_class);
bool has_feature(const MachineConfig& machine, std::string_view feature);
inline bool has_feature(const MachineConfig& machine, Feature feature) {
  return has_feature(machine, name_of(feature));
}
/// The TPCs of each GPC (graphics processing cluster) of the chip, in order; empty: chip.gpc_tpcs has a word that is no
/// number, or 0.
std::vector<uint32_t> tpcs_of_gpcs(const ChipConfig& chip);
inline uint32_t gpc_count(const MachineConfig& machine) {
  return static_cast<uint32_t>(tpcs_of_gpcs(machine.chip).size());
}
inline uint32_t sm_count(const MachineConfig& machine) { return machine.chip.tpcs * machine.chip.sms_per_tpc; }
/// Microseconds of so many cycles of the shader clock.
inline double time_of(const MachineConfig& machine, Cycle cycles) {
  return static_cast<double>(cycles) / machine.clocks.shader_mhz;
}

}  // namespace warptime::sim

#!/usr/bin/env python3
"""Breaks the model's rules one at a time, on purpose, in a copy of the tree, and checks that tests notice.

    tests/tools/break_rules.py [NAME...]        all rules, or the named ones; needs half an hour for all
    tests/tools/break_rules.py --list           only looks whether each rule's text is still in its file

Each rule is a piece of source text, what to put in its place, and the tests that must then fail. A rule whose text is no longer
found is an error, so the list stays true.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SM = "src/sim/core/sm_life.h"
SM_MEMORY = "src/sim/core/sm_memory.h"
EFFECTS = "src/sim/core/sm_effects.h"
ATTRIBUTION = "src/sim/core/sm_attribution.h"
COST = "src/sim/core/access_cost.h"
UNDER_WAY = "src/sim/core/load_store_timing.cc"
UNDER_WAY_H = "src/sim/core/load_store_timing.h"
TIMED = "src/sim/gpu/timed_run.h"
FUNCTIONAL = "src/sim/gpu/functional_run.cc"
SUB_CORE = "src/sim/core/sub_core.h"
WORDS = "src/sim/state/load_store_words.cc"
TEXTURES = "src/sim/exec/texture_sampling.isa.cc"
PENDING_ATOMIC = "src/sim/mem/pending_atomic.cc"
LEVELS = "src/sim/exec/level_of_detail.cc"
SURFACES = "src/sim/state/load_store_surface.cc"
STACK = "src/sim/state/stack_divergence.cc"
BANKS = "src/sim/mem/shared_banks.cc"
COALESCER = "src/sim/mem/coalescer.cc"
TIMING = "src/sim/mem/dram_timing.cc"
DRAM = "src/sim/mem/dram.cc"
DRAM_H = "src/sim/mem/dram.h"
DRAM_LATER = "src/sim/mem/dram_later.cc"
OPEN_ROWS = "src/sim/mem/open_row_plans.cc"
OCCUPANCY = "src/sim/model/occupancy.cc"
PLAN = "src/sim/gpu/sample_plan.cc"
ESTIMATE = "src/sim/gpu/sample_estimate.cc"
TPC_CACHES = "src/sim/mem/tpc_caches.cc"
L1_DATA = "src/sim/mem/l1_data.cc"
PARTITION_CACHES = "src/sim/mem/partition_caches.h"
PARTITION = "src/sim/mem/partition.cc"
BLOCK_SCHEDULER = "src/sim/gpu/block_scheduler.cc"
LOOKUP = "src/sim/mem/partition_lookup.cc"
PARTITION_STORES = "src/sim/mem/partition_stores.cc"
MERGED = "src/sim/mem/merged_requests.h"
CHANNEL = "src/sim/mem/channel.h"
TPC_MEMORY = "src/sim/mem/tpc_memory.cc"
PORT_OUT = "src/sim/mem/tpc_port_out.cc"
RUNS = "src/sim/mem/request_run.h"
TEAM = "src/sim/gpu/thread_team.cc"
CACHE_TAGS = "src/sim/mem/cache_tags.cc"
CACHE_TAGS_H = "src/sim/mem/cache_tags.h"
PICKER = "src/sim/core/warp_picker.h"
DECODE = "src/sim/decode/decode.cc"
OPERANDS = "src/sim/decode/decode_operands.cc"
GROUPS = "src/sim/state/independent_lanes.cc"
BARRIERS = "src/sim/state/sm_barriers.cc"
COPY_ENGINE = "src/sim/core/copy_engine.h"
PTX_TIME, TIME = "src/sim/native/ptx_time.cc", "src/sim/native/g80_time.cc"
NATIVE = "src/ptx/native/native_code.cc"
FOLD = "src/ptx/native/fold_operands.cc"
SCHEDULER = "src/sim/native/list_scheduler.cc"
CONFLICTS = "src/sim/native/memory_conflicts.cc"
ALLOCATOR = "src/sim/native/register_allocator.cc"
DOUBLE = "src/ptx/isa/double_exact.h"
SECONDS = 120  # a broken rule may make a test wait for ever: noticed, too

# name: (file, text, replacement, test program)
RULES = {
    "alu latency": (SM, "Wait::until(now + cost.latency, Stall::AluDependency)",
                    "Wait::until(now + cost.latency - 1, Stall::AluDependency)", "test_timing"),
    "issue interval": (SUB_CORE, "std::max(free_, now + cycles);", "std::max(free_, now + cycles + 1);", "test_timing"),
    "sfu overlap": (ATTRIBUTION, "sub_core.hold(now, issue_cycles, pc);", "sub_core.hold(now, std::max(issue_cycles, pipe_cycles), pc);",
                    "test_timing"),
    "pipe initiation": (ATTRIBUTION, "pipes_.take(insn.unit, sub_core.index(), now + pipe_cycles);",
                        "pipes_.take(insn.unit, sub_core.index(), now + pipe_cycles - 1);", "test_timing"),
    "bank conflict cost": (COST, "IssueCost cost{insn.issue_cycles, each * degree, shared", "IssueCost cost{insn.issue_cycles, each, shared", "test_timing"),
    "whole warps: bank conflicts": (WORDS, "if (config.request_lanes > config.banks) return false;", "if (config.banks > 0) return true;",
                                    "test_state"),
    "cached addresses: writers": ("src/sim/state/warp.h", "cached &= static_cast<uint8_t>(~insn.overwrites);", "(void)insn;",
                                      "test_host"),
    "cached addresses: calls": ("src/sim/decode/decode_slots.cc", "insn.overwrites = 0xff;", "insn.overwrites = 0;", "test_host"),
    "cached addresses: blocks": ("src/sim/state/sm_state.cc", "warp.cached = 0;", "", "test_host"),
    "whole warps: own stores": (WORDS, "if (stores_.empty()) return false;", "return false;", "test_state"),
    "cleared registers": ("src/ptx/analysis/register_rows.cc", "intervals[reg].begin == 0", "false", "test_host"),
    "cleared registers: the first instruction": ("src/ptx/analysis/register_rows.cc", "return writes && !reads;", "return writes;", "test_decode"),
    "known values: two writes": (OPERANDS, "use.writes != 1 || ", "", "test_host"),
    "known values: the order of the text": (OPERANDS, " || use.first_read <= use.first_write", "", "test_host"),
    "known values: read before": (OPERANDS, "return std::find(read_before.begin(), read_before.end(), kernel_.rows.row_of[reg]) == read_before.end();", "return read_before.empty() || true;", "test_host"),
    "known values: of narrow parameters": ("src/sim/decode/decode_memory.cc", "width != payload.access.element_bytes || width < 4 || ", "", "test_host"),
    "known values: of the block": ("src/sim/state/resident_kernel.cc", "    fill_block_rows(*launch_, index,", "    if (place == 99) fill_block_rows(*launch_, index,", "test_host"),
    "known values: of the warp": ("src/sim/state/launch_rows.cc", "fill_area(RowArea::Threads, launch.thread_rows, warp * rows, warp);", "fill_area(RowArea::Threads, launch.thread_rows, warp * rows, 0);", "test_host"),
    "cleared registers: functions": (DECODE, "if (!kernel_.functions.empty()) {", "if (false) {", "test_host"),
    "loads: entries of the table": (UNDER_WAY, "loads_in_table_ >= machine_.memory.max_outstanding_loads",
                                    "loads_in_table_ > machine_.memory.max_outstanding_loads", "test_core"),
    "loads: room in the queue": (UNDER_WAY, "memory_->has_room(sm_in_tpc_, 1, now)", "memory_->has_room(sm_in_tpc_, 0, now)", "test_core"),
    "loads: results of atomic operations": (UNDER_WAY, "load || (insn.effect == ptx::Effect::Atomic && insn.atomic().has_result)", "load", "test_core"),
    "loads: latency after the last line": (UNDER_WAY_H, "Wait::until(load.ready + load.latency, load.reason)",
                                           "Wait::until(load.ready, load.reason)", "test_core"),
    "stores: of a warp that has left": (UNDER_WAY_H, "if (tag != store_tag(slot, warp.generation)) return kNoSlot;", "", "test_core"),
    "session: until, in time": (TIMED, "now_ < until", "now_ <= until", "test_gpu"),
    "session: until, without time": (FUNCTIONAL, "instructions_ < until", "instructions_ <= until", "test_gpu"),
    "session: blocks that have ended": (FUNCTIONAL, "return finished_; }", "return next_; }", "test_gpu"),
    "session: each SM's own state": (FUNCTIONAL, "return &sms_[index]->state();", "return &sms_[index / 2]->state();", "test_gpu"),
    "session: the launch's cycles": (TIMED, "ended_ && !fault_ ? end_ : now_", "now_", "test_gpu"),
    "session: parts of a window": (TIMED, "chip_.window_cycles / static_cast<uint32_t>(options.step)", "chip_.window_cycles", "test_gpu"),
    "session: what an abandoned one leaves": ("src/sim/gpu/gpu.cc", "      gpu.system.reset(context.lines);\n", "", "test_gpu"),
    "session: after its end": (FUNCTIONAL, "ended_ = !run_round();", "if (!run_round()) return false;", "test_gpu"),
    "resident warps' cycles": (ATTRIBUTION, "out.warp_cycles.resident += warp.accounted", "out.warp_cycles.resident += 0 * warp.accounted", "test_gpu"),
    "channels: requests behind others": (PARTITION, "if (unread == 0) heads_.insert", "if (unread < 99) heads_.insert", "test_mem"),
    "channels: answers behind others": (TPC_MEMORY, "if (first) heads.insert", "if (first || !answers.empty()) heads.insert", "test_mem"),
    "stores: of all partitions": (TIMED, "of.memory_.apply_stores(i - of.chip_.tpcs)", "of.memory_.apply_stores(0 * i)", "test_host"),
    "stores: not before their edge": ("src/sim/mem/partition.h", "return due(applied_, end_) ||", "return !applied_.empty() ||", "test_mem"),
    "threads: readers first": (TEAM, "!readers_are_done(work.readers, run); ++times)", "!readers_are_done(work.readers, run) && times == 0; ++times)", "test_gpu"),
    "threads: readers of this run": (TEAM, "if (read >> 32 == run) done", "if (read >> 32 <= run) done", "test_gpu"),
    "channels: of answers": (TPC_MEMORY, "unread[p / 64] |= uint64_t{1} << p % 64;", "unread[p / 64] = uint64_t{1} << p % 64;", "test_mem"),
    "channels: steps that are left out": (PARTITION, "if (received_ != step) receive(step);", "", "test_mem"),
    "channels: nothing fresh, twice": (CHANNEL, "quiet_steps_ > 2", "quiet_steps_ > 1", "test_mem"),
    "channels: what ends the quiet": (CHANNEL, "quiet_steps_ = 0;", "", "test_mem"),
    "threads: what is left to others": (TEAM, "is_own ? (left + 1) / 2 : 1", "is_own ? left : 1", "test_gpu"),
    "runs: names in use": (RUNS, "while (runs_[next_].to_come != 0);", "while (false);", "test_mem"),
    "runs: the last of a load": (RUNS, "return others != 0;", "return false;", "test_mem"),
    "runs: the last answer": (RUNS, "!is_last || is_awaited(run)", "is_awaited(run)", "test_mem"),
    "placed blocks: wake their TPC": (TIMED, "placed_ = std::min(placed_, p.start);", "", "test_host"),
    "memory port": (SM_MEMORY, "cost.pipe = std::max(1u, access_.count) * machine_.memory.request_cycles;",
                    "cost.pipe = machine_.memory.request_cycles;", "test_timing"),
    "barrier latency": (EFFECTS, "Wait::until(next.cycle() + machine_.issue.barrier_latency, Stall::Barrier)",
                        "Wait::until(next.cycle(), Stall::Barrier)", "test_timing"),
    "branch latency": (EFFECTS, "std::max(next.cycle(), issue.now + latency), Stall::InstructionFetch", "next.cycle(), Stall::InstructionFetch",
                       "test_timing"),
    "fence": (EFFECTS, "if (issue.warp.outstanding_stores == 0)", "if (issue.warp.outstanding_stores <= 1000)", "test_timing"),
    "write after write": ("src/sim/core/scoreboard.h", "i < program.wait_count(insn); ++i)", "i + 1 < program.wait_count(insn); ++i)",
                          "test_timing"),
    "reconvergence": ("src/sim/state/control_flow.h", "if (pc == now_.reconvergence) [[unlikely]]", "if (false)", "test_state"),
    "early exit": (STACK, "now.active = below.lanes & in_frame_;", "now.active = below.lanes;", "test_state"),
    "block start": ("src/sim/gpu/block_scheduler.cc", "at + chip_.block_launch_cycles", "at", "test_timing"),
    "barrier counts live warps": (BARRIERS, "(block.warps & ~barrier.waiting) == 0",
                                  "barrier.arrivals == launch_->warps_per_block", "test_timing"),
    "shared broadcast": (BANKS, "if (word == broadcast) continue;", "", "test_mem"),
    "shared bank count": (BANKS, "degree_of_different(words, count, banks);",
                          "degree_of_different(words, count, banks / 2);", "test_mem"),
    "shared broadcast of every word": (BANKS, "if (same != 0) continue;", "", "test_mem"),
    "shared half-warps": (BANKS, "const uint32_t words_each = whole ? words : 1;", "const uint32_t words_each = 1;", "test_mem"),
    "shared 128-bit loads": (BANKS, "whole && load && element_bytes == 16", "whole && !load && element_bytes == 16", "test_mem"),
    "shared banks of 64 bits": (BANKS, "if (shared.bank_interleave_bytes == 8) return word / 2;", "", "test_mem"),
    "coalescing of quarter-warps": (COALESCER, "2 * kHalfLanes * 4 / std::max(element_bytes, 4u)", "2 * kHalfLanes", "test_mem"),
    "data per lane: lanes": (UNDER_WAY, "static_cast<uint16_t>(transaction.bytes_of_lanes())", "transaction.bytes", "test_timing"),
    "data per lane: loads only": (UNDER_WAY, "load && machine_.interconnect.data_per_lane", "machine_.interconnect.data_per_lane", "test_timing"),
    "data per lane: never less": (PORT_OUT, "std::max(in.cycles(each.answer_granules()), in.cycles_of_bytes(request.port_bytes))",
                                  "request.port_bytes != 0 ? in.cycles_of_bytes(request.port_bytes) : in.cycles(each.answer_granules())", "test_mem"),
    "data per lane: bytes of a lane": (COALESCER, "std::min(element_bytes, bytes)", "std::min<Addr>(4, bytes)", "test_mem"),
    "constants of all schedulers": (PTX_TIME, "return machine_.constant.pipe == OnChipPipe::sp;", "return true;", "test_timing"),
    "constant lines one after another": (TPC_CACHES, "ready = reaches(kind, sm_in_tpc, ready);", "", "test_timing"),
    "constant lines from DRAM": (TPC_CACHES, "reaches(mshr.kind, waiter.sm, response.cycle + levels.to_inner)", "response.cycle", "test_timing"),
    "coalescing in sequence": (COALESCER, "return differences == 0;", "return true;", "test_mem"),
    "runs: cycles between": (RUNS, "    ready += spacing;", "    ready += spacing + 1;", "test_mem"),
    "runs: coalesced with the previous": (RUNS, "if (others_with_previous != request.with_previous) request.with_previous = others_with_previous;",
                                          "", "test_mem"),
    "merged: until the data are out": (MERGED, "now <= read.data_end", "now < read.data_end", "test_mem"),
    "merged: another half-warp": (MERGED, "      group.count = 0;\n", "", "test_mem"),
    "merged: an MSHR that is used again": (MERGED, "if (read.mshr != mshr || read.served) continue;", "if (read.mshr != mshr) continue;",
                                           "test_mem"),
    "cached addresses: conflicts": (WORDS, "const bool free = conflict_free(at_, machine_.sm.shared);", "const bool free = true;",
                                    "test_state"),
    "coalescing alignment": (COALESCER, "base % segment == 0 && ", "segment != 0 && ", "test_mem"),
    "no merging of one word": (COALESCER, "Addr end = addresses[k] + element_bytes;",
                               "Addr end = addresses[k] + (rest != mask && addresses[k] == addresses[0] ? 0 : element_bytes);",
                               "test_mem"),
    "row hit": (DRAM, "command = slot.write ? DramCommand::Write : DramCommand::Read;",
                "command = bank.fresh ? (slot.write ? DramCommand::Write : DramCommand::Read) : DramCommand::Precharge;",
                "test_mem"),
    "row activation": (TIMING, "{Activate, Read, Same, d.tRCD}", "{Activate, Read, Same, 0}", "test_mem"),
    "row conflict": (TIMING, "{Precharge, Activate, Same, d.tRP}", "{Precharge, Activate, Same, 0}", "test_mem"),
    "row stays open": (TIMING, "{Activate, Precharge, Same, d.tRAS}", "{Activate, Precharge, Same, 0}", "test_mem"),
    "write to read": (TIMING, "write_end + d.tWTR}", "write_end}", "test_mem"),
    "read to write": (TIMING, "std::max(d.tRTW, read_end > d.tWL ? read_end - d.tWL : 1)",
                      "read_end - read_end + column", "test_mem"),
    "write recovery": (TIMING, "write_end + d.tWR}", "write_end}", "test_mem"),
    "refresh": (TIMING, "{Refresh, Activate, scope, duration}", "{Refresh, Activate, scope, 0}", "test_mem"),
    "code: pairs": ("src/ptx/native/code_bytes.cc", "if (may_be_short && single != kNoIndex)", "if (may_be_short)", "test_ptx"),
    "code: pairs within a block": ("src/ptx/native/code_bytes.cc", "if (i > 0 && facts_.block(i) != facts_.block(i - 1)) single = kNoIndex;", "", "test_ptx"),
    "code: flags are long": ("src/ptx/native/code_bytes.cc", " || sets_flags_[i]", "", "test_ptx"),
    "code: near operands": ("src/ptx/native/code_bytes.cc", "kLastShared = 0x3c", "kLastShared = 0x40", "test_ptx"),
    "code: preloaded": ("src/sim/mem/tpc_caches.h", "of(kind).tpc.fill(address, now);", "of(kind).tpc.fill(address, now + 1000);", "test_timing"),
    "constants: parameters at the beginning": (TPC_CACHES, "if (read.is_parameter &&", "if (read.is_parameter && fill_cycles_ == 99 &&", "test_timing"),
    "constants: misses in turn": (UNDER_WAY, "later += machine_.constant.tpc_cache.latency;", "later = machine_.constant.tpc_cache.latency;", "test_timing"),
    "constants: a line that was replaced": (SM_MEMORY, "if (line.state == State::Requested) read", "if (line.state == State::Requested || line.state == State::Coming) read",
                                            "test_timing"),
    "constants: one operand for the warp": ("src/sim/native/uniform_addresses.cc", "return varying == 0 || alike == 1;", "return varying < 9 || alike == 1;", "test_native"),
    "waits: guards": ("src/sim/native/reader_delays.cc", "if (reader.guard == slot) return issue.guard_delay;", "", "test_timing"),
    "waits: special functions": ("src/sim/native/reader_delays.cc", "if (reader.begins_special) return issue.special_delay;", "", "test_timing"),
    "waits: pipes": ("src/sim/native/reader_delays.cc", "? issue.pipe_delay : 0", "? 0 : 0", "test_timing"),
    "waits: the first reader": ("src/sim/native/reader_delays.cc", "            break;\n          }", "          }", "test_timing"),
    "waits: accesses of a warp": ("src/sim/native/native_builder.cc", "return is_close ? static_cast", "return is_close && false ? static_cast", "test_timing"),
    "waits: not again behind a load": (SM, "gap != 0 && warps_.is(slot, WarpStatus::Runnable)", "gap != 0", "test_timing"),
    "waits: branches not taken": ("src/sim/core/sm_effects.h", "is_taken ? issue.insn.latency : machine_.issue.not_taken_latency", "issue.insn.latency", "test_timing"),
    "waits: atomic operations": (SM_MEMORY, "if (atomic) cost.latency += detail.more_latency;", "", "test_timing"),
    "waits: guards in a sequence": ("src/ptx/native/later_recipes.cc", "++out.guards;", ";", "test_timing"),
    "prefetch: the kernel's end": ("src/sim/core/instruction_fetch.h", "if (offset < launch.kernel->native.code_bytes)", "", "test_timing"),
    "prefetch: what the TPC has": ("src/sim/mem/tpc_caches.cc", "fill_inner(kind, sm_in_tpc, address, reaches(kind, sm_in_tpc, ready));\n  } else", "(void)reaches(kind, sm_in_tpc, ready);\n  } else", "test_timing"),
    "native: signs": ("src/ptx/native/sign_modifiers.cc", "(is<Neg>(sign) ? negates : takes_both)", "negates", "test_ptx"),
    "native: range reduction": ("src/ptx/native/native_code.cc", "const bool behind = written == kNoIndex || use.instruction > written;", "const bool behind = written == kNoIndex || true;", "test_ptx"),
    "bank groups: activates": (TIMING, "{Activate, Activate, Group, d.tRRD_L}", "{Activate, Activate, Group, 0}", "test_mem"),
    "bank groups: reads": (TIMING, "{Read, Read, Group, d.tCCD_L}", "{Read, Read, Group, 0}", "test_mem"),
    "bank groups: writes": (TIMING, "{Write, Write, Group, d.tCCD_L}", "{Write, Write, Group, 0}", "test_mem"),
    "bank groups: write to read": (TIMING, "write_end + d.tWTR_L}", "write_end}", "test_mem"),
    "bank groups: neighbours": ("src/sim/mem/dram_timing.h", "return dram.pseudo_channels * dram.bank_groups - 1;", "return (dram.bank_groups - 1) * (dram.banks / dram.bank_groups);", "test_mem"),
    "bank groups: what waits proposes": (DRAM_LATER, "propose_each(delayed &", "propose_each(0 &", "test_mem"),
    "bank groups: plans": (DRAM_LATER, "!delays_columns && ", "", "test_mem"),
    "window of activates": (DRAM_LATER, "window.ends[window.oldest]);\n  return", "0);\n  return", "test_mem"),
    "window of activates: of a pseudo channel": (DRAM_LATER, "windows_[bank & channel.bits]", "windows_[0]", "test_mem"),
    "pseudo channels: data buses": (TIMING, "d.pseudo_channels == 1 ? Any : Channel", "Any", "test_mem"),
    "pseudo channels: neighbours": ("src/sim/mem/dram_timing.h", "return dram.pseudo_channels - 1;", "return dram.banks - dram.banks / dram.pseudo_channels;", "test_mem"),
    "command buses: two": (DRAM_LATER, "earliest_ = bus_free_ = time;", "", "test_mem"),
    "command buses: one of a kind": (DRAM_LATER, "std::max(any_ready_[index(next)], time + 1)", "any_ready_[index(next)]", "test_mem"),
    "banks: their order": ("src/sim/model/dram_map.h", "std::min(dram.bank_bytes, dram.row_bytes)", "dram.row_bytes", "test_mem"),
    "banks: the row's bits": ("src/sim/model/dram_map.h", "BankHash::row ? dram.banks - 1", "BankHash::row ? 0", "test_mem"),
    "window of activates: four": ("src/sim/mem/dram_timing.h", "kActivatesInWindow = 4", "kActivatesInWindow = 5", "test_mem"),
    "refresh of one bank: others go on": (TIMING, "per_bank ? Same : Any", "Any", "test_mem"),
    "refresh of one bank: its time": (TIMING, "per_bank && d.tRFCpb != 0 ?", "false ?", "test_mem"),
    "refresh of one bank: in turn": (DRAM, "(refreshed_next_ + 1) & (bank_count_ - 1)", "refreshed_next_", "test_mem"),
    "refresh of one bank: rows left": (DRAM_LATER, "if (!per_bank_ || refresh_due_ == kNever)", "if (true)", "test_mem"),
    "refresh of one bank: others are not stopped": (DRAM_H, " && !is_oldest_refreshed(bus_free_)", "", "test_mem"),
    "refresh of one bank: others do not count": (DRAM_LATER, "bypassed_ -= passes && is_oldest_refreshed(time);", "", "test_mem"),
    "drain: reads first": (DRAM_LATER, "queued_writes_ >= write_high_ &&", "queued_writes_ > write_low_ &&", "test_mem"),
    "drain: older reads of open rows": (DRAM_LATER, " && !has_hit_before_writes();", ";", "test_mem"),
    "drain: until few are left": (DRAM_LATER, "writing_ ? queued_writes_ > write_low_ :", "writing_ ? false :", "test_mem"),
    "drain: bypass limit": (DRAM_LATER, "if (oldest_only()) return slots_[oldest()].write;", "", "test_mem"),
    "drain: plans": (DRAM_LATER, "if (plans) turns_after_plans_ = true;", "if (false) turns_after_plans_ = true;", "test_mem"),
    "drain: a read comes before the end of the plans": (DRAM_LATER, "if (plans && writing_) {", "if (false && writing_) {", "test_mem"),
    "segments shrink": (COALESCER, "while (bytes > kSmallest &&", "while (false && bytes > kSmallest &&", "test_mem"),
    "segments take any order": (COALESCER, "lanes |= (segment_of(addresses[k], bytes) == segment ? 1u : 0u) << k;",
                                "lanes |= (segment_of(addresses[k], bytes) == segment && addresses[k] >= segment + 4 * k % bytes ? 1u : 0u) "
                                "<< k;", "test_mem"),
    "lines of loads only": (COALESCER, "cached = load && (", "cached = (load || true) && (", "test_mem"),
    "cache: least recently used": (CACHE_TAGS_H, "const uint32_t last = ways_ - 1;", "const uint32_t last = 0;", "test_mem"),
    "cache: a mark is not a line": (CACHE_TAGS_H, "if (lines[way].address != line) continue;", "", "test_mem"),
    "instruction miss": (TPC_CACHES, "fetch(kind, sm_in_tpc, address, waiter, now, launch);\n  return kNever;",
                         "fetch(kind, sm_in_tpc, address, waiter, now, launch);\n  return kind == ReadKind::Instruction ? now : kNever;",
                         "test_timing"),
    "constant hit": (TPC_CACHES, "std::max<Cycle>(now, line->ready) + levels.sm_latency", "std::max<Cycle>(now, line->ready) + levels.sm_latency + 1", "test_timing"),
    "constant of the TPC": (TPC_CACHES, "std::max<Cycle>(now, line->ready) + levels.tpc_latency", "std::max<Cycle>(now, line->ready)",
                            "test_timing"),
    "constant scatter": (COST, "constant.load_latency + late * (addresses - 1)", "constant.load_latency", "test_timing"),
    "latency of an address": (COST, "constant.address_latency == 0 ?", "true ?", "test_timing"),
    "latency of a conflict": (COST, "shared.conflict_latency == 0 ?", "true ?", "test_timing"),
    "barriers: one arrival after another": (EFFECTS, "std::max(barriers_free_, at.cycle()) + machine_", "at.cycle() + machine_", "test_timing"),
    "a uniform constant holds its warp": (SM_MEMORY, "Wait::until(line.ready, Stall::ConstantDependency)", "Wait::until(now + 1, Stall::ConstantDependency)", "test_timing"),
    "one operation of a warp": (SM_MEMORY, "if (detail.combined) access_.conflict_degree = 1;", "", "test_timing"),
    "one operation of a warp in a partition": (PENDING_ATOMIC, "if (conflict_free || combined)", "if (conflict_free)", "test_mem"),
    "stores leave an SM in turn": (UNDER_WAY, "stores_free_ = begin + request.bytes", "stores_free_ = 0 * request.bytes", "test_timing"),
    "masks in a partition's port": (PARTITION, "masked_sectors(request.store, request.atomic, request.granules())", "0", "test_mem"),
    "answers have their width": (PARTITION, "out_(answer_width(machine)", "out_(machine.interconnect.partition_width_bytes", "test_mem"),
    "an L2 reads more than a sector": (PARTITION_CACHES, "lacks = fetched_with(lacks);", ";", "test_mem"),
    "sectors in part are read first": (PARTITION_CACHES, "fills_ && (run &", "false && (run &", "test_mem"),
    "atomic answers are late": (PARTITION_STORES, "done + atomic_latency_", "done", "test_mem"),
    "a launch begins late": (BLOCK_SCHEDULER, "cycle + chip_.launch_cycles", "cycle", "test_gpu"),
    "blocks in an interval": (BLOCK_SCHEDULER, "if (++in_interval_ >= chip_.block_interval_blocks)", "if (true)", "test_gpu"),
    "uniform constant": (TPC_CACHES, "own.fill(address, ready);", "", "test_timing"),
    "uniform constants' way": (TPC_CACHES, "caches.port_free = begin + uniform_config_.fill_cycles;", "", "test_timing"),
    "one fetch for all who wait": (TPC_CACHES, "if (found != kNone) return wait_for(mshrs_[found], node);", "(void)found;",
                                   "test_timing"),
    "L1 hit": (L1_DATA, "+ levels.sm_latency;", ";", "test_timing"),
    "L1 store": (UNDER_WAY, "if (has_l1_) caches_->discard(sm_in_tpc_, request.address);", "", "test_timing"),
    "L1 misses": (L1_DATA, "levels.pending[sm_in_tpc] < l1_mshrs_ :", "levels.pending[sm_in_tpc] <= l1_mshrs_ :", "test_core"),
    "reads of an MSHR": (L1_DATA, "mshrs_[mshr].reads < l1_mshr_reads_", "true", "test_core"),
    "a valid sector came": (PARTITION_CACHES, "line.valid |= cache.sectors_of(part);", "line.valid |= cache.all_sectors();", "test_mem"),
    "a sector that was written in part": (PARTITION_CACHES, "if ((whole >> first & needed) == needed) line.valid", "if ((whole >> first & needed) <= needed) line.valid", "test_mem"),
    "only missing sectors are read": (PARTITION_CACHES, "lacks &= ~static_cast<uint32_t>(found->valid);", "lacks &= found->valid == 0 ? 0xf : ~static_cast<uint32_t>(found->valid);\n        if (lacks != 0) lacks = cache.sectors_of(part);", "test_mem"),
    "a store of no line passes on": (PARTITION_CACHES, "return !any;", "return any;", "test_mem"),
    "a miss reserves its line": (PARTITION_CACHES, "if (!reserves_at_miss_) return;", "return;", "test_mem"),
    "slices: their width": ("src/sim/mem/slice_ports.h", "(bytes + width_ - 1) / width_", "1", "test_mem"),
    "slices: lines are distributed": ("src/sim/mem/slice_ports.h", "& (free_.size() - 1)", "& 0", "test_mem"),
    "halves: requests": (PORT_OUT, "left + request_latency + queue.to->far_cycles", "left + request_latency", "test_mem"),
    "halves: answers": (PARTITION, "answer.cycle += far_cycles_;", ";", "test_mem"),
    "pseudo-LRU": ("src/sim/mem/cache_tags.cc", "if (way < first + count) first += count;", "if (way >= first + count) first += count;", "test_mem"),
    "random: places without a line first": ("src/sim/mem/cache_tags.h", "replacement_ != Replacement::lru && lines_[set * words_ * kMarks + way].address != kNowhere", "replacement_ != Replacement::lru", "test_mem"),
    "hashed sets": ("src/sim/mem/cache_tags.cc", "rest != 0; rest >>= bits", "false; rest >>= bits", "test_mem"),
    "segments of a line": (COALESCER, "transaction.granules = static_cast<uint8_t>(is_part ? granules : 0);", "transaction.granules = static_cast<uint8_t>(is_part ? 0 : 0);", "test_mem"),
    "L1: sectors that are fetched": (L1_DATA, "if ((needed & unit) != 0) out |= unit;", "out |= unit;", "test_timing"),
    "L1: sectors on their way": ("src/sim/mem/tpc_caches.h", "(granules & ~mshr.granules) == 0;", "true;", "test_timing"),
    "L1: a line that is stored to": (L1_DATA, "line->valid |= cache.sectors_of(part & stored.whole >> first);", "line->valid |= cache.all_sectors();", "test_timing"),
    "L1: a line that is not there": (L1_DATA, "if (line == nullptr && !allocates_stores_) return;", "", "test_timing"),
    "L1: local stores are written": (L1_DATA, "evicted_.push_back({old.address, static_cast<uint32_t>(old.dirty), launch});", "(void)launch;", "test_timing"),
    "scales are applied once": ("src/sim/model/machine_loader.cc", "std::exchange(dram.latency_scale, 1)", "dram.latency_scale", "test_model"),
    "the L2 is written at the end": (PARTITION_CACHES, "if (is_kept_) return 0;", "return 0;", "test_mem"),
    "a miss takes its lookup": (PARTITION, "ready += caches_.latency(arrival.request.kind);", "", "test_mem"),
    "L2 hit": (LOOKUP, "answer(from_caches_, arrival, ready + caches_.latency(kind), arrival.at);\n    return true;\n  }\n  if (uint32_t mshr",
               "answer(from_caches_, arrival, ready, arrival.at);\n    return true;\n  }\n  if (uint32_t mshr", "test_mem"),
    "L2 write-back": (LOOKUP, "if (passes) {", "if (passes || !passes) {", "test_mem"),
    "arrivals that look up caches": (PARTITION, "return lookups_ != 0 || dram_.empty() ? at", "return dram_.empty() ? at", "test_mem"),
    "plans: the bus turns round": (OPEN_ROWS, "(first > std::max(write, earliest) && write_high_ == 0) || last", "last", "test_mem"),
    "plans: a refresh": (OPEN_ROWS, " || last >= refresh_due_) [[unlikely]]", ") [[unlikely]]", "test_mem"),
    "plans: row commands between": (DRAM, "return plans_.gap_from(time);", "return time;", "test_mem"),
    "plans: what is left proposes": (DRAM, "propose_each(column_banks_);", ";", "test_mem"),
    "plans: rows without an access": (DRAM_H, "unready_rows_ == 0 && ", "", "test_mem"),
    "plans: rows that are wanted": (DRAM_H, "free_rows_ == queue_entries_ && ", "", "test_mem"),
    "plans: writes": (DRAM, "slot.predictable = predictable && !write;", "slot.predictable = predictable;", "test_mem"),
    "plans: an entry of the queue": (DRAM_H, "plans_.end_of(free_count_)", "0", "test_mem"),
    "plans: counted in their time": (OPEN_ROWS, "return cycle < end_ ?", "return cycle < begin_ ?", "test_mem"),
    "plans: behind what arrives": (PARTITION, "if (looks_up || !arriving_.empty() || !plan", "if (looks_up || !plan", "test_mem"),
    "plans: behind what waits": (OPEN_ROWS, "if (!waiting_.empty() || request.store != nullptr) return false;",
                                 "if (request.store != nullptr) return false;", "test_mem"),
    "plans: reads that others are merged with": (PARTITION, "request.store == nullptr && arrival.mshr == kNoMshr;", "request.store == nullptr;", "test_mem"),
    "room: credits": (PORT_OUT, "queue.to->credits < std::min(leave, queue.head.count)", "queue.to->credits <= std::min(leave, queue.head.count)",
                      "test_mem"),
    "room: at the step's start": (SM, "under_way_.begin_step(begin, &poll)) wake_all(poll);", "under_way_.begin_step(begin, &poll)) return;", "test_litmus"),
    "L2 dirty line": (PARTITION_STORES, "line.write_back = true;\n", "return;\n", "test_mem"),
    "two sub-cores": ("src/sim/core/sm.h", "return sub_cores_[warps_[slot].sub_core];", "return sub_cores_[slot - slot];", "test_timing"),
    "groups of pipes": ("src/sim/core/pipes.h", "group_free_[u][g] < *first)", "false)", "test_timing"),
    "own groups": ("src/sim/core/pipes.h", "|| group % sub_cores_ == sub_core;", "|| group + sub_core + 1 != 0;", "test_timing"),
    "dual issue": (SM, "if (is_dual_) issue_second(sub_core, slot, now);", "", "test_timing"),
    "dual issue is independent": (SM, "scoreboard_.needed(slot, *warps_[slot].kernel->program, insn).cycle() > now ||", "", "test_timing"),
    "f64 pipe": (PTX_TIME, "pipe_of(machine_, out_.unit).initiation",
                 "pipe_of(machine_, out_.unit == Unit::Dp ? Unit::Sp : out_.unit).initiation", "test_timing"),
    "f64 needs its feature": (DECODE, "if (has_feature(machine_, feature)) return;",
                              "if (has_feature(machine_, feature) || true) return;", "test_cli"),
    "f64 is counted apart": ("src/sim/gpu/gather.cc", "insn.is_double                      ? statistics.counts.flops_f64",
                             "insn.is_double ? statistics.counts.flops", "test_workloads"),
    "f64 as f32": (DECODE, "lane_widths(in, single.has_value(), out);", "lane_widths(in, single && in.line == 0, out);",
                   "test_host"),
    "f64 rounds to even": (DOUBLE, "up = half && (rest || (kept & 1) != 0);", "up = half;", "test_isa"),
    "f64 rounds once": (DOUBLE, "rest |= below != 0 && below != middle;", "", "test_isa"),
    "merged reads come from DRAM": (LOOKUP, "if (caches_.exists(kind)) {\n    bool is_served",
                                    "if (merges_ && merged(arrival)) return;\n  if (caches_.exists(kind)) {\n    bool is_served", "test_mem"),
    "two-level": (PICKER, "after_last(of_first_group(eligible, away))", "after_last(eligible | (away - away))", "test_timing"),
    "two-level priority": (PICKER, "(groups_[group_] & ~away) == 0;", "(groups_[group_] & eligible & (away | ~away)) == 0;", "test_core"),
    "trace: every cycle": (SM, "    observe_wait(sub_core, slot, insn, now);\n", "", "test_workloads"),
    "trace: barrier": (SM, "observer_.released(slot, warp.stack.pc(), earliest.cycle(), earliest.reason());", "(void)earliest;", "test_cli"),
    "trace: masks": ("src/sim/core/warp_trace.cc", "if (active != warp.active)", "if (false)", "test_cli"),
    "trace: window": ("src/sim/core/warp_trace.cc", "event.begin < log_->to) log_->events", "event.begin <= log_->to) log_->events",
                      "test_core"),
    "trace: tracks": ("src/cli/trace/trace_json.cc", "begin, end - begin,", "begin, end - begin + 1,", "test_cli"),
    "texture hit": (TPC_CACHES, "Cycle ready = std::max<Cycle>(now, line->ready) + levels.tpc_latency;", "Cycle ready = std::max<Cycle>(now, line->ready);", "test_timing"),
    "texture miss": (SM_MEMORY, "result = read_lines(ReadKind::Texture, issue, 0,", "result = read_lines(ReadKind::Texture, issue, 9,",
                     "test_timing"),
    "texture port": (SM_MEMORY, "issue.lanes != 0 ? machine_.texture.cycles : 0", "0", "test_timing"),
    "texture tiles": (TEXTURES, "bool tiled = texture.tiled", "bool tiled = false", "test_timing"),
    "texture lines of two rows": (TEXTURES, ">> layout.line_rows << row_of_lines", "<< row_of_lines", "test_timing"),
    "texture fraction": (TEXTURES, "static_cast<float>(low)) * 256.0f + 0.5f", "static_cast<float>(low)) * 256.0f", "test_isa"),
    "texture wrap": (TEXTURES, "coordinates[lane] - static_cast<float>(whole)", "coordinates[lane]", "test_isa"),
    "texture lines: the border has none": ("src/sim/exec/fresh_lines.h", "return mask & texels.inside(texel); };", "return mask & (texels.inside(texel) | ~0u); };", "test_state"),
    "texture lines: a neighbour's": ("src/sim/exec/fresh_lines.h", "if (with < texel) seen", "if (with > texel) seen", "test_state"),
    "texture lines: a lane that is off": ("src/sim/exec/fresh_lines.h", "same_lane_before(own, own) & lanes << 1", "same_lane_before(own, own)", "test_state"),
    "texture border": (TEXTURES, "inside |= (index < size ? 1u : 0u) << lane;", "inside |= 1u << lane;", "test_isa"),
    "levels: 256ths are cut off": (LEVELS, "levels * 256.0f,", "levels * 256.0f + 0.5f,", "test_isa"),
    "levels: the bias": ("src/sim/state/load_store_levels.cc", "level + level_bias(texture)", "level", "test_isa"),
    "levels: halves of weights": ("src/sim/state/load_store_levels.cc", "(is_low ? 127 : 128)", "(is_low ? 128 : 128)", "test_isa"),
    "levels: steps to both sides": (LEVELS, "length(sum) * (11 / 16.0)", "length(sum) * (1 / 16.0)", "test_isa"),
    "formatted stores clamp": (SURFACES, "return std::min(bits, (1u << width) - 1);", "return bits & ((1u << width) - 1);", "test_isa"),
    "formatted reductions count words": (SURFACES, "unit = access.formatted ? bytes : 1", "unit = access.formatted ? surface->texel_bytes() : 1", "test_isa"),
    "formatted reductions have the surface's sign": (SURFACES, "payload.global = payload.shared;", "payload.shared = payload.global;", "test_isa"),
    "a handle is of a surface or of a texture": ("src/sim/state/load_store_texture.cc", "texture->is_surface == asks_surface", "(texture->is_surface || !asks_surface)", "test_host"),
    "128 bits: both halves are compared": (PENDING_ATOMIC, "value[0] == b[lane] && value[1] == b[high]", "value[0] == b[lane]", "test_isa"),
    "128 bits: compared in shared memory": ("src/sim/state/load_store_atomics.cc", "if (operation.compares && old != b) return;", "if (operation.compares && old[0] != b[0]) return;", "test_isa"),
    "pairs of halves are ordered apart": ("src/sim/exec/atomic_operation.cc", "half_order<F, kLeast>(old >> 16, b >> 16, 0) << 16", "half_order<F, kLeast>(old, b, 0) << 16", "test_isa"),
    "random bits are added": ("src/sim/exec/random_rounding.cc", "(fraction + added) >> cut", "(fraction + added / 2) >> cut", "test_exec"),
    "clusters of one block are explicit": ("src/host/device/device_launch.cc", "|| asked.cluster.x != 0;", "|| asked.cluster.x > 1;", "test_isa"),
    "a misspelled key is reported once": ("src/sim/model/yaml_map.cc", "&entry) != reported.end()) continue;", "&entry) == reported.end()) good = false;", "test_host"),
    "vectors of atomics: operands that results overwrite": ("src/ptx/syntax/rewriting.cc", "if (is_lost && !copy_operand(", "if (is_lost && at > 8 && !copy_operand(", "test_ptx"),
    "atomic contention": (PENDING_ATOMIC, "most = std::max<uint32_t>(most, ++lanes_of[", "most = std::max<uint32_t>(1, lanes_of[", "test_mem"),
    "atomic unit is serial": (PARTITION_STORES, "Cycle begin = std::max(ready, atomic_unit_free_);", "Cycle begin = ready;", "test_mem"),
    "atomics see arrived stores": ("src/sim/mem/arrival_order.h", "overlay(*store, address, bytes, out);", "(void)store;", "test_mem"),
    "a store does not come back": ("src/sim/mem/arrival_order.h", "remove_bytes(**earlier, *store);", "(void)earlier;", "test_mem"),
    "shared atomics serialise": ("src/sim/state/load_store_atomics.cc", "degree = std::max<uint32_t>(degree, ++lanes_of_bank[", "degree = std::max<uint32_t>(1, lanes_of_bank[",
                                 "test_timing"),
    "copies: groups that are waited for": ("src/sim/state/async_copies.cc", "uint64_t{copy.group[lane]} + groups < warp.groups[lane]",
                                           "uint64_t{copy.group[lane]} + groups <= warp.groups[lane]", "test_isa"),
    "copies: zeros behind the source": ("src/sim/state/load_store_async.cc", "std::memset(data, 0, bytes);", "", "test_isa"),
    "copies: a wait lasts until they are complete": ("src/sim/core/sm_async.h", "if (ready > now) return suspend_async(", "if (ready > now + 10000) return suspend_async(", "test_timing"),
    "mbarrier: bytes keep a phase": ("src/sim/state/mbarrier.h", "if (pending != 0 || bytes != 0) return;", "if (pending != 0) return;", "test_state"),
    "copy engine: one after the other": (COPY_ENGINE, "begin_ = std::max(now, free_);", "begin_ = now;", "test_timing"),
    "copy engine: cycles of any copy": (COPY_ENGINE, "std::max<uint64_t>(config_.initiation, rounded_up(ticks_))", "std::max<uint64_t>(1, rounded_up(ticks_))", "test_timing"),
    "copy engine: its queue": (COPY_ENGINE, "return count < config_.queue_entries ? now", "return count + 1 > 0 ? now", "test_timing"),
    "copy engine: rate of arrivals": (COPY_ENGINE, "written_ + bytes * per_loaded_byte_", "written_ + bytes - bytes", "test_timing"),
    "copy engine: sources of groups": (COPY_ENGINE, "return pending >= kKnownGroups ? 0", "return pending + 1 > 0 ? 0", "test_timing"),
    "copy engine: not the memory port": (PTX_TIME, "effect_ != Effect::BulkCopy || machine_.copy_engine.queue_entries == 0", "effect_ != Effect::Nop", "test_timing"),
    "copy engine: aligned requests": ("src/sim/state/load_store_bulk.cc", "lanes = std::min(lanes, (request - in_request) / each);", "lanes = std::min(lanes, request);", "test_timing"),
    "mbarrier: dropped arrivals": ("src/sim/state/async_operations.h", "if (payload.drops) object.expected", "if (false) object.expected", "test_isa"),
    "clusters: all have started": ("src/sim/state/sm_clusters.cc", "if (!own.kernel->has_started(own.place)) return false;", "if (false) return false;", "test_isa"),
    "clusters: others are on other SMs": ("src/sim/gpu/block_scheduler_clusters.cc", "mates << 32 | blocks", "mates * 0 + blocks * 0 + sm", "test_gpu"),
    "clusters: where there is room": ("src/sim/gpu/block_scheduler_clusters.cc", "room += room_for(launch, sm);", "room += 1;", "test_gpu"),
    "clusters: blocks start together": ("src/sim/gpu/block_scheduler_clusters.cc", "placed_[i].start = placed_.back().start;", "placed_[i].start += 0;", "test_gpu"),
    "clusters: a block that has ended": ("src/sim/core/sm_cluster.h", "if (slot == SmState::kNoBlock) return no_such_block(message);", "if (slot == SmState::kNoBlock) return;", "test_gpu"),
    "clusters: exits are arrivals": ("src/sim/core/sm_cluster.h", "tell_cluster(end.slot, ClusterSeat::kForever, end.cycle);", "(void)end;", "test_gpu"),
    "clusters: a release waits for stores": ("src/sim/core/sm_cluster.h", "if (payload.operation == AsyncOperation::ClusterArrive) return true;", "if (payload.operation == AsyncOperation::ClusterArrive) return false;", "test_timing"),
    "clusters: the latency of a load": ("src/sim/core/sm_cluster.h", "left + latency - config.access_latency", "left + latency - config.access_latency + 1", "test_timing"),
    "clusters: bytes of a load": ("src/sim/core/sm_cluster.h", "insn.access().bytes() * count_lanes(message.lanes)", "insn.access().bytes()", "test_timing"),
    "clusters: bytes of a store": ("src/sim/core/sm_cluster.h", "cluster_->leave(issue.now, bytes * count_lanes(lanes))", "cluster_->leave(issue.now, bytes)", "test_timing"),
    "clusters: a load is performed when it arrives": ("src/sim/core/sm_cluster.h", "left + cluster_->config().access_latency;", "left + 64;", "test_timing"),
    "clusters: arrivals of an SM": ("src/sim/core/cluster_link.h", "std::max(barrier_free_, now) + config_", "std::max(Cycle{0}, now) + config_", "test_timing"),
    "clusters: messages are saved": ("src/sim/gpu/cluster_inbox.h", "    archive(heap_);", "    if (Archive::kRestores && heap_.size() > 1000) archive(heap_);", "test_gpu"),
    "clusters: too large for a GPC": ("src/host/device/launch_limits.cc", "if (sms * blocks_per_sm >= blocks) return;", "if (sms * blocks_per_sm + 100 >= blocks) return;", "test_isa"),
    "a load waits for an atomic": (SM_MEMORY, "(insn.effect != ptx::Effect::Load && insn.effect != ptx::Effect::AsyncCopy) || lanes == 0 ||", "lanes != 0 || lanes == 0 ||", "test_timing"),
    "a fence waits for reductions": (UNDER_WAY, "warp.outstanding_stores += access.count;",
                                     "if (!request.atomic) warp.outstanding_stores += access.count;", "test_timing"),
    "litmus: fence": (EFFECTS, "if (issue.warp.outstanding_stores == 0)", "if (issue.warp.outstanding_stores <= 1000)", "test_litmus"),
    "litmus: own stores are seen": ("src/sim/mem/store_buffer.cc", "if (node.visible ||", "if (!node.visible ||", "test_litmus"),
    "lanes reconverge": (GROUPS, "groups_[current_].lanes |= groups_[i].lanes;", "continue;", "test_state"),
    "lanes give way": (GROUPS, "++backward_branches_ >= kBackwardBranches", "++backward_branches_ > kBackwardBranches", "test_state"),
    "lanes in different calls": (GROUPS, " && callers == other.callers;", ";", "test_state"),
    "lanes that call different functions": (STACK, "push_back({now.pc, behind, again});", "push_back({behind, behind, again});", "test_state"),
    "guarded exits are not waited for": ("src/ptx/analysis/reconvergence.cc", "{block.successors.front()}", "{block.successors.back()}", "test_ptx"),
    "exits that lanes share do not part the others": ("src/ptx/analysis/exit_choice.cc", "!shared_ && graph_.only_leaves[b] != Leaving::No",
                                                      "shared_ && graph_.only_leaves[b] != Leaving::No", "test_ptx"),
    "barriers do not wait for lanes that only exit": ("src/sim/state/sm_barriers.cc", "leaving |= only_exits(pc) ? lanes : 0;", "leaving |= only_exits(pc) ? lanes & 0 : 0;",
                                                      "test_debug"),
    "recursion brings registers back": ("src/sim/state/sm_calls.cc", "stacks_[slot].pop(warp.values, kernel.recursions[from->recursion], lanes);",
                                        "", "test_host"),
    "recursion: local variables of its own": ("src/sim/state/call_stacks.cc", "own.local += function.local_bytes;", "", "test_host"),
    "recursion: a stack has an end": ("src/sim/state/call_stacks.cc", "own.used += function.stack_bytes;", "own.used += function.stack_bytes / 2;",
                                      "test_host"),
    "barrier counts threads": (BARRIERS, "barrier.arrivals * kWarpSize >= barrier.expected", "barrier.expected != 0", "test_host"),
    ".sync waits for its mask": ("src/sim/state/sm_state.cc", "if (all_here || !independent_)", "if (all_here || live != 0)", "test_host"),
    ".sync: lanes that exit are not waited for": (BARRIERS, "run_members(warp);  // lanes that have exited", "// lanes that have exited", "test_host"),
    ".sync: a mask names its own lane": ("src/sim/state/sm_state.cc", "left_out |= group & ~mask;", "left_out |= group & ~(mask | live);", "test_host"),
    ".sync: each mask for itself": ("src/sim/exec/member_masks.h", "if (difference == 0) return lanes;", "if (difference != 1) return lanes;", "test_isa"),
    ".sync: the same operation": (GROUPS, " && group.kind == kind;", " && (group.kind == kind || kind != nullptr);", "test_host"),
    "no borrow is a carry": ("src/sim/exec/carry_handlers.cc", "write_predicate(warp, insn.dst2, mask, carry_out);",
                             "write_predicate(warp, insn.dst2, mask, kSubtracts ? ~carry_out : carry_out);", "test_isa"),
    "launch file: tolerance": ("src/host/launch_file/launch_run.cc", "expectation.values, expectation.tolerance);", "expectation.values, {});",
                               "test_host"),
    "launch file: repeat": ("src/host/launch_file/launch_run.cc", "i < planned.repeat; ++i)", "i < 1; ++i)", "test_host"),
    "launch file: offset": ("src/host/launch_file/launch_run.cc", "buffers_[*a.buffer].address + a.offset", "buffers_[*a.buffer].address",
                            "test_host"),
    "native: operand cost": (COST, "add(shared.base_cycles + shared.cycles_per_degree * degree,", "add(shared.cycles_per_degree * degree,",
                             "test_timing"),
    "native: operand conflicts": (SM_MEMORY, "program->write(insn, i), degree);",
                                  "program->write(insn, i), degree > 0);", "test_timing"),
    "native: late by conflicts": (COST, "cost.latency += late;", "cost.latency += late * 0;", "test_timing"),
    "native: folded loads are free": (TIME, "out_.issue_cycles = out_.pipe_cycles = out_.latency = 0;",
                                      "out_.pipe_cycles = out_.latency = 0;", "test_timing"),
    "native: steps of the SPs": (TIME, "set(detail_.sp_cycles, sp);\n      set(out_.pipe_cycles, sfu + sp);",
                                 "set(out_.pipe_cycles, sfu + sp);", "test_timing"),
    "native: steps depend": (TIME, "native.chain_sp * machine_.latency.int_alu +", "machine_.latency.int_alu +",
                             "test_timing"),
    "native: a vector's element": (SM_MEMORY, "(degree + insn.write_count - 1) / insn.write_count", "degree",
                                   "test_timing"),
    "branch holds the port": (PTX_TIME, ": machine_.issue.branch_cycles;", ": machine_.issue.interval;", "test_timing"),
    "loop branch holds the port": (PTX_TIME, "goes_back() ? machine_.issue.loop_branch_cycles", "goes_back() ? machine_.issue.branch_cycles",
                                   "test_timing"),
    "native: flags": ("src/ptx/native/native_code.cc", "native.sfu == 0 ? Selected(nothing(i, NativeRule::Flags))",
                      "native.sfu == 9 ? Selected(nothing(i, NativeRule::Flags))", "test_ptx"),
    "native: no offset in g[]": ("src/ptx/native/native_code.cc", "at(i).space == Space::Global && requires_sum(i)",
                                 "false && requires_sum(i)", "test_ptx"),
    "later registers: wide parameters": ("src/ptx/native/later_registers.cc", "OperandWidth::Any", "OperandWidth::Word", "test_ptx"),
    "later registers: one operand": ("src/ptx/native/later_registers.cc", "out.reads[i].constant = {o, true};\n        break;",
                                     "out.reads[i].constant = out.reads[i].shared;\n        break;", "test_ptx"),
    "registers beyond the scan": ("src/ptx/native/register_surplus.h", "? 0 : 1;", "? 0 : 2;", "test_ptx"),
    "registers: pairs begin with an even one": ("src/ptx/native/register_scan.cc", "first += value.width) {", "++first) {", "test_ptx"),
    "registers: holes": ("src/ptx/native/register_scan.cc", "if (count != 0 && range.begin <=", "if (count != 0 || range.begin <=", "test_ptx"),
    "registers: loads at their reader": ("src/ptx/native/native_registers.cc", "loaded_at_reader_[reg] = !operand_[reg] &&", "loaded_at_reader_[reg] = false &&", "test_ptx"),
    "registers: addresses of bytes": ("src/ptx/native/native_registers.cc", "bits(in.type) < 32 ? begin : i", "false ? begin : i", "test_ptx"),
    "registers for a moment": ("src/ptx/native/native_registers.cc", "moment += weight(reg)", "++moment", "test_ptx"),
    "native: parameter operand": (TIME, "set(out_.issue_cycles, shared.base_cycles + shared.cycles_per_degree);",
                                  "set(out_.issue_cycles, shared.cycles_per_degree);", "test_timing"),
    "native: stores end a fold": (FOLD, "changes_before_[i] == changes_before_[load]", "changes_before_[i] >= changes_before_[load]",
                                  "test_ptx"),
    "native: one reader": (FOLD, "facts_.uses(reg).size() == 1;", "facts_.uses(reg).size() >= 1;", "test_ptx"),
    "native: address moved": (FOLD, "written_[place.index] >= load;", "written_[place.index] > i;", "test_ptx"),
    "native: two operands": (FOLD, "operand.position == MemoryOperand::kNone; ++o", "true; ++o", "test_ptx"),
    "native: 24 bits": (NATIVE, "kLargestFactor = 0xffffff;", "kLargestFactor = 0x1ffffff;", "test_ptx"),
    "native: 32-bit addresses": ("src/ptx/native/narrow_addresses.cc", "if (keeps_low_half(instruction)) return Demand::AsResult;",
                                 "if (keeps_low_half(instruction)) return Demand::All;", "test_ptx"),
    "native: stored whole": ("src/ptx/native/narrow_addresses.cc", "bits(instruction.type) <= 32) return Demand::Low;",
                             "bits(instruction.type) <= 64) return Demand::Low;", "test_ptx"),
    "native: address registers": ("src/ptx/native/address_registers.h", "kAddressRegisters = 4;", "kAddressRegisters = 5;", "test_ptx"),
    "native: post-increment": (NATIVE, "addresses_.only_address[reg] ? nothing(", "false ? nothing(", "test_ptx"),
    "native: a loop's counter": ("src/ptx/native/small_numbers.cc", "now[reg] = limit_of(kernel.registers[reg].type);", "now[reg] = 1;",
                              "test_ptx"),
    "native: made again": ("src/ptx/native/native_registers.cc", "return from_shared <= 1;", "return false;", "test_ptx"),
    "residency: registers": (OCCUPANCY, "round_up(warps * kWarpSize * registers_per_thread, sm.register_unit)",
                             "warps * kWarpSize * registers_per_thread", "test_model"),
    "residency: register partitions": (OCCUPANCY, "fits(sm.registers / sm.register_partitions, of_a_warp) * sm.register_partitions",
                                       "fits(sm.registers, of_a_warp)", "test_model"),
    "residency: registers at launch": (OCCUPANCY, "sm.register_partitions) *", "1) *", "test_model"),
    "residency: shared": (OCCUPANCY, "round_up(shared_bytes_per_block, machine.sm.shared.allocation_unit)",
                          "shared_bytes_per_block", "test_model"),
    "residency: blocks": (OCCUPANCY, '{"blocks", sm.max_blocks}', '{"blocks", sm.max_blocks + 1}', "test_model"),
    "residency: warps": (OCCUPANCY, "round_up(warps_of(threads_per_block), sm.warp_allocation_unit)",
                         "warps_of(threads_per_block)", "test_model"),
    "sampling: warm-up": (PLAN, "append(first - wave, first);", "append(first, first);", "test_gpu"),
    "sampling: one a row": (PLAN, "low + random.below(high - low)", "random.below(high)", "test_gpu"),
    "schedule: reads before a write": (SCHEDULER, "if (reader != i) add(reader, i, 0);", "if (reader > i) add(reader, i, 0);", "test_native"),
    "schedule: overlapping bytes": (CONFLICTS, "static_cast<uint64_t>(distance) < bytes_of(a)", "static_cast<uint64_t>(distance) < bytes_of(a) / 4", "test_native"),
    "schedule: fixed instructions": (CONFLICTS, "&& !ptx::accesses(effect)) return true;", "&& effect == Effect::Trap) return true;", "test_native"),
    "registers: two at a time": (ALLOCATOR, "end < begin || (end == begin && is_result && is_only_read(end, other))", "end <= begin || (is_result && is_only_read(end, other) && false)", "test_native"),
    "registers: stores of spilled values": (ALLOCATOR, "if (touch.writes && !home.is_repeated)", "if (touch.writes && home.slot == 99)", "test_native"),
    "registers: lanes that keep their value": (ALLOCATOR, "out.reads |= out.writes && in.guard != ptx::kNoIndex;", "", "test_native"),
    "registers: only constants are repeated": (ALLOCATOR, "home.writes == 1 && ", "", "test_native"),
    "between launches: lines are there": ("src/sim/mem/chip_contents.cc", "caches_[level][unit].settle();", "", "test_timing"),
    "between launches: rows and refresh": (DRAM, "if (refresh_due(bank) <= end) out[bank].reset();", "",
                                           "test_timing"),
    "between launches: host's writes": ("src/sim/mem/chip_contents.cc", "for (CacheTags& tags : caches_[level]) tags.evict_range(begin, end);",
                                        "", "test_timing"),
    "side by side: the limit": ("src/sim/gpu/launch_queue.cc", "if (running_ == most_running_) return true;", "", "test_gpu"),
    "side by side: what comes before": ("src/sim/gpu/launch_queue.cc", "return !states_[earlier].ended; }", "return !states_[earlier].ended && earlier > 99; }", "test_gpu"),
    "side by side: stores that are on their way": ("src/sim/core/sm.h", "kernel.warps != 0 || kernel.outstanding_stores != 0", "kernel.warps != 0", "test_gpu"),
    "side by side: slots of others": ("src/sim/gpu/tpc_table.h", "out.back().charge_rest(cycles * launch.machine->issue.ports);", "out.back().charge_rest(cycles);", "test_gpu"),
    "side by side: gaps before a launch": (ATTRIBUTION, "sub_core.idle_until(now);", "", "test_gpu"),
    "side by side: parameters of its own": ("src/sim/state/load_store.h", "if (warp.kernel != kernel_)", "if (kernel_ == nullptr)", "test_gpu"),
    "side by side: leftover": ("src/sim/gpu/block_scheduler.cc", "launches_[launch].all_handed_out())) ++launch;", "launches_[launch].all_handed_out() || launch == 0)) ++launch;", "test_gpu"),
    "side by side: room": ("src/sim/gpu/block_scheduler.cc", "room.registers -= need.registers;", "", "test_gpu"),
    "side by side: who evicts": ("src/sim/mem/partition_stores.cc", "line.request.run = launch_of(cause);", "line.request.run = 0 * launch_of(cause);", "test_mem"),
    "side by side: whose row misses": ("src/sim/mem/partition.cc", "(*self.shares_)[self.launch_of(self.in_dram_[slot])].dram", "(*self.shares_)[0 * slot].dram", "test_mem"),
    "L1 policy: the first miss": ("src/sim/mem/l1_policy.h", "return seen.line == line && seen.again;", "return seen.line == line;", "test_mem"),
    "L1 policy: another line's miss": ("src/sim/mem/l1_policy.h", "seen = {line, seen.line == line};", "seen = {line, seen.line != ~Addr{0}};", "test_mem"),
    "L1 policy: what it does not keep": (L1_DATA, "!policies_[mshr.sm].keeps(mshr.line)", "false", "test_timing"),
    "side by side: loads in the table": ("src/sim/gpu/tpc_table.h", "sm.load_table(launch));", "sm.load_table());", "test_gpu"),
    "between launches: new parameters": ("src/sim/gpu/timed_run.cc",
                                         "contents.written(ReadKind::Constant, launch.parameter_base, launch.parameters.size());", "(void)launch;",
                                         "test_timing"),
    "between launches: after a fault": ("src/sim/mem/memory_system.cc", "if (!impl_->is_left && !impl_->contents.empty())", "if (false)",
                                        "test_timing"),
    "sampling: slope": (ESTIMATE, "flat ? 0 : it / ii", "0 * it / ii", "test_gpu"),
    "sampling: finite launch": (ESTIMATE, "(1 - n / stratum.segments)", "1", "test_gpu"),
    "sampling: chance of the end": ("src/sim/gpu/sampler.cc", "std::hypot(cycles.half_width, cycles_of_a_block(cycles.cycles))",
                                    "std::hypot(cycles.half_width, 0)", "test_workloads"),
    "sampling: values of all": ("src/sim/gpu/sampler.cc", "if (values_) after->restore();", "", "test_workloads"),
}


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def run_tests(program, build):
    return run(["timeout", str(SECONDS), str(build / "tests" / program), "~[full]~[all]"], build)


def stale():
    """Rules whose text has gone from their file."""
    return [name for name, (path, text, *_) in RULES.items() if text not in (ROOT / path).read_text()]


def main():
    if sys.argv[1:] == ["--list"]:
        gone = stale()
        for name in gone:
            print(f"{name}: {RULES[name][0]} no longer contains: {RULES[name][1]}")
        sys.exit(bool(gone))
    chosen = sys.argv[1:] or list(RULES)
    unknown = [name for name in chosen if name not in RULES]
    if unknown:
        sys.exit(f"no such rule: {', '.join(unknown)}")
    tree = pathlib.Path(tempfile.mkdtemp(prefix="warptime-rules-"))
    copy, build = tree / "tree", tree / "build"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build*", ".git"))
    programs = sorted({RULES[name][3] for name in chosen})
    setup = run(["cmake", "-S", str(copy), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"], tree)
    if setup.returncode != 0 or run(["ninja", "-C", str(build), *programs], tree).returncode != 0:
        sys.exit("the unbroken tree does not build")
    unnoticed = 0
    for name in chosen:
        path, text, replacement, program = RULES[name]
        source = copy / path
        original = source.read_text()
        if text not in original:
            sys.exit(f"{name}: {path} no longer contains: {text}")
        source.write_text(original.replace(text, replacement))
        built = run(["ninja", "-C", str(build), program], tree)
        result = run_tests(program, build) if built.returncode == 0 else built
        noticed = built.returncode == 0 and result.returncode != 0
        failed = [line for line in result.stdout.splitlines() if line.startswith(("test cases:", "assertions:"))]
        print(f"{'noticed ' if noticed else 'UNNOTICED'}  {name:28} {program}: {failed[0] if failed else result.stdout[-300:]}", flush=True)
        unnoticed += not noticed
        source.write_text(original)
    shutil.rmtree(tree)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} broken rules noticed")
    sys.exit(unnoticed != 0)


if __name__ == "__main__":
    main()

#include "host/checkpoint/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "base/fnv.h"
#include "base/state_archive.h"
#include "host/checkpoint/launch_archive.h"

namespace warptime::host {

namespace {

constexpr std::string_view kMagic = "warptime checkpoint\n";
/// Counts up with each change of what follows the magic; what a state consists of belongs to the program's version.
constexpr uint32_t kFormat = 1;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string checksum(std::span<const std::byte> bytes) {
  Fnv1a hash;
  hash.mix(text_of(bytes));
  return hash.digits();
}

void save_bytes(StateWriter& archive, std::span<const std::byte> bytes) {
  archive(static_cast<uint64_t>(bytes.size()));
  archive.write(bytes.data(), bytes.size());
}

std::vector<std::byte> read_bytes(StateReader& archive) {
  uint64_t size = 0;
  archive(size);
  if (size > archive.left()) throw StateError("a list is longer than the state");
  std::vector<std::byte> bytes(size);
  archive.read(bytes.data(), size);
  return bytes;
}

/// The first setting that only one of them has, in words; empty: none.
std::string difference(const std::vector<std::string>& saved, const std::vector<std::string>& now) {
  auto lacks = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) == all.end();
  };
  for (const std::string& setting : saved)
    if (lacks(now, setting)) return fmt::format("that run had {}, and this one does not", setting);
  for (const std::string& setting : now)
    if (lacks(saved, setting)) return fmt::format("this run has {}, and that one did not", setting);
  return saved == now ? std::string() : "the same options in another order or number";
}

}  // namespace

std::string why_not_continued(const RunIdentity& saved, const RunIdentity& now) {
  if (saved.program != now.program)
    return fmt::format("was written by warptime {}, and this is {}", saved.program, now.program);
  if (saved.target != now.target) return fmt::format("is of the target {}, not {}", saved.target, now.target);
  if (saved.machine_hash != now.machine_hash)
    return saved.machine != now.machine
               ? fmt::format("is of a run on machine {}, not on {}", saved.machine, now.machine)
               : fmt::format("is of a run on machine {} with other parameters (hash {}, not {})", saved.machine,
                             saved.machine_hash, now.machine_hash);
  const std::string other = difference(saved.settings, now.settings);
  return other.empty() ? std::string() : "is of another run: " + other;
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  std::vector<std::byte> rest;
  StateWriter archive(rest);
  archive(checkpoint.identity, checkpoint.launch, checkpoint.calls, checkpoint.launches, checkpoint.heap);
  save_bytes(archive, checkpoint.reads);
  archive(checkpoint.snapshot.now());
  save_bytes(archive, checkpoint.snapshot.state());

  std::vector<std::byte> head;
  StateWriter first(head);
  first.write(kMagic.data(), kMagic.size());
  const std::string sum = checksum(rest);
  first(kFormat, static_cast<uint64_t>(rest.size()));
  first.write(sum.data(), sum.size());
  return std::string(text_of(head)) + std::string(text_of(rest));
}

namespace {

/// What the checksum is of.
Checkpoint read_state(std::span<const std::byte> bytes) {
  try {
    Checkpoint out;
    StateReader archive(bytes);
    archive(out.identity, out.launch, out.calls, out.launches, out.heap);
    out.reads = read_bytes(archive);
    Cycle now = 0;
    archive(now);
    if (out.launches.size() != out.launch) throw StateError("launches are missing");
    out.snapshot = sim::Snapshot(now, read_bytes(archive));
    return out;
  } catch (const StateError& error) {
    throw StateError(fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace

Checkpoint read_checkpoint(std::string_view text) {
  if (!text.starts_with(kMagic)) throw StateError("is not a checkpoint of `warptime run`");
  text.remove_prefix(kMagic.size());
  try {
    StateReader head(std::as_bytes(std::span(text.data(), text.size())));
    uint32_t format = 0;
    uint64_t size = 0;
    std::string sum = checksum({});  // of its length
    head(format);
    if (format != kFormat)
      throw StateError(fmt::format("has format {} of checkpoints, and this program reads {}", format, kFormat));
    head(size);
    head.read(sum.data(), sum.size());
    if (head.left() < size) throw StateError("is truncated");
    if (head.left() > size) throw StateError("has bytes after its end");
    const auto rest = std::as_bytes(std::span(text.data(), text.size())).last(size);
    if (checksum(rest) != sum) throw StateError("is damaged: its checksum does not match");
    return read_state(rest);
  } catch (const cereal::Exception&) {
    throw StateError("is damaged");
  } catch (const std::bad_alloc&) {
    throw StateError("is damaged");
  }
}

}  // namespace warptime::host

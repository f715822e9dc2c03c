// Keys and words of machine files that have a new name. A file or `--set` that has the old one still works in this
// version, with a note (parameter_file.cc); rows go with the next version. Nothing else knows the old names.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace warptime::sim {

/// The old and the new name of a parameter, or of a group of parameters with all that is in it.
struct RenamedKey {
  std::string_view before, now;
};
inline constexpr std::array kRenamedKeys{
    RenamedKey{"constant.chip_cache", "constant.partition_cache"},
    RenamedKey{"instruction.chip_cache", "instruction.partition_cache"},
    RenamedKey{"texture.chip_cache", "texture.partition_cache"},
    RenamedKey{"l1.misses", "l1.mshrs"},
    RenamedKey{"memory.pending_loads", "memory.max_outstanding_loads"},
    RenamedKey{"memory.partition_queue", "memory.credits_per_tpc"},
    RenamedKey{"dram.tCDLR", "dram.tWTR"},
};

/// The old and the new word for a value of the parameter `path`.
struct RenamedWord {
  std::string_view path, before, now;
};
inline constexpr std::array kRenamedWords{
    RenamedWord{"sp.reach", "all_ports", "all_schedulers"},
    RenamedWord{"sp.reach", "own_port", "own_scheduler"},
};

/// Whether `path` is that of `key`, or of something in it.
constexpr bool is_in(std::string_view path, std::string_view key) {
  return path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
}
/// The path with an old key in it replaced.
inline std::string current_path(std::string path) {
  for (const RenamedKey& key : kRenamedKeys)
    if (is_in(path, key.before)) return path.replace(0, key.before.size(), key.now);
  return path;
}
/// How the path was called before, if it was renamed.
inline std::string former_path(std::string path) {
  for (const RenamedKey& key : kRenamedKeys)
    if (is_in(path, key.now)) return path.replace(0, key.now.size(), key.before);
  return path;
}

}  // namespace warptime::sim

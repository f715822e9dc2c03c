#include "base/missing_file.h"

#include <algorithm>
#include <filesystem>

#include "base/run_files.h"

namespace warptime {

namespace fs = std::filesystem;

std::string near_file_hint(const std::string& path) {
  fs::path given(path);
  fs::path folder = given.has_parent_path() ? given.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fmt::format("there is no folder \"{}\"", folder.string());
  std::vector<std::string> alike, all;  // names of files with the same ending; of any file
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) continue;
    all.push_back(entry->path().filename().string());
    if (entry->path().extension() == given.extension()) alike.push_back(all.back());
  }
  for (auto* names : {&alike, &all}) {
    std::sort(names->begin(), names->end());  // a folder has no order; of equally near names the first is taken
    auto near = nearest(given.filename().string(), {names->begin(), names->end()});
    if (near && *near != given.filename())
      return fmt::format("did you mean \"{}\"?", (given.parent_path() / *near).string());
  }
  return {};
}

std::string why_not_readable(const std::string& path) {
  if (RunFiles* files = RunFiles::current()) {
    if (std::string why = files->reading(path); !why.empty()) return why;
  }
  std::error_code error;
  if (fs::is_directory(path, error)) return "is a directory";
  fs::file_type type = fs::status(path, error).type();
  // Some devices never end.
  return type == fs::file_type::character || type == fs::file_type::block ? "is a device" : "";
}

Diagnostic cannot_read(const std::string& path, const std::string& why, SourceSpan where, std::string otherwise) {
  std::error_code error;
  std::string hint = fs::exists(path, error) ? std::string() : near_file_hint(path);
  return {Severity::Error, where, fmt::format("cannot read \"{}\": {}", path, why),
          hint.empty() ? std::move(otherwise) : std::move(hint)};
}

}  // namespace warptime

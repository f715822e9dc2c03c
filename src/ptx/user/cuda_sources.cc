#include "ptx/user/cuda_sources.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace warptime::ptx {

namespace fs = std::filesystem;

namespace {
constexpr uintmax_t kMostBytes = uintmax_t{1} << 26;

using Files = std::map<std::string, std::shared_ptr<const SourceText>>;
std::optional<Files>& only_files() {
  static std::optional<Files> files;
  return files;
}
}  // namespace

void CudaSources::restrict_to(Files files) { only_files() = std::move(files); }

CudaSources::CudaSources(const SourceText& ptx) : folder_(fs::path(ptx.name()).parent_path()) {}

std::shared_ptr<const SourceText> CudaSources::file(const std::string& name) {
  auto [entry, is_new] = texts_.try_emplace(name);
  if (is_new) entry->second = read(name);
  return entry->second;
}

std::string_view CudaSources::line(const std::string& file_name, uint32_t number) {
  auto text = file(file_name);
  return text == nullptr || number > text->line_count() ? std::string_view() : text->line(number);
}

/// A relative name is relative to a folder above the PTX file, whose own place no directive says: the nearest one with
/// such a file, else the working directory. A file that is nowhere there may have come along with the PTX.
std::shared_ptr<const SourceText> CudaSources::read(const std::string& name) const {
  if (const std::optional<Files>& only = only_files()) {
    const auto found = only->find(name);
    return found == only->end() ? nullptr : found->second;
  }
  fs::path file = name;
  std::vector<fs::path> places;
  std::error_code none;
  fs::path folder = fs::absolute(folder_, none).lexically_normal();
  for (; file.is_relative() && !folder.empty(); folder = folder.parent_path()) {
    places.push_back(folder / file);
    if (folder == folder.root_path()) break;
  }
  places.push_back(file);
  places.push_back(fs::path(folder_) / file.filename());
  for (const fs::path& place : places) {
    // The PTX may name anything: a device or a pipe would never end.
    if (!fs::is_regular_file(place, none) || fs::file_size(place, none) > kMostBytes) continue;
    if (auto text = SourceText::read_file(place.string(), nullptr); text != nullptr) return text;
  }
  return nullptr;
}

}  // namespace warptime::ptx

#include "cli/compare/profile.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/csv_line.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

// Bytes of a file within which a profile begins, whatever the profiled program printed before.
constexpr size_t kBeginning = 1 << 20;

}  // namespace

uint32_t Profile::text_number(std::string_view text) {
  auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  auto number = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

bool is_profile(const SourceText& beginning) {
  for (uint32_t line = 1; line <= beginning.line_count(); ++line) {
    std::string_view text = beginning.line(line);
    if (text.starts_with("==PROF==") || text.starts_with("==ERROR==") || is_cuda_profile_line(text)) return true;
    if (is_ncu_header(beginning, line)) return true;
  }
  return false;
}

Profile read_profile(const ArgumentText& file, std::string text) {
  if (text.size() > std::numeric_limits<uint32_t>::max())
    fail(file.where, fmt::format("{} is larger than 4 GiB", file.text), "profile fewer launches, or fewer metrics");
  Profile profile;
  profile.file = file.text;
  profile.where = file.where;
  profile.source = std::make_shared<SourceText>(file.text, std::move(text));
  const SourceText& source = *profile.source;
  bool is_log = false, has_table = false;
  for (uint32_t line = 1; line <= source.line_count() && !is_log && !has_table; ++line) {
    is_log = is_cuda_profile_line(source.line(line));
    has_table = is_ncu_header(source, line);
  }
  profile.format = is_log ? Profile::Format::CudaProfiler : Profile::Format::NsightCompute;
  is_log ? read_cuda_profile(profile) : read_ncu_csv(profile);
  if (profile.launches.empty())
    fail(file.where, fmt::format("{} has no launch of a kernel", file.text),
         profile.copies > 0 ? "it has copies only" : "");
  return profile;
}

std::variant<StatisticsFile, Profile> read_compared(const ArgumentText& file, std::ifstream in, bool others) {
  std::string text(kBeginning, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  size_t first = text.find_first_not_of(" \t\r\n");
  bool may_be_json = first != std::string::npos && text[first] == '{';
  if (!may_be_json && is_profile(SourceText(file.text, text))) {
    text.append(std::istreambuf_iterator<char>(in), {});
    return read_profile(file, std::move(text));
  }
  size_t handed = 0;
  return read_statistics(
      file,
      [&](char* to, size_t most) {
        size_t count = std::min(most, text.size() - handed);
        std::memcpy(to, text.data() + handed, count);
        handed += count;
        if (count > 0) return count;
        in.read(to, static_cast<std::streamsize>(most));
        return static_cast<size_t>(in.gcount());
      },
      others);
}

}  // namespace warptime::cli

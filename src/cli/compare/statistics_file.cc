#include "cli/compare/statistics_file.h"

#include <cerrno>

#include "base/missing_file.h"
#include "base/system_error.h"
#include "cli/compare/statistics_reader.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

[[noreturn]] void fail_statistics(const ArgumentText& file, const std::string& why) {
  fail(file.where, fmt::format("{} is not a statistics file: {}", file.text, why),
       "`warptime run TARGET --stats FILE` writes one");
}

}  // namespace

uint32_t StatisticsFile::text_number(std::string_view text) {
  auto found = text_numbers_.find(text);
  if (found != text_numbers_.end()) return found->second;
  auto number = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(text);
  text_numbers_.emplace(text, number);
  return number;
}

Numbers StatisticsFile::numbers(const NumberList& list) const {
  Numbers out;
  for (size_t i = 0; i < names_[list.names].size(); ++i)
    out.emplace_back(names_[list.names][i], values_[list.first + i]);
  return out;
}

namespace {

/// Points into the file, which is read once more for that.
[[noreturn]] void fail_json(const ArgumentText& file, const JsonMistake& mistake) {
  std::string message = fmt::format("a statistics file must be JSON: {}", mistake.what);
  std::string unwanted;
  auto source = SourceText::read_file(file.text, &unwanted);
  if (source == nullptr || mistake.offset > source->text().size())
    fail(file.where, fmt::format("{}: {}", file.text, message));
  fail({source.get(), static_cast<uint32_t>(mistake.offset), 1}, std::move(message));
}

}  // namespace

StatisticsFile read_statistics(const ArgumentText& name, const std::function<size_t(char*, size_t)>& read,
                               bool others) {
  StatisticsFile file;
  file.file = name.text;
  file.where = name.where;
  StatisticsReader reader(file, others);
  if (auto mistake = read_json(read, reader)) fail_json(name, *mistake);
  std::string why = reader.finish();
  if (!reader.schema().empty() && reader.schema() != "1")
    fail(name.where, fmt::format("{} has schema {}; this version knows schema 1", name.text, reader.schema()));
  if (!why.empty()) fail_statistics(name, why);
  return file;
}

std::ifstream open_statistics(const ArgumentText& file) {
  std::string why = why_not_readable(file.text);
  std::ifstream in(file.text, std::ios::binary);
  if (why.empty() && !in) why = error_text(errno);
  if (!why.empty()) throw host::InputError(format_diagnostic(cannot_read(file.text, why, file.where)));
  return in;
}

StatisticsFile read_statistics(const ArgumentText& file) {
  std::ifstream in = open_statistics(file);
  return read_statistics(file, [&in](char* to, size_t most) {
    in.read(to, static_cast<std::streamsize>(most));
    return static_cast<size_t>(in.gcount());
  });
}

}  // namespace warptime::cli

#include "cli/plan/shard_file.h"

#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/json_value.h"
#include "base/parse_number.h"
#include "cli/commit.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kShardMark = "warptime-shard 1 ";

/// The checksum of a line's other two parts.
std::string checksum(std::string_view first, std::string_view last) {
  Fnv1a hash;
  hash.mix(first);
  hash.mix(" ");
  hash.mix(last);
  return hash.digits();
}

std::string shard_line(size_t task, std::string_view result) {
  std::string number = fmt::format("{}", task);
  return fmt::format("{} {} {}\n", number, checksum(number, result), result);
}

/// "A CHECKSUM B": false if the checksum is another.
bool split_line(std::string_view line, std::string_view& first, std::string_view& last) {
  size_t one = line.find(' '), two = line.find(' ', one + 1);
  if (one == std::string_view::npos || two == std::string_view::npos) return false;
  first = line.substr(0, one);
  last = line.substr(two + 1);
  return checksum(first, last) == line.substr(one + 1, two - one - 1);
}

/// A word of a command line: a text, or, as any bytes may be in one, the list of its bytes.
Json json_of(const std::string& word) {
  Json text = word;
  try {
    text.dump();
    return text;
  } catch (const Json::exception&) {  // it is not UTF-8
  }
  Json bytes = Json::array();
  for (char byte : word) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}

std::string word_of(const Json& word) {
  if (word.is_string()) return word.get<std::string>();
  std::string out;
  for (uint8_t byte : word.get<std::vector<uint8_t>>()) out += static_cast<char>(byte);
  return out;
}

bool parse_header(std::string_view line, ShardHeader& header) {
  std::string_view mark, text;
  if (!line.starts_with(kShardMark) || !split_line(line.substr(line.find(' ') + 1), mark, text)) return false;
  const Json json = parse_json(text).value_or(Json());
  try {
    header = {json.at("version"), json.at("plan"), json.at("command"), json.at("tasks"), {}};
    for (const Json& word : json.at("words")) header.words.push_back(word_of(word));
  } catch (const Json::exception&) {
    return false;
  }
  return header.tasks <= kMostTasks && !header.words.empty();
}

}  // namespace

std::string ShardHeader::line() const {
  Json json{{"version", version}, {"plan", plan}, {"command", command}, {"tasks", tasks}, {"words", Json::array()}};
  for (const std::string& word : words) json["words"].push_back(json_of(word));
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{}{} {}\n", kShardMark, checksum("1", text), text);
}

ShardContents parse_shard(std::string_view text, const std::string& name) {
  ShardContents shard;
  shard.whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  for (size_t begin = 0, number = 1; begin < shard.whole; ++number) {
    size_t end = text.find('\n', begin);
    std::string_view line = text.substr(begin, end - begin), first, last;
    begin = end + 1;
    if (number == 1) {
      if (!parse_header(line, shard.header)) break;
      shard.readable = true;
      continue;
    }
    uint64_t task = 0;
    std::optional<int> status;
    bool well = split_line(line, first, last) && parse_number(first, task) == NumberError::Ok &&
                task < shard.header.tasks && (status = status_of_result(last)).has_value();
    if (well) shard.done.add(task, last, *status);
    else if (shard.damage.empty())
      shard.damage = fmt::format("line {} of {} is damaged: its checksum is another", number, name);
  }
  if (!shard.readable)
    shard.damage = text.starts_with("warptime-shard ") ? fmt::format("the first line of {} is damaged", name)
                                                       : fmt::format("{} is not a shard of warptime", name);
  else if (shard.whole < text.size() && shard.damage.empty()) shard.damage = fmt::format("{} ends within a line", name);
  return shard;
}

void check_shard_header(const ShardContents& shard, const ArgumentText& file) {
  if (!shard.readable) fail(file.where, shard.damage);
  if (shard.header.version != program_build())
    fail(file.where,
         fmt::format("{} was written by warptime {}, and this is {}", file.text, shard.header.version, program_build()),
         "all parts of a plan are run and merged by one build");
}

void ShardWriter::check(const std::string& why) const {
  if (!why.empty())
    fail(name_.where, fmt::format("cannot write {}: {}", name_.text, why), "--resume continues after its whole lines");
}

TaskResults ShardWriter::open(const ArgumentText& file, const ShardHeader& header, bool resume) {
  name_ = file;
  std::string why = file_.open(file.text), text;
  if (file_.busy()) fail(file.where, fmt::format("another {} is writing {}", header.command, file.text));
  check(why);
  ShardContents shard;
  if (resume) {
    check(file_.read(text));
    shard = parse_shard(text, file.text);
  }
  if (!resume || shard.whole == 0) {
    if (resume && !text.empty() && !header.line().starts_with(text)) fail(file.where, shard.damage);
    check(file_.begin_anew(header.line()));
    return {};
  }
  check_shard_header(shard, file);
  if (shard.header.plan != header.plan)
    fail(file.where, fmt::format("{} was written by a different {} (points, target, machine or options differ)",
                                 file.text, header.command));
  if (shard.whole == text.size() && !shard.damage.empty()) fail(file.where, shard.damage, "--force begins it anew");
  check(file_.cut(shard.whole));
  return std::move(shard.done.results);
}

void ShardWriter::append(size_t task, std::string_view result) { check(file_.append(shard_line(task, result))); }

void ShardWriter::close() { check(file_.close()); }

}  // namespace warptime::cli

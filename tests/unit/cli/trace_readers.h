// Small readers of the files that `warptime trace` writes, each from the public description of its format; what breaks
// the format fails the test.
#pragma once

#include <zlib.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace warptime::test {

/// A .gz file's text (RFC 1952).
inline std::string gunzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  REQUIRE(gzdirect(file) == 0);  // it is compressed
  std::string out, piece(1 << 16, '\0');
  int count = 0;
  while ((count = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0)
    out.append(piece, 0, static_cast<size_t>(count));
  CHECK(count == 0);
  REQUIRE(gzclose(file) == Z_OK);  // the checksum, too
  return out;
}

/// Files have a hundred thousand lines: Catch's own macros would take longer than everything else.
inline void require(bool well_formed) {
  if (!well_formed) FAIL("the file breaks its format");
}

/// Trace Event Format, JSON object form.
struct ChromeTrace {
  struct Slice {
    uint64_t begin = 0, end = 0;
    std::string name, category;
  };
  struct Instant {
    uint64_t cycle = 0;
    std::string name;
  };
  using Track = std::pair<uint64_t, uint64_t>;  // process, thread
  std::map<Track, std::vector<Slice>> slices;
  std::map<Track, std::vector<Instant>> instants;
  std::map<Track, std::string> threads;
  std::map<uint64_t, std::string> processes;
  std::map<std::string, std::vector<std::pair<uint64_t, int64_t>>> counters;
  nlohmann::json about;

  std::map<std::string, std::vector<std::pair<uint64_t, double>>> rates;  // counters that are not whole numbers
  std::map<Track, std::vector<nlohmann::json>> arguments;                 // of slices, if asked for

  /// An event is forgotten when it has been read: the whole of a large file as a tree would take gigabytes.
  explicit ChromeTrace(const std::string& text, bool with_arguments = false) : with_arguments_(with_arguments) {
    nlohmann::json file =
        nlohmann::json::parse(text, [this](int depth, nlohmann::json::parse_event_t what, nlohmann::json& value) {
          bool is_event = depth == 2 && what == nlohmann::json::parse_event_t::object_end;
          if (is_event) add(value);
          return !is_event;
        });
    about = file.at("otherData");
    require(file.at("traceEvents").is_array());
  }

  /// Slices of a track follow each other; each track has a name, and a number that no other and no process has.
  void check_tracks() {
    std::set<uint64_t> numbers;
    for (const auto& [process, name] : processes) CHECK(numbers.insert(process).second);
    for (const auto& [track, name] : threads) CHECK(numbers.insert(track.second).second);
    CHECK(numbers.count(0) == 0);
    for (auto& [track, list] : slices) {
      CHECK(threads.count(track) == 1);
      CHECK(processes.count(track.first) == 1);
      std::stable_sort(list.begin(), list.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
      bool overlap = false;
      for (size_t i = 1; i < list.size(); ++i) overlap |= list[i].begin < list[i - 1].end;
      CHECK_FALSE(overlap);
    }
  }

  uint64_t count(const std::string& category) const {
    uint64_t out = 0;
    for (const auto& [track, list] : slices)
      for (const Slice& slice : list) out += slice.category == category ? 1 : 0;
    return out;
  }
  uint64_t cycles(const std::string& category) const {
    uint64_t out = 0;
    for (const auto& [track, list] : slices)
      for (const Slice& slice : list) out += slice.category == category ? slice.end - slice.begin : 0;
    return out;
  }

 private:
  void add(const nlohmann::json& event) {
    auto phase = event.at("ph").get<std::string>();
    auto name = event.at("name").get<std::string>();
    auto process = event.at("pid").get<uint64_t>();
    Track track{process, event.value("tid", uint64_t{0})};
    if (phase == "M") {
      const nlohmann::json& args = event.at("args");
      if (name == "process_name") processes[process] = args.at("name").get<std::string>();
      else if (name == "thread_name") threads[track] = args.at("name").get<std::string>();
      else require(name == "process_sort_index" || name == "thread_sort_index");
      return;
    }
    auto cycle = event.at("ts").get<uint64_t>();
    if (phase == "X") {
      slices[track].push_back(
          {cycle, cycle + event.at("dur").get<uint64_t>(), name, event.at("cat").get<std::string>()});
      if (with_arguments_) arguments[track].push_back(event.at("args"));
    } else if (phase == "i") {
      require(event.at("s") == "t");
      instants[track].push_back({cycle, name});
    } else {
      require(phase == "C");
      require(event.at("args").size() == 1);
      const nlohmann::json& value = *event.at("args").begin();
      if (value.is_number_float()) rates[name].emplace_back(cycle, value.get<double>());
      else counters[name].emplace_back(cycle, value.get<int64_t>());
    }
  }

  bool with_arguments_;
};

/// Kanata log format 0004.
struct KanataLog {
  struct Stage {
    uint64_t begin = 0;
    std::string name;
  };
  struct Instruction {
    uint64_t begin = 0, end = 0, thread = 0;
    std::string label, details;
    std::vector<Stage> stages;
    bool retired = false;

    /// Cycles in a stage: each lasts until the next begins, the last until the instruction retires.
    uint64_t cycles(const std::string& stage) const {
      uint64_t out = 0;
      for (size_t i = 0; i < stages.size(); ++i)
        if (stages[i].name == stage) out += (i + 1 < stages.size() ? stages[i + 1].begin : end) - stages[i].begin;
      return out;
    }
  };
  std::vector<Instruction> instructions;
  uint64_t start = 0;

  explicit KanataLog(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    require(bool(std::getline(lines, line)));
    require(line == "Kanata\t0004");
    require(bool(std::getline(lines, line)));
    require(line.substr(0, 3) == "C=\t");
    start = now_ = std::stoull(line.substr(3));
    while (std::getline(lines, line)) read(columns(line));
    for (const Instruction& instruction : instructions) require(instruction.retired);
    require(retire_ids_.size() == instructions.size());
  }

  uint64_t cycles(const std::string& stage) const {
    uint64_t out = 0;
    for (const Instruction& instruction : instructions) out += instruction.cycles(stage);
    return out;
  }

 private:
  static std::vector<std::string> columns(const std::string& line) {
    std::vector<std::string> out(1);
    for (char c : line) {
      if (c == '\t') out.emplace_back();
      else out.back() += c;
    }
    return out;
  }

  void read(const std::vector<std::string>& words) {
    const std::string& command = words.at(0);
    uint64_t number = std::stoull(words.at(1));
    if (command == "C") {
      require(words.size() == 2);
      require(number > 0);
      now_ += number;
      return;
    }
    if (command == "I") {
      require(words.size() == 4);
      require(number == instructions.size());  // a sequential id
      instructions.push_back({});
      instructions.back().begin = now_;
      instructions.back().thread = std::stoull(words[3]);
      return;
    }
    require(words.size() == 4);
    require(number < instructions.size());
    Instruction& instruction = instructions[number];
    require(!instruction.retired);
    if (command == "L") {
      require(words[2] == "0" || words[2] == "1");
      (words[2] == "0" ? instruction.label : instruction.details) += words[3];
    } else if (command == "S") {
      require(words[2] == "0");  // the lane
      instruction.stages.push_back({now_, words[3]});
    } else {
      require(command == "R");
      require(words[3] == "0");  // nothing is flushed
      require(retire_ids_.insert(std::stoull(words[2])).second);
      instruction.retired = true;
      instruction.end = now_;
    }
  }

  uint64_t now_ = 0;
  std::set<uint64_t> retire_ids_;
};

}  // namespace warptime::test

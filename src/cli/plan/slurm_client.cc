#include "cli/plan/slurm_client.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>

#include "base/descriptors.h"
#include "base/parse_number.h"
#include "cli/drawing_program.h"

namespace warptime::cli {

namespace {

std::string text_of(const Descriptor& file) {
  std::string text = contents_of_file(file.number());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<std::string> answer_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

uint64_t number_or_zero(std::string_view text) {
  uint64_t number = 0;
  return parse_number(text, number) == NumberError::Ok ? number : 0;
}

/// The last element of a list of numbers: "1-8", "3,5-7".
void add_elements(std::map<size_t, std::string>& states, const std::string& elements, const std::string& state,
                  uint64_t most) {
  std::istringstream in(elements.substr(0, elements.find('%')));
  for (std::string part; std::getline(in, part, ',');) {
    size_t dash = part.find('-');
    uint64_t first = number_or_zero(part.substr(0, dash));
    uint64_t last = dash == std::string::npos ? first : number_or_zero(part.substr(dash + 1));
    for (uint64_t i = first; i != 0 && i <= std::min(last, most); ++i) states[i] = state;
  }
}

}  // namespace

SlurmAnswer call_slurm(std::vector<std::string> words) {
  auto program = find_on_path(words.front());
  if (!program) return {127, "", fmt::format("{} is not on PATH", words.front())};
  Descriptor out(memory_file()), err(memory_file());
  if (out.number() < 0 || err.number() < 0) return {127, "", "no file for its answer"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.number(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int error = posix_spawn(&child, program->c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {127, "", fmt::format("cannot start {}", *program)};
  int how = 0;
  while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how), text_of(out), text_of(err)};
}

void require_slurm(const SourceSpan& where) {
  for (const char* program : {"sbatch", "squeue"})
    if (!find_on_path(program))
      fail(where, fmt::format("there is no Slurm here: {} is not on PATH", program),
           "--shard I/N runs parts by any other means");
}

std::string job_number(const std::string& answer) {
  std::string out;
  for (const std::string& line : answer_lines(answer)) {
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits > 0 && (digits == line.size() || line[digits] == ';')) out = line.substr(0, digits);
  }
  return out;
}

std::map<size_t, std::string> slurm_states(const std::string& job, size_t elements_of_job) {
  std::map<size_t, std::string> states;
  // Elements that ended minutes ago are only in the accounting, where a cluster keeps one.
  SlurmAnswer past = call_slurm({"sacct", "-n", "-P", "-X", "-j", job, "-o", "JobID,State"});
  if (past.status == 0)
    for (const std::string& line : answer_lines(past.out)) {
      size_t bar = line.find('|'), mark = line.find('_');
      if (bar == std::string::npos || mark == std::string::npos || mark > bar) continue;
      std::string state = line.substr(bar + 1), elements = line.substr(mark + 1, bar - mark - 1);
      std::erase(elements, '[');
      std::erase(elements, ']');
      add_elements(states, elements, state.substr(0, state.find(' ')), elements_of_job);  // "CANCELLED by 0"
    }
  SlurmAnswer now = call_slurm({"squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%K|%T"});
  if (now.status == 0)
    for (const std::string& line : answer_lines(now.out))
      if (size_t bar = line.find('|'); bar != std::string::npos)
        add_elements(states, line.substr(0, bar), line.substr(bar + 1), elements_of_job);
  return states;
}

bool is_alive(const std::string& state) {
  static const std::set<std::string> alive{"PENDING",      "RUNNING",      "SUSPENDED",   "CONFIGURING",  "COMPLETING",
                                           "REQUEUED",     "REQUEUE_HOLD", "RESIZING",    "SIGNALING",    "STAGE_OUT",
                                           "SPECIAL_EXIT", "STOPPED",      "REQUEUE_FED", "RESV_DEL_HOLD"};
  return alive.contains(state);
}

size_t slurm_slots(const std::string& partition) {
  std::vector<std::string> words{"sinfo", "-h", "-o", "%P|%C"};
  if (!partition.empty()) words.insert(words.end(), {"-p", partition});
  size_t slots = 0;
  for (const std::string& line : answer_lines(call_slurm(words).out)) {
    size_t bar = line.find('|');
    if (bar == std::string::npos || bar == 0) continue;
    if (partition.empty() && line[bar - 1] != '*') continue;  // not the default one
    // Allocated, idle, other, total.
    std::string counts = line.substr(bar + 1);
    uint64_t allocated = number_or_zero(counts.substr(0, counts.find('/')));
    std::string rest = counts.substr(std::min(counts.find('/') + 1, counts.size()));
    slots += allocated + number_or_zero(rest.substr(0, rest.find('/')));
  }
  return std::max<size_t>(slots, 1);
}

size_t most_array_elements() {
  constexpr size_t kDefault = 1000;
  for (const std::string& line : answer_lines(call_slurm({"scontrol", "show", "config"}).out)) {
    if (!line.starts_with("MaxArraySize")) continue;
    uint64_t size = number_or_zero(line.substr(line.find_last_of(' ') + 1));
    return size > 1 ? size - 1 : kDefault;
  }
  return kDefault;
}

double slurm_seconds(const std::string& time) {
  size_t dash = time.find('-');
  std::vector<double> parts;
  std::istringstream in(dash == std::string::npos ? time : time.substr(dash + 1));
  for (std::string part; std::getline(in, part, ':');) {
    uint64_t number = 0;
    if (parse_number(part, number) != NumberError::Ok) return 0;
    parts.push_back(static_cast<double>(number));
  }
  if (parts.empty() || parts.size() > 3) return 0;
  auto at = [&](size_t i) { return i < parts.size() ? parts[i] : 0; };
  if (dash != std::string::npos)  // days-hours[:minutes[:seconds]]
    return static_cast<double>(number_or_zero(time.substr(0, dash))) * 86400 + at(0) * 3600 + at(1) * 60 + at(2);
  if (parts.size() == 3) return at(0) * 3600 + at(1) * 60 + at(2);
  return at(0) * 60 + at(1);  // minutes[:seconds]
}

}  // namespace warptime::cli

#include "cli/debug/line_editor.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/output.h"
#include "debug/commands/command_table.h"

#ifdef WARPTIME_LIBEDIT
#include <editline/readline.h>

#include <cstring>
#endif

namespace warptime::cli {

namespace {

volatile std::sig_atomic_t key_pressed = 0;

void on_key(int) { key_pressed = 1; }

#ifdef WARPTIME_LIBEDIT

// libedit asks for one proposal after the other, by their number.
std::vector<std::string> proposals;

char* next_proposal(const char*, int number) {
  static size_t next = 0;
  if (number == 0) next = 0;
  return next < proposals.size() ? strdup(proposals[next++].c_str()) : nullptr;
}

/// libedit completes the word that begins at `start`; the table completes the whole line.
char** complete(const char* word, int start, int) {
  rl_attempted_completion_over = 1;
  proposals.clear();
  std::string line(rl_line_buffer == nullptr ? "" : rl_line_buffer);
  size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) begin = 0;
  for (std::string& proposal : debug::completions(std::string_view(line).substr(begin)))
    if (auto skipped = static_cast<size_t>(start) - begin; skipped <= proposal.size())
      proposals.push_back(proposal.substr(skipped));
  return rl_completion_matches(word, next_proposal);
}

std::optional<std::string> edited_line(const std::string& prompt) {
  rl_attempted_completion_function = complete;
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  std::unique_ptr<char, Free> line(readline(prompt.c_str()));
  if (line == nullptr) {
    print("\n");
    return std::nullopt;
  }
  if (*line != '\0') add_history(line.get());
  return std::string(line.get());
}

#endif

}  // namespace

std::optional<std::string> read_line(const std::string& prompt) {
#ifdef WARPTIME_LIBEDIT
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) return edited_line(prompt);
#endif
  print(prompt);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

InterruptKey::InterruptKey() : before_(std::signal(SIGINT, on_key)) {
  if (before_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // as in a background job of a shell
}
InterruptKey::~InterruptKey() {
  if (before_ != SIG_ERR) std::signal(SIGINT, before_);
}
bool InterruptKey::pressed() {
  bool was = key_pressed != 0;
  if (was) key_pressed = 0;
  return was;
}

}  // namespace warptime::cli

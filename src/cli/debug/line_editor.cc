#include "cli/debug/line_editor.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <type_traits>
#include <vector>

#include "cli/command_line.h"
#include "cli/output.h"
#include "debug/commands/command_table.h"

#ifdef WARPTIME_LIBEDIT
#include <dlfcn.h>
#include <editline/readline.h>

#include <cstring>
#endif

namespace warptime::cli {

namespace {

constexpr size_t kLongestLine = size_t{1} << 20;

volatile std::sig_atomic_t key_pressed = 0;

void on_key(int) { key_pressed = 1; }

#ifdef WARPTIME_LIBEDIT

/// libedit, as far as it is used. It is loaded when the first line is edited: linked, it would take time at the start
/// of every command.
struct EditLibrary {
  decltype(&::readline) read = nullptr;
  decltype(&::add_history) remember = nullptr;
  decltype(&::rl_completion_matches) matches = nullptr;
  decltype(&::rl_attempted_completion_function) completion = nullptr;
  decltype(&::rl_attempted_completion_over) is_complete = nullptr;
  decltype(&::rl_line_buffer) line = nullptr;

  /// nullptr: it is not on this host.
  static const EditLibrary* get() {
    static const std::optional<EditLibrary> library = load();
    return library ? &*library : nullptr;
  }

 private:
  static std::optional<EditLibrary> load() {
    void* file = dlopen(WARPTIME_LIBEDIT, RTLD_NOW);
    if (file == nullptr) return std::nullopt;
    EditLibrary out;
    auto find = [file](const char* name, auto& symbol) {
      symbol = reinterpret_cast<std::remove_reference_t<decltype(symbol)>>(dlsym(file, name));
      return symbol != nullptr;
    };
    bool all = find("readline", out.read) && find("add_history", out.remember) &&
               find("rl_completion_matches", out.matches) && find("rl_attempted_completion_function", out.completion) &&
               find("rl_attempted_completion_over", out.is_complete) && find("rl_line_buffer", out.line);
    return all ? std::optional(out) : std::nullopt;
  }
};

// libedit asks for one proposal after the other, by their number.
std::vector<std::string> proposals;

char* next_proposal(const char*, int number) {
  static size_t next = 0;
  if (number == 0) next = 0;
  return next < proposals.size() ? strdup(proposals[next++].c_str()) : nullptr;
}

/// libedit completes the word that begins at `start`; the table completes the whole line.
char** complete(const char* word, int start, int) {
  const EditLibrary& library = *EditLibrary::get();
  *library.is_complete = 1;
  proposals.clear();
  std::string line(*library.line == nullptr ? "" : *library.line);
  size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) begin = 0;
  for (std::string& proposal : debug::completions(std::string_view(line).substr(begin)))
    if (auto skipped = static_cast<size_t>(start) - begin; skipped <= proposal.size())
      proposals.push_back(proposal.substr(skipped));
  return library.matches(word, next_proposal);
}

std::optional<std::string> edited_line(const EditLibrary& library, const std::string& prompt) {
  *library.completion = complete;
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  std::unique_ptr<char, Free> line(library.read(prompt.c_str()));
  if (line == nullptr) {
    print("\n");
    return std::nullopt;
  }
  if (*line != '\0') library.remember(line.get());
  return std::string(line.get());
}

#endif

}  // namespace

std::optional<std::string> read_line(const std::string& prompt) {
#ifdef WARPTIME_LIBEDIT
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0)
    if (const EditLibrary* library = EditLibrary::get()) return edited_line(*library, prompt);
#endif
  print(prompt);
  std::string line;
  char c = 0;
  while (std::cin.get(c) && c != '\n') {
    if (line.size() == kLongestLine)
      fail({}, fmt::format("a line of standard input is longer than {} MiB", kLongestLine >> 20),
           "commands come from there");
    line += c;
  }
  return std::cin || !line.empty() ? std::optional(std::move(line)) : std::nullopt;
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

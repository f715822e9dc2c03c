// The commands of the debugger as lines of text. It prints what they show; the terminal, a script and the debug console
// of an editor give it their lines.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "debug/commands/command_table.h"
#include "debug/debugger.h"
#include "debug/names/expression.h"
#include "host/native_view/native_view.h"

namespace warptime::debug {

class Console {
 public:
  using Print = std::function<void(std::string_view)>;
  /// What the program does after a command.
  enum class Next : uint8_t {
    Command,  // the launch stands; another command is expected
    Launch,   // this launch has ended: the program goes on
    Restart,  // the program begins anew
    Quit,
  };

  explicit Console(Print print) : print_(std::move(print)) {}

  Settings& settings() { return settings_; }
  /// The launch that the commands are about; nullptr: none runs.
  void attach(Debugger* debugger);
  Debugger* debugger() { return debugger_; }
  Next execute(std::string_view line);
  /// Shows a stop, and where the launch stands.
  void show(const Stop& stop);
  /// What a warp waits for.
  std::string wait_text(const WarpPlace& warp);

  /// By its name, short form, or an unambiguous beginning.
  static const CommandRow* find_command(std::string_view word);

  // ---- The commands (command_table.cc)
  void resume(std::string_view arguments);
  void begin_anew(std::string_view arguments);
  void step_instructions(std::string_view arguments);
  void step_into(std::string_view arguments);
  void step_over(std::string_view arguments);
  void finish(std::string_view arguments);
  void until(std::string_view arguments);
  void advance(std::string_view arguments);
  void cycles(std::string_view arguments);
  void go_to(std::string_view arguments);
  void reverse_stepi(std::string_view arguments);
  void reverse_step(std::string_view arguments);
  void reverse_next(std::string_view arguments);
  void reverse_finish(std::string_view arguments);
  void reverse_continue(std::string_view arguments);
  void last_write(std::string_view arguments);
  void set_break(std::string_view arguments);
  void set_temporary_break(std::string_view arguments);
  void watch_writes(std::string_view arguments);
  void watch_reads(std::string_view arguments);
  void watch_accesses(std::string_view arguments);
  void set_catch(std::string_view arguments);
  void set_condition(std::string_view arguments);
  void delete_points(std::string_view arguments);
  void info(std::string_view arguments);
  void cuda(std::string_view arguments);
  void thread_command(std::string_view arguments);
  void frame(std::string_view arguments);
  void frame_up(std::string_view arguments);
  void frame_down(std::string_view arguments);
  void print_value(std::string_view arguments);
  void display(std::string_view arguments);
  void undisplay(std::string_view arguments);
  void layout(std::string_view arguments);
  void examine(std::string_view arguments);
  void list(std::string_view arguments);
  void backtrace(std::string_view arguments);
  void help(std::string_view arguments);
  void quit(std::string_view arguments);
  void info_break(std::string_view arguments);
  void info_launch(std::string_view arguments);
  void info_sms(std::string_view arguments);
  void info_blocks(std::string_view arguments);
  void info_warps(std::string_view arguments);
  void info_lanes(std::string_view arguments);
  void info_threads(std::string_view arguments);
  void info_locals(std::string_view arguments);
  void info_args(std::string_view arguments);
  void info_registers(std::string_view arguments);
  void info_fragments(std::string_view arguments);
  void info_line(std::string_view arguments);
  void info_native(std::string_view arguments);
  void info_stack(std::string_view arguments);
  void info_barriers(std::string_view arguments);
  void info_scoreboard(std::string_view arguments);
  void info_pipes(std::string_view arguments);
  void info_queues(std::string_view arguments);
  void info_caches(std::string_view arguments);
  void info_memory(std::string_view arguments);
  void info_checkpoints(std::string_view arguments);
  void info_findings(std::string_view arguments);

 private:
  std::string point_name(uint32_t number);
  bool can_be_condition(const std::string& text);
  Point* set(Point point, const std::optional<std::string>& condition);
  void add_break(std::string_view arguments, bool temporary);
  void add_watch(std::string_view arguments, bool reads, bool writes);
  /// "/x" or "/all" before an expression.
  struct Shown {
    char format = 0;
    bool all = false;
  };
  std::optional<Shown> take_format(std::string_view& arguments);  // prints what is wrong with it
  std::optional<std::string> all_lanes(std::string_view expression, char format);
  struct Displayed {
    uint32_t number = 0;
    std::string expression;
    Shown shown;
  };
  std::string displayed_text(const Displayed& of);
  std::string all_displayed();
  void show_frame();
  std::string variables_text(bool parameters);
  /// The thread in focus, in the chosen function of its calls; prints why there is none.
  std::optional<LaneView> thread();
  /// What a stop shows of the source: the line, or the window of `layout`.
  std::string place_shown(uint32_t pc);
  std::string window_text(uint32_t file, Line here, uint32_t rows);
  std::string place_text(uint32_t pc);
  std::string source_text(uint32_t pc);
  /// What issues for an instruction, as one line; for a line of the PTX, a line for each of its instructions.
  std::string native_text(uint32_t pc);
  std::string native_text(Line ptx);
  const host::NativeView& native_view();
  std::string focus_text();
  std::string point_text(const Point& point);
  bool failed(const ExpressionResult& result, std::string_view text);
  struct Place {
    std::string file;  // as written, or the file on screen; empty: the PTX text
    Line line;
  };
  /// A line of the source as the user writes it; prints what is wrong with it.
  std::optional<Place> read_line(std::string_view text);
  /// A line as the user writes it, or the next line that has an instruction; prints what is wrong with it.
  std::optional<Place> place_of(std::string_view text);
  /// A count, by default 1; prints what is wrong with it.
  std::optional<uint64_t> count_of(std::string_view text, std::string_view what);

  Print print_;
  Settings settings_;
  Debugger* debugger_ = nullptr;
  Next next_ = Next::Command;
  bool has_run_ = false;
  std::string last_line_;          // for an empty line
  std::optional<Line> listed_to_;  // where `list` goes on
  uint32_t frame_ = 0;             // of the thread in focus: 0 is the innermost function
  std::vector<Displayed> displayed_;
  uint32_t next_display_ = 1;
  enum class Layout : uint8_t { Off, Source, Ptx, Split } layout_ = Layout::Off;
  std::optional<host::NativeView> native_;  // of the launch, once it was asked for
  uint64_t values_ = 0;                     // $1, $2 ...
};

inline constexpr std::string_view kNoCheckers =
    "the launch is not checked: `warptime debug` takes --check-memory, --check-init, --check-races and --check-sync\n";

/// Removes blanks at both ends.
std::string_view trimmed(std::string_view text);
/// The first word; `text` becomes the rest.
std::string_view take_word(std::string_view& text);

}  // namespace warptime::debug

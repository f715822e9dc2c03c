// The Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol), for VS Code and other editors. A warp is a
// thread of the protocol, its lanes are children of a register. The console of the editor takes the commands of the
// terminal.
//
// Left out: of variables only $lane can be set, memory is read by expressions, and a launch is not restarted.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "debug/dap/message_stream.h"
#include "debug/names/c_text.h"
#include "debug/program.h"

namespace warptime::debug {

class Adapter : public FrontEnd {
 public:
  explicit Adapter(MessageStream& stream);

  Console& console() { return console_; }
  /// Loads the program that a launch request names; throws host::InputError. Without it the program is known before.
  using Loader = std::function<void(const Json& arguments)>;
  void load_by(Loader loader) { loader_ = std::move(loader); }
  /// Answers requests until the program may begin. False: the client is gone.
  bool wait_for_configuration();
  /// The program has ended.
  void ended(int status, std::string_view text);
  /// Output of the program, or of the debugger ("console").
  void output(std::string_view category, std::string_view text);

  Console::Next launch(Debugger& debugger, bool stops) override;
  bool interrupted() override;

 private:
  using Handler = Json (Adapter::*)(const Json& arguments);
  struct Request {
    std::string_view command;
    Handler handler;
  };
  static const std::vector<Request>& requests();

  /// What a variablesReference stands for until the launch moves.
  struct Reference {
    enum class Kind : uint8_t { Parameters, Locals, Registers, Specials, Warp, Lanes, Parts };
    Kind kind = Kind::Registers;
    WarpPlace warp;
    uint32_t frame = 0;        // of its calls: 0 is the innermost function
    std::string expression{};  // of Lanes, and of Parts: what has the parts
    uint32_t c_type = 0;       // of Parts: an array, a structure or a pointer of C
    CLocation at{};            // where it is
  };

  std::optional<Json> next_request();
  void answer(const Json& request);
  void send_event(std::string_view event, Json body = Json::object());
  void respond(const Json& request, bool success, Json body, std::string_view message = {});
  Console::Next serve();
  void stopped(const Stop& stop);
  void announce_points();

  // Requests that only look (adapter_views.cc), and those that change something (adapter_requests.cc).
  Json initialize(const Json& arguments);
  Json launch_request(const Json& arguments);
  Json set_breakpoints(const Json& arguments);
  Json set_exception_breakpoints(const Json& arguments);
  Json configuration_done(const Json& arguments);
  Json threads(const Json& arguments);
  Json stack_trace(const Json& arguments);
  Json scopes(const Json& arguments);
  Json variables(const Json& arguments);
  Json set_variable(const Json& arguments);
  Json evaluate_request(const Json& arguments);
  Json source(const Json& arguments);
  Json completions_request(const Json& arguments);
  Json resume(const Json& arguments);
  Json next(const Json& arguments);
  Json step_in(const Json& arguments);
  Json step_out(const Json& arguments);
  Json step_back(const Json& arguments);
  Json reverse_continue(const Json& arguments);
  Json pause(const Json& arguments);
  Json disconnect(const Json& arguments);

  /// The request cannot be fulfilled: the sentence goes to the client.
  [[noreturn]] static void refuse(std::string message);
  Debugger& debugger();
  void focus_on(const Json& arguments);
  std::optional<WarpPlace> warp_of(int64_t thread);
  LaneView view_of(const WarpPlace& warp, uint32_t frame = 0);
  int64_t thread_of(const WarpPlace& warp) const;
  int64_t reference_to(Reference reference);
  // Variables, one JSON object each (adapter_variables.cc).
  Json register_variable(const LaneView& lane, const Reference& of, uint32_t reg);
  Json c_variable(const LaneView& lane, const Reference& of, const CVariable& variable);
  Json c_part(const LaneView& lane, const Reference& of, const std::string& name, const std::string& expression,
              uint32_t type, const CLocation& at);
  Json c_variables(const LaneView& lane, const Reference& of);
  Json lane_variables(LaneView lane, const Reference& of, size_t first, size_t count);
  Json part_variables(const LaneView& lane, const Reference& of, size_t first, size_t count);
  Json warp_variables(const LaneView& lane, const Reference& of);
  void announce_focus();
  Json source_of(uint32_t file);

  MessageStream& stream_;
  std::string printed_;  // by a command of the editor's console
  Console console_;
  int64_t sequence_ = 0;
  std::deque<Json> waiting_;  // requests that came while the launch ran
  std::vector<Reference> references_;
  Loader loader_;
  bool has_launch_ = false, is_configured_ = false, stops_on_entry_ = false, is_gone_ = false, is_paused_ = false,
       knows_invalidated_ = false;
  std::function<Stop()> move_;  // made after the response
  Console::Next next_ = Console::Next::Command;
};

}  // namespace warptime::debug

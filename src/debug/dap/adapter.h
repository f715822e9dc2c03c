// The Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol), for VS Code and other editors. A warp is a
// thread of the protocol, its lanes are children of a register. The console of the editor takes the commands of the
// terminal.
//
// Left out: variables are not set, memory is read by expressions, and a launch is not restarted.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "debug/dap/message_stream.h"
#include "debug/program.h"

namespace warptime::debug {

class Adapter : public FrontEnd {
 public:
  explicit Adapter(MessageStream& stream);

  Console& console() { return console_; }
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
    enum class Kind : uint8_t { Registers, Specials, Warp, Lanes };
    Kind kind = Kind::Registers;
    WarpPlace warp;
    uint32_t reg = 0;
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
  LaneView view_of(const WarpPlace& warp);
  int64_t thread_of(const WarpPlace& warp) const;
  int64_t reference_to(Reference reference);
  Json variable(const LaneView& lane, uint32_t reg, bool with_lanes);
  Json source_of(uint32_t file);

  MessageStream& stream_;
  std::string printed_;  // by a command of the editor's console
  Console console_;
  int64_t sequence_ = 0;
  std::deque<Json> waiting_;  // requests that came while the launch ran
  std::vector<Reference> references_;
  bool has_launch_ = false, is_configured_ = false, stops_on_entry_ = false, is_gone_ = false, is_paused_ = false;
  std::function<Stop()> move_;  // made after the response
  Console::Next next_ = Console::Next::Command;
};

}  // namespace warptime::debug

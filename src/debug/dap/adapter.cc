#include "debug/dap/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "host/device/device.h"

namespace warptime::debug {

namespace {

/// A request that cannot be fulfilled; the sentence goes to the client.
struct Refusal {
  std::string message;
};

/// Texts and numbers of a request; where there is none, or something else, "" and 0.
std::string command_of(const Json& request) {
  auto found = request.find("command");
  return found != request.end() && found->is_string() ? found->get<std::string>() : std::string();
}
int64_t number_of(const Json& request) {
  auto found = request.find("seq");
  return found != request.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

std::string_view reason_of(const Stop& stop) {
  switch (stop.kind) {
    case Stop::Kind::Begin: return "entry";
    case Stop::Kind::Points: return "breakpoint";
    case Stop::Kind::Step: return "step";
    case Stop::Kind::Fault: return "exception";
    case Stop::Kind::End: return "goto";
    case Stop::Kind::Interrupted: return "pause";
  }
  return "pause";
}

}  // namespace

Adapter::Adapter(MessageStream& stream)
    : stream_(stream), console_([this](std::string_view text) { printed_ += text; }) {}

const std::vector<Adapter::Request>& Adapter::requests() {
  static const std::vector<Request> all{{"initialize", &Adapter::initialize},
                                        {"launch", &Adapter::launch_request},
                                        {"attach", &Adapter::launch_request},
                                        {"setBreakpoints", &Adapter::set_breakpoints},
                                        {"setExceptionBreakpoints", &Adapter::set_exception_breakpoints},
                                        {"configurationDone", &Adapter::configuration_done},
                                        {"threads", &Adapter::threads},
                                        {"stackTrace", &Adapter::stack_trace},
                                        {"scopes", &Adapter::scopes},
                                        {"variables", &Adapter::variables},
                                        {"setVariable", &Adapter::set_variable},
                                        {"evaluate", &Adapter::evaluate_request},
                                        {"source", &Adapter::source},
                                        {"completions", &Adapter::completions_request},
                                        {"continue", &Adapter::resume},
                                        {"next", &Adapter::next},
                                        {"stepIn", &Adapter::step_in},
                                        {"stepOut", &Adapter::step_out},
                                        {"stepBack", &Adapter::step_back},
                                        {"reverseContinue", &Adapter::reverse_continue},
                                        {"pause", &Adapter::pause},
                                        {"terminate", &Adapter::disconnect},
                                        {"disconnect", &Adapter::disconnect}};
  return all;
}

void Adapter::send_event(std::string_view event, Json body) {
  stream_.write({{"seq", ++sequence_}, {"type", "event"}, {"event", event}, {"body", std::move(body)}});
}

void Adapter::output(std::string_view category, std::string_view text) {
  if (!text.empty()) send_event("output", {{"category", category}, {"output", text}});
}

void Adapter::respond(const Json& request, bool success, Json body, std::string_view message) {
  Json response{{"seq", ++sequence_},
                {"type", "response"},
                {"request_seq", number_of(request)},
                {"success", success},
                {"command", command_of(request)}};
  if (!message.empty()) response["message"] = message;
  if (success) response["body"] = std::move(body);
  stream_.write(response);
}

std::optional<Json> Adapter::next_request() {
  if (!waiting_.empty()) {
    Json request = std::move(waiting_.front());
    waiting_.pop_front();
    return request;
  }
  auto request = stream_.read();
  is_gone_ |= !request;
  return request;
}

void Adapter::answer(const Json& request) {
  try {
    const std::string command = command_of(request);
    if (command.empty()) refuse("a request needs the name of a command");
    auto row =
        std::find_if(requests().begin(), requests().end(), [&](const Request& r) { return r.command == command; });
    if (row == requests().end()) refuse(fmt::format("there is no request \"{}\"", clipped(command)));
    Json arguments = request.contains("arguments") ? request["arguments"] : Json::object();
    respond(request, true, (this->*row->handler)(arguments.is_object() ? arguments : Json::object()));
    if (command == "initialize") send_event("initialized");
  } catch (const Refusal& refusal) {
    respond(request, false, {}, refusal.message);
  } catch (const host::InputError& error) {
    respond(request, false, {}, error.what());
  } catch (const Json::exception& error) {
    respond(request, false, {}, fmt::format("the request is not as the protocol has it: {}", error.what()));
  }
}

bool Adapter::wait_for_configuration() {
  while (!has_launch_ || !is_configured_) {
    auto request = next_request();
    if (!request) return false;
    answer(*request);
    if (is_gone_) return false;
  }
  return true;
}

/// Until the launch is left.
Console::Next Adapter::serve() {
  for (;;) {
    auto request = next_request();
    if (!request) return Console::Next::Quit;
    answer(*request);
    if (is_gone_) return Console::Next::Quit;
    if (!move_) continue;
    references_.clear();
    Stop stop = std::exchange(move_, {})();
    if (is_gone_) return Console::Next::Quit;
    if (std::exchange(next_, Console::Next::Command) == Console::Next::Launch) return Console::Next::Launch;
    stopped(stop);
  }
}

Console::Next Adapter::launch(Debugger& debugger, bool stops) {
  references_.clear();
  if (stops) announce_points();
  if (stops && (stops_on_entry_ || debugger.launch_number() != 0)) {
    stopped({Stop::Kind::Begin, {}});
    return serve();
  }
  Stop stop = debugger.run();
  if (is_gone_) return Console::Next::Quit;
  if (debugger.is_left_at(stop)) return Console::Next::Launch;
  stopped(stop);
  return serve();
}

void Adapter::stopped(const Stop& stop) {
  Json body{{"reason", reason_of(stop)}, {"allThreadsStopped", true}};
  if (LaneView lane = debugger().focus(); lane.sm != nullptr)
    body["threadId"] = thread_of({lane.sm->index(), lane.slot, 0});
  Json numbers = Json::array();
  for (const Hit& hit : stop.hits) {
    if (hit.number != 0 && std::find(numbers.begin(), numbers.end(), hit.number) == numbers.end())
      numbers.push_back(hit.number);
    if (!hit.detail.empty()) body["text"] = hit.detail;
  }
  if (!numbers.empty()) body["hitBreakpointIds"] = numbers;
  body["description"] = fmt::format("{}cycle {}", stop.warp_ended ? "the warp has ended, " : "", debugger().now());
  if (stop.fault) {
    body["text"] = stop.fault->message;
    output("stderr", sim::format_fault(*stop.fault));
  }
  send_event("stopped", std::move(body));
}

bool Adapter::interrupted() {
  while (stream_.is_ready()) {
    auto request = stream_.read();
    is_gone_ |= !request;
    if (!request) break;
    const std::string command = command_of(*request);
    if (command == "pause" || command == "disconnect" || command == "terminate") answer(*request);
    else waiting_.push_back(std::move(*request));
  }
  return std::exchange(is_paused_, false) || is_gone_;
}

void Adapter::ended(int status, std::string_view text) {
  output("console", text);
  send_event("exited", {{"exitCode", status}});
  send_event("terminated");
  while (!is_gone_)
    if (auto request = next_request()) answer(*request);
}

void Adapter::refuse(std::string message) { throw Refusal{std::move(message)}; }

Debugger& Adapter::debugger() {
  if (console_.debugger() == nullptr) refuse("no launch is running");
  return *console_.debugger();
}

}  // namespace warptime::debug

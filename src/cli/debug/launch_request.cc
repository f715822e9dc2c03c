// The launch request of an editor as a command line. Members that it does not know are the editor's own.
#include <unistd.h>

#include <filesystem>

#include "cli/debug/adapter_session.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

using debug::Json;

[[noreturn]] void refuse(const std::string& message) { throw host::InputError("launch request: " + message + "\n"); }

std::string text_of(const Json& value, std::string_view member) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  refuse(fmt::format("\"{}\" takes a text, not {}", member, value.dump()));
}

std::vector<std::string> texts_of(const Json& request, const char* member) {
  std::vector<std::string> out;
  const Json value = request.value(member, Json::array());
  if (!value.is_array()) refuse(fmt::format("\"{}\" takes an array of texts", member));
  for (const Json& each : value) out.push_back(text_of(each, member));
  return out;
}

void add_settings(const Json& request, const char* member, std::string_view option, std::vector<std::string>& out) {
  const Json value = request.value(member, Json::object());
  if (!value.is_object()) refuse(fmt::format("\"{}\" takes an object, as {{\"n\": 64}}", member));
  for (const auto& [name, is] : value.items())
    out.push_back(fmt::format("--{}={}={}", option, name, text_of(is, member)));
}

/// Whether it is a program of the host, with a kernel in it, and not the name of a workload or a file that is read.
bool is_host_program(const std::string& program) {
  std::error_code error;
  if (program.ends_with(".cu")) return true;
  if (program.ends_with(".ptx") || program.ends_with(".yaml") || program.ends_with(".yml")) return false;
  return std::filesystem::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> words_of_launch(const Json& request) {
  if (!request.contains("program")) refuse("\"program\" is missing: a workload, a launch file, PTX or a CUDA program");
  const std::string program = text_of(request["program"], "program");
  std::vector<std::string> out{"debug", "--dap"};
  if (request.contains("machine")) out.push_back("--machine=" + text_of(request["machine"], "machine"));
  add_settings(request, "params", "param", out);
  add_settings(request, "set", "set", out);
  for (const std::string& check : texts_of(request, "checks")) out.push_back("--check-" + check);
  const std::vector<std::string> rest = texts_of(request, "args");
  if (!is_host_program(program)) {
    out.push_back(program);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  if (request.contains("programLaunch"))
    out.push_back("--program-launch=" + text_of(request["programLaunch"], "programLaunch"));
  out.emplace_back("--");
  out.push_back(program);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace warptime::cli

#include "cli/completion/script_text.h"

#include "base/assert.h"

namespace warptime::cli {

std::string name_lines(const std::vector<std::string>& names) {
  constexpr size_t kWidth = 120;
  std::string out, line;
  for (const std::string& name : names) {
    if (!line.empty() && line.size() + 1 + name.size() > kWidth) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + name;
  }
  return out + line;
}

std::string kind_text(const Expected& expected) {
  using Kind = Expected::Kind;
  std::string out;
  switch (expected.kind) {
    case Kind::Anything: return "anything";
    case Kind::File: return "file";
    case Kind::Words: out = "words"; break;
    case Kind::Group: out = "group"; break;
    case Kind::Machine: out = "machine"; break;
    case Kind::Processor: out = "processor"; break;
    case Kind::Setting: out = "setting"; break;
    case Kind::Parameter: out = "parameter"; break;
    case Kind::Output: out = "output"; break;
    case Kind::Statistic: out = "statistic"; break;
    case Kind::Target: out = "target"; break;
  }
  if (expected.is_list) out += "-list";
  for (const std::string& word : expected.words) out += " " + word;
  return out;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string name_arms(std::string (*arm)(const std::string& key, const std::vector<std::string>& names)) {
  const CompletionNames names = completion_names();
  std::vector<std::string> settings;
  for (const auto& [path, words] : names.settings) settings.push_back(path);
  std::string out = arm("targets", names.targets) + arm("machines", names.machines) +
                    arm("processors", names.processors) + arm("statistics", names.statistics) +
                    arm("settings", settings);
  for (const auto& [path, words] : names.settings)
    if (!words.empty()) out += arm("= " + path, words);
  for (const auto& [workload, parameters] : names.parameters) out += arm("parameter " + workload, parameters);
  for (const auto& [workload, outputs] : names.outputs) out += arm("output " + workload, outputs);
  out.pop_back();
  return out;
}

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "{" + name + "}";
    size_t at = text.find(place);
    SIM_ASSERT(at != std::string::npos, "the script has no place for {}", name);
    text.replace(at, place.size(), value);
  }
  return text;
}

}  // namespace warptime::cli

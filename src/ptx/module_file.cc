#include "ptx/module_file.h"

#include <algorithm>

#include "base/listed.h"
#include "base/plural.h"
#include "ptx/user/demangle.h"

namespace warptime::ptx {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

bool begins_with_ptx(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    size_t at = text.find_first_not_of(kBlanks);
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at);
    std::string_view end = text.starts_with("//") || text.starts_with('#') ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) return text.front() == '.';
    at = text.find(end);
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + end.size());
  }
}

/// The word behind a directive such as .target, which the text begins with.
std::string_view word_behind(std::string_view text, std::string_view directive) {
  text.remove_prefix(directive.size());
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n\f\v,(;{"));
}

/// What can be said of a module without reading it.
void describe(std::string_view text, ModuleInFile& module) {
  for (size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    std::string_view rest = text.substr(at);
    if (module.target.empty() && rest.starts_with(".target")) module.target = word_behind(rest, ".target");
    if (!rest.starts_with(".entry")) continue;
    std::string_view kernel = word_behind(rest, ".entry");
    if (std::find(module.kernels.begin(), module.kernels.end(), kernel) == module.kernels.end())
      module.kernels.push_back(kernel);
  }
}

bool has_kernels(const ModuleInFile& module, const std::vector<KernelChoice>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const KernelChoice& choice) {
    const bool is_chosen =
        choice.module.empty() || choice.module == module.target || choice.module == fmt::format("{}", module.line);
    return is_chosen && (choice.kernel.empty() ||
                         std::any_of(module.kernels.begin(), module.kernels.end(),
                                     [&](std::string_view kernel) { return is_named(kernel, choice.kernel); }));
  });
}

/// What tells these modules apart: their targets, or their lines.
std::vector<std::string> names_of(const std::vector<const ModuleInFile*>& modules) {
  std::vector<std::string> targets, lines;
  for (const ModuleInFile* module : modules) {
    targets.emplace_back(module->target);
    lines.push_back(fmt::format("{}", module->line));
  }
  std::vector<std::string> sorted = targets;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? targets : lines;
}

std::string which(const std::vector<const ModuleInFile*>& modules, const std::vector<KernelChoice>& wanted) {
  std::vector<std::string> choices;
  const std::string kernel = wanted.empty() ? "" : wanted.front().kernel;
  std::vector<std::string> names = names_of(modules);
  for (size_t i = 0; i < modules.size(); ++i) {
    std::string_view own = modules[i]->kernels.empty() ? "" : modules[i]->kernels.front();
    choices.push_back(fmt::format("{}@{}", kernel.empty() ? own : kernel, names[i]));
  }
  return listed({choices.begin(), choices.end()}, " or ");
}

}  // namespace

std::vector<ModuleInFile> modules_in(const SourceText& file) {
  std::string_view text = file.text();
  const auto size = static_cast<uint32_t>(text.size());
  std::vector<ModuleInFile> out;
  const bool is_binary = text.find('\0') < text.find_last_not_of('\0') + 1;
  if (!is_binary && !begins_with_ptx(text)) {
    for (uint32_t line = 1; line <= file.line_count(); ++line) {
      std::string_view words = file.line(line);
      const bool is_version =
          words.substr(std::min(words.find_first_not_of(" \t"), words.size())).starts_with(".version");
      const bool is_heading = words.starts_with("Fatbin ");
      if (!is_version && !is_heading) continue;
      const auto at = static_cast<uint32_t>(words.data() - text.data());
      if (!out.empty() && out.back().end == size) out.back().end = at;
      if (is_version) out.push_back({at, size, line, {}, {}});
    }
  }
  if (out.empty()) out.push_back({0, size, 1, {}, {}});
  for (ModuleInFile& module : out)
    if (out.size() > 1) describe(text.substr(module.begin, module.end - module.begin), module);
  return out;
}

std::shared_ptr<const SourceText> text_of(std::shared_ptr<const SourceText> file, const ModuleInFile& module) {
  std::string_view text = file->text();
  // nvrtc's PTX ends with a NUL, which counts in its size.
  const size_t end = std::min<size_t>(module.end, text.find_last_not_of('\0') + 1);
  if (module.begin == 0 && end == text.size()) return file;
  std::string out(text);
  for (size_t i = 0; i < out.size(); ++i)
    if ((i < module.begin || i >= end) && out[i] != '\n' && out[i] != '\r') out[i] = ' ';
  return std::make_shared<SourceText>(file->name(), std::move(out));
}

KernelChoice parse_kernel_choice(std::string_view text) {
  size_t at = text.find('@');
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::shared_ptr<const SourceText> choose_module(std::shared_ptr<const SourceText> file,
                                                const std::vector<KernelChoice>& wanted, SourceSpan where,
                                                Diagnostics& diagnostics) {
  if (file->text().size() > kMaxFileBytes) return file;  // it is refused
  std::vector<ModuleInFile> modules = modules_in(*file);
  const bool by_name = std::any_of(wanted.begin(), wanted.end(), [](const auto& w) { return !w.module.empty(); });
  if (modules.size() == 1 && !by_name) return text_of(std::move(file), modules.front());
  for (ModuleInFile& module : modules)
    if (modules.size() == 1) describe(file->text(), module);
  std::vector<const ModuleInFile*> all, fitting;
  for (const ModuleInFile& module : modules) {
    all.push_back(&module);
    if (has_kernels(module, wanted)) fitting.push_back(&module);
  }
  if (fitting.size() == 1) return text_of(std::move(file), *fitting.front());
  std::vector<std::string> places;
  for (const ModuleInFile* module : fitting.empty() ? all : fitting)
    places.push_back(fmt::format("{} (line {})", module->target, module->line));
  std::string some = listed({places.begin(), places.end()}, ", ");
  const std::string& kernel = wanted.empty() ? std::string() : wanted.front().kernel;
  if (fitting.empty())
    diagnostics.error(where,
                      fmt::format("no module of \"{}\" has {}", file->name(),
                                  wanted.size() == 1 && !kernel.empty() ? fmt::format("kernel \"{}\" as asked", kernel)
                                                                        : "what is asked"),
                      fmt::format("it holds {}: {}", plural(all.size(), "module"), some));
  else
    diagnostics.error(where,
                      fmt::format("\"{}\" holds {}{}: {}; which one?", file->name(), plural(fitting.size(), "module"),
                                  kernel.empty() ? "" : fmt::format(" with kernel \"{}\"", kernel), some),
                      fmt::format("name the kernel and its module: {}", which(fitting, wanted)));
  return nullptr;
}

}  // namespace warptime::ptx

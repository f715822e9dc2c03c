#include "cli/exec/captured_launch.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/parse_number.h"
#include "base/plural.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/exec/program_check.h"
#include "cli/home.h"
#include "cuda/launch_capture.h"
#include "host/device/device.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace fs = std::filesystem;

/// Removed with all that is in it.
class CapturedLaunch::Folder {
 public:
  Folder() {
    const char* given = std::getenv("TMPDIR");
    path_ = std::string(given != nullptr && *given != '\0' ? given : "/tmp") + "/warptime-launch-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw host::InputError(fmt::format("error: cannot make a temporary folder: {}\n", error_text(errno)));
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

namespace {

struct Captured {
  std::string file, kernel;
  uint64_t warp_instructions = 0;
};

/// "launch 3" of "launch-3.yaml".
std::string number_of(const std::string& file) {
  std::string name = fs::path(file).stem().string();
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

/// The one with the most instructions; nullopt: none was captured.
std::optional<Captured> longest_in(const std::string& folder) {
  std::optional<Captured> out;
  std::ifstream list(folder + "/" + cuda::kCaptureList);
  for (std::string line; std::getline(list, line);) {
    const size_t tab = line.find('\t'), second = line.rfind('\t');
    if (tab == std::string::npos || second <= tab) continue;
    Captured one{line.substr(0, tab), line.substr(tab + 1, second - tab - 1), 0};
    parse_number(line.substr(second + 1), one.warp_instructions);
    if (!out || one.warp_instructions > out->warp_instructions) out = std::move(one);
  }
  return out;
}

}  // namespace

Option program_launch_option() {
  return {"program-launch", Option::Kind::Value, "N",
          "behind \"--\" is a CUDA program: its launch N, from 0, is the "
          "target; default: the longest"};
}

CapturedLaunch::~CapturedLaunch() = default;

CapturedLaunch::CapturedLaunch(const Entry& command, const Arguments& arguments) {
  const ArgumentText& program = arguments.program().front();
  if (!program.text.ends_with(".cu")) check_program(program, cuda_folder());
  folder_ = std::make_unique<Folder>();
  std::vector<std::string> words{"exec", "--quiet", "--capture", folder_->path()};
  for (const char* option : {"machine", "set"})
    for (const std::string& text : arguments.texts(option)) words.push_back(fmt::format("--{}={}", option, text));
  const std::optional<uint64_t> number = arguments.number("program-launch", 0, ~uint64_t{0});
  if (number) words.push_back(fmt::format("--capture-launch={}", *number));
  words.emplace_back("--");
  for (const ArgumentText& word : arguments.program()) words.push_back(word.text);
  const Entry exec = exec_command();
  status_ = exec.execute(Arguments(exec.describe(), CommandLine(words), 1));
  const std::optional<Captured> launch = longest_in(folder_->path());
  if (!launch) {
    problem_ = number ? fmt::format("error: {} has no launch {} that can be captured\n", program.text, *number)
                      : fmt::format("error: {} has launched no kernel\n", program.text);
    if (status_ == kDone) status_ = kBadInput;
    return;
  }
  found_ = fmt::format("{} of {}: {}, {}\n", number_of(launch->file), program.text, ptx::demangled(launch->kernel),
                       plural(launch->warp_instructions, "warp instruction"));
  const std::vector<std::string>& typed = arguments.typed();
  std::vector<std::string> rest(typed.begin(), std::find(typed.begin(), typed.end(), "--"));
  if (auto given = std::find(rest.begin(), rest.end(), "--program-launch"); given != rest.end())
    rest.erase(given, given + 2);
  std::erase_if(rest, [](const std::string& word) { return word.starts_with("--program-launch="); });
  rest.push_back(folder_->path() + "/" + launch->file);
  with_launch_.emplace(command.describe(), CommandLine(std::move(rest)), 1);
  with_launch_->name_target(fmt::format("{} of {}", number_of(launch->file), program.text));
}

int run_on_captured_launch(const Entry& command, const Arguments& arguments) {
  const CapturedLaunch launch(command, arguments);
  print_error(launch.arguments() ? launch.found() : launch.problem());
  return launch.arguments() ? command.execute(*launch.arguments()) : launch.status();
}

}  // namespace warptime::cli

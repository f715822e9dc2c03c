#include "cli/debug/adapter_session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/standard_streams.h"
#include "cli/debug/debugged_program.h"
#include "debug/dap/adapter.h"

namespace warptime::cli {

namespace {

/// While it exists, standard output, which speaks the protocol, and standard error go to a file in memory: a program of
/// the host writes there what it likes.
class CapturedOutput {
 public:
  CapturedOutput() : file_(memfd_create("output", MFD_CLOEXEC)) {
    for (size_t i = 0; i < kStreams.size() && file_ >= 0; ++i) {
      saved_[i] = dup(kStreams[i]);
      dup2(file_, kStreams[i]);
    }
  }
  ~CapturedOutput() {
    restore();
    if (file_ >= 0) close(file_);
  }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  std::string end() {
    restore();
    std::string out;
    char part[4096];
    for (off_t at = 0; file_ >= 0;) {
      const ssize_t read = pread(file_, part, sizeof part, at);
      if (read <= 0) break;
      out.append(part, static_cast<size_t>(read));
      at += read;
    }
    return out;
  }

 private:
  void restore() {
    for (size_t i = 0; i < kStreams.size(); ++i) {
      if (saved_[i] < 0) continue;
      dup2(saved_[i], kStreams[i]);
      close(std::exchange(saved_[i], -1));
    }
  }

  static constexpr std::array<int, 2> kStreams{STDOUT_FILENO, STDERR_FILENO};
  int file_;
  std::array<int, 2> saved_{-1, -1};
};

/// Errors of a launch request, which has no command line: without a place in one.
std::string without_place(const std::string& text) {
  constexpr std::string_view kPlace = "command line:", kError = "error: ", kHint = "hint: ";
  if (!text.starts_with(kPlace)) return text;
  const size_t begin = text.find(kError);
  if (begin == std::string::npos) return text;
  std::string out = text.substr(begin + kError.size(), text.find('\n', begin) - begin - kError.size());
  if (const size_t hint = text.find(kHint); hint != std::string::npos)
    out += "; " + text.substr(hint + kHint.size(), text.find('\n', hint) - hint - kHint.size());
  return out;
}

class AdapterSession {
 public:
  explicit AdapterSession(const Entry& command)
      : command_(command),
        stream_(STDIN_FILENO, [](std::string_view bytes) { write_bytes(bytes); }),
        adapter_(stream_) {}

  void load_by_request() {
    adapter_.load_by([this](const debug::Json& request) {
      try {
        if (const std::string folder = request.value("cwd", ""); !folder.empty() && chdir(folder.c_str()) != 0)
          throw host::InputError(fmt::format("the folder \"{}\" of \"cwd\" cannot be entered", folder));
        load_any(Arguments(command_.describe(), CommandLine(words_of_launch(request)), 1));
      } catch (const host::InputError& error) {
        throw host::InputError(without_place(error.what()));
      }
    });
  }

  void load(const Arguments& arguments, std::shared_ptr<CapturedLaunch> captured = nullptr) {
    program_ = std::make_unique<DebuggedProgram>(arguments, std::move(captured));
    adapter_.console().settings().has_checkers = program_->is_checked();
    adapter_.console().settings().native = arguments.has("native");
  }

  /// Also a program of the host, one of whose launches is then the target.
  void load_any(const Arguments& arguments) {
    if (arguments.program().empty()) return load(arguments);
    CapturedOutput output;
    auto captured = std::make_shared<CapturedLaunch>(command_, arguments);
    printed_ += output.end();
    if (!captured->arguments()) throw host::InputError(printed_ + captured->problem());
    found_ = captured->found();
    load(*captured->arguments(), captured);
  }

  int run() {
    ProgramPrinter printer([&](std::string_view text) { adapter_.output("stdout", text); });
    int status = kDone;
    try {
      if (adapter_.wait_for_configuration()) {
        adapter_.output("stdout", printed_);
        adapter_.output("console", found_);
        const std::string end = program_->run(adapter_.console(), adapter_, printer);
        status = program_->status();
        adapter_.output("stderr", program_->take_warnings());
        adapter_.ended(status, end);
      }
    } catch (const debug::Leave&) {
      status = kDone;
    } catch (const host::InputError& error) {
      status = kBadInput;
      adapter_.ended(status, error.what());
    }
    if (!stream_.error().empty())
      fail({}, fmt::format("standard input is not the Debug Adapter Protocol: {}", stream_.error()),
           "an editor starts this; without --dap, commands are read");
    return status;
  }

 private:
  const Entry command_;
  debug::MessageStream stream_;
  debug::Adapter adapter_;
  std::unique_ptr<DebuggedProgram> program_;
  std::string printed_, found_;  // by the program of the host, and about its launch
};

}  // namespace

int run_adapter(const Entry& debug_command, const Arguments& arguments) {
  AdapterSession session(debug_command);
  if (arguments.words().empty() && arguments.program().empty()) session.load_by_request();
  else session.load_any(arguments);
  return session.run();
}

}  // namespace warptime::cli

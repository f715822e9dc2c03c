#include "cli/run/checkpoint_options.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "base/foreign_state.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "base/state_error.h"
#include "cli/commit.h"
#include "cli/completion/script_text.h"
#include "cli/interruption.h"
#include "cli/output.h"
#include "host/checkpoint/checkpoint_file.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

constexpr std::string_view kAt = "checkpoint-at", kEvery = "checkpoint-every", kFrom = "from";

host::RunIdentity identity_of(const Arguments& arguments, const sim::Machine& machine, const sim::RunOptions& options) {
  host::RunIdentity out;
  out.program = program_build();
  out.machine = machine.name;
  out.machine_hash = machine.hash;
  out.target = arguments.words().front().text;
  // What the target is, and what is counted; not how fast it runs, or where results go.
  for (std::string_view option :
       {"param", "kernel", "grid", "block", "buffer", "const", "texture", "arg", "shared", "registers"})
    for (const std::string& text : arguments.texts(option))
      out.settings.push_back(fmt::format("--{} {}", option, text));
  if (options.functional) out.settings.emplace_back("--functional");
  if (!options.attribution) out.settings.emplace_back("--attribution off");
  if (options.per_instruction) out.settings.emplace_back("--stats-per-instruction");
  return out;
}

template <class T>
bool number_from(std::string_view text, T& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// "CYCLE" or "LAUNCH:CYCLE".
std::pair<std::optional<uint64_t>, Cycle> moment_of(const ArgumentText& text) {
  std::string_view rest = text.text;
  std::optional<uint64_t> launch;
  Cycle cycle = 0;
  bool good = true;
  if (size_t colon = rest.find(':'); colon != std::string_view::npos) {
    good = number_from(rest.substr(0, colon), launch.emplace());
    rest.remove_prefix(colon + 1);
  }
  good = good && number_from(rest, cycle) && cycle < kNever;
  if (!good)
    fail(text.where, fmt::format("--checkpoint-at requires a cycle, or LAUNCH:CYCLE, not \"{}\"", text.text),
         "as in --checkpoint-at 100000 FILE, or 2:100000 in the third launch");
  return {launch, cycle};
}

std::chrono::duration<double> minutes_of(const ArgumentText& text) {
  constexpr double kMostMinutes = 100'000;
  double minutes = 0;
  if (!number_from(std::string_view(text.text), minutes) || !(minutes > 0) || minutes > kMostMinutes)
    fail(text.where,
         fmt::format("--checkpoint-every requires minutes, above 0 and up to {}, not \"{}\"", kMostMinutes, text.text),
         "as in --checkpoint-every 10 FILE");
  return std::chrono::duration<double>(minutes * 60);
}

/// The text as it is typed in a shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
  return text.find_first_not_of(kPlain) == std::string::npos ? text : shell_quoted(text);
}

/// Options of runs whose state cannot be saved, or that need results of the part before the checkpoint.
void refuse_combinations(const Arguments& arguments, std::string_view name) {
  if (auto sample = arguments.value("sample"))
    fail(sample->where,
         fmt::format("--{} and --sample exclude each other: a sampled run has no state to continue from", name));
  if (auto interval = arguments.value("interval"))
    fail(interval->where,
         fmt::format("--{} and --interval exclude each other: a checkpoint has no rows of earlier cycles", name));
}

}  // namespace

std::vector<Option> checkpoint_options() {
  using Kind = Option::Kind;
  return in_group(
      OptionGroup::Checkpoints,
      {{"checkpoint-at", Kind::Pair, Takes::file("CYCLE FILE"),
        "write a checkpoint at the first edge of a step at or after CYCLE of the first launch that reaches it "
        "(LAUNCH:CYCLE: of launch LAUNCH, from 0); the run goes on"},
       {"checkpoint-every", Kind::Pair, Takes::file("MINUTES FILE"),
        "write one every MINUTES of the host's time, and one at Ctrl-C or SIGTERM, in place of the one before"},
       {"from", Kind::Value, Takes::file("FILE"),
        "continue the run that wrote this checkpoint, with its target and options"}});
}

RunCheckpoints::RunCheckpoints(const Arguments& arguments, const sim::Machine& machine, const sim::RunOptions& options)
    : checkpoints_(identity_of(arguments, machine, options)), unit_(options.functional ? "warp instruction" : "cycle") {
  for (std::string_view name : {kAt, kEvery, kFrom})
    if (arguments.has(name)) {
      refuse_combinations(arguments, name);
      wanted_ = true;
    }
  if ((from_ = arguments.value(kFrom)))
    read(*from_, identity_of(arguments, machine, options), arguments, options.max_cycles);
  if (const auto& given = arguments.all(kAt); !given.empty()) {
    const auto [launch, cycle] = moment_of(given.front());
    at_ = given.front();
    at_launch_ = launch;
    at_cycle_ = cycle;
    checkpoints_.write_at(launch, cycle, writer(given.back(), "--checkpoint-at", arguments));
  }
  if (const auto& given = arguments.all(kEvery); !given.empty()) {
    every_ = given.back();
    checkpoints_.write_every(minutes_of(given.front()), writer(given.back(), "--checkpoint-every", arguments));
  }
}

void RunCheckpoints::read(const ArgumentText& file, const host::RunIdentity& now, const Arguments& arguments,
                          Cycle most) {
  auto text = read_file(file);
  try {
    host::Checkpoint checkpoint = host::read_checkpoint(text->text());
    if (std::string why = host::why_not_continued(checkpoint.identity, now); !why.empty())
      fail(file.where, fmt::format("{} {}", file.text, why),
           "a run continues with the program, target, machine and options that it began with");
    if (auto limit = arguments.value("max-cycles"); limit && checkpoint.snapshot.now() > most)
      fail(limit->where,
           fmt::format("{} is at {} {}, and --max-cycles is {}", file.text, unit_, checkpoint.snapshot.now(), most),
           "the limit counts from the beginning of the launch");
    checkpoints_.continue_from(std::move(checkpoint));
    continue_from_foreign_state(file.text);
  } catch (const StateError& error) {
    fail(file.where, fmt::format("{} {}", file.text, error.what()));
  }
}

host::Checkpoints::Write RunCheckpoints::writer(const ArgumentText& file, std::string_view option,
                                                const Arguments& arguments) {
  if (find_output_target(file.text).kind != OutputTarget::Kind::File)
    fail(file.where, fmt::format("{} writes a regular file, and {} is not one", option, file.text));
  // In place of the one from which this run continues: that has been read.
  if (!from_ || !(FileIdentity(file.text) == FileIdentity(from_->text))) check_writable(file, option, arguments);
  else if (std::string why = why_not_writable(file.text); !why.empty())
    fail(file.where, fmt::format("cannot write {}: {}", file.text, why));
  return [this, file](const host::Checkpoint& checkpoint) {
    OutputFile out(file.text);
    out.write(host::checkpoint_text(checkpoint));
    if ((last_written_ = out.commit())) return;
    failed_ = {file, out.error()};
    print_error(fmt::format("warptime: note: {} was not written ({}){}\n", file.text, out.error(),
                            Interruption::flag() == 0 ? "; the run goes on" : ""));
  };
}

void RunCheckpoints::note_interruption() const {
  const auto moment = checkpoints_.interrupted_at();
  if (!moment || !last_written_) return;
  print_error(fmt::format("warptime: note: {} has the run up to {} {}; the same command continues it with --from {}\n",
                          every_->text, unit_, *moment, shell_word(every_->text)));
}

void RunCheckpoints::finish() const {
  if (failed_) fail(failed_->first.where, fmt::format("cannot write {}: {}", failed_->first.text, failed_->second));
  if (checkpoints_.still_to_continue())
    fail(from_->where, "the run has ended before the launch of the checkpoint",
         "continue with the files and options of the run that wrote it");
  if (!checkpoints_.still_to_write()) return;
  const uint64_t launches = checkpoints_.launches();
  if (at_launch_ && *at_launch_ >= launches)
    fail(at_->where,
         fmt::format("no checkpoint was written: the run has {} launch{}", launches, launches == 1 ? "" : "es"),
         "launches are counted from 0");
  fail(at_->where,
       fmt::format("no checkpoint was written: {} before {} {}",
                   at_launch_ ? "that launch ended" : "every launch ended", unit_, at_cycle_),
       fmt::format("the longest launch of the run ended at {} {}", unit_, checkpoints_.longest()));
}

}  // namespace warptime::cli

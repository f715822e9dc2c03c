#include "cli/interruption.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/cli.h"

namespace warptime::cli {

namespace {

sim::InterruptFlag received = 0;

// SA_RESETHAND has restored the default action of this signal; the other one may still lead here.
void on_signal(int signal) {
  if (received.exchange(signal) != 0) std::raise(signal);
}

void handle(int signal, struct sigaction& before) {
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // as in a background job of a shell
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

Option timeout_option(std::string_view of) {
  return {"timeout", Option::Kind::Value, "SECONDS",
          fmt::format("end {} after so many seconds (exit status {})", of, kTimedOut)};
}

std::optional<uint64_t> timeout_of(const Arguments& arguments) {
  constexpr uint64_t kMost = 1'000'000'000;
  return arguments.number("timeout", 1, kMost);
}

int Interruption::exit_status() {
  constexpr int kFirstOfSignals = 128;
  return flag() == SIGALRM ? kTimedOut : kFirstOfSignals + flag();
}

Interruption::Interruption(std::optional<uint64_t> timeout) {
  received = 0;
  if (timeout) {
    handle(SIGALRM, before_alarm_);
    alarm(static_cast<unsigned>(*timeout));
  }
  handle(SIGINT, before_int_);
  handle(SIGTERM, before_term_);
}

Interruption::~Interruption() {
  if (alarm(0) != 0 || flag() == SIGALRM) sigaction(SIGALRM, &before_alarm_, nullptr);
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

const sim::InterruptFlag& Interruption::flag() { return received; }

}  // namespace warptime::cli

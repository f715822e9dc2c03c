#include "cli/interruption.h"

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

Interruption::Interruption() {
  received = 0;
  handle(SIGINT, before_int_);
  handle(SIGTERM, before_term_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

const sim::InterruptFlag& Interruption::flag() { return received; }

}  // namespace warptime::cli

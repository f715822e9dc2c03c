#!/usr/bin/env bash
# Host threads live in src/sim/gpu alone: everything else is single-threaded code that the window loop calls. Clocks and
# random devices are kept out of the model, whose results must be the same every time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

banned='<(thread|atomic|mutex|shared_mutex|condition_variable|future|barrier|latch|semaphore|stop_token)>'
while IFS=: read -r file line text; do
  case "$file" in
    src/sim/gpu/*) ;;
    src/cli/*)
      # Only the number of host cores is asked for there.
      [[ $text == *'<thread>'* ]] || breach "$file:$line: ${text# }: host threads belong to src/sim/gpu" ;;
    src/cuda/*)
      # A program may call from any of its threads.
      [[ $text == *'<mutex>'* || $text == *'<thread>'* ]] || breach "$file:$line: ${text# }: host threads belong to src/sim/gpu" ;;
    *) breach "$file:$line: ${text# }: host threads belong to src/sim/gpu" ;;
  esac
done < <(sources src | xargs -r grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*$banned" || true)

while IFS=: read -r file line text; do
  breach "$file:$line: ${text# }: the model must not see the time of day or chance"
done < <(sources src/base src/ptx src/sim | xargs -r grep -nHE \
  'std::chrono|random_device|std::time\(|[^_a-z]rand\(\)|clock_gettime|gettimeofday' || true)
finish

// The `warptime` program: hands its words to the commands and ends with their status.
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/stack_room.h"

int main(int argc, char** argv) {
  return warptime::cli::with_stack_room(
      [=] { return warptime::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)); });
}

// The command line as a function, for the program in WebAssembly: a browser's worker, or Node, calls it once for each
// command. Files are in Emscripten's file system in memory, where /warptime holds configs/ and workloads/.
#include <emscripten.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/home.h"

/// `words`: of `warptime WORDS...`, as a JSON array of strings. Returns the exit status.
extern "C" EMSCRIPTEN_KEEPALIVE int warptime_command(const char* words) {
  warptime::cli::set_home("/warptime");
  return warptime::cli::run(nlohmann::json::parse(words).get<std::vector<std::string>>());
}

// Runs a .ptx file with options instead of a launch file. The texts are the values of the options as given; errors
// point into them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/launch_file/launch_plan.h"

namespace warptime::host {

struct PtxRunOptions {
  std::string file;
  SourceSpan file_where = {};         // for messages
  std::optional<std::string> kernel;  // absent: the module's only one
  std::optional<std::string> grid;    // "X[,Y[,Z]]"
  std::optional<std::string> block;   // "X[,Y[,Z]]"
  std::vector<std::string> buffers;   // "NAME=TYPE:COUNT[:zeros|iota|random|@FILE]", "NAME=TYPE:@FILE|[V1,V2,...]"
  std::vector<std::string> constants = {};  // the same, of module-scope variables
  std::vector<std::string> textures = {};   // "NAME=BUFFER:TYPE:WIDTH[xHEIGHT[xDEPTH]][:KEY=WORD,...]"
  std::vector<std::string> arguments;       // "TYPE=VALUE" or the "NAME" of a buffer or texture, in order
  std::optional<std::string> shared;        // bytes of dynamic shared memory
  std::optional<std::string> registers;     // registers per thread
  std::vector<std::string> outputs;         // "NAME=FILE"
};

/// The run that the options describe, as a launch plan. Throws InputError with all errors.
LaunchPlan plan_ptx_run(const PtxRunOptions& options);

}  // namespace warptime::host

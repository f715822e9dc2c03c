#include "cli/machine/native_option.h"

namespace warptime::cli {

Option native_option(std::string_view where) {
  return {"native", Option::Kind::Flag, "",
          fmt::format("{}, below each PTX instruction: the native instructions that the machine issues for it", where)};
}

bool wants_native(const Arguments& arguments, const sim::Machine& machine) {
  if (!arguments.has("native")) return false;
  if (!machine.config.has_timing)
    fail(arguments.all("native").front().where,
         fmt::format("machine \"{}\" has no timing, so it issues no native instructions", machine.name),
         "choose another --machine; `warptime list machines` shows them");
  return true;
}

}  // namespace warptime::cli

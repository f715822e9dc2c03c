#include "cuda/function_table.h"

namespace warptime::cuda {

namespace {

constexpr std::string_view kALL = "11, 12, 13", kOLD = "11, 12", kV11 = "11", kV12 = "12", kV13 = "13";

constexpr FunctionRow kFunctions[] = {
#define AS(versions, name, function, arguments) {#name, k##versions, #arguments, true},
#define DONE(name, arguments) AS(ALL, name, name, arguments)
#define DONE_PTSZ(name, arguments) AS(ALL, name, name, arguments) AS(ALL, name##_ptsz, name, arguments)
#define DONE_PTDS(name, arguments) AS(ALL, name, name, arguments) AS(ALL, name##_ptds, name, arguments)
#define NOT(versions, name) {#name, k##versions, "", false},
#define NOT_PTSZ(name) NOT(ALL, name) NOT(ALL, name##_ptsz)
#define NOT_PTDS(name) NOT(ALL, name) NOT(ALL, name##_ptds)
#include "cuda/functions.def"
};

}  // namespace

std::span<const FunctionRow> functions() { return kFunctions; }

}  // namespace warptime::cuda

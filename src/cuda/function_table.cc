#include "cuda/function_table.h"

namespace warptime::cuda {

namespace {

constexpr std::string_view kALL = "11, 12, 13", kOLD = "11, 12", kNEW = "12, 13", kV11 = "11", kV12 = "12", kV13 = "13",
                           kDriver = "libcuda";

constexpr FunctionRow kFunctions[] = {
#define AS(versions, name, function, arguments) {#name, k##versions, #arguments, true},
#define AS_PTSZ(versions, name, function, arguments) \
  AS(versions, name, function, arguments) AS(versions, name##_ptsz, function, arguments)
#define DONE(name, arguments) AS(ALL, name, name, arguments)
#define DONE_PTSZ(name, arguments) AS(ALL, name, name, arguments) AS(ALL, name##_ptsz, name, arguments)
#define DONE_PTDS(name, arguments) AS(ALL, name, name, arguments) AS(ALL, name##_ptds, name, arguments)
#define NOT(versions, name) {#name, k##versions, "", false},
#define NOT_PTSZ(name) NOT(ALL, name) NOT(ALL, name##_ptsz)
#define NOT_PTDS(name) NOT(ALL, name) NOT(ALL, name##_ptds)
#include "cuda/functions.def"
#undef NOT
#define CU(name, arguments) {#name, kDriver, #arguments, true},
#define CU_AS(name, function, arguments) CU(name, arguments)
#define CU_SINCE(version, name, function, arguments) CU(name, arguments)
#define CU_PTSZ(name, arguments) CU(name, arguments) CU(name##_ptsz, arguments)
#define CU_PTDS(name, arguments) CU(name, arguments) CU(name##_ptds, arguments)
#define CU_AS_PTSZ(name, function, arguments) CU_PTSZ(name, arguments)
#define CU_AS_PTDS(name, function, arguments) CU_PTDS(name, arguments)
#define CU_NOT(name) {#name, kDriver, "", false},
#include "cuda/driver.def"
};

}  // namespace

std::span<const FunctionRow> functions() { return kFunctions; }

}  // namespace warptime::cuda

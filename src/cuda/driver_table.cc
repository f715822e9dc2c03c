#include "cuda/driver_table.h"

// Their true types do not matter here.
#define CU(name, arguments) extern "C" void warptime_##name();
#define CU_AS(name, function, arguments) extern "C" void warptime_##function();
#define CU_PTSZ CU
#define CU_PTDS CU
#define CU_AS_PTSZ CU_AS
#define CU_AS_PTDS CU_AS
#define CU_SINCE(version, name, function, arguments) CU_AS(name, function, arguments)
#define CU_NOT(name)
#include "cuda/driver.def"
#undef CU
#undef CU_AS
#undef CU_SINCE
#undef CU_NOT

namespace warptime::cuda {

std::span<const DriverRow> driver_rows() {
  static constexpr DriverRow kRows[] = {
#define CU(name, arguments) {#name, 0, warptime_##name},
#define CU_AS(name, function, arguments) {#name, 0, warptime_##function},
#define CU_SINCE(version, name, function, arguments) {#name, version, warptime_##function},
#define CU_NOT(name) {#name, 0, nullptr},
#include "cuda/driver.def"
  };
  return kRows;
}

}  // namespace warptime::cuda

// The GPCs of a chip (chip.tpcs_per_gpc, chip.gpc_tpcs).
#include <algorithm>
#include <sstream>
#include <string>

#include "base/parse_number.h"
#include "sim/model/machine.h"

namespace warptime::sim {

std::vector<uint32_t> tpcs_of_gpcs(const ChipConfig& chip) {
  std::vector<uint32_t> out;
  uint32_t left = chip.tpcs, each = chip.tpcs_per_gpc == 0 ? chip.tpcs : chip.tpcs_per_gpc;
  auto add = [&] {
    if (left != 0) out.push_back(std::min(each, left));
    left -= std::min(each, left);
  };
  std::istringstream words(chip.gpc_tpcs);
  for (std::string word; words >> word; add())
    if (parse_number(word, each) != NumberError::Ok || each == 0) return {};
  while (left != 0) add();
  return out;
}

}  // namespace warptime::sim

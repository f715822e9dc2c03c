// A picture file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptime::workloads {

/// Writes a square image of 0x00RRGGBB pixels as PNG; throws host::InputError if it cannot.
void write_png(const std::string& file, const std::vector<uint32_t>& pixels, uint32_t size);

}  // namespace warptime::workloads

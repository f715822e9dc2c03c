// What a profiler recorded on hardware, to be set beside a simulated run: the output of `ncu --csv`, or the log of the
// CUDA profiler of the toolkits 1 to 4 (CUDA_PROFILE=1). Values stay text until they are compared, because a profile
// has many that are not numbers.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/compare/statistics_file.h"

namespace warptime::cli {

struct Profile {
  enum class Format : uint8_t { NsightCompute, CudaProfiler };
  struct Counter {
    uint32_t name = 0, unit = 0;  // see text(); the unit is empty in a log of the CUDA profiler
    SourceSpan value;
  };
  struct Launch {
    uint32_t kernel = 0;  // see text()
    std::vector<Counter> counters;
  };

  Format format = Format::NsightCompute;
  std::string file;  // as given by the user
  SourceSpan where;
  std::string device;  // as far as the profile names it
  std::vector<Launch> launches;
  uint64_t copies = 0;  // rows of copies and fills, which are left out
  std::shared_ptr<const SourceText> source;

  const std::string& text(uint32_t number) const { return texts_[number]; }
  uint32_t text_number(std::string_view text);

 private:
  std::vector<std::string> texts_;
  std::map<std::string, uint32_t, std::less<>> numbers_;
};

/// Whether this beginning of a file is that of a profile.
bool is_profile(const SourceText& beginning);

/// Throw host::InputError, pointing into the profile, where it is not as the profilers write it.
Profile read_profile(const ArgumentText& file, std::string text);
void read_ncu_csv(Profile& profile);
void read_cuda_profile(Profile& profile);
bool is_ncu_header(const SourceText& source, uint32_t line);
bool is_cuda_profile_line(std::string_view line);

/// The file by its contents. Throws host::InputError if it is neither. `others`: statistics are for a profile.
std::variant<StatisticsFile, Profile> read_compared(const ArgumentText& file, std::ifstream in, bool others);

}  // namespace warptime::cli

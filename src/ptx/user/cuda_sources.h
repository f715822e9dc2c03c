// The CUDA source files that a PTX file names (.loc), as far as they are on this host. Each is read once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/source_text.h"

namespace warptime::ptx {

class CudaSources {
 public:
  /// Searched from the working directory on.
  CudaSources() = default;
  /// `ptx`: its place is where the search begins.
  explicit CudaSources(const SourceText& ptx);

  /// From now on, this process has these files only, by their names as PTX gives them, and reads no other: PTX of
  /// strangers may name any file of the host.
  static void restrict_to(std::map<std::string, std::shared_ptr<const SourceText>> files);

  /// nullptr if there is no such file.
  std::shared_ptr<const SourceText> file(const std::string& name);
  /// Empty if there is no such line.
  std::string_view line(const std::string& file_name, uint32_t number);

 private:
  std::shared_ptr<const SourceText> read(const std::string& name) const;

  std::string folder_;
  std::map<std::string, std::shared_ptr<const SourceText>> texts_;
};

}  // namespace warptime::ptx

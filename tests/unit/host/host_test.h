// What the tests of this folder share: a folder for files, a machine, and errors as text.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"

namespace warptime::host {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warptime-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

/// What an InputError says; fails if there was none.
template <class F>
std::string input_error(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("no InputError");
  return {};
}

/// The defaults of machine.h: a GeForce 8800 GTX.
inline sim::Machine default_machine() { return {"test", {}, ""}; }

}  // namespace warptime::host

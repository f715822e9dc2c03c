// A machine that Python changes value by value: its settings are those of `--set`, and each is checked at once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/model/machine_loader.h"

namespace warptime::python {

using ParameterValue = std::variant<bool, uint64_t, double, std::string, std::vector<std::string>>;

class MachineObject {
 public:
  /// A name of configs/, or a file. Throws host::InputError.
  explicit MachineObject(std::string name_or_file);

  const std::string& given() const { return given_; }  // as the constructor got it
  const std::string& name() const { return loaded_.name; }
  /// "PATH=VALUE", as given, in the order of the first setting of each path.
  std::vector<std::string> settings() const;
  /// "PATH=VALUE"; throws host::InputError if the parameter's own row does not allow it.
  void set(const std::string& setting);
  /// Throws host::InputError: no such parameter.
  ParameterValue get(const std::string& path);

  /// The whole machine with its settings: also throws host::InputError if values do not fit each other.
  std::string hash() const;
  std::string yaml() const;

 private:
  sim::LoadedMachine resolved() const;

  std::string given_;
  sim::LoadedMachine loaded_;                                  // with every setting, but not checked as a whole
  std::vector<std::pair<std::string, std::string>> settings_;  // by path
};

}  // namespace warptime::python

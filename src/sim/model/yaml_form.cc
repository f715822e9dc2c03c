#include "sim/model/yaml_form.h"

#include <algorithm>

namespace warptime::yaml {

const Field* field_of(const Form& form, std::string_view key) {
  auto found = std::find_if(form.fields.begin(), form.fields.end(), [&](const Field& f) { return f.key == key; });
  return found == form.fields.end() ? nullptr : &*found;
}

}  // namespace warptime::yaml

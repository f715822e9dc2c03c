#include "host/schema/machine_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "cpu/config.h"
#include "sim/model/parameters.h"
#include "sim/model/renamed_keys.h"

namespace warptime::host {

using sim::Parameter;
using yaml::Field;
using yaml::Form;

namespace {

/// Builds the form of a file; forms keep their place, since fields point to them.
class ParameterForms {
 public:
  template <class Config>
  explicit ParameterForms(std::string_view noun, Config defaults) {
    root_ = &forms_.emplace_back(Form{.kind = Form::Kind::Map, .name = "The file"});
    const Form* text = &forms_.emplace_back(Form{.kind = Form::Kind::Text});
    root_->fields.push_back({"extends", text,
                             fmt::format("the {} whose values hold where this file has none: a name in configs/, or a "
                                         "file relative to this one",
                                         noun)});
    Config::visit(defaults, SectionDocs{docs_, ""});
    for (const Parameter& parameter : sim::parameters_of(defaults)) add(parameter);
    add_former_names(*root_, "");
  }
  const Form& root() const { return *root_; }

 private:
  /// What the tables say of the tables in them.
  struct SectionDocs {
    std::map<std::string, std::string>& out;
    std::string prefix;

    template <class T>
    void operator()(const char* key, T& member, const ParamCheck&, std::string_view sentence) {
      if constexpr (ConfigStruct<T>) {
        out[prefix + key] = sentence;
        T::visit(member, SectionDocs{out, prefix + key + "."});
      }
    }
  };

  void add_former_names(Form& section, const std::string& prefix) {
    // By index: the list grows, and its new fields have no former names.
    for (size_t i = 0, count = section.fields.size(); i < count; ++i) {
      const std::string path = prefix + section.fields[i].key, former = sim::former_path(path);
      if (section.fields[i].form->kind == Form::Kind::Map) add_former_names(own(section.fields[i]), path + ".");
      // What is in a renamed section has its own name.
      if (former == path || former.substr(former.rfind('.') + 1) == section.fields[i].key) continue;
      Field field = section.fields[i];
      field.key = former.substr(former.rfind('.') + 1);
      field.doc = fmt::format("the former name of {}", section.fields[i].key);
      field.former = true;
      section.fields.push_back(std::move(field));
    }
  }

  /// All forms are this object's own.
  static Form& own(const Field& field) { return const_cast<Form&>(*field.form); }  // NOLINT

  void add(const Parameter& parameter) {
    Form* section = root_;
    size_t begin = 0;
    for (size_t dot; (dot = parameter.path.find('.', begin)) != std::string::npos; begin = dot + 1)
      section = inside(*section, parameter.path.substr(begin, dot - begin), parameter.path.substr(0, dot));
    std::string doc =
        parameter.scope.empty() ? std::string(parameter.doc) : fmt::format("{}: {}", parameter.scope, parameter.doc);
    section->fields.push_back(
        {parameter.path.substr(begin), form_of(parameter), std::move(doc), false, sim::value_text(parameter)});
  }

  Form* inside(Form& section, const std::string& key, const std::string& path) {
    for (const Field& field : section.fields)
      if (field.key == key) return const_cast<Form*>(field.form);  // NOLINT: all forms are this object's own
    Form* form = &forms_.emplace_back(Form{.kind = Form::Kind::Map, .name = path});
    section.fields.push_back({key, form, docs_[path]});
    return form;
  }

  const Form* form_of(const Parameter& parameter) {
    Form form{.check = parameter.check};
    if (const auto* word = std::get_if<sim::EnumRef>(&parameter.value)) {
      form.kind = Form::Kind::Word;
      form.words = split_enum_names(word->names);
      for (const sim::RenamedWord& renamed : sim::kRenamedWords)
        if (renamed.path == parameter.path) form.former_words.emplace_back(renamed.before);
    } else if (std::holds_alternative<bool*>(parameter.value)) {
      form.kind = Form::Kind::Boolean;
    } else if (std::holds_alternative<double*>(parameter.value)) {
      form.kind = Form::Kind::Number;
    } else if (std::holds_alternative<std::string*>(parameter.value)) {
      form.words = parameter.check.one_of_words();
      form.kind = form.words.empty() ? Form::Kind::Text : Form::Kind::Word;
    } else if (std::holds_alternative<std::vector<std::string>*>(parameter.value)) {
      form.kind = Form::Kind::List;
      Form item{.kind = Form::Kind::Text, .words = words_in(sim::legal_values(parameter))};
      if (!item.words.empty()) item.kind = Form::Kind::Word;
      form.of = &forms_.emplace_back(std::move(item));
    } else {
      form.kind = Form::Kind::Whole;
      if (form.check.kind == ParamCheck::Kind::Any)
        form.check =
            range(0, std::holds_alternative<uint32_t*>(parameter.value) ? 4294967295.0 : 18446744073709551615.0);
    }
    return &forms_.emplace_back(std::move(form));
  }

  static std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> out;
    for (size_t begin = 0, end; begin < text.size(); begin = end + 2) {
      end = std::min(text.find(", ", begin), text.size());
      out.push_back(text.substr(begin, end - begin));
    }
    return out;
  }

  std::deque<Form> forms_;
  std::map<std::string, std::string> docs_;  // of sections, by path
  Form* root_ = nullptr;
};

}  // namespace

const Form& machine_form() {
  static const ParameterForms forms("machine", sim::MachineConfig{});
  return forms.root();
}

const Form& processor_form() {
  static const ParameterForms forms("processor", cpu::CpuConfig{});
  return forms.root();
}

}  // namespace warptime::host

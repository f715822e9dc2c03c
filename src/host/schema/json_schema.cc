#include "host/schema/json_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parse_number.h"

namespace warptime::host {

using yaml::Field;
using yaml::Form;
using yaml::KeyRule;
using Json = nlohmann::ordered_json;

namespace {

// What can be an expression; whether it is one, and of known names, is for the program to say.
constexpr const char* kExpressionPattern = "^[-+*/%^(), .0-9A-Za-z_]+$";
// Numbers that YAML 1.1 takes for texts: 1e9.
constexpr const char* kExponentPattern = "^[-+]?[0-9]+(\\.[0-9]*)?[eE][-+]?[0-9]+$";
constexpr const char* kNamePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

class SchemaWriter {
 public:
  Json write(const Form& file, std::string_view title) {
    Json out{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    out.update(of(file));
    if (!definitions_.empty()) out["definitions"] = std::move(definitions_);
    return out;
  }

 private:
  Json of(const Form& form) {
    switch (form.kind) {
      case Form::Kind::Text: return {{"type", "string"}};
      case Form::Kind::Scalar: return {{"type", Json::array({"string", "number", "boolean"})}};
      case Form::Kind::Word: return words(form);
      case Form::Kind::Boolean: return {{"type", "boolean"}};
      case Form::Kind::Whole: return number(form, "integer");
      case Form::Kind::Number: return number(form, "number");
      case Form::Kind::Value:
      case Form::Kind::Expression: return {{"type", Json::array({"number", "string"})}, {"pattern", expression(form)}};
      case Form::Kind::List: return list(form);
      case Form::Kind::Map: return map(form);
      case Form::Kind::Names: return names(form);
      case Form::Kind::Choice: return choice(form);
    }
    return {};
  }

  /// A form with a name of its own stands among the definitions, once.
  Json reference(const Form& form) {
    if (form.kind != Form::Kind::Map || form.name.empty()) return of(form);
    if (!definitions_.contains(form.name)) {
      definitions_[form.name] = Json::object();  // its place, before those that it refers to
      Json written = of(form);
      definitions_[form.name] = std::move(written);
    }
    std::string place = form.name;
    for (size_t at; (at = place.find(' ')) != std::string::npos;) place.replace(at, 1, "%20");
    return {{"$ref", "#/definitions/" + place}};
  }

  static std::string expression(const Form& form) {
    // A comparison is an expression, but not a value.
    return form.kind == Form::Kind::Expression ? "^[-+*/%^(), .0-9A-Za-z_<>]+$" : kExpressionPattern;
  }

  static Json words(const Form& form) {
    Json list = Json::array();
    for (const std::string& word : form.words) {
      list.push_back(word);
      double value = 0;  // 1.2 is a number in YAML, whatever is meant
      if (parse_number(word, value) == NumberError::Ok) list.push_back(value);
    }
    for (const std::string& word : form.former_words) list.push_back(word);
    return {{"enum", std::move(list)}};
  }

  static Json limit(double value) {
    if (value >= 18446744073709551615.0) return ~uint64_t{0};
    if (value == static_cast<double>(static_cast<int64_t>(value))) return static_cast<int64_t>(value);
    return value;
  }

  static Json number(const Form& form, const char* type) {
    Json plain;
    if (form.check.kind == ParamCheck::Kind::PowerOfTwo) {
      Json list = Json::array();
      for (double power = 1; power <= form.check.high; power *= 2)
        if (power >= form.check.low) list.push_back(limit(power));
      plain["enum"] = std::move(list);
    } else {
      plain["type"] = type;
      if (form.check.kind == ParamCheck::Kind::Range) {
        plain["minimum"] = limit(form.check.low);
        if (form.check.high < 1e300) plain["maximum"] = limit(form.check.high);
      }
    }
    const char* pattern = form.computed                     ? kExpressionPattern
                          : form.kind == Form::Kind::Number ? kExponentPattern
                                                            : nullptr;
    if (pattern == nullptr) return plain;
    return {{"anyOf", Json::array({std::move(plain), {{"type", "string"}, {"pattern", pattern}}})}};
  }

  Json list(const Form& form) {
    Json out{{"type", "array"}, {"items", reference(*form.of)}};
    if (form.least > 0) out["minItems"] = form.least;
    if (form.most != SIZE_MAX) out["maxItems"] = form.most;
    return out;
  }

  Json names(const Form& form) {
    Json out{{"type", "object"}};
    if (form.may_be_empty) out["type"] = Json::array({"object", "null"});
    if (form.plain_names) out["propertyNames"] = {{"pattern", kNamePattern}};
    out["additionalProperties"] = reference(*form.of);
    return out;
  }

  Json choice(const Form& form) {
    Json list = Json::array();
    for (const Form* one : form.choices) list.push_back(reference(*one));
    return {{"anyOf", std::move(list)}};
  }

  Json map(const Form& form) {
    Json out{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    Json required = Json::array();
    for (const Field& field : form.fields) {
      Json value = reference(*field.form);
      // Beside a $ref draft 7 ignores everything.
      if (value.contains("$ref") && !field.doc.empty()) value = {{"allOf", Json::array({std::move(value)})}};
      if (!field.doc.empty()) value["description"] = field.doc;
      if (field.former) value["deprecated"] = true;
      if (!field.standard.empty()) add_default(*field.form, field.standard, value);
      out["properties"][field.key] = std::move(value);
      if (field.required) required.push_back(field.key);
    }
    if (!required.empty()) out["required"] = std::move(required);
    Json rules = Json::array();
    for (const KeyRule& rule : form.rules) add_rule(rule, rules);
    if (!rules.empty()) out["allOf"] = std::move(rules);
    return out;
  }

  /// Adds the default as JSON, where the text is a value of the form, and not a description of one.
  static void add_default(const Form& form, const std::string& text, Json& value) {
    Json parsed = Json::parse(text, nullptr, false);
    switch (form.kind) {
      case Form::Kind::Whole:
      case Form::Kind::Number:
      case Form::Kind::Value:
        if (parsed.is_number()) value["default"] = std::move(parsed);
        break;
      case Form::Kind::Boolean: value["default"] = text == "true"; break;
      case Form::Kind::List: break;
      case Form::Kind::Text:
      case Form::Kind::Scalar:
      case Form::Kind::Word:
      case Form::Kind::Expression:
      case Form::Kind::Map:
      case Form::Kind::Names:
      case Form::Kind::Choice: value["default"] = parsed.is_string() ? std::move(parsed) : Json(text); break;
    }
  }

  static void add_rule(const KeyRule& rule, Json& rules) {
    auto one_of_them = [&] {
      Json list = Json::array();
      for (std::string_view key : rule.keys) list.push_back({{"required", Json::array({key})}});
      return list;
    };
    using Kind = KeyRule::Kind;
    switch (rule.kind) {
      case Kind::ExactlyOne: rules.push_back({{"oneOf", one_of_them()}}); break;
      case Kind::AtLeastOne: rules.push_back({{"anyOf", one_of_them()}}); break;
      case Kind::AtMostOne:
        for (size_t i = 0; i < rule.keys.size(); ++i)
          for (size_t j = i + 1; j < rule.keys.size(); ++j)
            rules.push_back({{"not", {{"required", Json::array({rule.keys[i], rule.keys[j]})}}}});
        break;
      case Kind::Together: {
        Json needs = Json::object();
        for (std::string_view key : rule.keys) {
          needs[std::string(key)] = Json::array();
          for (std::string_view other : rule.keys)
            if (other != key) needs[std::string(key)].push_back(other);
        }
        rules.push_back({{"dependencies", std::move(needs)}});
        break;
      }
    }
  }

  Json definitions_ = Json::object();
};

}  // namespace

Json json_schema(const Form& file, std::string_view title) { return SchemaWriter().write(file, title); }

}  // namespace warptime::host

#include "host/launch_file/launch_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/missing_file.h"
#include "base/plural.h"
#include "host/device/typed_value.h"
#include "host/launch_file/launch_data.h"
#include "host/launch_file/launch_expectations.h"
#include "host/launch_file/launch_figures.h"
#include "host/launch_file/launch_form.h"
#include "host/launch_file/launch_loop.h"
#include "host/launch_file/launch_parameters.h"
#include "host/launch_file/launch_tensor.h"
#include "host/launch_file/launch_texture.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;
using yaml::StrictMap;

namespace {

class LaunchFileReader {
 public:
  LaunchFileReader(std::shared_ptr<const SourceText> source, const std::vector<std::string>& parameters,
                   const std::vector<SettingPlace>& places, Diagnostics& diagnostics)
      : source_(std::move(source)),
        path_(source_->name()),
        settings_(parameters),
        places_(places),
        diagnostics_(diagnostics) {}

  LaunchPlan read() {
    plan_.sources.push_back(source_);
    auto root = yaml::parse(source_, diagnostics_);
    if (!root) return std::move(plan_);
    read_parameters(*root, settings_, places_, plan_, diagnostics_);
    if (diagnostics_.has_errors()) return std::move(plan_);  // every expression would repeat them
    compute_expressions(*root, plan_, diagnostics_);
    StrictMap map(*root, "a launch file", forms_.file, diagnostics_);
    const Node* module = map.find("module");
    const Node* buffers = map.find("buffers");
    const Node* constants = map.find("constants");
    const Node* textures = map.find("textures");
    const Node* launches = map.find("launches");
    const Node* outputs = map.find("outputs");
    const Node* expect = map.find("expect");
    const Node* figures = map.find("figures");
    const Node* expect_figures = map.find("expect_figures");
    map.find("params");
    map.find("machine");  // launch_machine.h
    map.finish();
    if (module != nullptr) read_module(*module);
    read_data(buffers, "buffer", plan_.buffers);
    read_data(constants, "constant", plan_.constants);
    for (const Entry& entry : entries(textures, "\"textures\"")) read_texture_entry(entry);
    if (launches != nullptr) read_launches(*launches);
    for (const Entry& entry : entries(outputs, "\"outputs\"")) read_output(entry);
    for (const Entry& entry : entries(expect, "\"expect\"")) read_expectation(entry);
    for (const Entry& entry : entries(figures, "\"figures\"")) read_figure(entry, plan_, diagnostics_);
    for (const Entry& entry : entries(expect_figures, "\"expect_figures\""))
      read_expected_figure(entry, plan_, diagnostics_);
    return std::move(plan_);
  }

 private:
  void read_module(const Node& node) {
    std::string path, why;
    if (!yaml::read(node, "module", path, any(), diagnostics_)) return;
    path = path_beside(path_, path);
    plan_.module = SourceText::read_file(path, &why);
    if (plan_.module == nullptr) diagnostics_.add(cannot_read(path, why, node.where));
  }

  // The entries of a map that may be absent.
  std::span<const Entry> entries(const Node* node, const char* what) {
    if (node == nullptr || node->kind == Node::Kind::Null) return {};
    if (node->kind != Node::Kind::Map)
      diagnostics_.error(node->where, fmt::format("{} must be a map, not {}", what, yaml::describe(*node)));
    return node->entries;
  }

  void read_data(const Node* node, const char* kind, std::vector<TypedData>& into) {
    for (const Entry& entry : entries(node, kind)) {
      if (auto data = read_typed_data(entry, kind, path_, diagnostics_)) into.push_back(std::move(*data));
      else broken_.push_back(entry.key);
    }
  }

  void read_texture_entry(const Entry& entry) {
    const Node* buffer_node = nullptr;
    auto texture = read_texture(entry, &buffer_node, diagnostics_);
    auto buffer = buffer_node != nullptr ? buffer_of(*buffer_node, "buffer") : std::nullopt;
    if (!texture || !buffer) return broken_textures_.push_back(entry.key);
    check_fits(*texture, plan_.buffers[*buffer], buffer_node->where, diagnostics_);
    plan_.textures.push_back({std::move(*texture), *buffer, entry.where});
  }

  void read_texture_argument(const Node& node, PlannedArgument& argument) {
    std::string name;
    if (!yaml::read(node, "texture", name, any(), diagnostics_)) return;
    std::vector<std::string_view> names;
    for (size_t i = 0; i < plan_.textures.size(); ++i) {
      names.push_back(plan_.textures[i].texture.name);
      if (names.back() == name) argument.texture = i;
    }
    bool broken = std::find(broken_textures_.begin(), broken_textures_.end(), name) != broken_textures_.end();
    if (!argument.texture && !broken)
      diagnostics_.error(node.where, fmt::format("there is no texture \"{}\"", name), did_you_mean(name, names));
  }

  // A buffer by its name. A buffer whose entry was wrong has had its error and gets no second one here.
  std::optional<size_t> buffer_named(const std::string& name, SourceSpan where, std::string hint = {}) {
    if (auto index = plan_.find_buffer(name)) return index;
    for (const std::string& b : broken_)
      if (b == name) return std::nullopt;
    if (hint.empty()) hint = did_you_mean(name, plan_.buffer_names());
    if (hint.empty() && !plan_.buffers.empty())
      hint = fmt::format("available: {}", fmt::join(plan_.buffer_names(), ", "));
    diagnostics_.error(where, fmt::format("there is no buffer \"{}\"", name), hint);
    return std::nullopt;
  }
  std::optional<size_t> buffer_of(const Node& node, std::string_view what) {
    std::string name;
    if (!yaml::read(node, what, name, any(), diagnostics_)) return std::nullopt;
    return buffer_named(name, node.where);
  }

  void read_launches(const Node& node) {
    if (node.kind != Node::Kind::Sequence || node.items.empty()) {
      diagnostics_.error(
          node.where,
          fmt::format("\"launches\" must be a list with at least one launch, not {}",
                      node.items.empty() && node.kind == Node::Kind::Sequence ? "an empty one" : yaml::describe(node)));
      return;
    }
    for (const Node& item : node.items) {
      auto has = [&](std::string_view key) {
        return std::any_of(item.entries.begin(), item.entries.end(), [&](const Entry& e) { return e.key == key; });
      };
      if (has("copy")) read_copy(item);
      else if (has("memset")) read_fill(item);
      else if (has("launches")) read_loop(item);
      else read_launch(item);
    }
  }

  void read_copy(const Node& item) {
    StrictMap outer(item, "a copy", forms_.copy_step, diagnostics_);
    const Node* node = outer.find("copy");
    outer.finish();
    StrictMap map(*node, "\"copy\"", forms_.copy, diagnostics_);
    const Node* to = map.find("to");
    const Node* from = map.find("from");
    const Node* bytes = map.find("bytes");
    const Node* asynchronous = map.find("asynchronous");
    PlannedCopy copy;
    map.read("pinned", copy.options.pinned);
    map.read("asynchronous", copy.options.asynchronous);
    map.read("stream", copy.stream);
    bool good = map.finish();
    if (copy.options.asynchronous && !copy.options.pinned)
      diagnostics_.error(asynchronous->where, "the host waits for a copy of pageable memory",
                         "only copies with \"pinned: true\" can be asynchronous");
    if (!good || (to == nullptr && from == nullptr)) return;
    auto buffer = buffer_of(to != nullptr ? *to : *from, to != nullptr ? "to" : "from");
    if (!buffer) return;
    if (from != nullptr) copy.direction = TimelineEvent::Direction::DeviceToHost;
    copy.buffer = *buffer;
    copy.bytes = plan_.buffers[*buffer].bytes();
    if (bytes != nullptr)
      yaml::read(*bytes, "bytes", copy.bytes, range(0, static_cast<double>(copy.bytes)), diagnostics_);
    plan_.steps.emplace_back(copy);
  }

  void read_fill(const Node& item) {
    StrictMap outer(item, "a memset", forms_.fill_step, diagnostics_);
    const Node* node = outer.find("memset");
    outer.finish();
    StrictMap map(*node, "\"memset\"", forms_.fill, diagnostics_);
    PlannedFill fill;
    const Node* name = map.find("buffer");
    const Node* bytes = map.find("bytes");
    const Node* offset = map.find("offset");
    map.read("value", fill.value);
    map.read("stream", fill.stream);
    auto buffer = map.finish() && name != nullptr ? buffer_of(*name, "buffer") : std::nullopt;
    if (!buffer) return;
    fill.buffer = *buffer;
    const uint64_t all = plan_.buffers[*buffer].bytes();
    if (offset != nullptr) yaml::read(*offset, "offset", fill.offset, range(0, static_cast<double>(all)), diagnostics_);
    fill.bytes = all - std::min(all, fill.offset);
    if (bytes != nullptr)
      yaml::read(*bytes, "bytes", fill.bytes, range(0, static_cast<double>(fill.bytes)), diagnostics_);
    plan_.steps.emplace_back(fill);
  }

  void read_loop(const Node& item) {
    StrictMap map(item, "a loop", forms_.loop, diagnostics_);
    PlannedLoop loop;
    std::string index;
    map.read("repeat", loop.repeat);
    const Node* until = map.find("until");
    const Node* name = map.find("index");
    const Node* launches = map.find("launches");
    if (!map.finish()) return;
    if (until != nullptr) {
      const auto buffers = [this](const Node& node) { return buffer_of(node, "buffer"); };
      loop.until = read_until(*until, plan_, buffers, loop.repeat, diagnostics_);
    }
    if (name != nullptr && !yaml::read(*name, "index", index, any(), diagnostics_)) return;
    const size_t place = plan_.steps.size();
    plan_.steps.emplace_back(loop);
    if (name == nullptr) read_launches(*launches);
    else read_rounds(*name, index, *launches, place);
    std::get<PlannedLoop>(plan_.steps[place]).steps = plan_.steps.size() - place - 1;
  }

  /// The steps of each round: their expressions have other values in each. `place`: of the loop in the plan.
  void read_rounds(const Node& node, const std::string& index, const Node& launches, size_t place) {
    const uint32_t repeat = std::get<PlannedLoop>(plan_.steps[place]).repeat;
    if (!check_index(node, index, repeat, plan_, diagnostics_)) return;
    for (uint32_t round = 0; round < repeat && !diagnostics_.has_errors(); ++round) {
      const size_t before = plan_.steps.size();
      Node steps = launches;
      plan_.parameters.emplace_back(index, round);
      compute_steps(steps, plan_, diagnostics_);
      read_launches(steps);
      plan_.parameters.pop_back();
      std::get<PlannedLoop>(plan_.steps[place]).rounds.push_back(plan_.steps.size() - before);
    }
  }

  void read_launch(const Node& item) {
    StrictMap map(item, "a launch", forms_.launch, diagnostics_);
    PlannedLaunch launch;
    const Node* kernel = map.find("kernel");
    const Node* grid = map.find("grid");
    const Node* block = map.find("block");
    const Node* cluster = map.find("cluster");
    const Node* arguments = map.find("args");
    map.read("kernel", launch.kernel);
    map.read("shared_bytes", launch.options.dynamic_shared_bytes);
    map.read("registers_per_thread", launch.options.registers_per_thread);
    map.read("repeat", launch.repeat);
    map.read("synchronous", launch.options.synchronous);
    map.read("stream", launch.stream);
    map.finish();
    launch.options.where = kernel != nullptr ? kernel->where : item.where;
    if (grid != nullptr) read_dimensions(*grid, "grid", launch.grid);
    if (block != nullptr) read_dimensions(*block, "block", launch.block);
    if (cluster != nullptr) read_dimensions(*cluster, "cluster", launch.options.cluster);
    if (arguments != nullptr) read_arguments(*arguments, launch.arguments);
    plan_.steps.emplace_back(std::move(launch));
  }

  void read_dimensions(const Node& node, const char* what, Dim3& out) {
    if (node.kind != Node::Kind::Sequence || node.items.empty() || node.items.size() > 3) {
      diagnostics_.error(node.where, fmt::format("\"{}\" must be a list of 1 to 3 numbers, like [64, 2]", what));
      return;
    }
    uint32_t* axes[] = {&out.x, &out.y, &out.z};
    for (size_t i = 0; i < node.items.size(); ++i)
      yaml::read(node.items[i], what, *axes[i], range(1, 4294967295.0), diagnostics_);
  }

  void read_arguments(const Node& node, std::vector<PlannedArgument>& out) {
    if (node.kind != Node::Kind::Sequence) {
      diagnostics_.error(node.where, fmt::format("\"args\" must be a list, not {}", yaml::describe(node)));
      return;
    }
    for (const Node& item : node.items) {
      PlannedArgument argument;
      argument.argument.where = item.where;
      if (item.kind == Node::Kind::Scalar) {
        std::string why;
        bool number = parse_value(ptx::Type::F64, item.text, &why).has_value();
        argument.argument.text = item.text;
        number = number || is_parameter(plan_, item.text);
        argument.buffer = buffer_named(item.text, item.where,
                                       number ? fmt::format("a number needs its type: {{u32: {}}}", item.text) : "");
      } else if (item.kind == Node::Kind::Map && !item.entries.empty()) {
        read_map_argument(item, argument);
      } else {
        diagnostics_.error(
            item.where, fmt::format("an argument is a buffer's name or {{type: value}}, not {}", yaml::describe(item)));
      }
      out.push_back(std::move(argument));
    }
  }

  void read_map_argument(const Node& item, PlannedArgument& argument) {
    const Entry& first = item.entries.front();
    argument.argument.where = first.value.where;
    argument.argument.text = first.value.text;
    const yaml::Form* form = nullptr;
    for (const yaml::Form* known :
         {&forms_.address, &forms_.bytes, &forms_.texture_argument, &forms_.tensor_argument, &forms_.value_argument})
      if (form == nullptr && has_key_of(item, *known)) form = known;
    if (form == nullptr) {
      std::vector<std::string_view> legal{"address", "bytes", "texture", "tensor_map"};
      legal.insert(legal.end(), value_type_names().begin(), value_type_names().end());
      return yaml::report_unknown_key(first.where, first.key, "an argument", legal, diagnostics_);
    }
    StrictMap map(item, "an argument", *form, diagnostics_);
    if (form == &forms_.address) {
      const Node* address = map.find("address");
      const Node* offset = map.find("offset");
      if (address != nullptr) argument.buffer = buffer_of(*address, "address");
      // Up to the end of the buffer, as C allows.
      double most = argument.buffer ? static_cast<double>(plan_.buffers[*argument.buffer].bytes()) : 0;
      if (offset != nullptr && argument.buffer)
        yaml::read(*offset, "offset", argument.offset, range(0, most), diagnostics_);
    } else if (form == &forms_.bytes) {
      read_hex(*map.find("bytes"), argument.argument, diagnostics_);
    } else if (form == &forms_.texture_argument) {
      read_texture_argument(*map.find("texture"), argument);
    } else if (form == &forms_.tensor_argument) {
      argument.tensor_map = read_tensor_map(*map.find("tensor_map"), diagnostics_, [&](const Node& name) {
        argument.buffer = buffer_of(name, "buffer");
        return argument.buffer ? &plan_.buffers[*argument.buffer] : nullptr;
      });
    } else {
      for (std::string_view name : value_type_names()) {
        const Node* value = map.find(name);
        if (value == nullptr) continue;
        argument.argument.type = *value_type(name);
        auto bits = parse_scalar(*value, argument.argument.type, "the argument", diagnostics_);
        argument.argument.bits = bits.value_or(0);
      }
    }
    map.finish();
  }

  static bool has_key_of(const Node& item, const yaml::Form& form) {
    return std::any_of(item.entries.begin(), item.entries.end(),
                       [&](const Entry& entry) { return yaml::field_of(form, entry.key) != nullptr; });
  }

  void read_output(const Entry& entry) {
    auto buffer = buffer_named(entry.key, entry.where);
    std::string path;
    if (!yaml::read(entry.value, entry.key, path, any(), diagnostics_) || !buffer) return;
    plan_.outputs.push_back({*buffer, path == "-" ? path : path_beside(path_, path), entry.value.where});
  }

  void read_expectation(const Entry& entry) {
    auto buffer = buffer_named(entry.key, entry.where);
    auto expectation = read_expected_values(entry, buffer ? &plan_.buffers[*buffer] : nullptr, path_, diagnostics_);
    if (!expectation) return;
    expectation->buffer = *buffer;
    plan_.expectations.push_back(std::move(*expectation));
  }

  std::shared_ptr<const SourceText> source_;
  std::string path_;
  const std::vector<std::string>& settings_;  // "NAME=VALUE"
  const std::vector<SettingPlace>& places_;
  const LaunchForms& forms_ = launch_forms();
  Diagnostics& diagnostics_;
  LaunchPlan plan_;
  std::vector<std::string> broken_;  // buffers whose entries were wrong
  std::vector<std::string> broken_textures_;
};

}  // namespace

LaunchPlan load_launch_file(const std::string& path, SourceSpan where, const std::vector<std::string>& parameters,
                            const std::vector<SettingPlace>& places) {
  Diagnostics diagnostics;
  std::string why;
  auto source = SourceText::read_file(path, &why);
  if (source == nullptr) {
    diagnostics.add(cannot_read(path, why, where));
    throw InputError(diagnostics.to_text());
  }
  LaunchPlan plan = LaunchFileReader(source, parameters, places, diagnostics).read();
  if (!diagnostics.has_errors()) choose_module(plan, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  return plan;
}

}  // namespace warptime::host

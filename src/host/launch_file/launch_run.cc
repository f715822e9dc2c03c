// run_plan: a launch plan on its device, step by step.
#include <fmt/format.h>

#include <map>

#include "base/listed.h"
#include "base/output_file.h"
#include "base/plural.h"
#include "host/device/kernel_of_module.h"
#include "host/device/typed_value.h"
#include "host/launch_file/array_file.h"
#include "host/launch_file/launch_plan.h"
#include "host/launch_file/printed_range.h"
#include "ptx/module_file.h"
#include "ptx/user/demangle.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/launch_observer.h"

namespace warptime::host {

namespace {

[[noreturn]] void fail(SourceSpan where, std::string message, std::string hint = {}) {
  Diagnostics diagnostics;
  diagnostics.error(where, std::move(message), std::move(hint));
  throw InputError(diagnostics.to_text());
}

/// The plan on its device.
class PlanRun {
 public:
  PlanRun(Device& device, const LaunchPlan& plan) : device_(device), plan_(plan) {}

  std::vector<Check> run(bool check, std::string* printed) {
    // What has an address gets it before anything else is there.
    buffers_.resize(plan_.buffers.size());
    for (const bool by_address : {true, false}) {
      if (!by_address) load_module();
      for (size_t i = 0; i < buffers_.size(); ++i)
        if (plan_.buffers[i].address.has_value() == by_address) buffers_[i] = place(plan_.buffers[i]);
    }
    for (const TypedData& constant : plan_.constants) fill(constant);
    for (const PlannedTexture& texture : plan_.textures) bind(texture);
    try {
      run_steps(0, plan_.steps.size());
      device_.launches();  // runs those that wait for others
    } catch (const FaultError&) {
      // What the buffers hold by now may show what went wrong.
      hand_out(printed);
      throw;
    }
    hand_out(printed);
    std::vector<Check> checks;
    for (const Expectation& expectation : plan_.expectations)
      if (check) checks.push_back(compare_with(expectation));
    return checks;
  }

 private:
  void load_module() {
    std::map<std::string, Addr> places;
    for (const TypedData& constant : plan_.constants)
      if (constant.address) places[constant.name] = *constant.address;
    module_ = device_.load_module(plan_.module, places);
    check_kernels();  // before hours of the first launch
  }

  void check_kernels() {
    for (const auto& step : plan_.steps)
      if (const auto* launch = std::get_if<PlannedLaunch>(&step))
        kernel_of(Device::ptx_of(module_), kernel_name(*launch), launch->options.where);
  }

  std::string kernel_name(const PlannedLaunch& launch) { return launch.kernel.empty() ? only_kernel() : launch.kernel; }

  void run_steps(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto& step = plan_.steps[i];
      if (const auto* copy = std::get_if<PlannedCopy>(&step)) {
        CopyOptions options = copy->options;
        options.stream = stream_of(copy->stream);
        device_.time_copy(copy->direction, copy->bytes, plan_.buffers[copy->buffer].name, options);
      } else if (const auto* fill = std::get_if<PlannedFill>(&step)) {
        device_.fill_bytes(buffers_[fill->buffer], static_cast<uint8_t>(fill->value), fill->bytes,
                           plan_.buffers[fill->buffer].name,
                           {.offset = fill->offset, .stream = stream_of(fill->stream)});
      } else if (const auto* loop = std::get_if<PlannedLoop>(&step)) {
        run_loop(*loop, i + 1);
        i += loop->steps;
      } else {
        launch(std::get<PlannedLaunch>(step));
      }
    }
  }

  void run_loop(const PlannedLoop& loop, size_t first) {
    for (uint32_t round = 0; round < loop.repeat; ++round) {
      const size_t steps = loop.rounds.empty() ? loop.steps : loop.rounds[round];
      run_steps(first, first + steps);
      if (!loop.rounds.empty()) first += steps;
      if (loop.until && is_over(*loop.until)) return;
    }
    if (loop.until)
      device_.note(fmt::format("the loop over \"{}\" ended after {}, without its condition",
                               plan_.buffers[loop.until->buffer].name, plural(loop.repeat, "round")));
  }

  /// The host copies the element, which it waits for.
  bool is_over(const PlannedUntil& until) {
    if (device_.options().sampling == sim::Sampling::Timing)
      fail(until.where, "a run with --sample=timing does not compute the values that end this loop", "use --sample");
    const TypedData& data = plan_.buffers[until.buffer];
    const uint32_t size = ptx::bytes(data.type);
    std::vector<std::byte> bytes(size);
    device_.copy_from_bytes(bytes, buffers_[until.buffer], data.name, until.element * size);
    const std::partial_ordering order = order_of(data.type, load_element(data.type, bytes, 0), until.bits);
    switch (until.test) {
      case PlannedUntil::Test::Equals: return order == std::partial_ordering::equivalent;
      case PlannedUntil::Test::Below: return order == std::partial_ordering::less;
      case PlannedUntil::Test::Above: return order == std::partial_ordering::greater;
    }
    return true;
  }

  /// Streams of the file are created when they are used first.
  Stream stream_of(uint32_t number) {
    if (number == 0) return {};
    auto [found, is_new] = streams_.try_emplace(number);
    if (is_new) found->second = device_.create_stream();
    return found->second;
  }

  Buffer place(const TypedData& data) {
    auto buffer = data.address ? device_.try_allocate_at(*data.address, data.bytes(), data.name)
                               : device_.try_allocate(data.bytes(), data.name, data.alignment);
    if (!buffer && data.address)
      fail(data.where,
           fmt::format("buffer \"{}\" ({}) cannot begin at address {:#x}", data.name, plural(data.bytes(), "byte"),
                       *data.address),
           "another one is there, or it is not an address of the machine's memory (memory.bytes)");
    if (!buffer)
      fail(data.where, fmt::format("buffer \"{}\" ({}) does not fit in device memory: {} of {} bytes are free "
                                   "(memory.bytes of machine \"{}\")",
                                   data.name, plural(data.bytes(), "byte"), device_.bytes_free(),
                                   device_.machine().config.memory.bytes, device_.machine().name));
    if (!std::holds_alternative<Zeros>(data.initial)) device_.write_bytes(buffer->address, materialise(data));
    else if (auto* observer = device_.options().needs().observer) observer->host_writes(buffer->address, data.bytes());
    return *buffer;
  }

  void fill(const TypedData& data) {
    std::vector<std::string_view> names;
    for (const ptx::Symbol& symbol : Device::ptx_of(module_).symbols) {
      if (symbol.space != ptx::Space::Const && symbol.space != ptx::Space::Global) continue;
      names.push_back(symbol.name);
      if (symbol.name != data.name) continue;
      if (symbol.size != data.bytes())
        fail(data.where, fmt::format("variable \"{}\" has {}, but {} x {} are {}", data.name,
                                     plural(symbol.size, "byte"), data.count, ptx::name(data.type), data.bytes()));
      if (data.address && symbol.space == ptx::Space::Const)
        fail(data.where, fmt::format("the .const variable \"{}\" has no address of its own", data.name));
      device_.set_symbol(module_, data.name, materialise(data));
      return;
    }
    std::string hint = did_you_mean(data.name, names);
    if (hint.empty()) hint = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    fail(data.where, fmt::format("the module has no .const or .global variable \"{}\"", data.name), hint);
  }

  void bind(const PlannedTexture& planned) {
    sim::Texture texture = planned.texture;
    texture.base = buffers_[planned.buffer].address;
    textures_.push_back(device_.make_texture(texture));
    for (const ptx::Symbol& symbol : Device::ptx_of(module_).symbols)
      if (symbol.space == ptx::Space::Tex && symbol.name == texture.name)
        device_.bind_texture(module_, texture.name, texture);
  }

  Argument tensor_map(const PlannedArgument& planned) {
    sim::TensorMap map = *planned.tensor_map;
    map.address = buffers_[*planned.buffer].address;
    if (const sim::TensorProblem found = problem_of(map); found != sim::TensorProblem::None)
      fail(planned.argument.where, fmt::format("this tensor map cannot be: {}", text(found)),
           "align: moves the buffer");
    Argument out = planned.argument;
    out.kind = Argument::Kind::Bytes;
    out.bytes = device_.make_tensor_map(map).bytes;
    return out;
  }

  void launch(const PlannedLaunch& planned) {
    std::string kernel = kernel_name(planned);
    std::vector<Argument> arguments;
    for (const PlannedArgument& a : planned.arguments) {
      arguments.push_back(a.argument);
      if (a.texture) {
        arguments.back().kind = Argument::Kind::Address;
        arguments.back().bits = textures_[*a.texture].bits;
      }
      if (!a.buffer) continue;
      arguments.back().kind = Argument::Kind::Address;
      arguments.back().bits = buffers_[*a.buffer].address + a.offset;
      if (a.tensor_map) arguments.back() = tensor_map(a);
    }
    LaunchOptions options = planned.options;
    options.stream = stream_of(planned.stream);
    for (uint32_t i = 0; i < planned.repeat; ++i)
      device_.enqueue(module_, kernel, planned.grid, planned.block, arguments, options);
  }

  std::string only_kernel() {
    std::vector<std::string> names;
    for (const ptx::Kernel& k : Device::ptx_of(module_).kernels)
      if (k.is_entry) names.push_back(k.name);
    if (names.empty()) fail({}, fmt::format("\"{}\" has no kernel", plan_.module->name()));
    if (names.size() > 1) {
      const std::string count = plural(names.size(), "kernel");
      for (std::string& name : names) name = ptx::demangled(name);
      fail({}, fmt::format("\"{}\" has {}: say which", plan_.module->name(), count),
           fmt::format("--kernel with one of {}", listed({names.begin(), names.end()})));
    }
    return names[0];
  }

  std::vector<std::byte> read(size_t buffer) {
    std::vector<std::byte> bytes(buffers_[buffer].bytes);
    device_.read_bytes(bytes, buffers_[buffer].address);
    return bytes;
  }

  void hand_out(std::string* printed) {
    for (const PlannedOutput& output : plan_.outputs) write(output);
    if (printed == nullptr) return;
    for (const PlannedPrint& print : plan_.prints)
      *printed += printed_elements(plan_.buffers[print.buffer], read(print.buffer), print);
  }

  void write(const PlannedOutput& output) {
    const TypedData& data = plan_.buffers[output.buffer];
    std::vector<std::byte> bytes = read(output.buffer);
    OutputFile file(output.path);
    if (is_npy(output.path))
      file.write(npy_header(data.type, data.shape.empty() ? std::vector{data.count} : data.shape));
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!file.commit()) fail(output.where, fmt::format("cannot write \"{}\": {}", output.path, file.error()));
  }

  Check compare_with(const Expectation& expectation) {
    const TypedData& data = plan_.buffers[expectation.buffer];
    return compare(data.name, data.type, read(expectation.buffer), expectation.values, expectation.tolerance);
  }

  Device& device_;
  const LaunchPlan& plan_;
  ModuleRef module_;
  std::vector<Buffer> buffers_;
  std::vector<Argument> textures_;      // their handles
  std::map<uint32_t, Stream> streams_;  // by their numbers in the file
};

}  // namespace

void choose_module(LaunchPlan& plan, Diagnostics& diagnostics) {
  std::vector<ptx::KernelChoice> wanted;
  SourceSpan where;
  for (auto& step : plan.steps) {
    auto* launch = std::get_if<PlannedLaunch>(&step);
    if (launch == nullptr) continue;
    if (wanted.empty()) where = launch->options.where;
    wanted.push_back(ptx::parse_kernel_choice(launch->kernel));
    launch->kernel = wanted.back().kernel;
  }
  plan.module = ptx::choose_module(std::move(plan.module), wanted, where, diagnostics);
}

std::vector<Check> run_plan(Device& device, const LaunchPlan& plan, bool check, std::string* printed) {
  return PlanRun(device, plan).run(check, printed);
}

}  // namespace warptime::host

#include "cuda/work.h"

#include <algorithm>

#include "cuda/graph.h"

namespace warptime::cuda {

Error perform(Runtime& runtime, const Work& work, host::Stream stream) {
  struct Performer {
    Runtime& runtime;
    host::Stream stream;
    Error operator()(const LaunchWork& launch) const { return perform(runtime, launch, stream); }
    Error operator()(const CopyWork& copy) const { return perform(runtime, copy, stream); }
    Error operator()(const FillWork& fill) const { return perform(runtime, fill, stream); }
    /// Other threads may use the runtime meanwhile; the function itself may not.
    Error operator()(const HostWork& host) const {
      runtime.device().synchronize(stream);
      runtime.lock().unlock();
      host.function(host.data);
      runtime.lock().lock();
      return Error::Success;
    }
    Error operator()(const RecordWork& record) const {
      EventObject& event = runtime.event_of(record.event);
      event.moment = runtime.device().record_event(stream);
      event.recorded = true;
      event.capture = nullptr;
      return Error::Success;
    }
    Error operator()(const WaitWork& wait) const {
      const EventObject& event = runtime.event_of(wait.event);
      if (event.recorded) runtime.device().wait_event(stream, event.moment);
      return Error::Success;
    }
    Error operator()(const EmptyWork&) const { return Error::Success; }
    Error operator()(const AllocateWork&) const { return Error::Success; }  // it has been there since the call
    Error operator()(const FreeWork&) const { return Error::Success; }      // it goes with the graph
    Error operator()(const ChildWork& child) const {
      GraphExec exec{.graph = child.graph};
      const Error error = launch(runtime, exec, *child.graph, stream);
      runtime.give_lanes(std::move(exec.lanes));
      return error;
    }
  };
  return std::visit(Performer{runtime, stream}, work);
}

Error submit(Runtime& runtime, void* stream, Work work) {
  CapturedStream* captured = runtime.captures.of(runtime, stream);
  if (captured == nullptr) return perform(runtime, work, runtime.stream_of(stream));
  captured->last = {&captured->capture->target().add(std::move(work), captured->last)};
  return Error::Success;
}

std::vector<host::Argument> arguments_of(const ptx::Kernel& kernel, void** arguments, void** extra) {
  // CU_LAUNCH_PARAM_BUFFER_POINTER, the block, CU_LAUNCH_PARAM_BUFFER_SIZE, where its size is, CU_LAUNCH_PARAM_END.
  constexpr uintptr_t kEnd = 0, kPointer = 1, kSize = 2;
  const std::byte* block = nullptr;
  size_t bytes = 0;
  for (void** word = extra; extra != nullptr && reinterpret_cast<uintptr_t>(*word) != kEnd; word += 2) {
    if (reinterpret_cast<uintptr_t>(*word) == kPointer) block = static_cast<const std::byte*>(word[1]);
    else if (reinterpret_cast<uintptr_t>(*word) == kSize) bytes = *static_cast<const size_t*>(word[1]);
    else throw CallError{Error::InvalidValue};
  }
  if (!kernel.parameters.empty() && (arguments == nullptr) == (block == nullptr)) throw CallError{Error::InvalidValue};
  std::vector<host::Argument> values;
  values.reserve(kernel.parameters.size());
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[i]];
    if (block != nullptr && parameter.offset + parameter.size > bytes) throw CallError{Error::InvalidValue};
    host::Argument& argument = values.emplace_back();
    argument.kind = host::Argument::Kind::Bytes;
    const auto* from = block != nullptr ? block + parameter.offset : static_cast<const std::byte*>(arguments[i]);
    argument.bytes.assign(from, from + parameter.size);
  }
  return values;
}

}  // namespace warptime::cuda

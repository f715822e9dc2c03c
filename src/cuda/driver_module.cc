// Modules of the driver API, their functions and launches.
#include <cstring>

#include "base/source_text.h"
#include "cuda/driver.h"
#include "cuda/link.h"

namespace warptime::cuda {

// Defined in calls_code.cc and calls_peer.cc, for the runtime.
extern "C" Error warptime_cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function);

namespace {

/// A module: an image of the runtime, whose functions have handles by which the runtime knows them, too.
struct DriverModule {
  Image* image = nullptr;
  std::map<std::string, std::unique_ptr<char>, std::less<>> functions = {};
  std::map<std::string, std::unique_ptr<char>, std::less<>> variables = {};
};
std::map<const void*, std::unique_ptr<DriverModule>> modules;
std::map<const void*, const DriverModule*> module_of_function;

/// Files that are linked as PTX (cuLinkCreate); what comes out is PTX, too.
struct Linker {
  std::vector<std::string> files = {};
  std::string linked = {};
};
std::map<const void*, std::unique_ptr<Linker>> linkers;

DriverModule& module_of(const void* handle) {
  auto found = modules.find(handle);
  if (found == modules.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}
Linker& linker_of(const void* handle) {
  auto found = linkers.find(handle);
  if (found == linkers.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}

/// The PTX of an image: a fat binary or a text.
std::string text_of_image(Runtime& r, const void* image) {
  constexpr uint32_t kElf = 0x464c457f, kContainer = 0xba55ed50;
  uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kElf)
    throw CallError{Error::NoKernelImageForDevice,
                    "error: a module is code for a machine (a cubin), which cannot be executed\n         hint: load "
                    "its PTX\n"};
  Image made;
  FatWrapper wrapper{};
  if (magic == FatWrapper::kMagic) made.wrapper = static_cast<const FatWrapper*>(image);
  if (magic == kContainer) {
    wrapper.magic = FatWrapper::kMagic;
    wrapper.version = 1;
    wrapper.container = image;
    made.wrapper = &wrapper;
  }
  std::string name;
  return made.wrapper != nullptr ? r.ptx_text(made, name) : std::string(static_cast<const char*>(image));
}

std::string contents_of(const char* path) {
  std::string why;
  const auto source = SourceText::read_file(path, &why);
  if (source == nullptr)
    throw CallError{Error::FileNotFound, fmt::format("error: the module {} cannot be read: {}\n", path, why)};
  return std::string(source->text()) + '\0';
}

/// The caller's buffer for the messages of the compiler, which options give with their values.
void write_log(const CallError& error, unsigned count, const int* options, void** values) {
  enum : int { kErrorBuffer = 5, kErrorBytes = 6 };
  char* buffer = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kErrorBuffer) buffer = static_cast<char*>(values[i]);
    if (options[i] == kErrorBytes) room = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (buffer == nullptr || room == 0) return;
  const size_t bytes = std::min(room - 1, error.text.size());
  std::memcpy(buffer, error.text.data(), bytes);
  buffer[bytes] = '\0';
}

Error load_module(Runtime& r, void** handle, const void* image, unsigned count, const int* options, void** values) {
  if (handle == nullptr || image == nullptr) return Error::InvalidValue;
  std::string text = text_of_image(r, image);
  if (text.empty()) return Error::InvalidKernelImage;
  auto made = std::make_unique<DriverModule>();
  made->image = r.add(nullptr);
  made->image->text = std::move(text);
  try {
    r.load(*made->image);
  } catch (const CallError& error) {
    write_log(error, count, options, values);
    throw;
  }
  *handle = made.get();
  modules[*handle] = std::move(made);
  return Error::Success;
}

struct Grid {
  Extent3 grid, block;
  unsigned shared_bytes;
  void* stream;
};

Result launch(const void* function, const Grid& at, void** arguments, void** extra, bool cooperative) {
  return drive([&](Runtime& r) {
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    LaunchWork work{function, at.grid, at.block, at.shared_bytes, cooperative, arguments_of(kernel, arguments, extra)};
    return submit(r, at.stream, std::move(work));
  });
}

}  // namespace

DRIVER_FUNCTION(cuModuleLoadData)(void** module, const void* image) {
  return drive([&](Runtime& r) { return load_module(r, module, image, 0, nullptr, nullptr); });
}
DRIVER_FUNCTION(cuModuleLoadDataEx)
(void** module, const void* image, unsigned count, const int* options, void** values) {
  return drive([&](Runtime& r) { return load_module(r, module, image, count, options, values); });
}
DRIVER_FUNCTION(cuModuleLoad)(void** module, const char* path) {
  return drive([&](Runtime& r) { return load_module(r, module, contents_of(path).data(), 0, nullptr, nullptr); });
}
DRIVER_FUNCTION(cuModuleUnload)(void* module) {
  return drive([&](Runtime& r) {
    r.remove(module_of(module).image);
    std::erase_if(module_of_function, [&](const auto& entry) { return entry.second == module; });
    modules.erase(module);
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuModuleGetFunction)(void** function, void* module, const char* name) {
  return drive([&](Runtime& r) {
    DriverModule& in = module_of(module);
    std::unique_ptr<char>& handle = in.functions[name];
    if (handle == nullptr) {
      bool is_there = false;
      for (const ptx::Kernel& kernel : host::Device::ptx_of(r.load(*in.image)).kernels)
        is_there = is_there || kernel.name == name;
      if (!is_there) return in.functions.erase(name), Error::SymbolNotFound;
      handle = std::make_unique<char>();
      r.add_kernel(in.image, handle.get(), name);
      module_of_function[handle.get()] = &in;
    }
    *function = handle.get();
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuModuleGetGlobal)(Addr* address, size_t* bytes, void* module, const char* name) {
  return drive([&](Runtime& r) {
    DriverModule& in = module_of(module);
    std::unique_ptr<char>& handle = in.variables[name];
    if (handle == nullptr) handle = std::make_unique<char>();
    r.add_variable(in.image, handle.get(), name);
    try {
      const host::Buffer place = r.place_of_variable(handle.get());
      if (address != nullptr) *address = place.address;
      if (bytes != nullptr) *bytes = place.bytes;
    } catch (const CallError& error) {
      if (error.code == Error::InvalidSymbol) return Error::SymbolNotFound;
      throw;
    }
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuModuleGetLoadingMode)(int* mode) {
  constexpr int kEager = 1;
  *mode = kEager;
  return kDone;
}

DRIVER_FUNCTION(cuLinkCreate)(unsigned, const int*, void**, void** linker) {
  return drive([&](Runtime&) {
    auto made = std::make_unique<Linker>();
    *linker = made.get();
    linkers[*linker] = std::move(made);
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuLinkAddData)
(void* linker, int, const void* data, size_t bytes, const char*, unsigned, const int*, void**) {
  return drive([&](Runtime& r) {
    const std::string image = std::string(static_cast<const char*>(data), bytes) + '\0';
    linker_of(linker).files.push_back(text_of_image(r, image.data()));
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuLinkAddFile)(void* linker, int, const char* path, unsigned, const int*, void**) {
  return drive([&](Runtime& r) {
    linker_of(linker).files.push_back(text_of_image(r, contents_of(path).data()));
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuLinkComplete)(void* linker, const void** image, size_t* bytes) {
  return drive([&](Runtime&) {
    Linker& of = linker_of(linker);
    of.linked = of.files.size() == 1 ? of.files.front() : link_ptx(of.files);
    *image = of.linked.c_str();
    if (bytes != nullptr) *bytes = of.linked.size() + 1;
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuLinkDestroy)(void* linker) {
  return drive([&](Runtime&) { return linkers.erase(linker) == 1 ? Error::Success : Error::InvalidResourceHandle; });
}

DRIVER_FUNCTION(cuLaunchKernel)
(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
 unsigned block_z, unsigned shared, void* stream, void** arguments, void** extra) {
  return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream}, arguments, extra,
                false);
}
DRIVER_FUNCTION(cuLaunchCooperativeKernel)
(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
 unsigned block_z, unsigned shared, void* stream, void** arguments) {
  return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream}, arguments, nullptr,
                true);
}
struct DriverLaunch {  // CUlaunchConfig
  Extent3 grid, block;
  unsigned shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned count;
};
DRIVER_FUNCTION(cuLaunchKernelEx)(const DriverLaunch* config, const void* function, void** arguments, void** extra) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->count; ++i)
    if (config->attributes[i].id == LaunchAttribute::kCooperative)
      cooperative = config->attributes[i].value.cooperative != 0;
  return launch(function, {config->grid, config->block, config->shared_bytes, config->stream}, arguments, extra,
                cooperative);
}
DRIVER_FUNCTION(cuFuncGetModule)(void** module, const void* function) {
  return drive([&](Runtime&) {
    auto found = module_of_function.find(function);
    if (found == module_of_function.end()) return Error::InvalidResourceHandle;
    *module = const_cast<DriverModule*>(found->second);
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuFuncGetAttribute)(int* value, int attribute, const void* function) {
  return drive([&](Runtime&) {
    FunctionAttributes known{};
    if (const Error error = warptime_cudaFuncGetAttributes(&known, function); error != Error::Success) return error;
    const int values[] = {known.max_threads_per_block,
                          static_cast<int>(known.shared_bytes),
                          static_cast<int>(known.constant_bytes),
                          static_cast<int>(known.local_bytes),
                          known.registers,
                          known.ptx_version,
                          known.binary_version,
                          known.cache_mode,
                          known.max_dynamic_shared_bytes,
                          known.carveout};
    if (attribute < 0 || static_cast<size_t>(attribute) >= std::size(values)) return Error::InvalidValue;
    *value = values[attribute];
    return Error::Success;
  });
}
/// The block size with the most threads on an SM, and how many such blocks fit on the device.
DRIVER_FUNCTION(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* block, const void* function, size_t (*shared_of)(int), size_t shared, int limit) {
  return drive([&](Runtime& r) {
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    const sim::MachineConfig& machine = r.machine();
    int most = static_cast<int>(machine.sm.max_threads_per_block);
    if (limit > 0) most = std::min(most, limit);
    int best = 0;
    *grid = *block = 0;
    for (int threads = most; threads > 0; threads = threads > 32 ? (threads - 1) / 32 * 32 : 0) {
      const size_t bytes = shared_of == nullptr ? shared : shared_of(threads);
      const uint64_t blocks = blocks_at_once(r, kernel, static_cast<uint32_t>(threads),
                                             static_cast<uint32_t>(std::min<size_t>(bytes, 0xffffffff)));
      const int resident = static_cast<int>(blocks) * threads;
      if (resident <= best) continue;
      best = resident;
      *block = threads;
      *grid = static_cast<int>(blocks);
    }
    return best == 0 ? Error::InvalidValue : Error::Success;
  });
}
extern "C" Result warptime_potential_size_flags(int* grid, int* block, const void* function, size_t (*shared_of)(int),
                                                size_t shared, int limit, unsigned) {
  return warptime_cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}

}  // namespace warptime::cuda

#include "cuda/call_site.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>

#include "cuda/elf_file.h"
#include "cuda/function_table.h"
#include "ptx/user/demangle.h"

constinit thread_local const char* warptime_called = "";

namespace warptime::cuda {

namespace {

uintptr_t as_number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

/// Where the file that this address was loaded from begins; nullptr: nowhere.
const void* file_of(const void* address, std::string* path = nullptr) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return nullptr;
  if (path != nullptr) *path = info.dli_fname;
  return info.dli_fbase;
}

/// The function of the program at an address.
struct Place {
  std::string name = {};  // mangled; empty: not known
  uintptr_t begin = 0;
  std::string text = {};  // "main+0x12", "libx.so+0x1234"
};

Place place_of(const void* address) {
  static std::mutex lock;
  static auto* const known = new std::map<const void*, ElfSymbols>;
  std::string path;
  const void* base = file_of(address, &path);
  if (base == nullptr) return {.text = fmt::format("{:#x}", as_number(address))};
  // The program may have been started by a relative path, and have left its folder.
  const bool is_program = file_of(reinterpret_cast<const void*>(getauxval(AT_PHDR))) == base;  // NOLINT
  std::lock_guard guard(lock);
  auto [symbols, is_new] = known->try_emplace(base);
  if (is_new) symbols->second = read_symbols(is_program ? "/proc/self/exe" : path);
  const uintptr_t bias = symbols->second.is_fixed ? 0 : as_number(base), at = as_number(address) - bias;
  // A call may be the last instruction of its function.
  if (const ElfFunction* function = symbols->second.function_at(at - 1)) {
    const std::string name = ptx::demangled(function->name);
    return {function->name, function->begin + bias,
            fmt::format("{}+{:#x}", name.substr(0, std::min(name.find('('), name.size())), at - function->begin)};
  }
  return {.text = fmt::format("{}+{:#x}", std::filesystem::path(path).filename().string(), at)};
}

/// Whether the toolkit has put the function between the author's call and the runtime.
bool is_between(const Place& place, const void* stub) {
  if (stub != nullptr && place.begin == as_number(stub)) return true;
  for (const char* of_toolkit : {"__cuda", "__device_stub__"})
    if (place.name.find(of_toolkit) != std::string::npos) return true;
  const std::string name = ptx::demangled(place.name);
  const std::string_view plain = std::string_view(name).substr(0, name.find_first_of("<("));
  const std::string_view last = plain.substr(plain.rfind(' ') == std::string_view::npos ? 0 : plain.rfind(' ') + 1);
  for (std::string_view library : {"thrust::", "cub::", "std::"})
    if (last.starts_with(library)) return true;
  const auto all = functions();
  return std::any_of(all.begin(), all.end(), [&](const FunctionRow& row) { return row.name == last; });
}

}  // namespace

CallSite this_call(uint64_t number) {
  struct Walk {
    CallSite site;
    size_t count = 0;
    const void* own = nullptr;
  } walk;
  walk.site.function = warptime_called;
  walk.site.number = number;
  walk.own = file_of(reinterpret_cast<const void*>(&this_call));
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* to) {
        Walk& w = *static_cast<Walk*>(to);
        const void* address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));  // NOLINT
        if (w.count > 0 || file_of(address) != w.own) w.site.frames[w.count++] = address;
        return w.count == CallSite::kFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  return walk.site;
}

debug::HostCall CallSite::named() const {
  std::string_view name = function;
  if (name.starts_with("__")) name.remove_prefix(2);
  debug::HostCall out{std::string(name), {}, number, launch};
  std::string first;
  for (const void* frame : frames) {
    if (frame == nullptr) break;
    const Place place = place_of(frame);
    if (first.empty()) first = place.text;
    if (is_between(place, stub)) continue;
    out.caller = place.name.empty() ? first : place.text;  // without symbols the nearest is the best
    break;
  }
  if (out.caller.empty()) out.caller = first;
  return out;
}

}  // namespace warptime::cuda

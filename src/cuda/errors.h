// The error codes of the CUDA runtime that a program may get, with their names and texts (CUDA Runtime API, cudaError).
#pragma once

#include <array>
#include <string_view>

#include "sim/fault.h"

namespace warptime::cuda {

// clang-format off
//  number  name                       what cudaGetErrorString says
#define CUDA_ERRORS(X) \
  X(0,   Success,                   "no error") \
  X(1,   InvalidValue,              "invalid argument") \
  X(2,   MemoryAllocation,          "out of memory") \
  X(3,   InitializationError,       "initialization error") \
  X(9,   InvalidConfiguration,      "invalid configuration argument") \
  X(12,  InvalidPitchValue,         "invalid pitch argument") \
  X(13,  InvalidSymbol,             "invalid device symbol") \
  X(17,  InvalidDevicePointer,      "invalid device pointer") \
  X(21,  InvalidMemcpyDirection,    "invalid copy direction for memcpy") \
  X(35,  InsufficientDriver,        "CUDA driver version is insufficient for CUDA runtime version") \
  X(18,  InvalidTexture,            "invalid texture reference") \
  X(19,  InvalidTextureBinding,     "texture is not bound to a pointer") \
  X(20,  InvalidChannelDescriptor,  "invalid channel descriptor") \
  X(26,  InvalidFilterSetting,      "linear filtering not supported for non-float type") \
  X(27,  InvalidNormSetting,        "read as normalized float not supported for 32-bit non float type") \
  X(52,  MissingConfiguration,      "__global__ function call is not configured") \
  X(98,  InvalidDeviceFunction,     "invalid device function") \
  X(100, NoDevice,                  "no CUDA-capable device is detected") \
  X(101, InvalidDevice,             "invalid device ordinal") \
  X(200, InvalidKernelImage,        "device kernel image is invalid") \
  X(201, DeviceUninitialized,       "invalid device context") \
  X(209, NoKernelImageForDevice,    "no kernel image is available for execution on the device") \
  X(215, UnsupportedLimit,          "limit is not supported on this architecture") \
  X(217, PeerAccessUnsupported,     "peer access is not supported between these two devices") \
  X(218, InvalidPtx,                "a PTX JIT compilation failed") \
  X(301, FileNotFound,              "file not found") \
  X(304, OperatingSystem,           "OS call failed or operation not supported on this OS") \
  X(400, InvalidResourceHandle,     "invalid resource handle") \
  X(401, IllegalState,              "the operation cannot be performed in the present state") \
  X(500, SymbolNotFound,            "named symbol not found") \
  X(600, NotReady,                  "device not ready") \
  X(700, IllegalAddress,            "an illegal memory access was encountered") \
  X(701, LaunchOutOfResources,      "too many resources requested for launch") \
  X(702, LaunchTimeout,             "the launch timed out and was terminated") \
  X(704, PeerAccessAlreadyEnabled,  "peer access is already enabled") \
  X(705, PeerAccessNotEnabled,      "peer access has not been enabled") \
  X(710, Assert,                    "device-side assert triggered") \
  X(712, HostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped") \
  X(713, HostMemoryNotRegistered,   "pointer does not correspond to a registered memory region") \
  X(714, HardwareStackError,        "hardware stack error") \
  X(715, IllegalInstruction,        "an illegal instruction was encountered") \
  X(716, MisalignedAddress,         "misaligned address") \
  X(718, InvalidPc,                 "invalid program counter") \
  X(719, LaunchFailure,             "unspecified launch failure") \
  X(720, CooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
  X(800, NotPermitted,              "operation not permitted") \
  X(801, NotSupported,              "operation not supported") \
  X(900, StreamCaptureUnsupported,  "operation not permitted when stream is capturing") \
  X(901, StreamCaptureInvalidated,  "operation failed due to a previous error during capture") \
  X(902, StreamCaptureMerge,        "operation would result in a merge of separate capture sequences") \
  X(903, StreamCaptureUnmatched,    "capture was not ended in the same stream as it began") \
  X(904, StreamCaptureUnjoined,     "capturing stream has unjoined work") \
  X(905, StreamCaptureIsolation,    "dependency created on uncaptured work in another stream") \
  X(906, StreamCaptureImplicit,     "operation would make the legacy stream depend on a capturing blocking stream") \
  X(907, CapturedEvent,             "operation not permitted on an event last recorded in a capturing stream") \
  X(908, StreamCaptureWrongThread,  "attempt to terminate a thread-local capture sequence from another thread") \
  X(910, GraphExecUpdateFailure,    "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
  X(999, Unknown,                   "unknown error")
// clang-format on

enum class Error : int {
#define X(number, name, text) name = number,
  CUDA_ERRORS(X)
#undef X
};

struct ErrorRow {
  Error error;
  const char* name;
  const char* text;
};
inline constexpr std::array kErrors {
#define X(number, name, text) ErrorRow{Error::name, "cudaError" #name, text},
  CUDA_ERRORS(X)
#undef X
};

/// What CUDA reports after such a fault of a kernel.
constexpr Error error_of(sim::Fault::Kind kind) {
  using Kind = sim::Fault::Kind;
  switch (kind) {
    case Kind::OutOfBounds:
    case Kind::ReadOnly:
    case Kind::StackOverflow: return Error::IllegalAddress;
    case Kind::Misaligned: return Error::MisalignedAddress;
    case Kind::Deadlock:
    case Kind::Livelock:
    case Kind::NoProgress:
    case Kind::CycleLimit: return Error::LaunchTimeout;
    case Kind::Assertion: return Error::Assert;
    case Kind::BranchIndex:
    case Kind::CallTarget: return Error::InvalidPc;
    case Kind::MemberMask:
    case Kind::PartialWarp:
    case Kind::PartialWarpgroup:
    case Kind::TensorCopy: return Error::IllegalInstruction;
    case Kind::DivergentBarrier:
    case Kind::Trap:
    case Kind::BarrierCount:
    case Kind::BarrierMismatch:
    case Kind::OutsideSurface:
    case Kind::NoTexture:
    case Kind::RuntimeArgument:
    case Kind::Free:
    case Kind::ExitedBlock:
    case Kind::Interrupted: return Error::LaunchFailure;
  }
  return Error::Unknown;
}

}  // namespace warptime::cuda

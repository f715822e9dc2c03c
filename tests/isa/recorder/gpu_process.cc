#include "gpu_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "cuda_driver.h"

namespace warptime::sim {

namespace {

// What goes through the socket: numbers, and sequences as their size in bytes and the bytes.
bool write_all(int socket, const void* bytes, size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    ssize_t done = send(socket, at, count, MSG_NOSIGNAL);
    if (done <= 0) return false;
    at += done;
    count -= static_cast<size_t>(done);
  }
  return true;
}
template <class Sequence>
bool write_sequence(int socket, const Sequence& sequence) {
  uint64_t bytes = sequence.size() * sizeof sequence[0];
  return write_all(socket, &bytes, sizeof bytes) && write_all(socket, sequence.data(), bytes);
}

/// Reads until a moment.
class Reader {
 public:
  Reader(int socket, int seconds) : socket_(socket), end_(Clock::now() + std::chrono::seconds(seconds)) {}

  bool all(void* bytes, size_t count) {
    auto* at = static_cast<char*>(bytes);
    while (count > 0) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
      pollfd wanted{socket_, POLLIN, 0};
      if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) <= 0) return false;
      ssize_t done = read(socket_, at, count);
      if (done <= 0) return closed_ = true, false;
      at += done;
      count -= static_cast<size_t>(done);
    }
    return true;
  }
  template <class Sequence>
  bool sequence(Sequence& out) {
    uint64_t bytes = 0;
    if (!all(&bytes, sizeof bytes)) return false;
    out.resize(bytes / sizeof out[0]);
    return all(out.data(), bytes);
  }
  /// The other side has ended.
  bool closed() const { return closed_; }

 private:
  using Clock = std::chrono::steady_clock;
  int socket_;
  Clock::time_point end_;
  bool closed_ = false;
};

struct Request {
  ProgramShape shape;
  bool optimized = false;
  std::string text;
  std::vector<uint64_t> input, output;
};

/// In the other process.
class RealGpu {
 public:
  RealGpu() {
    constexpr int kStackSize = 0;  // CU_LIMIT_STACK_SIZE: of functions
    Driver::check(cuda_.set_limit(kStackSize, 8192), "cuCtxSetLimit");
    Driver::check(cuda_.allocate(&in_, size_t{kInputWords} * 8), "cuMemAlloc");
    Driver::check(cuda_.allocate(&out_, kMostOutput), "cuMemAlloc");
  }
  std::string origin() const { return cuda_.origin(); }

  Outcome run(const Request& request) {
    Outcome outcome;
    std::string log(8192, '\0');
    int options[] = {5, 6, 7};  // CU_JIT_ERROR_LOG_BUFFER, its size, CU_JIT_OPTIMIZATION_LEVEL
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size()),
                      reinterpret_cast<void*>(request.optimized ? size_t{4} : 0)};
    void *module = nullptr, *function = nullptr;
    if (cuda_.load(&module, request.text.c_str(), 3, options, values) != 0) {
      outcome.error = "refused: " + one_line(log.c_str());
      return outcome;
    }
    Driver::check(cuda_.function(&function, module, "k"), "cuModuleGetFunction");
    Driver::check(cuda_.to_device(in_, request.input.data(), request.input.size() * 8), "cuMemcpyHtoD");
    Driver::check(cuda_.to_device(out_, request.output.data(), request.output.size() * 8), "cuMemcpyHtoD");
    void* arguments[] = {&in_, &out_};
    const auto& [grid, block] = request.shape;
    int status =
        cuda_.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, nullptr, arguments, nullptr);
    if (status == 0) status = cuda_.synchronize();
    if (status != 0) {
      outcome.error = fmt::format("fault: CUDA error {}", status);
      return outcome;
    }
    outcome.output.resize(request.output.size());
    Driver::check(cuda_.to_host(outcome.output.data(), out_, outcome.output.size() * 8), "cuMemcpyDtoH");
    Driver::check(cuda_.unload(module), "cuModuleUnload");
    return outcome;
  }

 private:
  static constexpr size_t kMostOutput = 1 << 20;
  Driver cuda_;
  Driver::Pointer in_ = 0, out_ = 0;
};

/// Answers requests until the other side is gone.
[[noreturn]] void serve(int socket) {
  constexpr int kNoHurry = 1 << 20;
  RealGpu gpu;
  bool there = write_sequence(socket, gpu.origin());
  while (there) {
    Request request;
    Reader reader(socket, kNoHurry);
    if (!reader.all(&request.shape, sizeof request.shape) || !reader.all(&request.optimized, 1) ||
        !reader.sequence(request.text) || !reader.sequence(request.input) || !reader.sequence(request.output))
      break;
    Outcome outcome = gpu.run(request);
    there = write_sequence(socket, outcome.error) && write_sequence(socket, outcome.output);
  }
  _exit(0);
}

}  // namespace

GpuProcess::GpuProcess() { start(); }
GpuProcess::~GpuProcess() { stop(); }

void GpuProcess::start() {
  constexpr int kStartSeconds = 120;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) Driver::fail("no sockets");
  std::fflush(nullptr);  // lest both write what is buffered
  process_ = fork();
  if (process_ < 0) Driver::fail("no second process");
  if (process_ == 0) {
    close(sockets[0]);
    serve(sockets[1]);
  }
  close(sockets[1]);
  socket_ = sockets[0];
  if (!Reader(socket_, kStartSeconds).sequence(origin_)) {
    stop();
    Driver::fail("the GPU cannot be used");
  }
}

void GpuProcess::stop() {
  if (process_ < 0) return;
  close(socket_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

Outcome GpuProcess::run(const Program& program, bool optimized, int seconds) {
  if (process_ < 0) start();
  Outcome outcome;
  // If it has ended, there is no answer either.
  [[maybe_unused]] bool sent = write_all(socket_, &program.shape, sizeof program.shape) &&
                               write_all(socket_, &optimized, 1) && write_sequence(socket_, text_of(program)) &&
                               write_sequence(socket_, input_of(program)) &&
                               write_sequence(socket_, initial_output(program));
  Reader reader(socket_, seconds);
  if (!reader.sequence(outcome.error) || !reader.sequence(outcome.output))
    outcome = {{}, reader.closed() ? "fault: the driver ends the process" : "no end: no answer after a while"};
  if (!outcome.error.empty() && !outcome.error.starts_with("refused")) stop();
  return outcome;
}

}  // namespace warptime::sim

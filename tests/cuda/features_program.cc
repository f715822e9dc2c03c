// A second CUDA program made by hand: graphs, textures, cooperative grids, memory pools. The first argument says which;
// what it prints has no times. Values of textures are compared with formulas of the CUDA C++ Programming Guide
// ("Texture Fetching"), written here anew.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "features_code.h"

namespace {

enum { kToDevice = 1, kToHost = 2, kOnDevice = 3, kByAddress = 4 };

void say(const char* what, int error) { std::printf("%s: %s\n", what, cudaGetErrorName(error)); }

template <class... Values>
int launch(const void* function, unsigned blocks, unsigned threads, void* stream, Values... values) {
  void* arguments[] = {&values...};
  return cudaLaunchKernel(function, {blocks, 1, 1}, {threads, 1, 1}, arguments, 0, stream);
}

void* device_copy(const void* from, size_t bytes) {
  void* out = nullptr;
  cudaMalloc(&out, bytes);
  cudaMemcpy(out, from, bytes, kToDevice);
  return out;
}

// ---- Graphs

constexpr unsigned kN = 200;
void count(void* number) { ++*static_cast<int*>(number); }

int graphs() {
  std::vector<float> in(kN, 1), out(kN), other(kN);
  const float gains[] = {0, 0.5F};
  cudaMemcpyToSymbol(&gain, gains, 8, 0, kToDevice);
  void *a, *b, *first, *second, *fork, *join, *graph, *exec, *more;
  cudaMalloc(&a, kN * 4);
  cudaMalloc(&b, kN * 4);
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  int calls = 0, status = 0;
  // Two branches: a = 2 * 1 + .5, b = 0 * 3 + .5; then both come back.
  say("begin", cudaStreamBeginCapture(first, 0));
  cudaMemcpyAsync(a, in.data(), kN * 4, kToDevice, first);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  cudaMemsetAsync(b, 0, kN * 4, second);
  launch(&scale, 1, kN, first, a, kN, 2.0F);
  launch(&scale, 1, kN, second, b, kN, 3.0F);
  cudaMemcpyAsync(other.data(), b, kN * 4, kToHost, second);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join, 0);
  cudaLaunchHostFunc(first, count, &calls);
  cudaMemcpyAsync(out.data(), a, kN * 4, kToHost, first);
  cudaStreamIsCapturing(second, &status);
  say("end", cudaStreamEndCapture(first, &graph));
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  std::printf("status %d, nodes %zu, nothing done: %g %d\n", status, nodes, out[kN - 1], calls);
  say("instantiate", cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, first);
  say("synchronize", cudaStreamSynchronize(first));
  std::printf("captured: %g %g, calls %d\n", out[kN - 1], other[kN - 1], calls);
  // By hand: a filled with 1.0, a = 4 * a + .5, then the graph above as a child.
  void *fill, *kernel, *copy, *host, *child;
  unsigned n = kN;
  float factor = 4;
  void* arguments[] = {&a, &n, &factor};
  const FillNode ones{a, 0, 0x3f800000, 4, kN, 1};
  KernelNode scaling{&scale, {1, 1, 1}, {kN, 1, 1}, 0, arguments, nullptr};
  const HostNode counting{count, &calls};
  cudaGraphCreate(&more, 0);
  cudaGraphAddMemsetNode(&fill, more, nullptr, 0, &ones);
  cudaGraphAddKernelNode(&kernel, more, nullptr, 0, &scaling);
  say("dependency", cudaGraphAddDependencies(more, &fill, &kernel, nullptr, 1));
  say("twice", cudaGraphAddDependencies(more, &fill, &kernel, nullptr, 1));
  cudaGraphAddMemcpyNode1D(&copy, more, &kernel, 1, other.data(), a, kN * 4, kToHost);
  cudaGraphAddHostNode(&host, more, &copy, 1, &counting);
  cudaGraphAddChildGraphNode(&child, more, &host, 1, graph);
  void* made;
  cudaGraphInstantiate(&made, more, 0);
  cudaGraphDestroy(more);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(made, nullptr);
  cudaDeviceSynchronize();
  std::printf("child last: %g %g, calls %d\n", out[0], other[0], calls);
  cudaGraphCreate(&more, 0);
  cudaGraphAddKernelNode(&kernel, more, nullptr, 0, &scaling);
  cudaGraphAddMemcpyNode1D(&copy, more, &kernel, 1, out.data(), a, kN * 4, kToHost);
  cudaGraphInstantiate(&made, more, 0);
  factor = 0;
  say("parameters", cudaGraphExecKernelNodeSetParams(made, kernel, &scaling));
  cudaGraphLaunch(made, second);
  cudaStreamSynchronize(second);
  std::printf("changed: %g\n", out[5]);
  struct {
    int result;
    void *node, *from;
  } why{};
  say("update", cudaGraphExecUpdate(exec, more, &why));
  std::printf("topology %d\n", why.result);
  cudaGraphAddDependencies(more, &copy, &kernel, nullptr, 1);
  say("circle", cudaGraphInstantiate(&made, more, 0));
  say("destroy", cudaGraphExecDestroy(exec));
  say("again", cudaGraphExecDestroy(exec));
  return 0;
}

int captures() {
  void *a, *stream, *other, *event, *graph = nullptr, *unused;
  cudaMalloc(&a, kN * 4);
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEventCreate(&event);
  say("of none", cudaStreamEndCapture(stream, &graph));
  say("default", cudaStreamBeginCapture(nullptr, 0));
  cudaStreamBeginCapture(stream, 0);
  say("twice", cudaStreamBeginCapture(stream, 0));
  say("malloc", cudaMalloc(&unused, 4));
  say("launch", launch(&scale, 1, 1, stream, a, 1U, 1.0F));
  say("end", cudaStreamEndCapture(stream, &graph));
  cudaStreamBeginCapture(stream, 2);
  say("relaxed", cudaMalloc(&unused, 4));
  say("synchronize", cudaStreamSynchronize(stream));
  cudaStreamEndCapture(stream, &graph);
  cudaStreamBeginCapture(stream, 0);
  say("memcpy", cudaMemcpy(a, unused, 4, kOnDevice));
  cudaStreamEndCapture(stream, &graph);
  cudaEventRecord(event, other);
  cudaStreamBeginCapture(stream, 0);
  say("outside", cudaStreamWaitEvent(stream, event, 0));
  cudaStreamEndCapture(stream, &graph);
  for (bool ends_other : {true, false}) {
    cudaStreamBeginCapture(stream, 0);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    launch(&scale, 1, 1, other, a, 1U, 1.0F);
    say(ends_other ? "another stream" : "not joined", cudaStreamEndCapture(ends_other ? other : stream, &graph));
    if (ends_other) cudaStreamEndCapture(stream, &graph);
  }
  say("event", cudaEventQuery(event));
  std::printf("graph %s\n", graph == nullptr ? "none" : "made");
  // Memory of a graph.
  float *memory, out = 0;
  const float seven = 7, gains[] = {0, 0.5F};
  cudaMemcpyToSymbol(&gain, gains, 8, 0, kToDevice);
  cudaStreamBeginCapture(stream, 0);
  cudaMallocAsync(reinterpret_cast<void**>(&memory), 4, stream);
  cudaMemcpyAsync(memory, &seven, 4, kToDevice, stream);
  launch(&scale, 1, 1, stream, memory, 1U, 2.0F);
  cudaMemcpyAsync(&out, memory, 4, kToHost, stream);
  cudaFreeAsync(memory, stream);
  say("memory", cudaStreamEndCapture(stream, &graph));
  void* exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("in it: %g\n", out);
  return 0;
}

// ---- Textures

constexpr int kWide = 5, kHigh = 4, kLanes = 64;

/// A texel's index along an axis, or -1 for the border (mode: 0 wrap, 1 clamp, 2 mirror, 3 border).
int index_of(int i, int n, int mode) {
  if (mode == 3) return i < 0 || i >= n ? -1 : i;
  if (mode == 0) return ((i % n) + n) % n;
  if (mode == 2) {
    i = ((i % (2 * n)) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
  }
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

template <class Texel>
float expected(const Texel& texel, const Modes& modes, float x, float y) {
  // Wrap and mirror need normalized coordinates; without them they are clamp.
  auto mode_of = [&](int axis) { return modes.normalized == 0 && modes.address[axis] != 3 ? 1 : modes.address[axis]; };
  auto wrapped = [&](float v, int mode) {
    if (mode == 0) return v - std::floor(v);
    if (mode == 2) {
      const float whole = std::floor(v), part = v - whole;
      return std::fmod(std::fabs(whole), 2.0F) == 0 ? part : 1 - part;
    }
    return v;
  };
  if (modes.normalized != 0) {
    x = wrapped(x, mode_of(0)) * kWide;
    y = wrapped(y, mode_of(1)) * kHigh;
  }
  auto at = [&](int i, int j) -> double {
    i = index_of(i, kWide, mode_of(0));
    j = index_of(j, kHigh, mode_of(1));
    return i < 0 || j < 0 ? 0 : static_cast<double>(texel(i, j));
  };
  if (modes.filter == 0)
    return static_cast<float>(at(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y))));
  const float xb = x - 0.5F, yb = y - 0.5F;
  const int i = static_cast<int>(std::floor(xb)), j = static_cast<int>(std::floor(yb));
  auto weight = [](float part) { return std::floor(part * 256 + 0.5F) / 256.0; };  // 8 bits of fraction
  const double u = weight(xb - static_cast<float>(i)), v = weight(yb - static_cast<float>(j));
  return static_cast<float>((1 - u) * (1 - v) * at(i, j) + u * (1 - v) * at(i + 1, j) + (1 - u) * v * at(i, j + 1) +
                            u * v * at(i + 1, j + 1));
}

/// Reads a texture at many places in all modes; returns how many values differ.
template <class Texel>
int wrong_texels(const Resource& resource, int read, const Texel& texel) {
  std::vector<float> x(kLanes), y(kLanes), out(4 * kLanes);
  void *xs, *ys, *there;
  cudaMalloc(&xs, kLanes * 4);
  cudaMalloc(&ys, kLanes * 4);
  cudaMalloc(&there, kLanes * 16);
  int wrong = 0;
  for (int mode = 0; mode < 4; ++mode)
    for (int filter = 0; filter < 2; ++filter)
      for (int normalized = 0; normalized < 2; ++normalized) {
        for (int i = 0; i < kLanes; ++i) {
          x[i] = (static_cast<float>(i) * 0.27F - 6) / (normalized != 0 ? kWide : 1);
          y[i] = (static_cast<float>(i * 7 % kLanes) * 0.19F - 4) / (normalized != 0 ? kHigh : 1);
        }
        cudaMemcpy(xs, x.data(), kLanes * 4, kToDevice);
        cudaMemcpy(ys, y.data(), kLanes * 4, kToDevice);
        Modes modes{{mode, mode, mode}, filter, read, 0, {}, normalized, {}};
        unsigned long long object = 0;
        if (const int error = cudaCreateTextureObject(&object, &resource, &modes, nullptr)) say("object", error);
        launch(&plane, 1, kLanes, nullptr, object, xs, ys, there);
        cudaMemcpy(out.data(), there, kLanes * 16, kToHost);
        cudaDestroyTextureObject(object);
        for (int i = 0; i < kLanes; ++i)
          if (out[4 * i] != expected(texel, modes, x[i], y[i])) ++wrong;
      }
  return wrong;
}

int textures() {
  std::vector<float> texels(kWide * kHigh);
  for (int i = 0; i < kWide * kHigh; ++i) texels[i] = std::sqrt(static_cast<float>(i * 37 % 19 + 1));
  const Format number = cudaCreateChannelDesc(32, 0, 0, 0, 2);
  void* array;
  cudaMallocArray(&array, &number, kWide, kHigh, 0);
  say("to array", cudaMemcpy2DToArray(array, 0, 0, texels.data(), kWide * 4, kWide * 4, kHigh, kToDevice));
  auto texel = [&](int i, int j) { return texels[j * kWide + i]; };
  std::printf("array: %d wrong\n", wrong_texels({0, array, {}, 0, 0, 0}, 0, texel));
  std::vector<float> back(4);
  cudaMemcpy2DFromArray(back.data(), 8, array, 4, 2, 8, 2, kToHost);
  std::printf("part: %d\n", back[0] == texel(1, 2) && back[3] == texel(2, 3));
  say("beyond", cudaMemcpy2DToArray(array, 4, 0, texels.data(), kWide * 4, kWide * 4, kHigh, kToDevice));
  // Pitched memory of four bytes a texel, read as numbers from 0 to 1.
  std::vector<uint8_t> bytes(kWide * kHigh * 4);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31);
  void* pitched;
  size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, kWide * 4, kHigh);
  cudaMemcpy2D(pitched, pitch, bytes.data(), kWide * 4, kWide * 4, kHigh, kToDevice);
  const Format color = cudaCreateChannelDesc(8, 8, 8, 8, 1);
  std::printf("pitched: %d wrong\n", wrong_texels({3, pitched, color, kWide, kHigh, pitch}, 1, [&](int i, int j) {
                return static_cast<float>(bytes[(j * kWide + i) * 4]) / 255.0F;
              }));
  // Linear memory of 16-bit integers: zero beyond both ends.
  const int16_t shorts[] = {-1, -2, 3, 4, 5, 6};
  void* there = device_copy(shorts, sizeof shorts);
  void* result;
  cudaMalloc(&result, 64);
  const Resource linear{2, there, cudaCreateChannelDesc(16, 0, 0, 0, 0), sizeof shorts, 0, 0};
  Modes plain{};
  plain.address[0] = 1;
  unsigned long long object = 0;
  say("linear", cudaCreateTextureObject(&object, &linear, &plain, nullptr));
  launch(&line, 1, 10, nullptr, object, result);
  int values[16];
  cudaMemcpy(values, result, 40, kToHost);
  for (int i = 0; i < 10; ++i) std::printf("%d%s", values[i], i == 9 ? "\n" : " ");
  // 4 x 2 x 2 texels, by a copy of a box.
  std::vector<float> cube(16);
  for (size_t i = 0; i < cube.size(); ++i) cube[i] = static_cast<float>(i * i);
  void* boxes;
  cudaMalloc3DArray(&boxes, &number, {4, 2, 2}, 0);
  Copy3D copy{};
  copy.from = {cube.data(), 16, 4, 2};
  copy.to_array = boxes;
  copy.extent = {4, 2, 2};
  copy.kind = kToDevice;
  say("box", cudaMemcpy3D(&copy));
  const Resource solid{0, boxes, {}, 0, 0, 0};
  say("object", cudaCreateTextureObject(&object, &solid, &plain, nullptr));
  launch(&box, 1, 16, nullptr, object, result);
  std::vector<float> read(16);
  cudaMemcpy(read.data(), result, 64, kToHost);
  std::printf("box: %d\n", read == cube);
  // A reference, as CUDA 11 and 12 have them.
  reference.filter = 1;
  reference.address[0] = reference.address[1] = 1;
  void* rows = device_copy(texels.data(), kWide * kHigh * 4);
  size_t offset = 1;
  say("bind", cudaBindTexture2D(&offset, &reference, rows, &number, kWide, kHigh, kWide * 4));
  launch(&by_reference, 1, 16, nullptr, result);
  cudaMemcpy(read.data(), result, 64, kToHost);
  Modes linear_modes{{1, 1, 1}, 1, 0, 0, {}, 0, {}};
  int wrong = 0;
  for (int i = 0; i < 16; ++i) wrong += read[i] != expected(texel, linear_modes, static_cast<float>(i), 1) ? 1 : 0;
  std::printf("reference: %d wrong\n", wrong);
  // What is refused.
  const Format half = cudaCreateChannelDesc(16, 0, 0, 0, 2), odd = cudaCreateChannelDesc(8, 16, 0, 0, 1);
  const Resource halves{2, there, half, 8, 0, 0}, odds{2, there, odd, 8, 0, 0};
  Resource shifted = linear;
  shifted.pointer = static_cast<char*>(there) + 2;
  say("half", cudaCreateTextureObject(&object, &halves, &plain, nullptr));
  say("format", cudaCreateTextureObject(&object, &odds, &plain, nullptr));
  say("alignment", cudaCreateTextureObject(&object, &shifted, &plain, nullptr));
  say("layered", cudaMalloc3DArray(&boxes, &number, {4, 2, 2}, 1));
  say("surface", cudaCreateSurfaceObject(&object, &solid));
  say("free", cudaFreeArray(array));
  say("twice", cudaFreeArray(array));
  return 0;
}

// ---- Cooperative grids

int cooperative() {
  int per_sm = 0, sms = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, &together, 64, 0);
  cudaDeviceGetAttribute(&sms, 16, 0);
  const unsigned blocks = static_cast<unsigned>(per_sm * sms);
  void *sum, *out;
  cudaMalloc(&sum, 4);
  cudaMalloc(&out, blocks * 4);
  std::vector<unsigned> seen(blocks);
  void* arguments[] = {&sum, &out};
  for (unsigned round = 1; round <= 2; ++round) {
    say("all", cudaLaunchCooperativeKernel(&together, {blocks, 1, 1}, {64, 1, 1}, arguments, 0, nullptr));
    cudaMemcpy(seen.data(), out, blocks * 4, kToHost);
    unsigned wrong = 0;
    for (unsigned value : seen) wrong += value == round * blocks ? 0 : 1;
    std::printf("%u wrong\n", wrong);
  }
  say("one more", cudaLaunchCooperativeKernel(&together, {blocks + 1, 1, 1}, {64, 1, 1}, arguments, 0, nullptr));
  // One block more than fit, at a barrier made by hand.
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, &by_hand, 1, 0);
  void* zero;
  cudaMalloc(&zero, 4);
  launch(&by_hand, static_cast<unsigned>(per_sm * sms) + 1, 1, nullptr, zero);
  say("by hand", cudaDeviceSynchronize());
  return 0;
}

// ---- Memory

int memory() {
  void *pool, *pointer, *stream;
  uint64_t used = 0;
  cudaStreamCreate(&stream);
  say("pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  cudaMallocAsync(&pointer, 1000, stream);
  cudaMemPoolGetAttribute(pool, 7, &used);
  std::printf("used %d, ", static_cast<int>(used));
  cudaFreeAsync(pointer, stream);
  cudaMemPoolGetAttribute(pool, 7, &used);
  std::printf("then %d, ", static_cast<int>(used));
  cudaMemPoolGetAttribute(pool, 8, &used);
  std::printf("most %d\n", static_cast<int>(used));
  // A constant by its address.
  void* address;
  float values[2] = {0, 3}, out[2] = {};
  say("address", cudaGetSymbolAddress(&address, &gain));
  cudaMemcpy(address, values, 8, kToDevice);
  void* one = device_copy(values, 4);
  launch(&scale, 1, 1, nullptr, one, 1U, 1.0F);
  cudaMemcpy(out, one, 4, kToHost);
  std::printf("gain %g\n", out[0]);
  say("beyond", cudaMemcpyToSymbol(&gain, values, 8, 4, kToDevice));
  void* copy;
  cudaMalloc(&copy, 8);
  say("peer", cudaMemcpyPeer(copy, 0, address, 0, 8));
  say("no peer", cudaMemcpyPeer(copy, 1, address, 0, 8));
  cudaMemcpy(out, copy, 8, kByAddress);
  std::printf("copied %g\n", out[1]);
  int value = 0;
  say("between", cudaDeviceGetP2PAttribute(&value, 1, 0, 0));
  say("ipc", cudaIpcGetMemHandle(&value, copy));
  Pitched plane3{};
  cudaMalloc3D(&plane3, {10, 3, 2});
  say("fill", cudaMemset3D(plane3, 0x11, {10, 3, 2}));
  uint8_t last[2] = {};
  cudaMemcpy(last, static_cast<char*>(plane3.pointer) + plane3.pitch * 5 + 9, 2, kToHost);
  std::printf("box %x %x\n", last[0], last[1]);
  const char* name = "";
  cudaFuncGetName(&name, &by_hand);
  std::printf("%s\n", name);
  return 0;
}

}  // namespace

int main(int words, char** word) {
  const std::string what = words > 1 ? word[1] : "";
  if (what == "graphs") return graphs();
  if (what == "captures") return captures();
  if (what == "textures") return textures();
  if (what == "cooperative") return cooperative();
  if (what == "memory") return memory();
  return 1;
}

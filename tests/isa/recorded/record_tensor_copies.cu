// Runs the cases of a list: record CASES FIRST OUT. Writes a line a case to standard output ("number status encode hash") and
// the bytes to OUT. status: ok, refused (by the driver), timeout, fault CODE: then it ends with 3.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tensor_copies.cu"

using Bytes = std::vector<unsigned char>;
static uint32_t mixed(uint32_t i) {
  uint32_t x = i * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x;
}
static uint16_t half_of(float f) {  // small multiples of 1/4: exact
  if (f == 0) return 0;
  uint32_t b;
  memcpy(&b, &f, 4);
  return static_cast<uint16_t>(((b >> 16) & 0x8000) | ((((b >> 23) & 0xff) - 127 + 15) << 10) | ((b >> 13) & 0x3ff));
}
// 5: f32 at the borders of tf32. 0: random bytes. 1: small numbers of the type. 2: random bits of f32, half of them subnormal. 3: the number of the u16. 4: that
// of the u32.
static Bytes pattern(int kind, int type, size_t size, uint32_t seed) {
  Bytes out(size);
  for (size_t i = 0; i < size; ++i) out[i] = mixed(static_cast<uint32_t>(i) + seed) >> 11;
  if (kind == 1) {
    auto value = [&](size_t i) { return (static_cast<int>(mixed(static_cast<uint32_t>(i) + seed) >> 9) % 64 - 32) * 0.25f; };
    for (size_t i = 0; type == 6 && i < size / 2; ++i) { uint16_t h = half_of(value(i)); memcpy(&out[2 * i], &h, 2); }
    for (size_t i = 0; type == 9 && i < size / 2; ++i) { float f = value(i); memcpy(&out[2 * i], reinterpret_cast<char*>(&f) + 2, 2); }
    for (size_t i = 0; (type == 7 || type >= 10) && i < size / 4; ++i) { float f = value(i); memcpy(&out[4 * i], &f, 4); }
    for (size_t i = 0; type == 8 && i < size / 8; ++i) { double f = value(i); memcpy(&out[8 * i], &f, 8); }
  }
  for (size_t i = 0; kind == 2 && i < size / 4; ++i) {
    uint32_t b = mixed(static_cast<uint32_t>(i) + seed);
    if (b & 1) b &= 0x807fffff;
    memcpy(&out[4 * i], &b, 4);
  }
  for (size_t i = 0; kind == 5 && i < size / 4; ++i) {
    uint32_t b = mixed(static_cast<uint32_t>(i) + seed);
    if (b & 1) b = (b & ~0x1fffu) | 0x1000;  // half way between two numbers of tf32
    if ((b & 0x3e0000) == 0) b |= 0x7f800000;
    if ((b & 0x3e0000) == 0x20000) b &= 0x807fffff;
    if ((b & 0x3e0000) == 0x40000) b |= 0x7fe000;
    memcpy(&out[4 * i], &b, 4);
  }
  for (size_t i = 0; kind == 3 && i < size / 2; ++i) { uint16_t h = static_cast<uint16_t>(i); memcpy(&out[2 * i], &h, 2); }
  for (size_t i = 0; kind == 4 && i < size / 4; ++i) { uint32_t h = static_cast<uint32_t>(i); memcpy(&out[4 * i], &h, 4); }
  return out;
}
static uint64_t hashed(const Bytes& bytes) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char b : bytes) h = (h ^ b) * 0x100000001b3ull;
  return h;
}
static std::vector<long long> list(const std::string& text) {
  std::vector<long long> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) out.push_back(atoll(part.c_str()));
  return out;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream in(argv[1]);
  FILE* file = fopen(argv[3], "ab");
  const int first = atoi(argv[2]);
  void *tiled = nullptr, *im2col = nullptr;
  cudaFree(nullptr);
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled, 12000, cudaEnableDefault, &found);
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &im2col, 12000, cudaEnableDefault, &found);
  unsigned *source, *result;
  int* status;
  cudaMalloc(&source, kShared);
  cudaMalloc(&result, kShared);
  cudaMalloc(&status, 4);
  int number = -1;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (++number < first) continue;
    std::stringstream words(line);
    std::string op, mode, dims_, strides_, box_, es_, layout_, coords_, offsets_;
    int type = 0, shared_offset = 0, kind = 0;
    long long size = 0;
    words >> op >> mode >> type >> dims_ >> strides_ >> box_ >> es_ >> layout_ >> coords_ >> offsets_ >> shared_offset >> kind >> size;
    auto dims = list(dims_), strides = list(strides_), box = list(box_), es = list(es_), layout = list(layout_), coords = list(coords_),
         offsets = list(offsets_);
    const unsigned rank = static_cast<unsigned>(dims.size());
    unsigned char* tensor;
    cudaMalloc(&tensor, size);
    Bytes before = pattern(kind, type, size, 7), shared = pattern(kind, type, kShared, 1000003);
    if (op == "load") shared.assign(kShared, 0xa5);
    cudaMemcpy(tensor, before.data(), size, cudaMemcpyHostToDevice);
    cudaMemcpy(source, shared.data(), kShared, cudaMemcpyHostToDevice);
    cudaMemset(status, 0, 4);
    Map map;
    cuuint64_t d[5]{}, s[4]{};
    cuuint32_t b[5]{}, e[5]{};
    int lower[3]{}, upper[3]{};
    for (unsigned i = 0; i < rank; ++i) d[i] = dims[i], e[i] = static_cast<cuuint32_t>(es[i]);
    for (unsigned i = 0; i + 1 < rank; ++i) s[i] = strides[i];
    static const unsigned kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    unsigned bytes = kBytes[type];
    const bool is_im2col = mode == "im2col";
    CUresult encoded;
    alignas(128) CUtensorMap made;
    if (!is_im2col) {
      for (unsigned i = 0; i < rank; ++i) {
        b[i] = static_cast<cuuint32_t>(box[i]);
        if (layout[0] != 0 && i == 0) bytes = layout[0] == 1 ? 16 : 32;
        if (layout[0] != 0 && i + 2 == rank) continue;
        bytes *= i == 0 && layout[0] == 0 ? b[i] : (b[i] + e[i] - 1) / e[i];
      }
      encoded = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(tiled)(
          &made, static_cast<CUtensorMapDataType>(type), rank, tensor, d, s, b, e, static_cast<CUtensorMapInterleave>(layout[0]),
          static_cast<CUtensorMapSwizzle>(layout[1]), static_cast<CUtensorMapL2promotion>(layout[2]),
          static_cast<CUtensorMapFloatOOBfill>(layout[3]));
    } else {  // box: channels, pixels, lower corners, upper corners, from W on
      const unsigned n = rank - 2;
      for (unsigned i = 0; i < n; ++i) lower[i] = static_cast<int>(box[2 + i]), upper[i] = static_cast<int>(box[2 + n + i]);
      bytes *= static_cast<unsigned>(box[0] * box[1]);
      encoded = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(im2col)(
          &made, static_cast<CUtensorMapDataType>(type), rank, tensor, d, s, lower, upper, static_cast<cuuint32_t>(box[0]),
          static_cast<cuuint32_t>(box[1]), e, static_cast<CUtensorMapInterleave>(layout[0]),
          static_cast<CUtensorMapSwizzle>(layout[1]), static_cast<CUtensorMapL2promotion>(layout[2]),
          static_cast<CUtensorMapFloatOOBfill>(layout[3]));
    }
    if (encoded != CUDA_SUCCESS) {
      printf("%d refused %d\n", number, encoded);
      cudaFree(tensor);
      continue;
    }
    memcpy(&map, &made, sizeof map);
    Place place{};
    for (size_t i = 0; i < coords.size(); ++i) place.at[i] = static_cast<int>(coords[i]);
    for (size_t i = 0; i < offsets.size(); ++i) place.offsets[i] = static_cast<unsigned short>(offsets[i]);
    static const char* kOps[] = {"load", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
    int operation = 0;
    while (operation < 9 && op != kOps[operation]) ++operation;
    copy_box<<<1, 32>>>(map, place, operation, static_cast<int>(rank), is_im2col, shared_offset, bytes, source, result, status);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      printf("%d fault %d\n", number, error);
      fflush(stdout);
      fclose(file);
      return 3;
    }
    int late = 0;
    cudaMemcpy(&late, status, 4, cudaMemcpyDeviceToHost);
    Bytes after(operation == 0 ? kShared : size);
    cudaMemcpy(after.data(), operation == 0 ? static_cast<void*>(result) : tensor, after.size(), cudaMemcpyDeviceToHost);
    printf("%d %s 0 %016llx\n", number, late ? "timeout" : "ok", static_cast<unsigned long long>(hashed(after)));
    fflush(stdout);
    const uint32_t head[2] = {static_cast<uint32_t>(number), static_cast<uint32_t>(after.size())};
    fwrite(head, sizeof head, 1, file);
    fwrite(after.data(), after.size(), 1, file);
    fflush(file);
    cudaFree(tensor);
  }
  fclose(file);
  return 0;
}

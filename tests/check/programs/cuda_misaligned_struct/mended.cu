// The twin of fault.cu without its fault: a 64-bit member is read from a byte stream by a cast, after a header
// of 4 bytes.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned char* stream, unsigned* out) {
  const unsigned char* record = stream + 4 + 8 * threadIdx.x;
  out[threadIdx.x] = *reinterpret_cast<const unsigned*>(record);
}

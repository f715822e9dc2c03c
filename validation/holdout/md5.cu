// A search for the text whose MD5 hash is given (RFC 1321): a thread hashes one message of one block of 64 bytes,
// padded by the host, and compares. Written from the description of cudamd5 (docs/sources.md): the plain 64 steps,
// words of the message in shared memory. How its messages lay in global memory was not read: here word j of the 64
// messages of a block lies together, so that loads are coalesced and a half-warp's words are in different banks.
//
//   nvcc -ptx -arch=compute_75 -lineinfo md5.cu -o md5.ptx
constexpr int kThreads = 64, kWords = 16;

__device__ __forceinline__ unsigned rotate_left(unsigned x, int n) { return x << n | x >> (32 - n); }

extern "C" __global__ void search(const unsigned* messages, unsigned* found, unsigned a1, unsigned b1, unsigned c1,
                                  unsigned d1) {
  constexpr unsigned sines[64] = {
      // |sin(i + 1)| * 2^32
      0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
      0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
      0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
      0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
      0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
      0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
      0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
      0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
  };
  constexpr int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};  // four for each round
  __shared__ unsigned words[kWords * kThreads];
  const unsigned* in = messages + blockIdx.x * (kWords * kThreads) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kWords; j++) words[j * kThreads + threadIdx.x] = in[j * kThreads];
  __syncthreads();
  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    unsigned f;
    int j;
    if (i < 16) {
      f = (b & c) | (~b & d);
      j = i;
    } else if (i < 32) {
      f = (b & d) | (c & ~d);
      j = (5 * i + 1) % 16;
    } else if (i < 48) {
      f = b ^ c ^ d;
      j = (3 * i + 5) % 16;
    } else {
      f = c ^ (b | ~d);
      j = 7 * i % 16;
    }
    unsigned sum = a + f + words[j * kThreads + threadIdx.x] + sines[i];
    a = d;
    d = c;
    c = b;
    b += rotate_left(sum, shifts[i / 16 * 4 + i % 4]);
  }
  if (a + 0x67452301 == a1 && b + 0xefcdab89 == b1 && c + 0x98badcfe == c1 && d + 0x10325476 == d1)
    *found = blockIdx.x * kThreads + threadIdx.x;
}

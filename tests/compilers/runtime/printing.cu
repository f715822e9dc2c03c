// What device code prints: every conversion with flags, widths and precisions by one thread, then lines of several
// blocks. printing.txt is what an H100 printed for the first kernel, and, sorted by block and thread, for the second.
//
//   nvcc -ptx -std=c++17 -arch=compute_75 -lineinfo runtime/printing.cu -o runtime/printing.ptx
#include <cstdio>

extern "C" __global__ void formats(const unsigned* in, int* returned) {
  int n = 0;
  int i = static_cast<int>(in[0]);            // 42
  unsigned u = in[1];                         // 0xdeadbeef
  long long wide = -1234567890123456789ll * static_cast<long long>(in[2]);  // in[2] is 1
  unsigned long long huge = ~0ull - in[0];
  double pi = 3.14159265358979 * in[2], tiny = 1e-300 * in[2], big = -6.02214076e23 * in[2];
  double zero = 0.0 * in[2], inf = in[2] / zero;
  float single = 0.1f * static_cast<float>(in[2]);
  const char* text = "text";
  returned[n++] = printf("no arguments\n");
  returned[n++] = printf("%%|%d|%i|%u|%o|%x|%X\n", i, -i, u, u, u, u);
  returned[n++] = printf("[%5d][%-5d][%05d][%+d][% d][%+5d][%-+5d]\n", i, i, i, i, i, i, i);
  returned[n++] = printf("[%.3d][%8.3d][%-8.3d][%.0d][%.0d]\n", i, i, i, i, 0);
  returned[n++] = printf("[%#o][%#x][%#X][%#10x][%#010x][%-#10x]\n", u, u, u, u, u, u);
  returned[n++] = printf("[%lld][%llu][%llx][%llo][%lli]\n", wide, huge, huge, huge, wide);
  returned[n++] = printf("[%ld][%lu][%lx][%25lld][%-25lld][%025lld]\n", wide, huge, huge, wide, wide, wide);
  returned[n++] = printf("[%hd][%hu][%hx]\n", static_cast<short>(-7), static_cast<unsigned short>(65535),
                         static_cast<unsigned short>(0xabc));
  returned[n++] = printf("[%f][%e][%g][%a]\n", pi, pi, pi, pi);
  returned[n++] = printf("[%E][%G][%A][%F]\n", big, big, big, pi);
  returned[n++] = printf("[%.0f][%.10f][%10.3f][%-10.3f][%010.3f][%+.2e][%#.0f][%#g]\n", pi, pi, pi, pi, pi, pi, pi, 2.0);
  returned[n++] = printf("[%g][%g][%g][%e][%a]\n", tiny, big, 100000.0, tiny, tiny);
  returned[n++] = printf("[%f][%e][%g][%5.1f][%-6f][%06f]\n", inf, -inf, inf, inf, inf, inf);
  returned[n++] = printf("[%f][%.20g][%.3g]\n", single, static_cast<double>(single), single);
  returned[n++] = printf("[%s][%10s][%-10s][%.2s][%10.2s][%s]\n", text, text, text, text, text, "");
  returned[n++] = printf("[%c][%5c][%-5c]\n", 'a', 'b', 'c');
  returned[n++] = printf("[%*d][%-*d][%*s]\n", 7, i, 7, i, 7, text);
  returned[n++] = printf("mixed %d %f %s %lld %c %x %e\n", i, pi, text, wide, 'z', u, tiny);
  returned[n++] = printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", i, i + 1, i + 2, i + 3, i + 4, i + 5,
                         i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12, i + 13, i + 14, i + 15);
  returned[n++] = printf("no end of line, ");
  returned[n++] = printf("tab\tbell\a quote\" backslash\\ high \xe2\x82\xac\n");
}

extern "C" __global__ void blocks(const unsigned* in, int* returned) {
  unsigned thread = threadIdx.x;
  if (thread % 3 != 1) printf("block %u thread %u: %u\n", blockIdx.x, thread, in[thread % 4] + blockIdx.x);
  else printf("block %u thread %u: %g, %s\n", blockIdx.x, thread, thread / 8.0, thread % 2 == 0 ? "even" : "odd");
  if (thread == 0 && blockIdx.x == 0) returned[31] = 1;
}

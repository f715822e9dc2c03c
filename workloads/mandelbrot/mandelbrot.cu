// The Mandelbrot set as Lyman 2014, chapter 2: a square image, a run of pixels for each thread, and for the pixels that
// are left over one more for the first threads. A pixel is the colour of the iteration at which its point escapes.
//
//   nvcc -ptx -arch=compute_75 -lineinfo -fmad=false mandelbrot.cu -o mandelbrot.ptx
//
// -fmad=false: products and sums are rounded one by one, so a CPU gets the same iterations.

/// Iterations until |z| > 2 under z = z^2 + c; `most` if it stays.
template <class T>
__device__ unsigned escape(T cr, T ci, int most) {
  T zr = 0, zi = 0, zr_squared = 0, zi_squared = 0;
  unsigned i;
#pragma unroll 1
  for (i = 0; i < most; i++) {
    zi = zr * zi;
    zi += zi;
    zi += ci;
    zr = zr_squared - zi_squared + cr;
    zr_squared = zr * zr;
    zi_squared = zi * zi;
    if (zr_squared + zi_squared > T(4)) break;
  }
  return i;
}

template <class T>
__device__ void pixel(unsigned* image, T xmin, T ymin, T step, int depth, int size, const unsigned* colours, int i) {
  int x = i % size, y = i / size;
  T cr = xmin + x * step, ci = ymin + y * step;
  image[y * size + x] = colours[escape(cr, ci, depth)];
}

template <class T>
__device__ void mandelbrot(unsigned* image, T xmin, T ymin, T step, int depth, int size, const unsigned* colours) {
  int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  int each = size * size / threads, first = each * thread;
#pragma unroll 1
  for (int i = first; i < first + each; i++) pixel(image, xmin, ymin, step, depth, size, colours, i);
  // Lyman's condition here, thread < size * size - threads, also lets threads beyond the last pixel write.
  if (thread < size * size - each * threads)
    pixel(image, xmin, ymin, step, depth, size, colours, each * threads + thread);
}

extern "C" __global__ void mandelbrot_f32(unsigned* image, float xmin, float ymin, float step, int depth, int size,
                                          const unsigned* colours) {
  mandelbrot(image, xmin, ymin, step, depth, size, colours);
}

extern "C" __global__ void mandelbrot_f64(unsigned* image, double xmin, double ymin, double step, int depth, int size,
                                          const unsigned* colours) {
  mandelbrot(image, xmin, ymin, step, depth, size, colours);
}

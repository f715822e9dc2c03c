// Discrete-time stochastic Petri net (Molloy 1985), one simulation of it per thread. The net is a ring of equal stations:
// the arcs of a station's transitions lead to its own places and to the next station's. In each tick a thread gives all
// transitions a turn; one whose input places have a token each fires with its probability.
//
// Marking and firings of a simulation are in global memory, its words side by side (contiguous) or those of all
// simulations that are accessed together (interleaved). Random numbers come from a Mersenne twister (MT19937, Matsumoto
// and Nishimura 1998) in shared memory, whose 624 words all threads of the block make together: of each 624 a thread
// takes two.
//
//   nvcc -ptx -arch=compute_75 -lineinfo pns.cu -o pns.ptx
constexpr int kThreads = 256;
constexpr int kPlaces = 6, kTransitions = 5;  // of a station
constexpr int kWords = 624, kShift = 397;     // of MT19937
constexpr int kTogether = kWords - kShift;    // words that do not depend on each other
constexpr int kDraws = kWords / kThreads;

enum Place { idle, busy, ready, down, empty, full };

__device__ __forceinline__ void make_words(unsigned* twister) {
#pragma unroll
  for (int first = 0; first < kWords; first += kTogether) {
    int i = first + threadIdx.x;
    bool mine = threadIdx.x < min(kTogether, kWords - first);
    unsigned word = 0;
    if (mine) {
      int next = first + kTogether < kWords || i + 1 < kWords ? i + 1 : 0;
      unsigned y = (twister[i] & 0x80000000) | (twister[next] & 0x7fffffff);
      word = twister[first == 0 ? i + kShift : i - kTogether] ^ (y >> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    __syncthreads();
    if (mine) twister[i] = word;
    __syncthreads();
  }
}

__device__ __forceinline__ unsigned temper(unsigned y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return y ^ (y >> 18);
}

__device__ __forceinline__ unsigned next_word(unsigned* twister, int& draws) {
  if (draws == kDraws) {
    make_words(twister);
    draws = 0;
  }
  return temper(twister[draws++ * kThreads + threadIdx.x]);
}

// A transition's turn: of an arc from a place and one to a place, or of two each. Returns how often it fires.
__device__ __forceinline__ int take_turn(bool drawn, int* from, int* to, int* count) {
  if (!drawn) return 0;
  int tokens = *from;
  if (tokens <= 0) return 0;
  *from = tokens - 1;
  ++*to;
  ++*count;
  return 1;
}
__device__ __forceinline__ int take_turn(bool drawn, int* from, int* also_from, int* to, int* also_to, int* count) {
  if (!drawn) return 0;
  int tokens = *from, also_tokens = *also_from;
  if (tokens <= 0 || also_tokens <= 0) return 0;
  *from = tokens - 1;
  *also_from = also_tokens - 1;
  ++*to;
  ++*also_to;
  ++*count;
  return 1;
}

template <bool kContiguous>
__device__ __forceinline__ void simulate(int* marking, int* fired, int2* statistics, const unsigned* twisters,
                                         int stations, int ticks) {
  __shared__ unsigned twister[kWords];
#pragma unroll 1
  for (int i = threadIdx.x; i < kWords; i += kThreads) twister[i] = twisters[blockIdx.x * kWords + i];
  __syncthreads();
  int simulation = blockIdx.x * kThreads + threadIdx.x;
  int stride = kContiguous ? 1 : gridDim.x * kThreads;
  marking += kContiguous ? simulation * stations * kPlaces : simulation;
  fired += kContiguous ? simulation * stations * kTransitions : simulation;
  constexpr int kTokens[kPlaces] = {1, 0, 0, 0, 2, 2};
#pragma unroll 1
  for (int station = 0; station < stations; ++station) {
#pragma unroll
    for (int i = 0; i < kPlaces; ++i) marking[(station * kPlaces + i) * stride] = kTokens[i];
#pragma unroll
    for (int k = 0; k < kTransitions; ++k) fired[(station * kTransitions + k) * stride] = 0;
  }
  int draws = kDraws, firings = 0, watched = 0, sum = 0;
#pragma unroll 1
  for (int tick = 0; tick < ticks; ++tick) {
    int *own = marking, *count = fired;
#pragma unroll 1
    for (int station = 0; station < stations; ++station) {
      int* next = station + 1 < stations ? own + kPlaces * stride : marking;
      auto at = [stride](int* places, int place) { return places + place * stride; };
      int took = take_turn(next_word(twister, draws) < 0x80000000, at(own, idle), at(own, full), at(own, busy),
                           at(own, empty), at(count, 0));
      int worked = take_turn(next_word(twister, draws) < 0x40000000, at(own, busy), at(own, ready), at(count, 1));
      int passed = take_turn(next_word(twister, draws) < 0x80000000, at(own, ready), at(next, empty), at(own, idle),
                             at(next, full), at(count, 2));
      int failed = take_turn(next_word(twister, draws) < 0x04000000, at(own, idle), at(own, down), at(count, 3));
      int repaired = take_turn(next_word(twister, draws) < 0x10000000, at(own, down), at(own, idle), at(count, 4));
      firings += took + worked + passed + failed + repaired;
      watched += took - worked;
      own += kPlaces * stride;
      count += kTransitions * stride;
    }
    sum += watched;
  }
  statistics[simulation] = make_int2(firings, sum);
}

#define KERNEL(name, contiguous)                                                                                    \
  extern "C" __global__ void name(int* marking, int* fired, int2* statistics, const unsigned* twisters, int stations, \
                                  int ticks) {                                                                      \
    simulate<contiguous>(marking, fired, statistics, twisters, stations, ticks);                                    \
  }
KERNEL(simulate_interleaved, false)
KERNEL(simulate_contiguous, true)

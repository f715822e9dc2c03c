// Recursion with local variables whose addresses go inwards: sorts on arrays of outer activations and of their own, a
// chain of frames, permutations.
#include "program.h"

CALLED void quicksort(unsigned* values, int low, int high) {
  if (low >= high) return;
  unsigned pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i > j) break;
    unsigned kept = values[i];
    values[i++] = values[j];
    values[j--] = kept;
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}

CALLED void merge_sort(unsigned* values, unsigned count) {
  if (count < 2) return;
  unsigned own[12];
  for (unsigned k = 0; k < count; ++k) own[k] = values[k];
  unsigned half = count / 2;
  merge_sort(own, half);
  merge_sort(own + half, count - half);
  for (unsigned k = 0, a = 0, b = half; k < count; ++k)
    values[k] = b == count || (a < half && own[a] <= own[b]) ? own[a++] : own[b++];
}

struct Frame {
  const Frame* outer;
  unsigned value;
};

CALLED unsigned chain(const Frame* outer, unsigned left) {
  Frame own{outer, outer->value * 5 + left};
  if (left != 0) return chain(&own, left - 1) ^ own.value;
  unsigned sum = 0;
  for (const Frame* frame = &own; frame != nullptr; frame = frame->outer) sum = sum * 31 + frame->value;
  return sum;
}

CALLED unsigned permutations(unsigned char* letters, unsigned from, unsigned count, unsigned hash) {
  if (from == count) {
    for (unsigned k = 0; k < count; ++k) hash = hash * 33 + letters[k];
    return hash;
  }
  for (unsigned k = from; k < count; ++k) {
    unsigned char kept = letters[from];
    letters[from] = letters[k];
    letters[k] = kept;
    hash = permutations(letters, from + 1, count, hash);
    letters[k] = letters[from];
    letters[from] = kept;
  }
  return hash;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  unsigned first[12], second[12], result = 0;
  unsigned char letters[4];
  for (unsigned k = 0; k < 12; ++k) first[k] = second[k] = in[i + k] % 1000;
  quicksort(first, 0, 11);
  merge_sort(second, 2 + in[i] % 11);
  for (unsigned k = 0; k < 12; ++k) result = result * 7 + first[k] * 3 + second[k];
  for (unsigned k = 0; k < 4; ++k) letters[k] = static_cast<unsigned char>(in[i + k]);
  Frame start{nullptr, in[i]};
  return result + chain(&start, in[i + 1] % 14) + permutations(letters, 0, 2 + in[i + 2] % 3, 5381);
}

EACH_THREAD(value_of)

// A phase factor: cosine and sine of an angle in turns, by the special function units or by arithmetic alone. Used by
// mri-q.cu and ../mri-fhd/mri-fhd.cu.
#pragma once

// The units take radians.
struct SpecialFunctions {
  static __device__ void of(float turns, float& cosine, float& sine) {
    float angle = 6.2831853f * turns;
    cosine = __cosf(angle);
    sine = __sinf(angle);
  }
};

// turns = q / 4 + z with q whole and |z| <= 1/8, exactly. With w = z^2 <= 1/64, sin(2 pi z) / z and (cos(2 pi z) - 1) / w
// are the polynomials in w that agree with them at the four Chebyshev nodes of [0, 1/64]; README.md bounds the error. The
// quarter turns swap the two and set their signs.
struct Arithmetic {
  static __device__ void of(float turns, float& cosine, float& sine) {
    float quarters = rintf(4.0f * turns);
    float z = turns - 0.25f * quarters;
    float w = z * z;
    float sine_z = z * (6.28318548f + w * (-41.3416634f + w * (81.5925446f + w * -75.4016113f)));
    float cosine_z = 1.0f + w * (-19.7392082f + w * (64.9393692f + w * (-85.448822f + w * 59.4241066f)));
    int q = (int)quarters;
    float c = q & 1 ? sine_z : cosine_z, s = q & 1 ? cosine_z : sine_z;
    cosine = __int_as_float(__float_as_int(c) ^ ((q + 1) & 2) << 30);
    sine = __int_as_float(__float_as_int(s) ^ (q & 2) << 30);
  }
};

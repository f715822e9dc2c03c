// Electron repulsion integrals without quadrature, to check it: McMurchie and Davidson 1978, from Boys functions.
#pragma once

#include <vector>

#include "molecule.h"

namespace warptime::workloads {

/// F_m(x) = integral over t from 0 to 1 of t^(2 m) exp(-x t^2), for m from 0 to `last`.
std::vector<double> boys_functions(size_t last, double x);
/// (ij|kl) in double precision; without p functions the sum over the primitives of weights / sqrt(p + q) F_0(x).
double closed_form_integral(const FunctionPairs& pairs, size_t ij, size_t kl);

}  // namespace warptime::workloads

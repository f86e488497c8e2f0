// CUDA's functions of mathematics that C does not have.
#include <cuda_runtime.h>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace {

// NaN outside the domain and infinity at a pole, where Boost would throw.
using namespace boost::math::policies;
constexpr policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>>
    kQuiet;

}  // namespace

double erfinv(double x) { return boost::math::erf_inv(x, kQuiet); }
double erfcinv(double x) { return boost::math::erfc_inv(x, kQuiet); }
double normcdfinv(double x) { return -M_SQRT2 * erfcinv(2.0 * x); }
double cyl_bessel_i0(double x) { return boost::math::cyl_bessel_i(0, x, kQuiet); }
double cyl_bessel_i1(double x) { return boost::math::cyl_bessel_i(1, x, kQuiet); }

double erfcx(double x) {
  // erfc underflows, even as a long double, above 106. The next term is below 1e-15.
  if (x > 100.0) {
    const double y = 0.5 / x / x;
    return M_2_SQRTPI / 2.0 / x * (1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y)));
  }
  const long double y = x;
  return static_cast<double>(std::exp(y * y) * std::erfc(y));
}

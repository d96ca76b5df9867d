#include "CVector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Products are fused with sums (one rounding) where the instructions can, with every compiler and
// optimization level, so that debug and release builds give the same bits. The baseline kernels
// never fuse, so that they give the same bits on every processor.
#define FUSE_NOTHING _Pragma("STDC FP_CONTRACT OFF")

// Wide vectors are passed only between inlined functions of one kind, so the target-dependent
// calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

typedef float v16 __attribute__((vector_size(64)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v4 __attribute__((vector_size(16)));
typedef float v2 __attribute__((vector_size(8)));
typedef double v2d __attribute__((vector_size(16)));
typedef double v8d __attribute__((vector_size(64)));
typedef uint32_t u16 __attribute__((vector_size(64)));
typedef int32_t s16 __attribute__((vector_size(64)));
typedef int32_t s8 __attribute__((vector_size(32)));
typedef int16_t h16 __attribute__((vector_size(32)));
typedef uint8_t b16 __attribute__((vector_size(16)));
// The masks of comparisons of eight doubles.
typedef int64_t m8 __attribute__((vector_size(64)));

#pragma STDC FP_CONTRACT OFF

#define NAME(x) baseline_##x
#define KIND "baseline"
#define PLUS(sum, x, y) ((sum) + (x) * (y))
#define TARGET
#define WIDE 1
#define SUMS 16
#define LANES 2
#define GROUP 4
#include "kernels.inc"

#pragma STDC FP_CONTRACT ON

#if defined(__x86_64__)

#define NAME(x) avx2_##x
#define KIND "avx2"
#define PLUS(sum, x, y) __builtin_fmaf(x, y, sum)
#define TARGET __attribute__((target("avx2,fma")))
#define WIDE 4
#define SUMS 8
#define LANES 4
#define GROUP 5
#include "kernels.inc"

#define NAME(x) avx512_##x
#define KIND "avx512"
#define PLUS(sum, x, y) __builtin_fmaf(x, y, sum)
#define TARGET __attribute__((target("avx512f,avx512vl,avx2,fma")))
#define WIDE 4
#define SUMS 16
#define LANES 4
#define GROUP 6
#include "kernels.inc"

static int best(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return 2;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;
}

static const struct cvector_kernels *const every[] = {&baseline_kernels, &avx2_kernels,
                                                      &avx512_kernels};

#elif defined(__aarch64__)

#define NAME(x) neon_##x
#define KIND "neon"
#define PLUS(sum, x, y) __builtin_fmaf(x, y, sum)
#define TARGET
#define WIDE 2
#define SUMS 16
#define LANES 2
#define GROUP 5
#include "kernels.inc"

static int best(void) { return 1; }

static const struct cvector_kernels *const every[] = {&baseline_kernels, &neon_kernels};

#else

static int best(void) { return 0; }

static const struct cvector_kernels *const every[] = {&baseline_kernels};

#endif

// Written when the program is loaded and by `cvector_choose`, before there are other threads.
static const struct cvector_kernels *chosen = &baseline_kernels;

__attribute__((constructor)) static void choose(void) {
  chosen = every[best()];
  const char *name = getenv("PATCHRUN_KERNEL");
  if (name) cvector_choose(name);
}

int cvector_choose(const char *name) {
  for (int index = 0; index <= best(); index++) {
    if (strcmp(every[index]->name, name) == 0) {
      chosen = every[index];
      return 1;
    }
  }
  return 0;
}

const struct cvector_kernels *cvector_kind(int index) {
  return index >= 0 && index <= best() ? every[index] : NULL;
}

const char *cvector_name(void) { return chosen->name; }

float cvector_dot(const float *row, const float *samples, size_t count) {
  return chosen->dot(row, samples, count);
}

void cvector_dot_rows(const float *first, const float *second, const float *samples, size_t count,
                      float *first_sum, float *second_sum) {
  float sums[2];
  chosen->dot_rows(first, second, samples, count, sums);
  *first_sum = sums[0];
  *second_sum = sums[1];
}

void cvector_dot_block(const float *row, size_t rows, const float *samples, size_t count,
                       float *sums) {
  chosen->dot_block(row, rows, samples, count, sums);
}

void cvector_dot_block_channels(const float *row, size_t rows, const float *first,
                                const float *second, size_t count, float *first_sums,
                                float *second_sums) {
  chosen->dot_block_channels(row, rows, first, second, count, first_sums, second_sums);
}

void cvector_dot_block_repeated(const float *row, size_t rows, const float *first,
                                const float *second, size_t count, size_t distance,
                                float *first_sums, float *second_sums, size_t sums_distance) {
  chosen->dot_block_repeated(row, rows, first, second, count, distance, first_sums, second_sums,
                             sums_distance);
}

void cvector_fir(const float *row, size_t count, const float *samples, float *output,
                 size_t frames) {
  chosen->fir(row, count, samples, output, frames);
}

void cvector_fir_rows(const float *first, const float *second, size_t count, const float *samples,
                      float *first_output, float *second_output, size_t frames) {
  chosen->fir_rows(first, second, count, samples, first_output, second_output, frames);
}

void cvector_blend(const float *rows, size_t stride, float w0, float w1, float w2, float w3,
                   size_t count, float *output) {
  const float weights[4] = {w0, w1, w2, w3};
  chosen->blend(rows, stride, weights, count, output);
}

void cvector_walk(const float *rows, size_t row_count, size_t count,
                  const struct cvector_places *places, const float *first, const float *second,
                  size_t frames, float *first_output, float *second_output) {
  chosen->walk(rows, row_count, count, places, first, second, frames, first_output, second_output);
}

void cvector_copy_finite(const float *samples, float *output, size_t count) {
  chosen->copy_finite(samples, output, count);
}

void cvector_spectrum_add(const float *re, const float *im, const float *filter_re,
                          const float *filter_im, size_t count, float *sum_re, float *sum_im) {
  chosen->spectrum_add(re, im, filter_re, filter_im, count, sum_re, sum_im);
}

void cvector_add_scaled(const float *samples, float gain, size_t count, float *sum) {
  chosen->add_scaled(samples, gain, count, sum);
}

void cvector_turn(float *re, float *im, double cosine, double sine, size_t count) {
  chosen->turn(re, im, cosine, sine, count);
}

size_t cvector_fft_factor_count(size_t length) {
  const size_t count = length / 2;
  size_t factors = 2 * count;
  for (size_t rest = count; rest % 4 == 0; rest /= 4) factors += 6 * (count / 4);
  return factors;
}

size_t cvector_fft_memory_count(size_t length) { return 4 * (length / 2 + 16); }

// Stores a twiddle factor at `index` of a table: 16 real parts, then 16 imaginary parts.
static void put_turn(float *table, size_t width, size_t index, double turns) {
  const double angle = -6.283185307179586 * turns;
  float *place = table + index / 16 * width + index % 16;
  place[0] = (float)cos(angle);
  place[16] = (float)sin(angle);
}

void cvector_fft_factors(size_t length, float *factors) {
  const size_t count = length / 2;
  for (size_t k = 0; k < count; k++) put_turn(factors, 32, k, (double)k / (double)length);
  factors += 2 * count;
  for (size_t rest = count, stride = 1; rest % 4 == 0; rest /= 4, stride *= 4) {
    for (size_t i = 0; i < count / 4; i++) {
      for (size_t m = 1; m <= 3; m++) {
        put_turn(factors + 32 * (m - 1), 96, i, (double)(m * (i / stride)) / (double)rest);
      }
    }
    factors += 6 * (count / 4);
  }
}

void cvector_fft_forward(const float *factors, float *memory, size_t length, const float *samples,
                         float *re, float *im) {
  chosen->fft_forward(factors, memory, length, samples, re, im);
}

void cvector_fft_inverse(const float *factors, float *memory, size_t length, const float *re,
                         const float *im, float *samples) {
  chosen->fft_inverse(factors, memory, length, re, im, samples);
}

uint32_t cvector_largest(const float *samples, size_t count) {
  return chosen->largest(samples, count);
}

void cvector_pick(const float *samples, size_t stride, size_t count, float *output) {
  chosen->pick(samples, stride, count, output);
}

void cvector_pick_scaled(const float *samples, size_t stride, double gain, size_t count,
                         float *output) {
  chosen->pick_scaled(samples, stride, gain, count, output);
}

void cvector_pick_doubles(const double *samples, size_t stride, double gain, size_t count,
                          float *output) {
  chosen->pick_doubles(samples, stride, gain, count, output);
}

uint32_t cvector_interleave(const float *first, const float *second, size_t count, float *output) {
  return chosen->interleave(first, second, count, output);
}

uint32_t cvector_deinterleave(const float *samples, size_t count, float *first, float *second) {
  return chosen->deinterleave(samples, count, first, second);
}

uint32_t cvector_copy(const float *samples, size_t count, float *output) {
  return chosen->copy(samples, count, output);
}

void cvector_scale(float *samples, float gain, size_t count) {
  chosen->scale(samples, gain, count);
}

void cvector_multiply(const float *samples, float gain, size_t count, float *output) {
  chosen->multiply(samples, gain, count, output);
}

void cvector_ramp(const float *samples, size_t count, double origin, double rise, double place,
                  double length, float *output) {
  chosen->ramp(samples, count, origin, rise, place, length, output);
}

void cvector_quantize16(float *samples, size_t count) { chosen->quantize16(samples, count); }

void cvector_encode(const float *samples, size_t count, double full, double last, void *words) {
  chosen->encode(samples, count, full, last, words);
}

void cvector_encode_doubles(const double *samples, size_t stride, double gain, size_t count,
                            double full, double last, void *words) {
  chosen->encode_doubles(samples, stride, gain, count, full, last, words);
}

void cvector_decode(const void *words, size_t count, float unit, float most, float *samples) {
  chosen->decode(words, count, unit, most, samples);
}

void cvector_recode(const void *words, size_t count, double ratio, double last, void *output) {
  chosen->recode(words, count, ratio, last, output);
}

int cvector_within(const double *samples, size_t count) { return chosen->within(samples, count); }

size_t cvector_inexact(const double *samples, size_t count, double full) {
  return chosen->inexact(samples, count, full);
}

void cvector_round(const double *samples, size_t count, double full, int32_t *words) {
  chosen->round(samples, count, full, words);
}

void cvector_dither(const double *samples, size_t count, double full, uint64_t state,
                    int32_t *words) {
  chosen->dither(samples, count, full, state, words);
}

size_t cvector_inexact_floats(const float *samples, size_t count, double full) {
  return chosen->inexact_floats(samples, count, full);
}

void cvector_round_floats(const float *samples, size_t count, double full, int32_t *words) {
  chosen->round_floats(samples, count, full, words);
}

void cvector_dither_floats(const float *samples, size_t count, double full, uint64_t state,
                           int32_t *words) {
  chosen->dither_floats(samples, count, full, state, words);
}

void cvector_pack16(const int32_t *words, size_t count, void *bytes) {
  chosen->pack16(words, count, bytes);
}

void cvector_pack24(const int32_t *words, size_t count, void *bytes) {
  chosen->pack24(words, count, bytes);
}

void cvector_noise(uint64_t state, double gain, size_t count, float *output) {
  chosen->noise(state, gain, count, output);
}

uint32_t cvector_mix(const struct cvector_signal *signals, size_t signal_count, int fresh,
                     size_t first, size_t count, float *left, float *right) {
  return chosen->mix(signals, signal_count, fresh, first, count, left, right);
}

void cvector_amplify(const float *left, float left_gain, const float *right, float right_gain,
                     size_t count, float *to_left, float *to_right) {
  chosen->amplify(left, left_gain, right, right_gain, count, to_left, to_right);
}

void cvector_filter(const double *coefficients, double *memory, size_t stride, size_t filters,
                    int channels, double *samples, size_t count) {
  chosen->filter(coefficients, memory, stride, filters, channels, samples, count);
}

void cvector_widen(const float *first, const float *second, size_t count, double *samples) {
  chosen->widen(first, second, count, samples);
}

void cvector_narrow(const double *samples, size_t count, double gain, double rise, int32_t place,
                    float *first, float *second) {
  chosen->narrow(samples, count, gain, rise, place, first, second);
}

void cvector_spectrum_rows(const float *a, const float *b, size_t width, size_t rows, size_t count,
                           float *sum_re, float *sum_im) {
  chosen->spectrum_rows(a, b, width, rows, count, sum_re, sum_im);
}

void cvector_product_rows(const float *a, const float *b, size_t width, size_t rows, size_t count,
                          float *sum) {
  chosen->product_rows(a, b, width, rows, count, sum);
}

void cvector_scaled_rows(const float *x, const float *gains, size_t width, size_t rows,
                         size_t count, float *sum) {
  chosen->scaled_rows(x, gains, width, rows, count, sum);
}

void cvector_spectrum_average(const float *a_re, const float *a_im, const float *b_re,
                              const float *b_im, float share, size_t count, float *re, float *im) {
  chosen->spectrum_average(a_re, a_im, b_re, b_im, share, count, re, im);
}

float cvector_coherence(const float *re, const float *im, const float *a, const float *b,
                        float least, size_t count) {
  return chosen->coherence(re, im, a, b, least, count);
}

void cvector_adapt(const struct cvector_adaptation *step, size_t count, float *variance, float *re,
                   float *im) {
  chosen->adapt(step, count, variance, re, im);
}

void cvector_approach(const float *far_re, const float *far_im, const float *error_re,
                      const float *error_im, float rate, size_t count, const float *variance,
                      float *re, float *im) {
  chosen->approach(far_re, far_im, error_re, error_im, rate, count, variance, re, im);
}

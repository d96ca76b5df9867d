#ifndef C_VECTOR_H
#define C_VECTOR_H

#include <stddef.h>
#include <stdint.h>

// The inner loops of filters, in the widest vectors of the processor (AVX-512, AVX2 with FMA, or
// those of the compiler's target), chosen when the program is loaded. They do not allocate, lock or
// call the system.
//
// A sum is always computed in the same order. It does not depend on the alignment of the samples,
// on the number of results in one call, or on the rows or channels computed with it. Processors
// with different vectors may differ in the last bit.
//
// The length of a row of coefficients is a multiple of 16 floats, padded with zeros. A zero
// coefficient still reads its sample, which has to be finite for the product to be zero.

/// The sum of `row[k] * samples[k]` over `count` (a multiple of 16): sixteen partial sums, added in
/// pairs.
float cvector_dot(const float *row, const float *samples, size_t count);

/// The same for two rows and one channel.
void cvector_dot_rows(const float *first, const float *second, const float *samples, size_t count,
                      float *first_sum, float *second_sum);

/// `rows` adjacent rows (1 to 4, each of `count` floats) and one channel. A result does not depend on
/// the rows computed with it. With AVX2 it has eight partial sums, with other vectors those of
/// `cvector_dot`.
void cvector_dot_block(const float *row, size_t rows, const float *samples, size_t count,
                       float *sums);

/// The same for two channels, each with the results that it has alone.
void cvector_dot_block_channels(const float *row, size_t rows, const float *first,
                                const float *second, size_t count, float *first_sums,
                                float *second_sums);

/// The places of `cvector_dot_block_repeated`.
enum { CVECTOR_PLACES = 3 };

/// The same rows at three places of one channel, or of two where `second` is not null, each with the
/// results that it has alone. A place is `distance` samples behind the one before, and its sums lie
/// `sums_distance` behind those of the one before.
void cvector_dot_block_repeated(const float *row, size_t rows, const float *first,
                                const float *second, size_t count, size_t distance,
                                float *first_sums, float *second_sums, size_t sums_distance);

/// An FIR filter: `output[n]` is the sum of `row[k] * samples[n + k]` over `count` taps, in the
/// order of k, for `frames` frames. Reads `frames + count - 1` samples; `count` is any number. For
/// a convolution the row is the reversed impulse response.
void cvector_fir(const float *row, size_t count, const float *samples, float *output,
                 size_t frames);

/// Two filters over the same samples, one for each ear. The results equal those of `cvector_fir`.
void cvector_fir_rows(const float *first, const float *second, size_t count, const float *samples,
                      float *first_output, float *second_output, size_t frames);

/// The weighted sum of four adjacent rows, `stride` apart, in `output`: `count` (a multiple of 16)
/// floats. For cubic interpolation between the rows of a table.
void cvector_blend(const float *rows, size_t stride, float w0, float w1, float w2, float w3,
                   size_t count, float *output);

/// The input positions of output frames, in frames and 2^-64 of a frame. The first is `fraction`;
/// each further one is a step after the last, and the step grows by the increment at each frame.
/// Steps and increments are two's complement numbers of two words, high and low.
struct cvector_places {
  uint64_t fraction;
  int64_t step_high;
  uint64_t step_low;
  int64_t increment_high;
  uint64_t increment_low;
};

/// Resamples two channels, or one if `second` is NULL. Each of `frames` results is the sum of
/// `count` (a multiple of 16) samples, from the whole part of its position on, times a row that is
/// interpolated linearly between two rows of a table. The table has `row_count` + 1 rows for the
/// fractions from 0 to 1.
void cvector_walk(const float *rows, size_t row_count, size_t count,
                  const struct cvector_places *places, const float *first, const float *second,
                  size_t frames, float *first_output, float *second_output);

/// Copies samples and replaces those that are not finite by 0.
void cvector_copy_finite(const float *samples, float *output, size_t count);

/// `sum += x * filter` for spectra with separate real and imaginary parts; `count` is a multiple of
/// 16.
void cvector_spectrum_add(const float *re, const float *im, const float *filter_re,
                          const float *filter_im, size_t count, float *sum_re, float *sum_im);

/// `sum += samples * gain`; `count` is a multiple of 16.
void cvector_add_scaled(const float *samples, float gain, size_t count, float *sum);

/// Multiplies number k of a spectrum, `re[k] + i im[k]`, by the k-th power of `cosine + i sine`,
/// which has magnitude 1: a circular shift of its signal. `count` is a multiple of 8.
void cvector_turn(float *re, float *im, double cosine, double sine, size_t count);

// The Fourier transform of `length` real samples, a power of two of at least 128 or three times one.
// It uses factors for the length, and work memory.

/// The number of floats of the factors, and of the work memory.
size_t cvector_fft_factor_count(size_t length);
size_t cvector_fft_memory_count(size_t length);

/// Computes the factors. Control thread.
void cvector_fft_factors(size_t length, float *factors);

/// Number k of the spectrum is the sum of `samples[n] e^(-2 pi i k n / length)`: `length / 2 + 1`
/// numbers. The first and the last have no imaginary part.
void cvector_fft_forward(const float *factors, float *memory, size_t length, const float *samples,
                         float *re, float *im);

/// The inverse transform. The imaginary parts of the first and the last number are ignored.
void cvector_fft_inverse(const float *factors, float *memory, size_t length, const float *re,
                         const float *im, float *samples);

// MARK: - Adaptive filters
//
// Spectra and rows of any length, `count` numbers. Every number is computed in the same way,
// whatever its index.

/// `sum += a * b` for spectra, row by row in order. A row has `width` real parts, then `width`
/// imaginary parts; the first `count` of each are used.
void cvector_spectrum_rows(const float *a, const float *b, size_t width, size_t rows, size_t count,
                           float *sum_re, float *sum_im);

/// `sum += a * b`, row by row in order. Rows are `width` apart.
void cvector_product_rows(const float *a, const float *b, size_t width, size_t rows, size_t count,
                          float *sum);

/// `sum += x * gain`, row by row in order, with a gain for each row.
void cvector_scaled_rows(const float *x, const float *gains, size_t width, size_t rows,
                         size_t count, float *sum);

/// Updates a running mean: `mean += share (conj(a) b - mean)`, where the mean is `re + i im`.
void cvector_spectrum_average(const float *a_re, const float *a_im, const float *b_re,
                              const float *b_im, float share, size_t count, float *re, float *im);

/// The sum of `(re^2 + im^2) / (a * b + least)`.
float cvector_coherence(const float *re, const float *im, const float *a, const float *b,
                        float least, size_t count);

/// The inputs of a step of an adaptive filter: the spectrum of the far end (what was played) and
/// its power, the spectrum of the error times `trust`, and `trust` for each number of the spectrum:
/// the factor that turns a variance into a step size.
struct cvector_adaptation {
  const float *far_re;
  const float *far_im;
  const float *power;
  const float *error_re;
  const float *error_im;
  const float *trust;
  float forgetting;
  float rate;
  float least;
};

/// Updates the coefficients `c = re + i im` and their variance:
///
///     c = (c + variance conj(far) error) forgetting
///     variance = max(least, forgetting^2 (1 - rate variance trust power) variance + (1 - forgetting^2) |c|^2)
void cvector_adapt(const struct cvector_adaptation *step, size_t count, float *variance, float *re,
                   float *im);

/// Updates only the coefficients: `c += rate variance conj(far) error`.
void cvector_approach(const float *far_re, const float *far_im, const float *error_re,
                      const float *error_im, float rate, size_t count, const float *variance,
                      float *re, float *im);

// MARK: - Conversion and mixing of samples
//
// These functions give the same bits with every kind of vector: they fuse nothing.

/// The largest magnitude as the bits of a float. Bits of magnitudes compare like the magnitudes,
/// with infinity above all finite ones and NaN above infinity. 0 without samples.
uint32_t cvector_largest(const float *samples, size_t count);

/// Copies every `stride`th sample, `count` in all: one channel of interleaved samples.
void cvector_pick(const float *samples, size_t stride, size_t count, float *output);

/// The same, multiplied by a gain in double precision and rounded once.
void cvector_pick_scaled(const float *samples, size_t stride, double gain, size_t count,
                         float *output);

/// The same for doubles.
void cvector_pick_doubles(const double *samples, size_t stride, double gain, size_t count,
                          float *output);

/// Interleaves two channels of `count` samples each. Returns the largest magnitude, as
/// `cvector_largest` does.
uint32_t cvector_interleave(const float *first, const float *second, size_t count, float *output);

/// Copies the two channels out of `count` interleaved frames. Returns the largest magnitude, as
/// `cvector_largest` does.
uint32_t cvector_deinterleave(const float *samples, size_t count, float *first, float *second);

/// Multiplies samples by a gain in place.
void cvector_scale(float *samples, float gain, size_t count);

/// Multiplies samples by a gain. `output` may be `samples`.
void cvector_multiply(const float *samples, float gain, size_t count, float *output);

/// Multiplies sample n by `origin + rise ((place + n + 1) / length)`, computed in double precision
/// and rounded once before the product. `output` may be `samples`.
void cvector_ramp(const float *samples, size_t count, double origin, double rise, double place,
                  double length, float *output);

// For the next five functions, words are 32-bit integers, which may lie in the memory of the samples
// that they are computed from, at the same places.

/// Rounds samples, in place, to multiples of 2^-15, halves to even, clipped to -1 to 1 - 2^-15.
/// NaN becomes 0.
void cvector_quantize16(float *samples, size_t count);

/// Multiplies samples by `full` (a power of two) and rounds to the nearest integer, halves to even,
/// clipped to `-last - 1` to `last`, which is below 2^31. NaN becomes 0.
void cvector_encode(const float *samples, size_t count, double full, double last, void *words);

/// The same for every `stride`th double, `count` in all, multiplied by a gain before.
void cvector_encode_doubles(const double *samples, size_t stride, double gain, size_t count,
                            double full, double last, void *words);

/// Multiplies words by `unit` (a power of two) and rounds to the nearest float, at most `most`.
void cvector_decode(const void *words, size_t count, float unit, float most, float *samples);

/// Multiplies words by `ratio` (a power of two), then as `cvector_encode`.
void cvector_recode(const void *words, size_t count, double ratio, double last, void *output);

/// Whether all samples are numbers with a magnitude of at most 1.
int cvector_within(const double *samples, size_t count);

/// The number of samples up to the last one that is not an exact integer below `full` when
/// multiplied by `full` (a power of two); 0 if all are exact. All samples must be within 1.
size_t cvector_inexact(const double *samples, size_t count, double full);

/// Multiplies samples within 1 by `full` and rounds to the nearest integer, halves to even, clipped
/// to `-full` to `full - 1`.
void cvector_round(const double *samples, size_t count, double full, int32_t *words);

/// The same with triangular noise from -1 to 1 added before rounding: the sum of both halves of a
/// word of SplitMix64 (Steele, Lea and Flood, 2014). `state` is its state before the first sample.
void cvector_dither(const double *samples, size_t count, double full, uint64_t state,
                    int32_t *words);

// The last three for floats, each of which is the same number as a double. Floats are within 1 if
// the result of `cvector_largest` is at most the bits of 1.
size_t cvector_inexact_floats(const float *samples, size_t count, double full);
void cvector_round_floats(const float *samples, size_t count, double full, int32_t *words);
void cvector_dither_floats(const float *samples, size_t count, double full, uint64_t state,
                           int32_t *words);

/// Stores the lower two or three bytes of words, the lowest first.
void cvector_pack16(const int32_t *words, size_t count, void *bytes);
void cvector_pack24(const int32_t *words, size_t count, void *bytes);

/// White noise: `gain` times numbers between -1 and 1, from the upper 52 bits of SplitMix64 words.
/// `state` is its state for the first word.
void cvector_noise(uint64_t state, double gain, size_t count, float *output);

/// Copies samples. Returns the largest magnitude, as `cvector_largest` does.
uint32_t cvector_copy(const float *samples, size_t count, float *output);

/// A signal to mix, with its gains.
struct cvector_signal {
  const float *left;
  const float *right;
  float left_gain;
  float right_gain;
  /// Whether both channels lie in one memory, interleaved, which begins at `left`; `right` is then
  /// not used.
  uint32_t is_interleaved;
};

/// Adds signals to a stereo sum one after the other, `sum = (sum + gain0 * x0) + gain1 * x1` and so
/// on, in `count` frames from frame `first` on. With `fresh` the sum begins with +0 instead of the
/// contents of its memory. Returns the `cvector_largest` of both channels; 0 without signals.
uint32_t cvector_mix(const struct cvector_signal *signals, size_t signal_count, int fresh,
                     size_t first, size_t count, float *left, float *right);

/// Multiplies two channels by a gain each and writes them to two others: like `cvector_mix` with
/// one signal and `fresh`, but without the largest magnitude.
void cvector_amplify(const float *left, float left_gain, const float *right, float right_gain,
                     size_t count, float *to_left, float *to_right);

/// Filters `count` frames in place by second-order sections in series, in double precision, for 1
/// or 2 interleaved `channels`. Each section has a memory `w1`, `w2` and computes
///
///     y = c0 x + c1 w1 + c2 w2;   w = x + c3 w1 + c4 w2;   w2 = w1;   w1 = w
///
/// This is direct form II with the output computed from the input and the memory. For
/// `(b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)` the coefficients c0 to c4 are
/// `b0, b1 - b0 a1, b2 - b0 a2, -a1, -a2`.
///
/// A section needs the output of the one before, so the sections run as a pipeline: section k works
/// on the sample k places behind the newest, and adjacent sections share a vector. At both ends of
/// the stretch, sections without a sample pause. Each section does the same arithmetic on the same
/// samples however a stream is sliced, and whichever sections are beside it.
///
/// `coefficients` has five rows, c0 to c4, `stride` numbers apart. A row has a number for each
/// section and channel, in the order of the sections. `memory` has two such rows, w1 and w2.
void cvector_filter(const double *coefficients, double *memory, size_t stride, size_t filters,
                    int channels, double *samples, size_t count);

/// Converts one channel (`second` is NULL) to doubles, or two channels to interleaved doubles.
void cvector_widen(const float *first, const float *second, size_t count, double *samples);

/// The inverse conversion: sample n is multiplied by `gain + rise (place + n + 1)`, without fusing.
/// Both channels may be written to the same memory if they are equal.
void cvector_narrow(const double *samples, size_t count, double gain, double rise, int32_t place,
                    float *first, float *second);

/// The kernels for one kind of vector.
struct cvector_kernels {
  const char *name;
  float (*dot)(const float *row, const float *samples, size_t count);
  void (*dot_rows)(const float *first, const float *second, const float *samples, size_t count,
                   float *sums);
  void (*dot_block)(const float *row, size_t rows, const float *samples, size_t count,
                    float *sums);
  void (*dot_block_channels)(const float *row, size_t rows, const float *first,
                             const float *second, size_t count, float *first_sums,
                             float *second_sums);
  void (*dot_block_repeated)(const float *row, size_t rows, const float *first,
                             const float *second, size_t count, size_t distance,
                             float *first_sums, float *second_sums, size_t sums_distance);
  void (*fir)(const float *row, size_t count, const float *samples, float *output, size_t frames);
  void (*fir_rows)(const float *first, const float *second, size_t count, const float *samples,
                   float *first_output, float *second_output, size_t frames);
  void (*blend)(const float *rows, size_t stride, const float *weights, size_t count,
                float *output);
  void (*copy_finite)(const float *samples, float *output, size_t count);
  void (*spectrum_add)(const float *re, const float *im, const float *filter_re,
                       const float *filter_im, size_t count, float *sum_re, float *sum_im);
  void (*add_scaled)(const float *samples, float gain, size_t count, float *sum);
  void (*turn)(float *re, float *im, double cosine, double sine, size_t count);
  void (*fft_forward)(const float *factors, float *memory, size_t length, const float *samples,
                      float *re, float *im);
  void (*fft_inverse)(const float *factors, float *memory, size_t length, const float *re,
                      const float *im, float *samples);
  void (*walk)(const float *rows, size_t row_count, size_t count,
               const struct cvector_places *places, const float *first, const float *second,
               size_t frames, float *first_output, float *second_output);
  uint32_t (*largest)(const float *samples, size_t count);
  void (*pick)(const float *samples, size_t stride, size_t count, float *output);
  void (*pick_scaled)(const float *samples, size_t stride, double gain, size_t count,
                      float *output);
  void (*pick_doubles)(const double *samples, size_t stride, double gain, size_t count,
                       float *output);
  uint32_t (*interleave)(const float *first, const float *second, size_t count, float *output);
  uint32_t (*deinterleave)(const float *samples, size_t count, float *first, float *second);
  uint32_t (*copy)(const float *samples, size_t count, float *output);
  void (*scale)(float *samples, float gain, size_t count);
  int (*within)(const double *samples, size_t count);
  size_t (*inexact)(const double *samples, size_t count, double full);
  void (*round)(const double *samples, size_t count, double full, int32_t *words);
  void (*dither)(const double *samples, size_t count, double full, uint64_t state, int32_t *words);
  void (*noise)(uint64_t state, double gain, size_t count, float *output);
  uint32_t (*mix)(const struct cvector_signal *signals, size_t signal_count, int fresh,
                  size_t first, size_t count, float *left, float *right);
  void (*amplify)(const float *left, float left_gain, const float *right, float right_gain,
                  size_t count, float *to_left, float *to_right);
  void (*filter)(const double *coefficients, double *memory, size_t stride, size_t filters,
                 int channels, double *samples, size_t count);
  void (*widen)(const float *first, const float *second, size_t count, double *samples);
  void (*narrow)(const double *samples, size_t count, double gain, double rise, int32_t place,
                 float *first, float *second);
  void (*spectrum_rows)(const float *a, const float *b, size_t width, size_t rows, size_t count,
                        float *sum_re, float *sum_im);
  void (*product_rows)(const float *a, const float *b, size_t width, size_t rows, size_t count,
                       float *sum);
  void (*scaled_rows)(const float *x, const float *gains, size_t width, size_t rows, size_t count,
                      float *sum);
  void (*spectrum_average)(const float *a_re, const float *a_im, const float *b_re,
                           const float *b_im, float share, size_t count, float *re, float *im);
  float (*coherence)(const float *re, const float *im, const float *a, const float *b, float least,
                     size_t count);
  void (*adapt)(const struct cvector_adaptation *step, size_t count, float *variance, float *re,
                float *im);
  void (*approach)(const float *far_re, const float *far_im, const float *error_re,
                   const float *error_im, float rate, size_t count, const float *variance,
                   float *re, float *im);
  void (*quantize16)(float *samples, size_t count);
  void (*encode)(const float *samples, size_t count, double full, double last, void *words);
  void (*decode)(const void *words, size_t count, float unit, float most, float *samples);
  void (*recode)(const void *words, size_t count, double ratio, double last, void *output);
  void (*multiply)(const float *samples, float gain, size_t count, float *output);
  void (*ramp)(const float *samples, size_t count, double origin, double rise, double place,
               double length, float *output);
  size_t (*inexact_floats)(const float *samples, size_t count, double full);
  void (*round_floats)(const float *samples, size_t count, double full, int32_t *words);
  void (*dither_floats)(const float *samples, size_t count, double full, uint64_t state,
                        int32_t *words);
  void (*pack16)(const int32_t *words, size_t count, void *bytes);
  void (*pack24)(const int32_t *words, size_t count, void *bytes);
  void (*encode_doubles)(const double *samples, size_t stride, double gain, size_t count,
                         double full, double last, void *words);
};

/// The kinds that this processor has: "baseline" (0) first and the one in use last; NULL for any
/// other index.
const struct cvector_kernels *cvector_kind(int index);

/// The kind in use: "avx512", "avx2", "neon" or "baseline". Valid for the life of the process.
const char *cvector_name(void);

/// Uses another kind by its name. Returns 0 and changes nothing if this processor does not have it.
/// To be called before the first render and before there are other threads. The environment
/// variable `PATCHRUN_KERNEL` names the kind to begin with.
int cvector_choose(const char *name);

#endif

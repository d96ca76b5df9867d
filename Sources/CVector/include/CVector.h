#ifndef C_VECTOR_H
#define C_VECTOR_H

#include <stddef.h>
#include <stdint.h>

// The inner loops of filters, in the widest vectors that the processor has (AVX-512, AVX2 with
// FMA, or what the compiler's target has), chosen once when the program is loaded. None of them
// allocates, locks or calls the system.
//
// A result is always summed in the same order: it does not depend on where in memory the samples
// lie, on how many results are asked for in one call, or on which other rows or channels are
// computed beside it. Processors with different vectors may differ in the last bit.
//
// Rows of coefficients are a multiple of 16 floats long, filled up with zeros. A zero coefficient
// still reads its sample, which must be finite for the product to vanish.

/// The sum of `row[k] * samples[k]` over `count` (a multiple of 16): sixteen sums of every
/// sixteenth product, then those by halves.
float cvector_dot(const float *row, const float *samples, size_t count);

/// The same of one row against two channels: `sums[0]` and `sums[1]`.
void cvector_dot_channels(const float *row, const float *first, const float *second, size_t count,
                          float sums[2]);

/// The same of two rows against one channel.
void cvector_dot_rows(const float *first, const float *second, const float *samples, size_t count,
                      float *first_sum, float *second_sum);

/// `rows` neighbouring rows (1 to 4, each of `count` floats) against one channel. The results of
/// `cvector_dot`, to the bit.
void cvector_dot_block(const float *row, size_t rows, const float *samples, size_t count,
                       float *sums);

/// The same against two channels.
void cvector_dot_block_channels(const float *row, size_t rows, const float *first,
                                const float *second, size_t count, float *first_sums,
                                float *second_sums);

/// A filter over time: `output[n]` is the sum of `row[k] * samples[n + k]` over `count` taps, in
/// the order of k, for `frames` frames. Reads `frames + count - 1` samples; `count` is any number.
/// For a convolution the row is the impulse response backwards.
void cvector_fir(const float *row, size_t count, const float *samples, float *output,
                 size_t frames);

/// Two filters over the same samples: one for each ear. What `cvector_fir` gives for each of them.
void cvector_fir_rows(const float *first, const float *second, size_t count, const float *samples,
                      float *first_output, float *second_output, size_t frames);

/// Four neighbouring rows, `stride` apart, each times its weight: into `output`, `count` (a
/// multiple of 16) floats. For a row between two of a table, by cubic interpolation.
void cvector_blend(const float *rows, size_t stride, float w0, float w1, float w2, float w3,
                   size_t count, float *output);

/// Where each frame of an output lies in its input, in frames of the input and their 2^-64th parts:
/// the first at `fraction`, each other a step after the one before it. The step grows by the
/// increment with each frame. Steps and increments are whole in two's complement: high word, low word.
struct cvector_places {
  uint64_t fraction;
  int64_t step_high;
  uint64_t step_low;
  int64_t increment_high;
  uint64_t increment_low;
};

/// A filter between the frames of two channels, or of one where `second` is NULL: each of `frames`
/// results is the sum over `count` (a multiple of 16) of samples from the whole part of its place on,
/// times a row between two of a table, by linear interpolation. The table has `row_count` + 1 rows, for
/// the fractions from 0 to 1.
void cvector_walk(const float *rows, size_t row_count, size_t count,
                  const struct cvector_places *places, const float *first, const float *second,
                  size_t frames, float *first_output, float *second_output);

/// Copies samples; what is not finite becomes 0.
void cvector_copy_finite(const float *samples, float *output, size_t count);

/// `sum += x * filter` for spectra whose real and imaginary parts are apart; `count` is a multiple of
/// 16.
void cvector_spectrum_add(const float *re, const float *im, const float *filter_re,
                          const float *filter_im, size_t count, float *sum_re, float *sum_im);

/// `sum += samples * gain`; `count` is a multiple of 16.
void cvector_add_scaled(const float *samples, float gain, size_t count, float *sum);

/// Number k of a spectrum, `re[k] + i im[k]`, times the k-th power of `cosine + i sine`, a number of magnitude
/// 1: its signal is delayed in a circle. `count` is a multiple of 8.
void cvector_turn(float *re, float *im, double cosine, double sine, size_t count);

// The Fourier transform of real samples, `length` of them: a power of two from 128 on. It takes factors that
// belong to the length, and memory to work in.

/// How many floats the factors are, and how many the memory.
size_t cvector_fft_factor_count(size_t length);
size_t cvector_fft_memory_count(size_t length);

/// Makes the factors. Control thread.
void cvector_fft_factors(size_t length, float *factors);

/// Number k of the spectrum is the sum of `samples[n] e^(-2 pi i k n / length)`: `length / 2 + 1` numbers, of
/// which the first and the last have no imaginary part.
void cvector_fft_forward(const float *factors, float *memory, size_t length, const float *samples,
                         float *re, float *im);

/// Undoes that; the imaginary parts of the first and the last number count as 0.
void cvector_fft_inverse(const float *factors, float *memory, size_t length, const float *re,
                         const float *im, float *samples);

// MARK: - Samples on their way
//
// These give the same bits with every kind of vector: nothing is rounded twice and nothing is fused.

/// The largest magnitude, as the bits of a float: magnitudes are in the order of their bits, with infinity
/// above every number and what is no number above that. 0 of no samples.
uint32_t cvector_largest(const float *samples, size_t count);

/// Every `stride`th sample, `count` of them: one channel out of interleaved ones.
void cvector_pick(const float *samples, size_t stride, size_t count, float *output);

/// The same, each times a gain in double precision, rounded once.
void cvector_pick_scaled(const float *samples, size_t stride, double gain, size_t count,
                         float *output);

/// The same of doubles.
void cvector_pick_doubles(const double *samples, size_t stride, double gain, size_t count,
                          float *output);

/// Two channels, one beside the other: `count` samples of each.
void cvector_interleave(const float *first, const float *second, size_t count, float *output);

/// Every sample times a gain, in its place.
void cvector_scale(float *samples, float gain, size_t count);

/// Whether no magnitude is above 1, and every sample is a number.
int cvector_within(const double *samples, size_t count);

/// How many samples there are up to the last that, times `full` (a power of two), is no integer below `full`;
/// 0 where all are. All of them are within 1.
size_t cvector_inexact(const double *samples, size_t count, double full);

/// The integers nearest to samples within 1, times `full`, halves to even, from `-full` to `full - 1`.
void cvector_round(const double *samples, size_t count, double full, int32_t *words);

/// The same with noise of a triangular distribution, from -1 to 1, added before: two halves of a word of
/// SplitMix64 (Steele, Lea and Flood, 2014) whose state was `state` before the first sample.
void cvector_dither(const double *samples, size_t count, double full, uint64_t state,
                    int32_t *words);

/// White noise, `gain` times numbers between -1 and 1: the upper 52 bits of words of SplitMix64, whose state
/// is `state` for the first of them.
void cvector_noise(uint64_t state, double gain, size_t count, float *output);

/// A signal of a mix, and what it is multiplied by.
struct cvector_signal {
  const float *left;
  const float *right;
  float left_gain;
  float right_gain;
};

/// Adds signals to a stereo sum, one after the other: `sum = (sum + gain0 * x0) + gain1 * x1` and so
/// on, in `count` frames from the one numbered `first` on. Where `fresh` is not 0 the sum begins with +0, whatever is in its memory. Returns what
/// `cvector_largest` says of both sides of the sum; 0 of no signals.
uint32_t cvector_mix(const struct cvector_signal *signals, size_t signal_count, int fresh,
                     size_t first, size_t count, float *left, float *right);

/// Second-order filters in series over `channels`, 1 or 2, in double precision, in the place of `count` frames
/// (of two channels, one sample beside the other). Each computes, with a memory `w1`, `w2`,
///
///     y = c0 x + c1 w1 + c2 w2;   w = x + c3 w1 + c4 w2;   w2 = w1;   w1 = w
///
/// which is the direct form II, its output worked out from what is known before its sum: for
/// `(b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)` the coefficients are
/// `b0, b1 - b0 a1, b2 - b0 a2, -a1, -a2`.
///
/// A filter cannot start on a sample before the one below has finished with it, so the filters run as a
/// pipeline: filter k works on the sample k places behind the newest, and neighbouring filters share a
/// vector. At both ends of the stretch those that have nothing to do stand still. Each filter does the same
/// arithmetic on the same samples however a stream is cut, and whichever filters are beside it.
///
/// `coefficients` has five rows, `stride` numbers apart, of c0 to c4: in each, one filter behind the other,
/// the first to run first, a number for each channel. `memory` has two such rows, of w1 and of w2.
void cvector_filter(const double *coefficients, double *memory, size_t stride, size_t filters,
                    int channels, double *samples, size_t count);

/// One channel (`second` is NULL) as doubles, or two, one sample beside the other.
void cvector_widen(const float *first, const float *second, size_t count, double *samples);

/// The way back, sample n times `gain + rise (place + n + 1)`, with no products fused. Two channels may be
/// one memory, if they are alike.
void cvector_narrow(const double *samples, size_t count, double gain, double rise, int32_t place,
                    float *first, float *second);

/// All of the above for one kind of vector.
struct cvector_kernels {
  const char *name;
  float (*dot)(const float *row, const float *samples, size_t count);
  void (*dot_channels)(const float *row, const float *first, const float *second, size_t count,
                       float *sums);
  void (*dot_rows)(const float *first, const float *second, const float *samples, size_t count,
                   float *sums);
  void (*dot_block)(const float *row, size_t rows, const float *samples, size_t count,
                    float *sums);
  void (*dot_block_channels)(const float *row, size_t rows, const float *first,
                             const float *second, size_t count, float *first_sums,
                             float *second_sums);
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
  void (*interleave)(const float *first, const float *second, size_t count, float *output);
  void (*scale)(float *samples, float gain, size_t count);
  int (*within)(const double *samples, size_t count);
  size_t (*inexact)(const double *samples, size_t count, double full);
  void (*round)(const double *samples, size_t count, double full, int32_t *words);
  void (*dither)(const double *samples, size_t count, double full, uint64_t state, int32_t *words);
  void (*noise)(uint64_t state, double gain, size_t count, float *output);
  uint32_t (*mix)(const struct cvector_signal *signals, size_t signal_count, int fresh,
                  size_t first, size_t count, float *left, float *right);
  void (*filter)(const double *coefficients, double *memory, size_t stride, size_t filters,
                 int channels, double *samples, size_t count);
  void (*widen)(const float *first, const float *second, size_t count, double *samples);
  void (*narrow)(const double *samples, size_t count, double gain, double rise, int32_t place,
                 float *first, float *second);
};

/// The kinds that this processor has, the plainest (0, "baseline") first and the one in use last;
/// NULL after that.
const struct cvector_kernels *cvector_kind(int index);

/// The vectors in use: "avx512", "avx2", "neon" or "baseline".
const char *cvector_name(void);

/// Uses another kind from now on, by its name. Returns 0 where this processor has no such kind, and
/// changes nothing then. Before the first render, and before there are threads.
///
/// What the environment variable `PATCHRUN_KERNEL` names is used from the beginning.
int cvector_choose(const char *name);

#endif

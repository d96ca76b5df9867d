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
  void (*walk)(const float *rows, size_t row_count, size_t count,
               const struct cvector_places *places, const float *first, const float *second,
               size_t frames, float *first_output, float *second_output);
};

/// The kinds that this processor has, the plainest (0, "baseline") first and the one in use last;
/// NULL after that.
const struct cvector_kernels *cvector_kind(int index);

/// The vectors in use: "avx512", "avx2" or "baseline".
const char *cvector_name(void);

#endif

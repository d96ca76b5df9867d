// Runs every kernel of every kind of vector on seeded inputs, and prints the results: one line for
// each kernel, "KIND KERNEL" and the bits of its numbers. `.ci/neon` compares the output of two
// processors.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVector.h"

enum { COUNT = 208, FRAMES = 331, WIDTH = 32 };

// SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t state;

static uint64_t next(void) {
  uint64_t word = state += 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return word ^ word >> 31;
}

/// Uniformly distributed from -1 to 1.
static void noise(float *samples, size_t count, uint64_t seed) {
  state = seed;
  for (size_t n = 0; n < count; n++) samples[n] = (float)(int32_t)next() * 0x1p-31f;
}

static const char *kind;

static void put(const char *kernel, const float *values, size_t count) {
  printf("%s %s float", kind, kernel);
  for (size_t n = 0; n < count; n++) {
    uint32_t bits;
    memcpy(&bits, values + n, sizeof bits);
    printf(" %08" PRIx32, bits);
  }
  printf("\n");
}

static void put_words(const char *kernel, const int32_t *words, size_t count) {
  printf("%s %s word", kind, kernel);
  for (size_t n = 0; n < count; n++) printf(" %08" PRIx32, (uint32_t)words[n]);
  printf("\n");
}

static void run(const struct cvector_kernels *k) {
  static float rows[9 * COUNT], samples[8 * FRAMES], others[8 * FRAMES];
  static float a[4 * FRAMES], b[4 * FRAMES];
  kind = k->name;
  noise(rows, 9 * COUNT, 1);
  noise(samples, 8 * FRAMES, 2);
  noise(others, 8 * FRAMES, 3);

  a[0] = k->dot(rows, samples + 3, COUNT);
  put("dot", a, 1);
  k->dot_rows(rows, rows + COUNT, samples + 7, COUNT, a);
  put("dot_rows", a, 2);
  for (size_t count = 1; count <= 4; count++) {
    k->dot_block(rows, count, samples + 5, COUNT, a);
    put("dot_block", a, count);
    k->dot_block_channels(rows, count, samples, others, COUNT, a, b);
    put("dot_block_channels", a, count);
    put("dot_block_channels", b, count);
  }
  k->fir(rows, 77, samples, a, FRAMES);
  put("fir", a, FRAMES);
  k->fir_rows(rows, rows + 77, 77, samples, a, b, FRAMES);
  put("fir_rows", a, FRAMES);
  put("fir_rows", b, FRAMES);
  const float weights[4] = {-0.0625f, 0.5625f, 0.5625f, -0.0625f};
  k->blend(rows, COUNT, weights, COUNT, a);
  put("blend", a, COUNT);
  memcpy(a, samples, sizeof a);
  a[3] = NAN, a[20] = INFINITY, a[21] = -INFINITY, a[22] = 0x1p-149f, a[23] = -0.0f;
  k->copy_finite(a, b, FRAMES);
  put("copy_finite", b, FRAMES);
  memcpy(a, rows, sizeof *a * COUNT);
  memcpy(b, rows + COUNT, sizeof *b * COUNT);
  k->spectrum_add(samples, others, rows + 2 * COUNT, rows + 3 * COUNT, COUNT, a, b);
  put("spectrum_add", a, COUNT);
  put("spectrum_add", b, COUNT);
  k->add_scaled(samples, 0.3f, COUNT, a);
  put("add_scaled", a, COUNT);
  memcpy(b, rows, sizeof *b * COUNT);
  k->turn(a, b, 0.8, -0.6, COUNT);
  put("turn", a, COUNT);
  put("turn", b, COUNT);
  const size_t lengths[] = {128, 256, 384, 512, 768, 1024, 1536};
  for (size_t which = 0; which < sizeof lengths / sizeof *lengths; which++) {
    const size_t length = lengths[which];
    float *factors = malloc(sizeof *factors * cvector_fft_factor_count(length));
    float *memory = malloc(sizeof *memory * cvector_fft_memory_count(length));
    cvector_fft_factors(length, factors);
    k->fft_forward(factors, memory, length, samples, a, b);
    put("fft_forward", a, length / 2 + 1);
    put("fft_forward", b, length / 2 + 1);
    k->fft_inverse(factors, memory, length, samples, others, a);
    put("fft_inverse", a, length);
    free(factors);
    free(memory);
  }
  memcpy(a, rows, sizeof *a * COUNT);
  memcpy(b, rows + COUNT, sizeof *b * COUNT);
  k->spectrum_rows(samples, others, COUNT, 3, COUNT - 5, a, b);
  put("spectrum_rows", a, COUNT);
  put("spectrum_rows", b, COUNT);
  k->product_rows(samples, others, COUNT, 3, COUNT - 5, a);
  put("product_rows", a, COUNT);
  k->scaled_rows(samples, others, COUNT, 3, COUNT - 5, a);
  put("scaled_rows", a, COUNT);
  k->spectrum_average(samples, others, rows, rows + COUNT, 0.025f, COUNT - 5, a, b);
  put("spectrum_average", a, COUNT);
  put("spectrum_average", b, COUNT);
  for (size_t n = 0; n < 2 * COUNT; n++) rows[n] = fabsf(rows[n]);
  a[0] = k->coherence(samples, others, rows, rows + COUNT, 0.01f, COUNT - 5);
  put("coherence", a, 1);
  const struct cvector_adaptation step = {
      samples, others, rows, samples + COUNT, others + COUNT, rows + COUNT, 0.99f, 0.25f, 0.1f};
  memcpy(a, others, sizeof *a * COUNT);
  memcpy(b, samples, sizeof *b * COUNT);
  k->approach(samples, others, samples + COUNT, others + COUNT, 0.25f, COUNT - 5, rows, a, b);
  put("approach", a, COUNT);
  put("approach", b, COUNT);
  float variance[COUNT];
  memcpy(variance, rows, sizeof variance);
  k->adapt(&step, COUNT - 5, variance, a, b);
  put("adapt", a, COUNT);
  put("adapt", b, COUNT);
  put("adapt", variance, COUNT);
  noise(rows, 9 * COUNT, 1);
  // A step of 1.75 + 2^-20 that grows by 2^-20 each time.
  const struct cvector_places places = {
      (uint64_t)1 << 63, 1, ((uint64_t)3 << 62) + ((uint64_t)1 << 44), 0, (uint64_t)1 << 44};
  k->walk(rows, 8, WIDTH, &places, samples, others, FRAMES, a, b);
  put("walk", a, FRAMES);
  put("walk", b, FRAMES);

  const uint32_t largest = k->largest(samples, FRAMES);
  put_words("largest", (const int32_t *)&largest, 1);
  double doubles[2 * FRAMES];
  for (size_t n = 0; n < 2 * FRAMES; n++) doubles[n] = (double)samples[n] / 3;
  for (size_t stride = 1; stride <= 3; stride++) {
    k->pick(samples, stride, FRAMES, a);
    put("pick", a, FRAMES);
    k->pick_scaled(samples, stride, 0.3, FRAMES, a);
    put("pick_scaled", a, FRAMES);
    k->pick_doubles(doubles, stride, 0.3, FRAMES / 2, a);
    put("pick_doubles", a, FRAMES / 2);
  }
  uint32_t most = k->interleave(samples, others, FRAMES, a);
  put_words("interleave", (const int32_t *)&most, 1);
  put("interleave", a, 2 * FRAMES);
  most = k->deinterleave(samples, FRAMES, a, b);
  put_words("deinterleave", (const int32_t *)&most, 1);
  put("deinterleave", a, FRAMES);
  put("deinterleave", b, FRAMES);
  memcpy(a, samples, sizeof *a * FRAMES);
  k->scale(a, 0.3f, FRAMES);
  put("scale", a, FRAMES);
  k->amplify(samples, 0.3f, samples + FRAMES, -1.7f, FRAMES - 3, a, b);
  put("amplify", a, FRAMES - 3);
  put("amplify", b, FRAMES - 3);

  double exact[FRAMES];
  int32_t words[FRAMES];
  for (int bits = 16; bits <= 32; bits += 8) {
    const double full = ldexp(1, bits - 1);
    for (size_t n = 0; n < FRAMES; n++) exact[n] = rint((double)samples[n] * full / 2) / full;
    exact[200] = 0.25 / full;
    words[0] = k->within(exact, FRAMES);
    exact[0] = 1.5;
    words[1] = k->within(exact, FRAMES);
    exact[0] = NAN;
    words[2] = k->within(exact, FRAMES);
    exact[0] = -1;
    words[3] = (int32_t)k->inexact(exact, FRAMES, full);
    put_words("within", words, 4);
    for (size_t n = 0; n < FRAMES; n++) exact[n] = n == 9 ? 1 : (double)samples[n];
    k->round(exact, FRAMES, full, words);
    put_words("round", words, FRAMES);
    k->dither(exact, FRAMES, full, 0x5DEECE66D1CE4E5Bu, words);
    put_words("dither", words, FRAMES);
  }

  k->noise(0x5DEECE66D1CE4E5Bu, 0.3, FRAMES, a);
  put("noise", a, FRAMES);

  struct cvector_signal signals[21];
  for (size_t n = 0; n < 21; n++) {
    signals[n] = (struct cvector_signal){samples + 7 * n, others + 5 * n, rows[2 * n],
                                         rows[2 * n + 1], 0};
  }
  for (int interleaved = 0; interleaved <= 1; interleaved++) {
    // Half of the frames: the signals have as many samples.
    const size_t frames = interleaved ? FRAMES / 2 : FRAMES;
    for (size_t n = 0; n < 21; n++) signals[n].is_interleaved = interleaved && n % 5 != 3;
    for (size_t count = 1; count <= 21; count += 4) {
      k->mix(signals, count, 1, 0, frames, a, b);
      put("mix", a, frames);
      k->mix(signals, count, 0, 0, frames, a, b);
      put("mix", b, frames);
    }
  }
  words[0] = (int32_t)k->copy(samples, FRAMES, a);
  put_words("copy", words, 1);
  put("copy", a, FRAMES);

  // Thirteen peaking filters with alternating gains of 12 and -12 dB. Their coefficients do not need
  // libm: sine and cosine are computed by their series.
  enum { FILTERS = 13 };
  static double coefficients[5 * 2 * FILTERS], memory[2 * 2 * FILTERS], wide[2 * FRAMES];
  for (int channels = 1; channels <= 2; channels++) {
    const int stride = channels * FILTERS;
    for (int lane = 0; lane < stride; lane++) {
      const int band = lane / channels;
      const double amplitude = band % 2 == 0 ? 1.9952623149688795 : 0.5011872336272722;
      const double w = 2 * 3.14159265358979323846 * ldexp(31.25, band % 10) / 48000;
      double sine = 0, cosine = 0, term = 1;
      for (int n = 0; n < 30; n += 2) {
        cosine += n % 4 == 0 ? term : -term;
        term *= w / (n + 1);
        sine += n % 4 == 0 ? term : -term;
        term *= w / (n + 2);
      }
      const double alpha = sine / 2.8, a0 = 1 + alpha / amplitude;
      const double a1 = -2 * cosine / a0, a2 = (1 - alpha / amplitude) / a0;
      const double reduction = 1 - (1 + alpha * amplitude) / a0;
      coefficients[lane] = 1 - reduction;
      coefficients[stride + lane] = reduction * a1;
      coefficients[2 * stride + lane] = reduction * (1 + a2);
      coefficients[3 * stride + lane] = -a1;
      coefficients[4 * stride + lane] = -a2;
    }
    memset(memory, 0, sizeof memory);
    float *second = channels == 2 ? b : NULL;
    for (size_t first = 0, length = 1; first < FRAMES; first += length, length = 3 * length + 2) {
      if (length > FRAMES - first) length = FRAMES - first;
      k->widen(samples + first, second ? others + first : NULL, length, wide);
      k->filter(coefficients, memory, stride, FILTERS, channels, wide, length);
      k->narrow(wide, length, 1, 0, 0, a + first, second ? second + first : NULL);
    }
    put("filter", a, FRAMES);
    if (second) put("filter", second, FRAMES);
    k->widen(samples, channels == 2 ? others : NULL, FRAMES, wide);
    k->narrow(wide, FRAMES, 0.75, 0.001, 3, a, second);
    put("narrow", a, FRAMES);
  }
}

int main(void) {
  for (int index = 0; cvector_kind(index); index++) run(cvector_kind(index));
  return 0;
}

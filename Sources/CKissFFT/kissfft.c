#include "CKissFFT.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(kiss_fftr_cfg, kiss_fftr_alloc, (int count, int inverse, void *memory, size_t *size),      \
       (count, inverse, memory, size))                                                            \
  CALL(void, kiss_fftr,                                                                           \
       (kiss_fftr_cfg plan, const kiss_fft_scalar *samples, kiss_fft_cpx *bins),                  \
       (plan, samples, bins))                                                                     \
  CALL(void, kiss_fftri,                                                                          \
       (kiss_fftr_cfg plan, const kiss_fft_cpx *bins, kiss_fft_scalar *samples),                  \
       (plan, bins, samples))
// clang-format on

CLOADING_LIBRARY("libkissfft-float.so.131", "libkissfft-float131", FUNCTIONS)

#include "CEbur128.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(int, ebur128_add_frames_double,                                                            \
       (ebur128_state *st, const double *src, size_t frames), (st, src, frames))                  \
  CALL(void, ebur128_destroy, (ebur128_state **st), (st))                                         \
  CALL(ebur128_state *, ebur128_init,                                                             \
       (unsigned int channels, unsigned long samplerate, int mode), (channels, samplerate, mode)) \
  CALL(int, ebur128_loudness_global, (ebur128_state *st, double *out), (st, out))                 \
  CALL(int, ebur128_loudness_momentary, (ebur128_state *st, double *out), (st, out))              \
  CALL(int, ebur128_loudness_shortterm, (ebur128_state *st, double *out), (st, out))              \
  CALL(int, ebur128_set_channel,                                                                  \
       (ebur128_state *st, unsigned int channel_number, int value), (st, channel_number, value))  \
  CALL(int, ebur128_set_max_history, (ebur128_state *st, unsigned long history), (st, history))   \
  CALL(int, ebur128_true_peak,                                                                    \
       (ebur128_state *st, unsigned int channel_number, double *out), (st, channel_number, out))
// clang-format on

CLOADING_LIBRARY("libebur128.so.1", "libebur128-1", FUNCTIONS)

const char *cebur128_load(void) { return cloading_load(&library); }

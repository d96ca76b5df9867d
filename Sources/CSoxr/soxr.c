#include "CSoxr.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(soxr_t, soxr_create,                                                                       \
       (double from, double to, unsigned channels, soxr_error_t *error,                           \
        const soxr_io_spec_t *io, const soxr_quality_spec_t *quality,                             \
        const soxr_runtime_spec_t *runtime),                                                      \
       (from, to, channels, error, io, quality, runtime))                                         \
  CALL(void, soxr_delete, (soxr_t converter), (converter))                                        \
  CALL(soxr_io_spec_t, soxr_io_spec, (soxr_datatype_t input, soxr_datatype_t output),             \
       (input, output))                                                                           \
  CALL(soxr_error_t, soxr_oneshot,                                                                \
       (double from, double to, unsigned channels, soxr_in_t input, size_t input_count,           \
        size_t *taken, soxr_out_t output, size_t output_count, size_t *made,                      \
        const soxr_io_spec_t *io, const soxr_quality_spec_t *quality,                             \
        const soxr_runtime_spec_t *runtime),                                                      \
       (from, to, channels, input, input_count, taken, output, output_count, made, io, quality,   \
        runtime))                                                                                 \
  CALL(soxr_error_t, soxr_process,                                                                \
       (soxr_t converter, soxr_in_t input, size_t input_count, size_t *taken, soxr_out_t output,  \
        size_t output_count, size_t *made),                                                       \
       (converter, input, input_count, taken, output, output_count, made))                        \
  CALL(soxr_quality_spec_t, soxr_quality_spec, (unsigned long recipe, unsigned long flags),       \
       (recipe, flags))                                                                           \
  CALL(soxr_runtime_spec_t, soxr_runtime_spec, (unsigned threads), (threads))
// clang-format on

CLOADING_LIBRARY("libsoxr.so.0", "libsoxr0", FUNCTIONS)

const char *csoxr_load(void) { return cloading_load(&library); }

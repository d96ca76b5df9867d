#include "CSndfile.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(int, sf_close, (SNDFILE *file), (file))                                                    \
  CALL(int, sf_command, (SNDFILE *file, int command, void *data, int size),                       \
       (file, command, data, size))                                                               \
  CALL(int, sf_error, (SNDFILE *file), (file))                                                    \
  CALL(const char *, sf_error_number, (int number), (number))                                     \
  CALL(int, sf_format_check, (const SF_INFO *info), (info))                                       \
  CALL(const char *, sf_get_string, (SNDFILE *file, int type), (file, type))                      \
  CALL(SNDFILE *, sf_open_fd, (int descriptor, int mode, SF_INFO *info, int closes),              \
       (descriptor, mode, info, closes))                                                          \
  CALL(SNDFILE *, sf_open_virtual,                                                                \
       (SF_VIRTUAL_IO *functions, int mode, SF_INFO *info, void *data),                           \
       (functions, mode, info, data))                                                             \
  CALL(sf_count_t, sf_readf_double, (SNDFILE *file, double *samples, sf_count_t frames),          \
       (file, samples, frames))                                                                   \
  CALL(sf_count_t, sf_readf_float, (SNDFILE *file, float *samples, sf_count_t frames),            \
       (file, samples, frames))                                                                   \
  CALL(sf_count_t, sf_readf_int, (SNDFILE *file, int *samples, sf_count_t frames),                \
       (file, samples, frames))                                                                   \
  CALL(sf_count_t, sf_seek, (SNDFILE *file, sf_count_t frames, int whence),                       \
       (file, frames, whence))                                                                    \
  CALL(int, sf_set_string, (SNDFILE *file, int type, const char *text), (file, type, text))       \
  CALL(const char *, sf_strerror, (SNDFILE *file), (file))                                        \
  CALL(sf_count_t, sf_writef_double, (SNDFILE *file, const double *samples, sf_count_t frames),   \
       (file, samples, frames))                                                                   \
  CALL(sf_count_t, sf_writef_float, (SNDFILE *file, const float *samples, sf_count_t frames),     \
       (file, samples, frames))                                                                   \
  CALL(sf_count_t, sf_writef_int, (SNDFILE *file, const int *samples, sf_count_t frames),         \
       (file, samples, frames))
// clang-format on

CLOADING_LIBRARY("libsndfile.so.1", "libsndfile1", FUNCTIONS)

const char *csndfile_load(void) { return cloading_load(&library); }

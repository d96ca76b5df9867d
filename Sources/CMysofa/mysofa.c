#include "CMysofa.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(int, mysofa_check, (struct MYSOFA_HRTF *hrtf), (hrtf))                                     \
  CALL(void, mysofa_free, (struct MYSOFA_HRTF *hrtf), (hrtf))                                     \
  CALL(struct MYSOFA_HRTF *, mysofa_load, (const char *filename, int *err), (filename, err))      \
  CALL(void, mysofa_tocartesian, (struct MYSOFA_HRTF *hrtf), (hrtf))                              \
  CALL(void, mysofa_tospherical, (struct MYSOFA_HRTF *hrtf), (hrtf))
// clang-format on

CLOADING_LIBRARY("libmysofa.so.1", "libmysofa1", FUNCTIONS)

const char *cmysofa_load(void) { return cloading_load(&library); }

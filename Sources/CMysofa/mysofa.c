#include "CMysofa.h"

#include "CLoading.h"

// All that is called of it: a function that is missing here is missed by the linker.
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

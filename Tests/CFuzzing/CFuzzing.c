#include "CFuzzing.h"

// Of libFuzzer, where it is linked in.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, fuzzing_input take);

// libFuzzer has a main of its own, which calls this. Another one is run here.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return 0;
}

int fuzzing_run(int *argc, char ***argv, fuzzing_input take) {
  return LLVMFuzzerRunDriver ? LLVMFuzzerRunDriver(argc, argv, take) : -1;
}

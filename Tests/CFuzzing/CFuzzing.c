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

// Makes another input of one by libFuzzer's own means.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t room);

// libFuzzer looks for this by its name.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned int seed);

static fuzzing_mutation mutate;

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned int seed) {
  size_t made = mutate ? mutate(bytes, count, room, seed) : 0;
  return made > 0 ? made : LLVMFuzzerMutate(bytes, count, room);
}

int fuzzing_run(int *argc, char ***argv, fuzzing_input take, fuzzing_mutation make) {
  mutate = make;
  return LLVMFuzzerRunDriver ? LLVMFuzzerRunDriver(argc, argv, take) : -1;
}

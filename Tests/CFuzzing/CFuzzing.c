#include "CFuzzing.h"

// A function of libFuzzer.
int LLVMFuzzerRunDriver(int *argc, char ***argv, fuzzing_input take);

// libFuzzer's own main would call this function. This program runs the driver with another one.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return 0;
}

// Mutates an input by libFuzzer's standard methods.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t room);

// libFuzzer finds this function by its name.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned int seed);

static fuzzing_mutation mutate;

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned int seed) {
  size_t made = mutate ? mutate(bytes, count, room, seed) : 0;
  return made > 0 ? made : LLVMFuzzerMutate(bytes, count, room);
}

int fuzzing_run(int *argc, char ***argv, fuzzing_input take, fuzzing_mutation make) {
  mutate = make;
  return LLVMFuzzerRunDriver(argc, argv, take);
}

#ifndef CFUZZING_H
#define CFUZZING_H

#include <stddef.h>
#include <stdint.h>

/// Takes one input. Returns 0.
typedef int (*fuzzing_input)(const uint8_t *bytes, size_t count);

/// Has libFuzzer find inputs, by the options in `argv`. Does not return before libFuzzer is done. Returns
/// its status; -1 where the program is built without `-sanitize=fuzzer`.
int fuzzing_run(int *argc, char ***argv, fuzzing_input take);

#endif

#ifndef CFUZZING_H
#define CFUZZING_H

#include <stddef.h>
#include <stdint.h>

/// Takes one input. Returns 0.
typedef int (*fuzzing_input)(const uint8_t *bytes, size_t count);

/// Makes another input of one, in its place, of at most `room` bytes. Returns its length; 0 leaves it to
/// libFuzzer.
typedef size_t (*fuzzing_mutation)(uint8_t *bytes, size_t count, size_t room, unsigned int seed);

/// Has libFuzzer find inputs, by the options in `argv`. Does not return before libFuzzer is done. Returns
/// its status; -1 where the program is built without `-sanitize=fuzzer`.
int fuzzing_run(int *argc, char ***argv, fuzzing_input take, fuzzing_mutation make);

#endif

#ifndef CFUZZING_H
#define CFUZZING_H

#include <stddef.h>
#include <stdint.h>

/// Processes one input. Returns 0.
typedef int (*fuzzing_input)(const uint8_t *bytes, size_t count);

/// Mutates an input in place, to at most `room` bytes. Returns the new length; 0 leaves that to
/// libFuzzer.
typedef size_t (*fuzzing_mutation)(uint8_t *bytes, size_t count, size_t room, unsigned int seed);

/// Runs libFuzzer with the options in `argv`. Returns when libFuzzer has finished, with its status.
int fuzzing_run(int *argc, char ***argv, fuzzing_input take, fuzzing_mutation make);

#endif

#ifndef CSOXR_H
#define CSOXR_H

/// libsoxr's own header; the first function that is called loads the library. Without it the process
/// says so and ends.
#include <soxr.h>

#endif

#ifndef CKISSFFT_H
#define CKISSFFT_H

/// kissfft's own header; the first plan that is made loads the library, so that a transform never does.
/// Without it the process says so and ends with status 3.
#include <kissfft/kiss_fftr.h>

#endif

#ifndef CSNDFILE_H
#define CSNDFILE_H

/// libsndfile's own header; the first function that is called loads the library. Without it the
/// process says so and ends.
#include <sndfile.h>

#endif

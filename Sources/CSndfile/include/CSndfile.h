#ifndef CSNDFILE_H
#define CSNDFILE_H

/// libsndfile's own header; the first function that is called loads the library. Without it the
/// process says so and ends.
#include <sndfile.h>

/// Loads the library, once. Returns NULL, or why it is not there. Any thread but the render thread.
const char *csndfile_load(void);

#endif

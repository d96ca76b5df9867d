#ifndef CSNDFILE_H
#define CSNDFILE_H

#include <sndfile.h>

/// Loads libsndfile. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *csndfile_load(void);

#endif

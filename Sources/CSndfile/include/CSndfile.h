#ifndef CSNDFILE_H
#define CSNDFILE_H

#include <sndfile.h>

/// Loads libsndfile, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *csndfile_load(void);

#endif

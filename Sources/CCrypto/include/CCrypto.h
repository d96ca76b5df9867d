#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/evp.h>

/// Loads libcrypto. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *ccrypto_load(void);

#endif

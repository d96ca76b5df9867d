#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/evp.h>

/// Loads libcrypto, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *ccrypto_load(void);

#endif

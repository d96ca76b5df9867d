#include "CCrypto.h"

#include "CLoading.h"

// All functions of the library that the program calls. The linker reports a missing one.
// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())                                                  \
  CALL(void, EVP_MD_CTX_free, (EVP_MD_CTX *ctx), (ctx))                                           \
  CALL(const EVP_MD *, EVP_sha256, (void), ())                                                    \
  CALL(int, EVP_DigestInit_ex,                                                                    \
       (EVP_MD_CTX *ctx, const EVP_MD *type, ENGINE *impl), (ctx, type, impl))                    \
  CALL(int, EVP_DigestUpdate, (EVP_MD_CTX *ctx, const void *d, size_t cnt), (ctx, d, cnt))        \
  CALL(int, EVP_DigestFinal_ex,                                                                   \
       (EVP_MD_CTX *ctx, unsigned char *md, unsigned int *s), (ctx, md, s))
// clang-format on

CLOADING_LIBRARY("libcrypto.so.3", "libssl3", FUNCTIONS)

const char *ccrypto_load(void) { return cloading_load(&library); }

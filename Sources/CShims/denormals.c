#include "CShims.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

uint32_t shims_denormals_off(void) {
  uint32_t previous = _mm_getcsr();
  _mm_setcsr(previous | 0x8040); // flush to zero, denormals are zero
  return previous;
}

void shims_denormals_restore(uint32_t previous) { _mm_setcsr(previous); }

#elif defined(__aarch64__)

uint32_t shims_denormals_off(void) {
  uint64_t previous;
  __asm__ volatile("mrs %0, fpcr" : "=r"(previous));
  __asm__ volatile("msr fpcr, %0" ::"r"(previous | (1u << 24)));
  return (uint32_t)previous;
}

void shims_denormals_restore(uint32_t previous) {
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)previous));
}

#else

uint32_t shims_denormals_off(void) { return 0; }
void shims_denormals_restore(uint32_t previous) { (void)previous; }

#endif

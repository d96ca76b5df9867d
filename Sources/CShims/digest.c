#include "CShims.h"

#include <string.h>

// Four independent sums, each over a quarter of every 64-byte block. Two words are combined with
// constants and multiplied, and the halves of the product are folded together (as in Wang's
// wyhash). A rotation makes the order significant. No input word can cancel the effect of earlier
// words.

static uint64_t word(const unsigned char *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static uint64_t fold(uint64_t one, uint64_t other) {
  const unsigned __int128 product = (unsigned __int128)one * other;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// The first bits of the fractional parts of the square roots of primes (FIPS 180-4).
static const uint64_t odd[8] = {0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
                                0xA54FF53A5F1D36F1, 0x510E527FADE682D1, 0x9B05688C2B3E6C1F,
                                0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

static void add(uint64_t sums[4], const unsigned char *bytes) {
  for (int lane = 0; lane < 4; lane++) {
    const uint64_t one = word(bytes + 16 * lane), other = word(bytes + 16 * lane + 8);
    const uint64_t mixed = fold(one ^ odd[lane], other ^ odd[lane + 4]) + one + (other << 1);
    sums[lane] = (sums[lane] << 29 | sums[lane] >> 35) * odd[0] + mixed;
  }
}

void shims_digest(const void *bytes, size_t count, uint64_t digest[2]) {
  const unsigned char *next = bytes;
  uint64_t sums[4] = {odd[4], odd[5], odd[6], odd[7]};
  size_t rest = count;
  for (; rest >= 64; rest -= 64, next += 64) add(sums, next);
  unsigned char last[64] = {0};
  if (rest > 0) memcpy(last, next, rest);
  add(sums, last);
  const uint64_t length = count;
  for (int half = 0; half < 2; half++) {
    uint64_t value = length ^ odd[half];
    for (int lane = 0; lane < 4; lane++) {
      value = fold(value ^ odd[2 + half], sums[lane] ^ odd[4 + lane]) + sums[lane];
      value ^= value >> 29;
    }
    digest[half] = fold(value ^ odd[half], odd[6 + half]);
  }
}

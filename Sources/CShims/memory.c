#include "CShims.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void shims_expect_memory(size_t bytes) {
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_done)) return;
  const size_t page = 2 << 20, most = 1 << 30;
  if (bytes > most) bytes = most;
  // Whatever is allocated from now on comes from the heap, and what is freed stays there.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, most);
  // A block that the heap has no room for makes it grow by so much more.
  mallopt(M_TOP_PAD, (int)bytes);
  void *volatile block = malloc(page);
  free(block);
  mallopt(M_TOP_PAD, 128 << 10);
  const size_t end = (size_t)sbrk(0) & ~(page - 1);
  madvise((void *)(end - (bytes & ~(page - 1))), bytes & ~(page - 1), MADV_HUGEPAGE);
}

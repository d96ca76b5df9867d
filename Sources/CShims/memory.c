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
  mallopt(M_TOP_PAD, (int)(bytes + 2 * page));
  char *volatile block = malloc(page);
  mallopt(M_TOP_PAD, 128 << 10);
  // A page that the heap has written to is not made a large one any more, and the end of the block is one.
  char *const start = (char *)(((size_t)block + 2 * page) & ~(page - 1));
  char *const end = (char *)((size_t)sbrk(0) & ~(page - 1));
  free(block);
  if (end <= start) return;
  madvise(start, end - start, MADV_HUGEPAGE);
  // What comes next begins with a large page: what is left before that is given away, and never touched.
  block = malloc(start - block - 64);
}

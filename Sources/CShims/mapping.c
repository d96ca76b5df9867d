#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CShims.h"

// The stretches that are mapped, for the signal handler. `start` is 0 for a free entry.
enum { ENTRIES = 256 };
static struct {
  _Atomic uintptr_t start, end;
  atomic_int is_taken, is_incomplete, tells_residency;
} entries[ENTRIES];

static struct sigaction before;

// The entry of the stretch that has an address; -1 for none.
static int entry_of(uintptr_t address) {
  for (int n = 0; n < ENTRIES; n++) {
    const uintptr_t start = atomic_load(&entries[n].start);
    if (start != 0 && address >= start && address < atomic_load(&entries[n].end)) return n;
  }
  return -1;
}

// A page that the file does not have any more, or that the disk does not give, becomes zeros. Any other
// SIGBUS goes where it went before.
static void replace_page(int number, siginfo_t *info, void *context) {
  (void)context;
  const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t address = (uintptr_t)info->si_addr;
  const int entry = info->si_code > 0 ? entry_of(address) : -1;
  void *const page = (void *)(address & ~(size - 1));
  if (entry >= 0
      && mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
    atomic_store(&entries[entry].is_incomplete, 1);
    return;
  }
  sigaction(number, &before, 0);
  if (info->si_code <= 0) raise(number);
}

static int watch(void) {
  static atomic_int state = 0;
  int expected = 0;
  if (!atomic_compare_exchange_strong(&state, &expected, 1)) return expected == 2;
  struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  const int is_set = sigaction(SIGBUS, &action, &before) == 0;
  atomic_store(&state, is_set ? 2 : 1);
  return is_set;
}

int shims_map(int descriptor, int64_t offset, size_t length, struct shims_stretch *stretch) {
  if (!watch()) return 0;
  int entry = 0;
  while (entry < ENTRIES && atomic_exchange(&entries[entry].is_taken, 1)) entry++;
  if (entry == ENTRIES) return 0;
  const int64_t size = sysconf(_SC_PAGESIZE);
  const int64_t skipped = offset % size;
  const size_t all = (size_t)((int64_t)length + skipped + size - 1) / (size_t)size * (size_t)size;
  char *const start = mmap(0, all, PROT_READ, MAP_PRIVATE, descriptor, offset - skipped);
  if (start == MAP_FAILED) {
    atomic_store(&entries[entry].is_taken, 0);
    return 0;
  }
  struct stat found;
  // Of somebody else's file, mincore says that all of it is in memory.
  atomic_store(
      &entries[entry].tells_residency, fstat(descriptor, &found) == 0 && found.st_uid == geteuid());
  atomic_store(&entries[entry].is_incomplete, 0);
  atomic_store(&entries[entry].end, (uintptr_t)start + all);
  atomic_store(&entries[entry].start, (uintptr_t)start);
  *stretch = (struct shims_stretch){start + skipped, start, all, entry};
  return 1;
}

void shims_touch(const void *bytes, size_t length) {
  const volatile unsigned char *const first = bytes;
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t n = 0; n < length; n += size) (void)first[n];
  if (length > 0) (void)first[length - 1];
}

// Whether the system has all pages from `start` to `end` in memory.
static int is_resident(uintptr_t start, uintptr_t end, uintptr_t size) {
  enum { AT_ONCE = 1024 };
  unsigned char pages[AT_ONCE];
  while (start < end) {
    const uintptr_t left = (end - start + size - 1) / size;
    const uintptr_t count = left < AT_ONCE ? left : AT_ONCE;
    if (mincore((void *)start, count * size, pages) != 0) return 0;
    for (uintptr_t n = 0; n < count; n++) {
      if (!(pages[n] & 1)) return 0;
    }
    start += count * size;
  }
  return 1;
}

int shims_load(const void *bytes, size_t length) {
  const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t end = (uintptr_t)bytes + length;
  const uintptr_t start = (uintptr_t)bytes & ~(size - 1);
  const int entry = entry_of(start);
  if (entry >= 0 && atomic_load(&entries[entry].tells_residency)) {
    // A fault enters all pages of its aligned 64 KiB that the system has. MADV_POPULATE_READ looks at each page by itself,
    // which takes two to four times as long.
    const uintptr_t window = 1 << 16;
    for (uintptr_t place = start; place < end; place = (place & ~(window - 1)) + window) {
      (void)*(const volatile unsigned char *)place;
    }
    if (atomic_load(&entries[entry].is_incomplete)) return 0;
    if (is_resident(start, end, size)) return 1;
  }
  return madvise((void *)start, end - start, MADV_POPULATE_READ) == 0;
}

int shims_is_incomplete(const struct shims_stretch *stretch) {
  return atomic_load(&entries[stretch->entry].is_incomplete);
}

void shims_unmap(const struct shims_stretch *stretch) {
  atomic_store(&entries[stretch->entry].start, 0);
  munmap(stretch->start, stretch->mapped);
  atomic_store(&entries[stretch->entry].is_taken, 0);
}

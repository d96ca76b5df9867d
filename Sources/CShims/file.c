#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

int shims_open_folder(int folder, const char *path, int follows_link) {
  return openat(folder, path,
                O_PATH | O_DIRECTORY | O_CLOEXEC | (follows_link ? 0 : O_NOFOLLOW));
}

uint64_t shims_file_system(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 ? (uint64_t)(unsigned long)status.f_type : 0;
}

int shims_reserve(int descriptor, long offset, long length) {
  return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length);
}

int shims_begin_writeback(int descriptor, long offset, long length) {
  return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
}

int shims_sync_file_system(int descriptor) { return syncfs(descriptor); }

int shims_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

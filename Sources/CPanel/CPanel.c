#include "include/CPanel.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct cpanel_file files[] = {
#include "files.h"
};

const struct cpanel_file *cpanel_file(size_t number) {
  return number < sizeof(files) / sizeof(*files) ? &files[number] : NULL;
}

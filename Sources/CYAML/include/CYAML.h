#ifndef CYAML_H
#define CYAML_H

#include <yaml.h>

/// Loads libyaml, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *cyaml_load(void);

#endif

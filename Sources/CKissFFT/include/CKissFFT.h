#ifndef CKISSFFT_H
#define CKISSFFT_H

/// The header of kissfft. Making the first plan loads the library, so that a transform never does.
/// If the library is missing, the process prints that and ends with status 3.
#include <kissfft/kiss_fftr.h>

#endif

/* A native callback that allocates memory on the render thread, which .ci/realtime must detect. */
#include <stdlib.h>

#include "patchrun.h"

static void *volatile kept;

OSStatus unsafe_render(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                       UInt32 bus, UInt32 frames, AudioBufferList *data) {
  (void)refCon, (void)flags, (void)time, (void)bus, (void)data;
  kept = malloc(frames);
  free(kept);
  return noErr;
}

/*
 * A bit crusher: fewer bits, and each value held for a while. An example of a native callback.
 *
 *     cc -O2 -shared -fPIC -I Sources/CPatchrun/include -o patches/native/crusher.so patches/native/crusher.c -lm
 *
 * Its refCon in a patch says how much of it, "bits=6 hold=8": whole numbers, 1 to 24 and 1 to 1000.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "patchrun.h"

typedef struct Crusher {
  Float32 step;    /* from one value that is left to the next */
  UInt32 hold;     /* frames for which a value is held */
  UInt32 channels;
  UInt32 count;    /* frames for which the present one has been held */
  Float32 held[];  /* of each channel */
} Crusher;

/* All that may fail or take time is done here, beside the render thread. */
OSStatus crusher_prepare(const char *text, const AudioStreamBasicDescription *format, UInt32 frames,
                         void **refCon) {
  unsigned bits = 8, hold = 1;
  (void)frames;
  if (!(format->mFormatFlags & kAudioFormatFlagIsFloat) ||
      !(format->mFormatFlags & kAudioFormatFlagIsNonInterleaved))
    return kAudioUnitErr_FormatNotSupported;
  if (*text && sscanf(text, "bits=%u hold=%u", &bits, &hold) != 2) return kAudio_ParamError;
  if (bits < 1 || bits > 24 || hold < 1 || hold > 1000) return kAudio_ParamError;
  Crusher *crusher = calloc(1, sizeof *crusher + format->mChannelsPerFrame * sizeof(Float32));
  if (!crusher) return kAudioUnitErr_FailedInitialization;
  crusher->step = ldexpf(1, 1 - (int)bits);
  crusher->hold = hold;
  crusher->channels = format->mChannelsPerFrame;
  *refCon = crusher;
  return noErr;
}

/* What is held lives on from slice to slice, so that it does not matter how long they are. */
OSStatus crusher_render(void *refCon, AudioUnitRenderActionFlags *flags,
                        const AudioTimeStamp *time, UInt32 bus, UInt32 frames,
                        AudioBufferList *data) {
  Crusher *crusher = refCon;
  (void)time, (void)bus;
  for (UInt32 frame = 0; frame < frames; frame++) {
    for (UInt32 channel = 0; channel < crusher->channels; channel++) {
      Float32 *samples = data->mBuffers[channel].mData;
      if (crusher->count == 0)
        crusher->held[channel] = crusher->step * floorf(samples[frame] / crusher->step + 0.5f);
      samples[frame] = crusher->held[channel];
    }
    if (++crusher->count == crusher->hold) crusher->count = 0;
  }
  /* What is held may outlast what was pulled. */
  *flags &= ~(AudioUnitRenderActionFlags)kAudioUnitRenderAction_OutputIsSilence;
  return noErr;
}

void crusher_dispose(void *refCon) { free(refCon); }

/*
 * The header for native callbacks of patchrun: Core Audio's AURenderCallback and its structures,
 * with Core Audio's names and layouts. Plain C (C99), no library.
 *
 *     cc -O2 -shared -fPIC -I Sources/CPatchrun/include -o crusher.so crusher.c
 *
 *     "callbacks": { "crusher": { "kind": "native", "path": "crusher.so", "symbol": "crush" } }
 */
#ifndef PATCHRUN_H
#define PATCHRUN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int16_t SInt16;
typedef int32_t SInt32;
typedef uint32_t UInt32;
typedef uint64_t UInt64;
typedef float Float32;
typedef double Float64;

/* 0 is success. With any other value patchrun counts a failure and replaces the slice by silence. */
typedef SInt32 OSStatus;

enum {
  noErr = 0,
  kAudio_ParamError = -50,
  kAudioUnitErr_FormatNotSupported = -10868,
  kAudioUnitErr_FailedInitialization = -10875,
  kAudioUnitErr_CannotDoInCurrentContext = -10863
};

typedef UInt32 AudioUnitRenderActionFlags;

enum {
  kAudioUnitRenderAction_PreRender = 1 << 2,
  kAudioUnitRenderAction_PostRender = 1 << 3,
  /* Before: the pulled input is silent. Set it, and zero the buffers, if your output is silent. */
  kAudioUnitRenderAction_OutputIsSilence = 1 << 4
};

typedef struct AudioBuffer {
  UInt32 mNumberChannels; /* 1, or all channels if the stream is interleaved */
  UInt32 mDataByteSize;
  void *mData;
} AudioBuffer;

typedef struct AudioBufferList {
  UInt32 mNumberBuffers; /* one for each channel, or one if the stream is interleaved */
  AudioBuffer mBuffers[1]; /* mNumberBuffers of them */
} AudioBufferList;

typedef struct SMPTETime {
  SInt16 mSubframes;
  SInt16 mSubframeDivisor;
  UInt32 mCounter;
  UInt32 mType;
  UInt32 mFlags;
  SInt16 mHours;
  SInt16 mMinutes;
  SInt16 mSeconds;
  SInt16 mFrames;
} SMPTETime;

enum {
  kAudioTimeStampSampleTimeValid = 1 << 0,
  kAudioTimeStampHostTimeValid = 1 << 1,
  kAudioTimeStampRateScalarValid = 1 << 2
};

typedef struct AudioTimeStamp {
  Float64 mSampleTime; /* of the first frame: frames of the bus since the start */
  UInt64 mHostTime;    /* CLOCK_MONOTONIC, in ns; valid with a device, not in a render */
  Float64 mRateScalar;
  UInt64 mWordClockTime;
  SMPTETime mSMPTETime;
  UInt32 mFlags;
  UInt32 mReserved;
} AudioTimeStamp;

enum {
  kAudioFormatFlagIsFloat = 1 << 0,
  kAudioFormatFlagIsSignedInteger = 1 << 2,
  kAudioFormatFlagIsPacked = 1 << 3,
  kAudioFormatFlagIsNonInterleaved = 1 << 5,
  kLinearPCMFormatFlagsSampleFractionShift = 7,
  kLinearPCMFormatFlagsSampleFractionMask = 0x3F << 7
};

typedef struct AudioStreamBasicDescription {
  Float64 mSampleRate;
  UInt32 mFormatID;
  UInt32 mFormatFlags;
  UInt32 mBytesPerPacket;
  UInt32 mFramesPerPacket;
  UInt32 mBytesPerFrame;
  UInt32 mChannelsPerFrame;
  UInt32 mBitsPerChannel;
  UInt32 mReserved;
} AudioStreamBasicDescription;

/*
 * The callback: the `symbol` of a patch. patchrun calls it on the render thread. It must not
 * allocate memory, lock, wait or make system calls.
 *
 * inRefCon        the outRefCon of `prepare`; without `prepare`, the text of `refCon` in the patch
 * inBusNumber     the input element that the callback feeds
 * inNumberFrames  from 1 to the inMaximumFrames of `prepare`, and different from call to call.
 *                 The output should not depend on it: keep state in the object at inRefCon
 * ioData          buffers in the format of the bus, to be filled. With `from` they contain the
 *                 pulled input, otherwise zeros. mData may be set to your own memory, which must
 *                 stay valid until the next call
 */
typedef OSStatus (*AURenderCallback)(void *inRefCon, AudioUnitRenderActionFlags *ioActionFlags,
                                     const AudioTimeStamp *inTimeStamp, UInt32 inBusNumber,
                                     UInt32 inNumberFrames, AudioBufferList *ioData);

/*
 * patchrun's own, not Core Audio's: the `prepare` of a patch. patchrun calls it before the first
 * slice, on a thread other than the render thread, where it may allocate memory and open files: once
 * for each bus that the callback feeds, and again if the bus changes its format. If it returns an
 * error, the run does not start.
 *
 * inText    the text of `refCon`; empty if the patch has none. Valid until `dispose` has returned
 * outRefCon the inRefCon of the callback; contains inText before the call
 */
typedef OSStatus (*PatchrunPrepare)(const char *inText,
                                    const AudioStreamBasicDescription *inFormat,
                                    UInt32 inMaximumFrames, void **outRefCon);

/*
 * patchrun's own: the `dispose` of a patch. patchrun calls it once after the last slice, on a
 * thread other than the render thread.
 */
typedef void (*PatchrunDispose)(void *inRefCon);

#ifdef __cplusplus
}
#endif

#endif

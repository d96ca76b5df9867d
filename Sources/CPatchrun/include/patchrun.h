/*
 * What a native callback of patchrun is written against: Core Audio's AURenderCallback and the
 * structures that it is given, with Core Audio's names and layouts. Plain C (C99), no library.
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

/* 0 is success. Any other value ends the slice: silence is heard, and it is counted as a failure. */
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
  /* Coming in: what was pulled is silence. Set it, beside zeroed buffers, where you put out silence. */
  kAudioUnitRenderAction_OutputIsSilence = 1 << 4
};

typedef struct AudioBuffer {
  UInt32 mNumberChannels; /* 1, or all of them where the stream is interleaved */
  UInt32 mDataByteSize;
  void *mData;
} AudioBuffer;

typedef struct AudioBufferList {
  UInt32 mNumberBuffers; /* one for each channel, or one where the stream is interleaved */
  AudioBuffer mBuffers[1]; /* in truth as many as mNumberBuffers says */
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
  Float64 mSampleTime; /* of the first frame, in frames of the bus since the start */
  UInt64 mHostTime;    /* CLOCK_MONOTONIC, in ns; there while a device runs, not in a render */
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
 * The callback: the `symbol` of a patch. It is called on the render thread, and may neither allocate
 * nor lock nor wait nor call the system there.
 *
 * inRefCon        what `prepare` has given, or else the text of `refCon` in the patch
 * inBusNumber     the input element that is fed
 * inNumberFrames  at least 1, at most what `prepare` was told; any number in between, from call to call.
 *                 What comes out should not depend on it: state belongs behind inRefCon
 * ioData          buffers in the format of the bus, to be filled. With `from` they hold what was pulled,
 *                 else zeros. mData may be pointed to memory of your own that stays until the next call
 */
typedef OSStatus (*AURenderCallback)(void *inRefCon, AudioUnitRenderActionFlags *ioActionFlags,
                                     const AudioTimeStamp *inTimeStamp, UInt32 inBusNumber,
                                     UInt32 inNumberFrames, AudioBufferList *ioData);

/*
 * patchrun's own, not Core Audio's: the `prepare` of a patch. Called before the first slice, on another
 * thread, where it may allocate and open what it likes; once for each bus that is fed, and again where
 * that changes its format. What it refuses with a status ends the start.
 *
 * inText    the text of `refCon`; empty where there is none. Valid until `dispose` has returned
 * outRefCon where to put what the callback is to be given; it holds inText
 */
typedef OSStatus (*PatchrunPrepare)(const char *inText,
                                    const AudioStreamBasicDescription *inFormat,
                                    UInt32 inMaximumFrames, void **outRefCon);

/* patchrun's own: the `dispose` of a patch. Called once after the last slice, on another thread. */
typedef void (*PatchrunDispose)(void *inRefCon);

#ifdef __cplusplus
}
#endif

#endif

#ifndef C_VOICE_PEERS_H
#define C_VOICE_PEERS_H

#include <stddef.h>

// The echo cancellers of libspeexdsp and of WebRTC (libwebrtc-audio-processing 0.3), loaded on
// first use, so that the measurements can be built and run without them.

typedef struct voice_peer voice_peer;

enum voice_peer_kind { voice_peer_speex = 0, voice_peer_webrtc = 1 };

/// A mono canceller for a rate in Hz, or NULL if the library is not installed or does not support
/// that rate: WebRTC's supports 8000 and 16 000 Hz. libspeexdsp's covers 256 ms of room response,
/// followed by its echo and noise suppressors, as in its manual. WebRTC's finds the delay itself,
/// with its longer filter and its suppressor set to moderate.
voice_peer *voice_peer_create(enum voice_peer_kind kind, int sample_rate);
void voice_peer_free(voice_peer *peer);

/// The number of frames that are processed at a time: 10 ms.
size_t voice_peer_frames(const voice_peer *peer);

/// Processes that many frames, with full scale at 1.
void voice_peer_process(voice_peer *peer, const float *loudspeaker, const float *microphone,
                        float *output);

#endif

#ifndef C_VOICE_PEERS_H
#define C_VOICE_PEERS_H

#include <stddef.h>

// The echo cancellers of libspeexdsp and of WebRTC (libwebrtc-audio-processing 0.3), loaded when they are
// asked for: a machine that has neither still builds and runs what measures beside them.

typedef struct voice_peer voice_peer;

enum voice_peer_kind { voice_peer_speex = 0, voice_peer_webrtc = 1 };

/// A canceller for mono at a rate in Hz, or NULL where the library is not installed or does not work at
/// that rate: WebRTC's takes 8000 and 16 000 Hz. libspeexdsp's covers 256 ms of room and has its echo
/// suppressor and noise suppressor behind it, as its manual has it; WebRTC's finds the delay by itself,
/// has its longer filter and its suppressor set to moderate.
voice_peer *voice_peer_create(enum voice_peer_kind kind, int sample_rate);
void voice_peer_free(voice_peer *peer);

/// How many frames are processed at a time: 10 ms.
size_t voice_peer_frames(const voice_peer *peer);

/// Processes so many frames, full scale being 1.
void voice_peer_process(voice_peer *peer, const float *loudspeaker, const float *microphone,
                        float *output);

#endif

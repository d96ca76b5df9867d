#include "CVoicePeers.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// The parts of <speex/speex_echo.h> and <speex/speex_preprocess.h> that are used.
typedef struct {
  void *(*echo_init)(int, int);
  void (*echo_destroy)(void *);
  int (*echo_ctl)(void *, int, void *);
  void (*echo_cancel)(void *, const int16_t *, const int16_t *, int16_t *);
  void *(*preprocess_init)(int, int);
  void (*preprocess_destroy)(void *);
  int (*preprocess_ctl)(void *, int, void *);
  int (*preprocess_run)(void *, int16_t *);
} speex_calls;

enum { speex_set_rate = 24, speex_set_echo_state = 24 };

// The parts of WebRTC's echo_cancellation.h (version 0.3) that are used.
typedef struct {
  int16_t suppression;
  int16_t skew;
  int16_t metrics;
  int delay_logging;
} webrtc_config;

typedef struct {
  void *(*create)(void);
  void (*free)(void *);
  int32_t (*init)(void *, int32_t, int32_t);
  int32_t (*buffer)(void *, const float *, size_t);
  int32_t (*process)(void *, const float *const *, size_t, float *const *, size_t, int16_t,
                     int32_t);
  int (*configure)(void *, webrtc_config);
  void *(*core)(void *);
  void (*find_delay)(void *, int);
  void (*lengthen)(void *, int);
} webrtc_calls;

struct voice_peer {
  enum voice_peer_kind kind;
  size_t frames;
  void *library;
  speex_calls speex;
  webrtc_calls webrtc;
  void *echo;
  void *preprocess;
  int16_t *integers;
  float *floats;
};

static int find(void *library, const char *name, void **place) {
  *place = dlsym(library, name);
  return *place != NULL;
}

static int make_speex(voice_peer *peer, int sample_rate) {
  speex_calls *calls = &peer->speex;
  peer->library = dlopen("libspeexdsp.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!peer->library) return 0;
  if (!find(peer->library, "speex_echo_state_init", (void **)&calls->echo_init) ||
      !find(peer->library, "speex_echo_state_destroy", (void **)&calls->echo_destroy) ||
      !find(peer->library, "speex_echo_ctl", (void **)&calls->echo_ctl) ||
      !find(peer->library, "speex_echo_cancellation", (void **)&calls->echo_cancel) ||
      !find(peer->library, "speex_preprocess_state_init", (void **)&calls->preprocess_init) ||
      !find(peer->library, "speex_preprocess_state_destroy",
            (void **)&calls->preprocess_destroy) ||
      !find(peer->library, "speex_preprocess_ctl", (void **)&calls->preprocess_ctl) ||
      !find(peer->library, "speex_preprocess_run", (void **)&calls->preprocess_run))
    return 0;
  peer->echo = calls->echo_init((int)peer->frames, sample_rate * 256 / 1000);
  peer->preprocess = calls->preprocess_init((int)peer->frames, sample_rate);
  if (!peer->echo || !peer->preprocess) return 0;
  calls->echo_ctl(peer->echo, speex_set_rate, &sample_rate);
  calls->preprocess_ctl(peer->preprocess, speex_set_echo_state, peer->echo);
  return 1;
}

static int make_webrtc(voice_peer *peer, int sample_rate) {
  webrtc_calls *calls = &peer->webrtc;
  if (sample_rate != 8000 && sample_rate != 16000) return 0;
  peer->library = dlopen("libwebrtc_audio_processing.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!peer->library) return 0;
  if (!find(peer->library, "WebRtcAec_Create", (void **)&calls->create) ||
      !find(peer->library, "WebRtcAec_Free", (void **)&calls->free) ||
      !find(peer->library, "WebRtcAec_Init", (void **)&calls->init) ||
      !find(peer->library, "WebRtcAec_BufferFarend", (void **)&calls->buffer) ||
      !find(peer->library, "WebRtcAec_Process", (void **)&calls->process) ||
      !find(peer->library, "WebRtcAec_set_config", (void **)&calls->configure) ||
      !find(peer->library, "WebRtcAec_aec_core", (void **)&calls->core) ||
      !find(peer->library, "WebRtcAec_enable_delay_agnostic", (void **)&calls->find_delay) ||
      !find(peer->library, "WebRtcAec_enable_extended_filter", (void **)&calls->lengthen))
    return 0;
  peer->echo = calls->create();
  if (!peer->echo || calls->init(peer->echo, sample_rate, sample_rate) != 0) return 0;
  webrtc_config config = {1, 0, 0, 0};
  if (calls->configure(peer->echo, config) != 0) return 0;
  calls->find_delay(calls->core(peer->echo), 1);
  calls->lengthen(calls->core(peer->echo), 1);
  return 1;
}

voice_peer *voice_peer_create(enum voice_peer_kind kind, int sample_rate) {
  voice_peer *peer = calloc(1, sizeof *peer);
  if (!peer) return NULL;
  peer->kind = kind;
  peer->frames = (size_t)sample_rate / 100;
  peer->integers = calloc(3 * peer->frames, sizeof *peer->integers);
  peer->floats = calloc(3 * peer->frames, sizeof *peer->floats);
  if (!peer->integers || !peer->floats ||
      !(kind == voice_peer_speex ? make_speex(peer, sample_rate)
                                 : make_webrtc(peer, sample_rate))) {
    voice_peer_free(peer);
    return NULL;
  }
  return peer;
}

void voice_peer_free(voice_peer *peer) {
  if (!peer) return;
  if (peer->kind == voice_peer_speex) {
    if (peer->echo) peer->speex.echo_destroy(peer->echo);
    if (peer->preprocess) peer->speex.preprocess_destroy(peer->preprocess);
  } else if (peer->echo) {
    peer->webrtc.free(peer->echo);
  }
  if (peer->library) dlclose(peer->library);
  free(peer->integers);
  free(peer->floats);
  free(peer);
}

size_t voice_peer_frames(const voice_peer *peer) { return peer->frames; }

static int16_t integer(float sample) {
  float scaled = rintf(sample * 32768);
  return (int16_t)(scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled);
}

void voice_peer_process(voice_peer *peer, const float *loudspeaker, const float *microphone,
                        float *output) {
  size_t frames = peer->frames;
  if (peer->kind == voice_peer_speex) {
    int16_t *far = peer->integers, *near = far + frames, *out = near + frames;
    for (size_t i = 0; i < frames; i++) {
      far[i] = integer(loudspeaker[i]);
      near[i] = integer(microphone[i]);
    }
    peer->speex.echo_cancel(peer->echo, near, far, out);
    peer->speex.preprocess_run(peer->preprocess, out);
    for (size_t i = 0; i < frames; i++) output[i] = (float)out[i] / 32768;
    return;
  }
  // WebRTC's floats have the range of 16-bit integers.
  float *far = peer->floats, *near = far + frames, *out = near + frames;
  for (size_t i = 0; i < frames; i++) {
    far[i] = loudspeaker[i] * 32768;
    near[i] = microphone[i] * 32768;
  }
  const float *heard[] = {near};
  float *cleaned[] = {out};
  peer->webrtc.buffer(peer->echo, far, frames);
  peer->webrtc.process(peer->echo, heard, 1, cleaned, frames, 0, 0);
  for (size_t i = 0; i < frames; i++) output[i] = out[i] / 32768;
}

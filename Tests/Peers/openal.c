// 32 sources around a head, by OpenAL Soft's loopback device: 48 kHz, stereo floats, blocks of 512 frames.
//
//     openal SECONDS MOVES(0|1)
//
// Ends with 1 without HRTF, since it would not be comparable then.
#define AL_ALEXT_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <math.h>
#include <stdlib.h>

enum { SOURCES = 32, BLOCK = 512, RATE = 48000 };

static void place(ALuint source, int index, long block) {
  const double angle = 6.283185307179586 * index / SOURCES + block * 0.01;
  alSource3f(source, AL_POSITION, (float)(2 * sin(angle)), (float)(index % 5 - 2) * 0.4f,
             (float)(2 * cos(angle)));
}

int main(int count, char **words) {
  if (count != 3) return 2;
  const long blocks = (long)(atof(words[1]) * RATE) / BLOCK;
  const int moves = atoi(words[2]);
  LPALCLOOPBACKOPENDEVICESOFT open =
      (LPALCLOOPBACKOPENDEVICESOFT)alcGetProcAddress(NULL, "alcLoopbackOpenDeviceSOFT");
  LPALCRENDERSAMPLESSOFT render =
      (LPALCRENDERSAMPLESSOFT)alcGetProcAddress(NULL, "alcRenderSamplesSOFT");
  if (!open || !render) return 1;
  const ALCint attributes[] = {ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT,
                               ALC_FLOAT_SOFT, ALC_FREQUENCY, RATE, ALC_HRTF_SOFT, ALC_TRUE,
                               ALC_MONO_SOURCES, SOURCES, 0};
  ALCdevice *device = open(NULL);
  ALCcontext *context = device ? alcCreateContext(device, attributes) : NULL;
  if (!context || !alcMakeContextCurrent(context)) return 1;
  ALCint has_head = 0;
  alcGetIntegerv(device, ALC_HRTF_SOFT, 1, &has_head);
  if (!has_head) return 1;

  static short noise[RATE];
  unsigned word = 1;
  for (int n = 0; n < RATE; n++) {
    word = word * 1664525u + 1013904223u;
    noise[n] = (short)((int)(word >> 18) - 8192);
  }
  ALuint buffer, sources[SOURCES];
  alGenBuffers(1, &buffer);
  alBufferData(buffer, AL_FORMAT_MONO16, noise, sizeof noise, RATE);
  alGenSources(SOURCES, sources);
  for (int index = 0; index < SOURCES; index++) {
    alSourcei(sources[index], AL_BUFFER, (ALint)buffer);
    alSourcei(sources[index], AL_LOOPING, AL_TRUE);
    alSourcei(sources[index], AL_SAMPLE_OFFSET, index * 997 % RATE);
    place(sources[index], index, 0);
  }
  alSourcePlayv(SOURCES, sources);
  static float output[2 * BLOCK];
  for (long block = 0; block < blocks; block++) {
    for (int index = 0; moves && index < SOURCES; index++) place(sources[index], index, block);
    render(device, output, BLOCK);
  }
  return alGetError() == AL_NO_ERROR ? 0 : 1;
}

// Runs a Faust program on WAV files of floats, in blocks of 512 frames:
//
//     faust -lang c -cn peer -o peer.h PROGRAM
//     cc -DPROGRAM='"peer.h"' faust.c
//     faust OUT IN...
//
// Its inputs are the channels of the files, one file after the other; it has two outputs.
#include <faust/gui/CInterface.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#include PROGRAM

enum { BLOCK = 512, MOST = 256 };

typedef struct {
  const float *samples;
  size_t frames;
  int channels;
} sound;

/// The measurement's files begin with 44 bytes: RIFF, fmt and data only.
static sound map(const char *path) {
  struct stat status;
  const int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status)) exit(1);
  const unsigned char *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) exit(1);
  const int channels = bytes[22];
  return (sound){(const float *)(bytes + 44), (status.st_size - 44) / (4 * channels), channels};
}

int main(int count, char **words) {
  static sound sounds[MOST];
  static float inputs[MOST][BLOCK], outputs[2][BLOCK], both[2 * BLOCK];
  float *in[MOST], *out[2] = {outputs[0], outputs[1]};
  if (count < 3 || count - 2 > MOST) return 2;
  int channels = 0;
  for (int n = 0; n < count - 2; n++) {
    sounds[n] = map(words[n + 2]);
    channels += sounds[n].channels;
  }
  peer *program = newpeer();
  initpeer(program, 48000);
  if (getNumInputspeer(program) != channels || getNumOutputspeer(program) != 2) return 1;
  for (int n = 0; n < channels; n++) in[n] = inputs[n];
  FILE *file = fopen(words[1], "wb");
  const uint32_t size = sounds[0].frames * 8;
  struct {
    char riff[4];
    uint32_t size;
    char wave[8];
    uint32_t format_size;
    uint16_t format, channels;
    uint32_t rate, bytes;
    uint16_t frame, bits;
    char data[4];
    uint32_t data_size;
  } header = {"RIFF", size + 36, "WAVEfmt ", 16, 3, 2, 48000, 384000, 8, 32, "data", size};
  _Static_assert(sizeof header == 44, "the header of a WAVE file");
  memcpy(header.wave, "WAVEfmt ", 8);
  if (!file || fwrite(&header, sizeof header, 1, file) != 1) return 1;
  for (size_t first = 0; first < sounds[0].frames; first += BLOCK) {
    const size_t length = min((size_t)BLOCK, sounds[0].frames - first);
    int channel = 0;
    for (int n = 0; n < count - 2; n++) {
      const int step = sounds[n].channels;
      const float *samples = sounds[n].samples + first * step;
      for (int c = 0; c < step; c++, channel++) {
        for (size_t k = 0; k < length; k++) inputs[channel][k] = samples[k * step + c];
      }
    }
    computepeer(program, (int)length, in, out);
    for (size_t k = 0; k < length; k++) {
      both[2 * k] = outputs[0][k];
      both[2 * k + 1] = outputs[1][k];
    }
    if (fwrite(both, 8, length, file) != length) return 1;
  }
  return fclose(file) == 0 ? 0 : 1;
}

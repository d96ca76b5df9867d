/*
 * The cost of the workloads of 'patchrun-bench peers' in a program written only for them: the floor
 * with which patchrun is compared. Compiled on demand:
 *
 *     cc -O3 -march=native -o floor floor.c
 *     floor copy|host|hostEQ|parts|partsEQ|loop OUT IN...
 *     floor chain COUNT OUT IN
 *
 * Sound files are those that patchrun-bench writes: 44 bytes of header, then floats at 48 kHz. Equalizers
 * are cascades of ten second-order sections in double precision.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4096, BANDS = 10, PARTS = 64 };

typedef struct Sound {
  const float *samples;
  size_t frames;
  int channels;
} Sound;

static Sound open_sound(const char *path) {
  int descriptor = open(path, O_RDONLY);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status)) exit(3);
  const uint8_t *bytes = mmap(0, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
  if (bytes == MAP_FAILED) exit(3);
  Sound sound = {.samples = (const float *)(bytes + 44)};
  sound.channels = bytes[22];
  sound.frames = (status.st_size - 44) / (4 * sound.channels);
  return sound;
}

static int output;

static void put(const void *bytes, size_t count) {
  if (write(output, bytes, count) != (ssize_t)count) exit(3);
}

static void open_output(const char *path, size_t frames) {
  output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  uint32_t size = (uint32_t)(frames * 8);
  uint8_t header[44] = "RIFF....WAVEfmt ";
  uint32_t words[] = {16, 3 | 2 << 16, 48000, 48000 * 8, 8 | 32 << 16};
  uint32_t whole = size + 36;
  memcpy(header + 4, &whole, 4);
  memcpy(header + 16, words, 20);
  memcpy(header + 36, "data", 4);
  memcpy(header + 40, &size, 4);
  put(header, 44);
}

/* Sections in series, in transposed direct form II, on four streams in parallel. */
typedef double Lanes __attribute__((vector_size(32)));

typedef struct Cascade {
  double a1[BANDS], a2[BANDS], b0[BANDS], b1[BANDS], b2[BANDS];
  Lanes first[BANDS], second[BANDS];
} Cascade;

static void make_cascade(Cascade *cascade) {
  memset(cascade, 0, sizeof *cascade);
  for (int band = 0; band < BANDS; band++) {
    double frequency = 31.25 * pow(2, band), gain = band % 2 ? -3 : 4;
    double amplitude = pow(10, gain / 40), turn = 2 * M_PI * frequency / 48000;
    double alpha = sin(turn) / 2.5, scale = 1 / (1 + alpha / amplitude);
    cascade->b0[band] = (1 + alpha * amplitude) * scale;
    cascade->b1[band] = -2 * cos(turn) * scale;
    cascade->b2[band] = (1 - alpha * amplitude) * scale;
    cascade->a1[band] = cascade->b1[band];
    cascade->a2[band] = (1 - alpha / amplitude) * scale;
  }
}

/* Two sections of two cascades at a time: enough independent operations to keep the processor busy. */
static void equalize(Cascade *cascades, Lanes *samples, int count) {
  Lanes *other = samples + BLOCK;
  for (int band = 0; band < BANDS; band += 2) {
    Cascade *one = cascades, *two = cascades + 1;
    Lanes s0 = one->first[band], t0 = one->second[band];
    Lanes s1 = one->first[band + 1], t1 = one->second[band + 1];
    Lanes u0 = two->first[band], v0 = two->second[band];
    Lanes u1 = two->first[band + 1], v1 = two->second[band + 1];
    const double *b0 = one->b0 + band, *b1 = one->b1 + band, *b2 = one->b2 + band;
    const double *a1 = one->a1 + band, *a2 = one->a2 + band;
    for (int frame = 0; frame < count; frame++) {
      Lanes x = samples[frame], w = other[frame];
      Lanes y = b0[0] * x + s0, q = b0[0] * w + u0;
      s0 = b1[0] * x - a1[0] * y + t0, u0 = b1[0] * w - a1[0] * q + v0;
      t0 = b2[0] * x - a2[0] * y, v0 = b2[0] * w - a2[0] * q;
      Lanes z = b0[1] * y + s1, r = b0[1] * q + u1;
      s1 = b1[1] * y - a1[1] * z + t1, u1 = b1[1] * q - a1[1] * r + v1;
      t1 = b2[1] * y - a2[1] * z, v1 = b2[1] * q - a2[1] * r;
      samples[frame] = z, other[frame] = r;
    }
    one->first[band] = s0, one->second[band] = t0;
    one->first[band + 1] = s1, one->second[band + 1] = t1;
    two->first[band] = u0, two->second[band] = v0;
    two->first[band + 1] = u1, two->second[band + 1] = v1;
  }
}

/* All sections of one signal at once, each a frame behind the one before: the lanes are sections. */
typedef struct Skewed {
  Lanes b0[5], b1[5], b2[5], a1[5], a2[5], first[5], second[5], last[5];
} Skewed;

/* `channels` lanes for each section; the remaining lanes pass their input on. */
static void make_skewed(Skewed *skewed, int channels) {
  Cascade cascade;
  make_cascade(&cascade);
  memset(skewed, 0, sizeof *skewed);
  for (int lane = 0; lane < 20; lane++) {
    int band = lane / channels, k = lane / 4, i = lane % 4;
    int is_there = band < BANDS;
    skewed->b0[k][i] = is_there ? cascade.b0[band] : 1;
    skewed->b1[k][i] = is_there ? cascade.b1[band] : 0;
    skewed->b2[k][i] = is_there ? cascade.b2[band] : 0;
    skewed->a1[k][i] = is_there ? cascade.a1[band] : 0;
    skewed->a2[k][i] = is_there ? cascade.a2[band] : 0;
  }
}

static inline Lanes step(Skewed *skewed, int k, Lanes x) {
  Lanes y = skewed->b0[k] * x + skewed->first[k];
  skewed->first[k] = skewed->b1[k] * x - skewed->a1[k] * y + skewed->second[k];
  skewed->second[k] = skewed->b2[k] * x - skewed->a2[k] * y;
  return y;
}

static float left_gain(int part) { return 0.125f * (1 - (part % 9 - 4) / 8.0f); }
static float right_gain(int part) { return 0.125f * (1 + (part % 9 - 4) / 8.0f); }

static size_t at_most(size_t rest) { return rest < BLOCK ? rest : BLOCK; }

static void copy(Sound in) {
  for (size_t frame = 0; frame < in.frames; frame += 16 * BLOCK) {
    size_t count = in.frames - frame < 16 * BLOCK ? in.frames - frame : 16 * BLOCK;
    put(in.samples + 2 * frame, 8 * count);
  }
}

static void host(Sound guitar, Sound beats) {
  static float mixed[2 * BLOCK];
  for (size_t frame = 0; frame < guitar.frames; frame += BLOCK) {
    int count = (int)at_most(guitar.frames - frame);
    const float *g = guitar.samples + 2 * frame, *b = beats.samples + frame;
    for (int i = 0; i < count; i++) {
      mixed[2 * i] = g[2 * i] * 0.8f + b[i] * 0.6f;
      mixed[2 * i + 1] = g[2 * i + 1] * 0.8f + b[i] * 0.3f;
    }
    put(mixed, 8 * (size_t)count);
  }
}

/* The beat leaves its three vectors 11 frames late, and the mix its five another 9 frames. */
static void host_equalized(Sound guitar, Sound beats) {
  enum { BEAT = 11, MASTER = 9 };
  static float mixed[2 * BLOCK];
  Skewed beat, master;
  make_skewed(&beat, 1), make_skewed(&master, 2);
  size_t frames = guitar.frames, filled = 0;
  for (size_t frame = 0; frame < frames + BEAT + MASTER; frame++) {
    Lanes x = {frame < frames ? beats.samples[frame] : 0};
    Lanes p0 = beat.last[0], p1 = beat.last[1], p2 = beat.last[2];
    beat.last[0] = step(&beat, 0, __builtin_shufflevector(x, p0, 0, 4, 5, 6));
    beat.last[1] = step(&beat, 1, __builtin_shufflevector(p0, p1, 3, 4, 5, 6));
    beat.last[2] = step(&beat, 2, __builtin_shufflevector(p1, p2, 3, 4, 5, 6));
    if (frame < BEAT) continue;
    size_t place = frame - BEAT;
    Lanes m = {0};
    if (place < frames) {
      double one = beat.last[2][3];
      m[0] = guitar.samples[2 * place] * 0.8 + one * 0.6;
      m[1] = guitar.samples[2 * place + 1] * 0.8 + one * 0.3;
    }
    Lanes q[5];
    memcpy(q, master.last, sizeof q);
    master.last[0] = step(&master, 0, __builtin_shufflevector(m, q[0], 0, 1, 4, 5));
    for (int k = 1; k < 5; k++)
      master.last[k] = step(&master, k, __builtin_shufflevector(q[k - 1], q[k], 2, 3, 4, 5));
    if (place < MASTER) continue;
    mixed[2 * filled] = (float)master.last[4][2], mixed[2 * filled + 1] = (float)master.last[4][3];
    if (++filled == BLOCK) put(mixed, 8 * filled), filled = 0;
  }
  put(mixed, 8 * filled);
}

static void parts(Sound *in) {
  static float mixed[2 * BLOCK];
  for (size_t frame = 0; frame < in[0].frames; frame += BLOCK) {
    int count = (int)at_most(in[0].frames - frame);
    memset(mixed, 0, sizeof mixed);
    for (int part = 0; part < PARTS; part += 2) {
      const float *a = in[part].samples + 2 * frame, *b = in[part + 1].samples + 2 * frame;
      float al = left_gain(part), ar = right_gain(part);
      float bl = left_gain(part + 1), br = right_gain(part + 1);
      for (int i = 0; i < count; i++) {
        mixed[2 * i] += a[2 * i] * al + b[2 * i] * bl;
        mixed[2 * i + 1] += a[2 * i + 1] * ar + b[2 * i + 1] * br;
      }
    }
    put(mixed, 8 * (size_t)count);
  }
}

/* Four files at a time, in blocks that stay in the first-level cache. */
static void parts_equalized(Sound *in) {
  enum { SHORT = 256 };
  static float mixed[2 * SHORT];
  static Lanes lanes[2 * BLOCK];
  static Cascade cascades[PARTS / 2];
  for (int pair = 0; pair < PARTS / 2; pair++) make_cascade(cascades + pair);
  for (size_t frame = 0; frame < in[0].frames; frame += SHORT) {
    size_t rest = in[0].frames - frame;
    int count = rest < SHORT ? (int)rest : SHORT;
    memset(mixed, 0, sizeof mixed);
    for (int part = 0; part < PARTS; part += 4) {
      for (int pair = 0; pair < 2; pair++) {
        const float *a = in[part + 2 * pair].samples + 2 * frame;
        const float *b = in[part + 2 * pair + 1].samples + 2 * frame;
        for (int i = 0; i < count; i++)
          lanes[pair * BLOCK + i] = (Lanes){a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1]};
      }
      equalize(cascades + part / 2, lanes, count);
      for (int pair = 0; pair < 2; pair++) {
        int first = part + 2 * pair;
        Lanes gains = {left_gain(first), right_gain(first), left_gain(first + 1), right_gain(first + 1)};
        for (int i = 0; i < count; i++) {
          Lanes heard = lanes[pair * BLOCK + i] * gains;
          mixed[2 * i] += (float)(heard[0] + heard[2]);
          mixed[2 * i + 1] += (float)(heard[1] + heard[3]);
        }
      }
    }
    put(mixed, 8 * (size_t)count);
  }
}

/* A file that contains the same second twice: each part loops over a second from its own position. */
static void loop(Sound in, size_t frames) {
  static float mixed[2 * BLOCK];
  for (size_t frame = 0; frame < frames; frame += BLOCK) {
    int count = (int)at_most(frames - frame);
    memset(mixed, 0, sizeof mixed);
    for (int part = 0; part < PARTS; part++) {
      float l = left_gain(part), r = right_gain(part);
      size_t start = part * 739 % 48000, place = frame % 48000;
      for (int done = 0; done < count;) {
        size_t run = 48000 - place < (size_t)(count - done) ? 48000 - place : (size_t)(count - done);
        const float *samples = in.samples + 2 * (start + place);
        for (size_t i = 0; i < run; i++) {
          mixed[2 * (done + i)] += samples[2 * i] * l;
          mixed[2 * (done + i) + 1] += samples[2 * i + 1] * r;
        }
        done += (int)run;
        place = 0;
      }
    }
    put(mixed, 8 * (size_t)count);
  }
}

/* Gains in series, each a pass over 512 frames with its own buffers. */
static void chain(Sound in, int count) {
  static float buffers[2][1024];
  for (size_t frame = 0; frame < in.frames; frame += 512) {
    size_t length = in.frames - frame < 512 ? in.frames - frame : 512;
    memcpy(buffers[0], in.samples + 2 * frame, 8 * length);
    for (int node = 0; node < count; node++) {
      float *from = buffers[node % 2], *to = buffers[1 - node % 2];
      for (size_t i = 0; i < 2 * length; i++) to[i] = from[i] * 0.9999f;
      __asm__ volatile("" ::: "memory");
    }
    put(buffers[count % 2], 8 * length);
  }
}

int main(int count, char **words) {
  if (count < 4) return 2;
  const char *what = words[1];
  int is_chain = !strcmp(what, "chain");
  char **files = words + (is_chain ? 3 : 2);
  Sound in[PARTS];
  int inputs = 0;
  for (char **path = files + 1; *path && inputs < PARTS; path++) in[inputs++] = open_sound(*path);
  size_t frames = !strcmp(what, "loop") ? (size_t)atol(getenv("FRAMES")) : in[0].frames;
  open_output(files[0], frames);
  if (!strcmp(what, "copy")) copy(in[0]);
  else if (!strcmp(what, "host")) host(in[0], in[1]);
  else if (!strcmp(what, "hostEQ")) host_equalized(in[0], in[1]);
  else if (!strcmp(what, "parts") && inputs == PARTS) parts(in);
  else if (!strcmp(what, "partsEQ") && inputs == PARTS) parts_equalized(in);
  else if (!strcmp(what, "loop")) loop(in[0], frames);
  else if (is_chain) chain(in[0], atoi(words[2]));
  else return 2;
  return close(output) ? 3 : 0;
}

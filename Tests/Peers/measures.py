"""What `patchrun test` measures, beside NumPy, SciPy, pyloudnorm and ffmpeg on the same files.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy scipy soundfile pyloudnorm
    apt-get install -y ffmpeg
    /tmp/peers/bin/python Tests/Peers/measures.py .build/release/patchrun [CASES] [SEED]

Sounds are drawn from a seed over rates, channels, lengths and levels, written to files, played by a patch with one
`file` callback, and measured by both. The distribution of the differences is printed, and the worst.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pyloudnorm
import scipy.signal
import soundfile

program = pathlib.Path(sys.argv[1]).resolve()
cases = int(sys.argv[2]) if len(sys.argv) > 2 else 60
random = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
differences = {}


def decibels(value):
    return 20 * np.log10(max(value, 1e-30))


def note(kind, ours, theirs, case):
    differences.setdefault(kind, []).append((abs(ours - theirs), ours, theirs, case))


def measure(folder, sound, rate, expectations):
    """Our numbers for each expectation: a list of lists, one number for each quantity."""
    soundfile.write(folder / "sound.wav", sound, rate, subtype="FLOAT")
    channels = sound.shape[1]
    patch = {
        "session": {"preferredSampleRate": rate},
        "streamFormat": {"sample": "float32", "channels": channels, "sampleRate": rate},
        "callbacks": {"sound": {"kind": "file", "path": "sound.wav"}},
        "nodes": {"out": {"component": "GenericOutput"}},
        "connections": [{"from": "sound", "to": "out"}],
    }
    (folder / "sound.json").write_text(json.dumps(patch))
    test = {"patch": "sound.json", "tests": {"it": {"expect": expectations}}}
    (folder / "sound.test.json").write_text(json.dumps(test))
    answer = subprocess.run(
        [program, "test", folder / "sound.test.json", "--output-format", "jsonl"],
        capture_output=True, text=True)
    found = json.loads(answer.stdout)["expectations"]
    numbers = []
    for entry in found:
        row = []
        for text in entry["measured"]:
            words = text.split(" (")[0].split()
            row.append(next(float(w) for w in reversed(words) if w.lstrip("-").replace(".", "").isdigit()))
        numbers.append(row or [float("nan")])
    return numbers


def band_power(samples, rate, low, high):
    """Welch's method as the page of `band` defines it, in NumPy: the mean square between two frequencies."""
    length = 4
    while length < rate / 4:
        length *= 2
    width = min(length, len(samples))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(width) / width)
    room = len(samples) - width
    count = -(-4 * room // width) + 1
    starts = [0] if count == 1 else [number * room // (count - 1) for number in range(count)]
    bins = sum(np.abs(np.fft.rfft(samples[start : start + width] * window, length)) ** 2 for start in starts)
    bins /= length * (window**2).sum() * count
    bins[1:-1] *= 2
    step = rate / length
    first = np.maximum(0, (np.arange(len(bins)) - 0.5) * step)
    last = np.minimum(rate / 2, (np.arange(len(bins)) + 0.5) * step)
    inside = np.clip(np.minimum(last, high) - np.maximum(first, low), 0, None)
    return (bins * np.minimum(1, inside / (last - first))).sum()


def ebur128(path):
    """The integrated loudness that ffmpeg's filter finds, in LUFS."""
    answer = subprocess.run(
        ["ffprobe", "-v", "error", "-f", "lavfi", f"amovie={path},ebur128=metadata=1", "-show_entries",
         "frame_tags=lavfi.r128.I", "-of", "csv=p=0"],
        capture_output=True, text=True)
    return float(answer.stdout.split()[-1].strip(","))


def closed_form(sound, rate):
    """The integrated loudness by ITU-R BS.1770-4, block by block, with gates that are not rounded.

    The two filters are those of the recommendation's table for 48 kHz, as analogue ones with the bilinear transform.
    """
    shelf, quality, gain = np.tan(np.pi * 1681.974450955533 / rate), 0.7071752369554196, 3.999843853973347
    high = 10 ** (gain / 20)
    middle = high**0.4996667741545416
    scale = 1 + shelf / quality + shelf**2
    weighted = scipy.signal.lfilter(
        np.array([high + middle * shelf / quality + shelf**2, 2 * (shelf**2 - high),
                  high - middle * shelf / quality + shelf**2]) / scale,
        np.array([scale, 2 * (shelf**2 - 1), 1 - shelf / quality + shelf**2]) / scale, sound, axis=0)
    pass_, quality = np.tan(np.pi * 38.13547087602444 / rate), 0.5003270373238773
    scale = 1 + pass_ / quality + pass_**2
    weighted = scipy.signal.lfilter(
        [1, -2, 1], np.array([scale, 2 * (pass_**2 - 1), 1 - pass_ / quality + pass_**2]) / scale, weighted, axis=0)
    block, hop = round(0.4 * rate), round(0.1 * rate)
    powers = np.array([
        np.mean(weighted[start : start + block] ** 2, axis=0).sum()
        for start in range(0, len(weighted) - block + 1, hop)])
    powers = powers[-0.691 + 10 * np.log10(powers + 1e-30) > -70]
    powers = powers[powers > powers.mean() / 10]
    return -0.691 + 10 * np.log10(powers.mean())


def noise_case(folder, case):
    rate = int(random.choice([8000, 22050, 44100, 48000, 96000, 192000]))
    channels = int(random.choice([1, 2, 2, 6]))
    length = random.uniform(0.1, 6)
    level = 10 ** (random.uniform(-80, 0) / 20)
    frames = int(length * rate)
    sound = random.standard_normal((frames, channels)) * level * 0.2
    if random.random() < 0.5:
        low = random.uniform(0.02, 0.5)
        sound = scipy.signal.lfilter(*scipy.signal.butter(2, low), sound, axis=0)
    sound = sound.astype(np.float32)
    edges = sorted(random.uniform(0.01, 0.49, 2) * rate)
    wide = {"between": [-200, 100]}
    wanted = [
        {"channel": 0, "peak": wide}, {"channel": 0, "rms": wide},
        {"channel": 0, "band": {"from": edges[0], "to": edges[1], "between": [-250, 100]}},
        {"channel": 0, "truePeak": wide},
    ]
    ours = measure(folder, sound, rate, wanted)
    first = sound[:, 0].astype(float)
    note("peak", ours[0][0], decibels(np.abs(first).max()), case)
    note("rms", ours[1][0], decibels(np.sqrt(np.mean(first**2))), case)
    note("band", ours[2][0], 10 * np.log10(max(band_power(first, rate, *edges), 1e-30)), case)
    spectrum = np.abs(np.fft.rfft(first)) ** 2
    spectrum[1 : len(spectrum) - (1 if frames % 2 == 0 else 0)] *= 2
    frequencies = np.fft.rfftfreq(frames, 1 / rate)
    inside = (frequencies >= edges[0]) & (frequencies <= edges[1])
    if inside.sum() > 2000:  # a bin at an edge then weighs less than 0.01 dB
        note("band, one transform", ours[2][0], 10 * np.log10(spectrum[inside].sum() / frames**2), case)
    padded = np.concatenate([np.zeros(256), first, np.zeros(256)])
    note("truePeak", ours[3][0], decibels(np.abs(scipy.signal.resample(padded, len(padded) * 16)).max()), case)


def loudness_case(folder, case):
    rate = int(random.choice([44100, 48000]))
    channels = int(random.choice([1, 2]))
    frames = int(random.uniform(3, 12) * rate)
    sound = scipy.signal.lfilter(*scipy.signal.butter(1, 0.1), random.standard_normal((frames, channels)), axis=0)
    envelope = np.interp(np.arange(frames), np.linspace(0, frames, 8), 10 ** (random.uniform(-40, 0, 8) / 20))
    sound = (sound * envelope[:, None] * 0.2).astype(np.float32)
    ours = measure(folder, sound, rate, [{"integratedLoudness": {"between": [-100, 20]}}])
    theirs = pyloudnorm.Meter(rate).integrated_loudness(sound.astype(float))
    note("loudness, pyloudnorm", ours[0][0], theirs, case)
    note("loudness, closed form", ours[0][0], closed_form(sound.astype(float), rate), case)
    note("loudness, ffmpeg", ours[0][0], ebur128(folder / "sound.wav"), case)


def tone_case(folder, case):
    rate = int(random.choice([44100, 48000, 96000]))
    frames = int(random.uniform(0.5, 3) * rate)
    frequency = random.uniform(60, 2000)
    level = 10 ** (random.uniform(-40, -3) / 20)
    time = np.arange(frames) / rate
    phase = random.uniform(0, 6.28)
    sound = level * np.sin(2 * np.pi * frequency * time + phase)
    power = 0.0
    for harmonic in range(2, 6):
        share = 10 ** (random.uniform(-120, -40) / 20)
        sound += level * share * np.sin(2 * np.pi * harmonic * frequency * time + random.uniform(0, 6.28))
        power += share**2
    sound = sound.astype(np.float32)[:, None]
    wide = {"between": [-300, 300]}
    ours = measure(
        folder, sound, rate,
        [{"tone": {"frequency": round(frequency, 3), "cents": 50, "between": [-200, 100]}},
         {"thd": wide}, {"thdn": wide}])
    note("tone, cents", ours[0][0], 1200 * np.log2(frequency / round(frequency, 3)), case)
    note("tone, level", ours[0][1], decibels(level), case)
    note("thd", ours[1][0], 10 * np.log10(power), case)
    note("thdn", ours[2][0], 10 * np.log10(power / (1 + power)), case)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for case in range(cases):
        noise_case(folder, case)
        loudness_case(folder, case)
        tone_case(folder, case)

print(f"{cases} cases of each; the difference from NumPy, SciPy and pyloudnorm")
print(f"{'measure':22} {'count':>5} {'median':>8} {'95 %':>8} {'worst':>8}   ours, theirs")
for kind, rows in differences.items():
    rows.sort(key=lambda row: row[0] if row[0] == row[0] else 1e9)
    values = [row[0] for row in rows]
    worst = rows[-1]
    print(
        f"{kind:22} {len(rows):5} {np.median(values):8.3f} {np.percentile(values, 95):8.3f} {worst[0]:8.3f}"
        f"   {worst[1]:.3f}, {worst[2]:.3f} (case {worst[3]})")

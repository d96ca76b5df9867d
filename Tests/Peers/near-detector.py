#!/usr/bin/env python3
"""Trains the network of the near-end detector, and writes Sources/VoiceProcessing/NearDetectorWeights.swift.

    pip install jax numpy
    swift run -c release patchrun-bench voice --scenes 1500 --seed 2001 --clues /tmp/clues
    python3 Tests/Peers/near-detector.py /tmp/clues Sources/VoiceProcessing/NearDetectorWeights.swift

A file of /tmp/clues is a scene: for each hop of 8 ms the clues of `NearDetector`, in their order, then the power of
the near end in the frame, that of the echo, that of the noise, and what the present detector made of it (32-bit
floats). Every fourth scene has the voices of a model of speech. What a detector says changes what is heard next: clues are written and learnt from again, a second time with
the first network in place.

The network is that of `RecurrentNetwork`. Every sixth scene is kept back.
"""

import argparse
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np

CLUES = 54
EXTRA = 4


def read(folders, limit):
    scenes = []
    for folder in folders:
        files = sorted(pathlib.Path(folder).glob("*.f32"))
        for file in files[:limit]:
            rows = np.fromfile(file, dtype=np.float32).reshape(-1, CLUES + EXTRA)
            scenes.append(rows[:1740])
    return np.stack([s for s in scenes if len(s) == 1740])


def targets(rows):
    """Whether someone near speaks in each hop, and how much the hop counts."""
    near, echo, noise = rows[..., CLUES], rows[..., CLUES + 1], rows[..., CLUES + 2]
    floor = np.maximum(10 * noise, 1e-8)
    speaks = near > floor
    decibels = lambda x: 10 * np.log10(x + 1e-12)
    loudest = decibels(np.quantile(near, 0.97, axis=1, keepdims=True))
    # Lower weights: the quiet ends of words, echoes near the noise, and the range between.
    voice = np.clip(1 + (decibels(near) - loudest + 15) / 20, 0.05, 1)
    quiet = np.clip((decibels(echo) - decibels(noise) + 5) / 15, 0.1, 1)
    between = (near > 0.1 * floor) & ~speaks
    weight = np.where(speaks, voice, np.where(between, 0.05, quiet))
    # The first frames are incomplete.
    weight[:, :8] = 0
    return speaks.astype(np.float32), weight.astype(np.float32)


def bent(x):
    return x / (1 + jnp.abs(x))


def run(net, clues):
    """What the network makes of clues[scene, hop, clue], once they are normalised."""
    units = net["v"].shape[0]
    given = clues @ net["w"] + net["b"]

    def step(h, x):
        s = h @ net["u"]
        z = 0.5 + 0.5 * bent(x[:, :units] + s[:, :units])
        r = 0.5 + 0.5 * bent(x[:, units : 2 * units] + s[:, units : 2 * units])
        c = bent(x[:, 2 * units :] + r * (s[:, 2 * units :] + net["c"]))
        h = z * h + (1 - z) * c
        return h, h

    start = jnp.zeros((clues.shape[0], units))
    _, states = jax.lax.scan(step, start, jnp.swapaxes(given, 0, 1))
    return jnp.swapaxes(states, 0, 1) @ net["v"] + net["d"]


def loss(net, clues, speaks, weight):
    found = run(net, clues)
    each = jnp.logaddexp(0, found) - speaks * found
    return (each * weight).sum() / weight.sum()


def begin(units, seed):
    random = np.random.default_rng(seed)
    draw = lambda *shape, scale: jnp.asarray(random.normal(size=shape) * scale, jnp.float32)
    bias = np.zeros(3 * units, np.float32)
    # Time constants from a few hops to a second.
    bias[:units] = np.linspace(1, 20, units)
    return {
        "w": draw(CLUES, 3 * units, scale=CLUES**-0.5),
        "u": draw(units, 3 * units, scale=units**-0.5),
        "b": jnp.asarray(bias),
        "c": jnp.zeros(units),
        "v": draw(units, scale=units**-0.5),
        "d": jnp.zeros(()),
    }


def text(values, digits, width=100):
    lines, line = [], "   "
    for value in np.ravel(values):
        word = f" {round(float(value), digits):g},"
        if len(line) + len(word) > width:
            lines.append(line)
            line = "   "
        line += word
    return "\n".join(lines + [line])


def write(path, net, means, scales, note):
    rows = [
        ("means", means),
        ("scales", scales),
        ("inputs", net["w"]),
        ("states", net["u"]),
        ("biases", net["b"]),
        ("stateBiases", net["c"]),
        ("outputs", net["v"]),
    ]
    out = ["/// What `NearDetector` has learnt: made by `Tests/Peers/near-detector.py`.", "///"]
    out += [f"/// {line}" for line in note]
    out += ["enum NearDetectorWeights {"]
    out += ["  static let network = RecurrentNetwork.Weights("]
    out += ["    " + ", ".join(f"{name}: {name}" for name, _ in rows[:4]) + ","]
    out += ["    " + ", ".join(f"{name}: {name}" for name, _ in rows[4:]) + f", bias: {float(net['d']):.4g})"]
    for name, values in rows:
        out += ["", f"  private static let {name}: [Float] = [", text(values, 2 if values.ndim > 1 else 3), "  ]"]
    out += ["}", ""]
    pathlib.Path(path).write_text("\n".join(out))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("clues", nargs="+")
    options.add_argument("swift")
    options.add_argument("--units", type=int, default=24)
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--limit", type=int, default=100000)
    options.add_argument("--save")
    options.add_argument("--start")
    chosen = options.parse_args()
    rows = read(chosen.clues, chosen.limit)
    speaks, weight = targets(rows)
    clues = rows[..., :CLUES]
    means = clues.mean(axis=(0, 1))
    scales = 1 / (clues.std(axis=(0, 1)) + 1e-3)
    if chosen.start:
        stored = np.load(chosen.start)
        means, scales = stored["means"], stored["scales"]
    means, scales = np.round(means, 3), np.round(scales, 3)
    clues = np.clip((clues - means) * scales, -4, 4)
    kept = np.arange(len(clues)) % 6 == 5
    train = np.flatnonzero(~kept)
    print(f"{len(clues)} scenes, {kept.sum()} kept back")

    net = begin(chosen.units, chosen.seed)
    if chosen.start:
        net = {k: jnp.asarray(stored[k]) for k in net}
    moments = jax.tree.map(lambda x: (jnp.zeros_like(x), jnp.zeros_like(x)), net)

    @jax.jit
    def update(net, moments, count, rate, *batch):
        value, slope = jax.value_and_grad(loss)(net, *batch)
        size = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda g: g * jnp.minimum(1, 1 / (size + 1e-9)), slope)
        new_net, new_moments = {}, {}
        for key, g in slope.items():
            m, v = moments[key]
            m, v = 0.9 * m + 0.1 * g, 0.998 * v + 0.002 * g * g
            step = rate * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.998**count)) + 1e-8)
            new_net[key], new_moments[key] = net[key] - step, (m, v)
        return new_net, new_moments, value

    test = jax.jit(lambda net, c: run(net, c))
    random = np.random.default_rng(chosen.seed)
    batch, count = 32, 0
    total = chosen.rounds * (len(train) // batch)
    begun = time.time()
    for turn in range(chosen.rounds):
        order = random.permutation(train)
        losses = []
        for start in range(0, len(order) - batch + 1, batch):
            some = order[start : start + batch]
            count += 1
            rate = 0.006 * min(1, count / 50) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * count / total)))
            net, moments, value = update(
                net, moments, count, rate, clues[some], speaks[some], weight[some])
            losses.append(float(value))
        if turn % 5 == 4 or turn == chosen.rounds - 1:
            found = np.asarray(test(net, clues[kept]))
            each = np.logaddexp(0, found) - speaks[kept] * found
            w = weight[kept]
            spoken, quiet = speaks[kept] > 0, speaks[kept] == 0
            line = f"{turn + 1}: {np.mean(losses):.4f}, kept back {(each * w).sum() / w.sum():.4f};"
            for share in (0.9, 0.95, 0.98):
                order_ = np.sort(found[spoken & (w > 0.3)])
                bound = order_[int((1 - share) * len(order_))]
                false = (w * (quiet & (found > bound))).sum() / (w * quiet).sum()
                line += f" {100 * share:.0f} % at {100 * false:.2f} % (p {1 / (1 + np.exp(-bound)):.3f})"
            print(line, f"{time.time() - begun:.0f} s", flush=True)
    net = {k: np.asarray(v) for k, v in net.items()}
    if chosen.save:
        np.savez(chosen.save, means=means, scales=scales, **net)
    write(chosen.swift, net, means, scales, [
        f"{len(train)} scenes drawn at random, {kept.sum()} kept back:",
        line.split(";")[1].split(")")[-2].strip(" )") + ")",
    ])


main()

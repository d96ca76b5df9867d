"""What the tests of the panel stand on: a PulseAudio of their own, the program, a browser."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("PATCHRUN", PACKAGE / ".build/release/patchrun"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def wait_for(what, condition, seconds=20):
    """Asks again and again until there is an answer; what the machine has no time for comes later."""
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


class Pulse:
    """A server with one sink that plays nothing, in a folder of its own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="patchrun-panel-"))
        self.socket = self.folder / "native"
        self.environment = {
            **{key: value for key, value in os.environ.items()
               if key not in ("PULSE_SINK", "PULSE_SOURCE")},
            "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder),
            "PULSE_SERVER": f"unix:{self.socket}",
        }
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
             "--disallow-exit=no", "-L",
             "module-null-sink sink_name=out format=float32le rate=48000 channels=2 norewinds=1",
             "-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.socket}"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("PulseAudio", self.socket.exists)

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Run:
    """A patch that plays, with its panel."""

    def __init__(self, pulse, patch, *options, port=None, folder=None):
        self.file = pathlib.Path(patch)
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        self.log = open(pulse.folder / f"log-{self.port}", "wb")
        self.process = subprocess.Popen(
            [str(PROGRAM), "run", str(patch), "--panel", "--control-port", str(self.port),
             *options],
            cwd=folder, env=pulse.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_for(f"{self.file.name} to play", self._plays)

    def _plays(self):
        if self.process.poll() is not None:
            raise AssertionError(f"patchrun has ended: {pathlib.Path(self.log.name).read_text()}")
        try:
            return self.read("/status")["state"] == "playing"
        except OSError:
            return False

    def ask(self, method, path, body=None, type="application/json", **headers):
        """Answers (status, headers, text)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            fields = {key.replace("_", "-"): value for key, value in headers.items()}
            if body is not None:
                fields["Content-Type"] = type
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def read(self, path):
        status, _, text = self.ask("GET", path)
        assert status == 200, f"{path}: {status} {text}"
        return json.loads(text)

    def value(self, pointer):
        """What stands at a pointer of the document; None for nothing."""
        status, _, text = self.ask("GET", f"/patch?pointer={pointer}")
        return json.loads(text) if status == 200 else None

    def put(self, pointer, value):
        status, _, text = self.ask("PUT", f"/patch?pointer={pointer}", json.dumps(value))
        assert status == 200, text

    def level(self, node="mixer", scope="output", element=0):
        """The level of the first channel of a bus, as the graph itself measures it."""
        for meter in self.read("/meters")["meters"]:
            if (meter.get("node"), meter.get("scope"), meter.get("element")) == (node, scope, element):
                average = meter["levels"][0]["average"]
                return -120 if average is None else average
        raise AssertionError(f"{node} {scope} {element} is not metered")

    def steady_level(self):
        """The level of the mixer, once it sounds and has stopped rising."""
        def steady():
            before = self.level()
            time.sleep(0.3)
            return before > -60 and abs(self.level() - before) < 0.05 and (before,)
        return round(wait_for("a steady level", steady)[0], 1)

    def waits_for_level(self, expected, within=0.5, **place):
        wait_for(f"a level of {expected:.1f} dB", lambda: abs(self.level(**place) - expected) < within)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


def mixer_patch(inputs=2, **more):
    """Steady tones through an equalizer and a mixer: every level is known."""
    nodes = {
        "eq": {
            "component": "iPodEQ",
            "properties": {"maximumFramesPerSlice": 4096, "presentPreset": "Flat"},
            "inputs": {"0": {"streamFormat": "stereo"}}, "outputs": {"0": {"streamFormat": "stereo"}},
        },
        "mixer": {
            "component": "MultichannelMixer", "properties": {"maximumFramesPerSlice": 4096},
            "inputCount": inputs,
            "inputs": {
                str(bus): {
                    "parameters": {"volume": 0.5}, "properties": {"meteringMode": True},
                    **({} if bus == 1 else {"streamFormat": "stereo"}),
                } for bus in range(inputs)
            },
            "outputs": {"0": {"sampleRate": "session", "properties": {"meteringMode": True}}},
        },
        "io": {"component": "remoteIO"},
    }
    names = [name for name in range(inputs) if name != 1]
    return {
        "schemaVersion": 1, "title": "Steady tones",
        "session": {"category": "playback", "preferredSampleRate": 48000},
        "streamFormats": {"stereo": {"sample": "float32", "channels": 2, "sampleRate": "session"}},
        "callbacks": {
            "tone": {"kind": "tone", "frequency": 440, "amplitude": 0.05},
            "hum": {"kind": "tone", "frequency": 100, "amplitude": 0.01},
        },
        "nodes": nodes,
        "connections": [
            {"from": "hum", "to": "eq"}, {"from": "eq", "to": "mixer:1"},
            *({"from": "tone", "to": f"mixer:{bus}"} for bus in names),
            {"from": "mixer", "to": "io"},
        ],
        "taps": {
            "programme": {"kind": "loudness", "at": "mixer"},
            "bands": {"kind": "spectrum", "at": "mixer"}, "level": {"kind": "meter", "at": "mixer"},
        },
        **more,
    }


def space_patch():
    source = {"sample": "int16", "channels": 1, "sampleRate": 48000}
    return {
        "schemaVersion": 1, "title": "Two sources",
        "session": {"category": "playback", "preferredSampleRate": 48000},
        "callbacks": {"left": {"kind": "tone", "amplitude": 0.1},
                      "right": {"kind": "noise", "amplitude": 0.1}},
        "nodes": {
            "space": {
                "component": "3DMixer", "properties": {"maximumFramesPerSlice": 4096},
                "inputCount": 2,
                "inputs": {
                    "0": {"streamFormat": source, "parameters": {"azimuth": -60, "distance": 2}},
                    "1": {"streamFormat": source, "parameters": {"azimuth": 60, "distance": 3}},
                },
                "outputs": {"0": {"sampleRate": "session"}},
            },
            "io": {"component": "remoteIO"},
        },
        "connections": [{"from": "left", "to": "space:0"}, {"from": "right", "to": "space:1"},
                        {"from": "space", "to": "io"}],
    }


def desk_patch(groups=4, strips=4):
    """A mixing desk: in each group so many strips, an equalizer before each, and the groups in a mixer of their own.
    A third of the meters is off."""
    names = ["Drums", "Bass", "Guitars", "Keys", "Horns", "Strings", "Choir", "Lead", "Backing", "Effects",
             "Playback", "Talk"]
    parts = ["Kick", "Snare", "Hat", "Tom", "Over", "Room", "Top", "Low", "Left", "Right"]
    nodes, connections, callbacks = {}, [], {}
    for group in range(groups):
        bus = names[group % len(names)] + ("" if group < len(names) else f" {group // len(names) + 1}")
        inputs = {}
        for strip in range(strips):
            name = f"{bus} {parts[strip % len(parts)].lower()}"
            number = group * strips + strip
            callbacks[name] = {"kind": "tone", "frequency": 110 + 37 * number % 900, "amplitude": 0.02 + 0.01 * (number % 9)}
            nodes[f"{name} eq"] = {"component": "ParametricEQ"}
            inputs[str(strip)] = {
                "parameters": {"volume": round(0.3 + 0.08 * (number % 9), 2), "pan": round((number % 7 - 3) / 4, 2)},
                "properties": {"meteringMode": number % 3 != 2},
            }
            connections += [{"from": name, "to": f"{name} eq"}, {"from": f"{name} eq", "to": f"{bus}:{strip}"}]
        nodes[bus] = {"component": "MultichannelMixer", "inputCount": strips, "inputs": inputs,
                      "outputs": {"0": {"properties": {"meteringMode": True}}}}
        connections.append({"from": bus, "to": f"Main:{group}"})
    nodes["Main"] = {
        "component": "MultichannelMixer", "inputCount": groups,
        "inputs": {str(group): {"parameters": {"volume": 0.5}, "properties": {"meteringMode": True}}
                   for group in range(groups)},
        "outputs": {"0": {"properties": {"meteringMode": True}}},
    }
    nodes["Limit"] = {"component": "PeakLimiter"}
    nodes["io"] = {"component": "remoteIO"}
    connections += [{"from": "Main", "to": "Limit"}, {"from": "Limit", "to": "io"}]
    first = f"/nodes/{names[0]}/inputs/0/parameters"
    return {
        "schemaVersion": 1, "title": f"A desk of {groups * strips} strips",
        "session": {"category": "playback", "preferredSampleRate": 48000},
        "streamFormat": {"sample": "float32", "channels": 2, "sampleRate": "session"},
        "callbacks": callbacks, "nodes": nodes, "connections": connections,
        "timeline": [
            {"at": 20, "ramp": {"path": f"{first}/volume", "to": 1, "duration": 10}},
            {"at": 45, "ramp": {"path": f"{first}/pan", "to": 0.8, "duration": 5}},
            {"at": 60, "ramp": {"path": "/nodes/Main/outputs/0/parameters/volume", "to": 0.2, "duration": "8 s"}},
            {"at": 70, "ramp": {"path": f"{first}/volume", "to": 0, "duration": 4}},
            {"at": 80, "update": [{"op": "replace", "path": "/title", "value": "The end"}]},
        ],
    }

import Foundation
import SoundFiles
import TestSupport
import Testing

/// Read errors, full disks and kills, with the program that was built.
struct WholeFileCommandTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// A file into a Generic Output.
  private func playing(_ path: String, loop: Bool = false) -> String {
    TestPatch.generic(#"{ "kind": "file", "path": "\#(path)", "loop": \#(loop) }"#)
  }

  /// Makes a file with seconds of noise.
  private func makeNoise(_ name: String, seconds: Double = 2) throws {
    try place.write(TestPatch.generic(#"{ "kind": "noise", "seed": 3 }"#), to: "make.json")
    let made = try place.run(
      "render", "make.json", "--duration", "\(seconds)", "--format", "int16", "-o", name)
    #expect(made.status == 0, "\(made.errors)")
  }

  private func cut(_ name: String, to share: Double) throws {
    let bytes = try place.bytes(name)
    try Data(bytes[..<Int(Double(bytes.count) * share)]).write(
      to: URL(fileURLWithPath: place.path(name)))
  }

  // MARK: - Reading

  @Test
  func `a FLAC file that is cut is exit 4 with its place, or silence that is told`() throws {
    try makeNoise("a.flac")
    try cut("a.flac", to: 0.5)
    try place.write(playing("a.flac"), to: "play.json")
    let checked = try place.run("validate", "play.json")
    #expect(checked.output.contains("warning[PR0717]") && checked.output.contains("cut off"))
    try place.write("kept", to: "out.wav")
    let failed = try place.run("render", "play.json", "-o", "out.wav")
    #expect(failed.status == 4)
    #expect(failed.errors.contains("a.flac' cannot be read from 0:0"), "\(failed.errors)")
    #expect(failed.errors.contains("--on-read-error silence"))
    // The output is complete, or unchanged.
    #expect(try place.bytes("out.wav") == Array("kept".utf8))
    let gone = try place.run("render", "play.json", "-o", "out.wav", "--on-read-error", "silence")
    #expect(gone.status == 0)
    #expect(gone.errors.contains("not read at 0:0"), "\(gone.errors)")
    #expect(try place.samples("out.wav").count == 2 * 96_000)
  }

  @Test
  func `a WAV file that is cut is told of, and played as far as it goes`() throws {
    try makeNoise("a.wav")
    try cut("a.wav", to: 0.5)
    try place.write(playing("a.wav"), to: "play.json")
    let rendered = try place.run("render", "play.json", "-o", "out.wav")
    #expect(rendered.status == 0)
    #expect(rendered.errors.contains("warning[PR0717]"), "\(rendered.errors)")
    let count = try place.samples("out.wav").count / 2
    #expect(count > 47_000 && count < 49_000)
  }

  @Test(arguments: ["wav", "flac"])
  func `a disk that gives errors is exit 4 with the system's cause`(ending: String) throws {
    try makeNoise("a.\(ending)")
    try place.write(playing("a.\(ending)"), to: "play.json")
    // Reads beyond the middle of the file fail.
    let size = try place.bytes("a.\(ending)").count
    let shim = try NativeLibrary.build(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/types.h>
      #include <unistd.h>
      static int is_bad(int fd, long offset) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        long count = readlink(link, path, sizeof path - 1);
        if (count < 0) return 0;
        path[count] = 0;
        const char *bad = getenv("BAD_FILE");
        return bad && strstr(path, bad) && offset > atol(getenv("BAD_OFFSET"));
      }
      ssize_t pread64(int fd, void *buffer, size_t count, off_t offset) {
        if (is_bad(fd, offset)) { errno = EIO; return -1; }
        ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
        return next(fd, buffer, count, offset);
      }
      ssize_t pread(int fd, void *buffer, size_t count, off_t offset) {
        return pread64(fd, buffer, count, offset);
      }
      """, name: "bad.so", flags: ["-shared", "-fPIC", "-ldl"])
    let run = try place.shell(
      "LD_PRELOAD='\(shim)' BAD_FILE=a.\(ending) BAD_OFFSET=\(size / 2) "
        + "exec \"$PATCHRUN\" render play.json -o out.wav")
    let outcome = try run.wait()
    #expect(outcome.status == 4, "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "a.\(ending)' cannot be read from 0:00.9") || outcome.errors.contains("on: the disk gives"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("the disk gives an input/output error"))
    #expect(!place.exists("out.wav"))
  }

  @Test
  func `samples that are no numbers are told with their time and their file`() throws {
    var bytes = [UInt8]("RIFF".utf8) + [0, 0, 0, 0] + [UInt8]("WAVEfmt ".utf8)
    bytes += [16, 0, 0, 0, 3, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 32, 0]
    bytes += [UInt8]("data".utf8) + [0, 0xEE, 2, 0]
    for frame in 0..<48_000 {
      let value: Float = frame == 12_000 ? .nan : 0.25
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: place.path("bad.wav")))
    try place.write(playing("bad.wav"), to: "play.json")
    let outcome = try place.run("render", "play.json", "-o", "out.wav")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("no finite numbers, the first at 0:00.250"), "\(outcome.errors)")
    #expect(outcome.errors.contains("they come from") && outcome.errors.contains("bad.wav"))
  }

  // MARK: - Writing

  @Test func `a disk that fails at the end is told, unless nobody waits for it`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "noise", "seed": 3 }"#), to: "make.json")
    let shim = try NativeLibrary.build(
      """
      #include <errno.h>
      int fsync(int fd) { errno = EIO; return -1; }
      int sync_file_range(int fd, long from, long count, unsigned flags) { __builtin_trap(); }
      """, name: "sync.so", flags: ["-shared", "-fPIC"])
    func render(_ name: String, _ option: String, seconds: Int) throws -> Workplace.Outcome {
      try place.shell(
        "LD_PRELOAD='\(shim)' exec \"$PATCHRUN\" render make.json --duration \(seconds) "
          + "--format float32 \(option) -o \(name)"
      ).wait()
    }
    let failed = try render("failed.wav", "", seconds: 1)
    #expect(failed.status == 4, "\(failed.errors)")
    #expect(failed.errors.contains("writing 'failed.wav' failed"), "\(failed.errors)")
    #expect(!place.exists("failed.wav") && place.exists("failed.unfinished.wav"))
    // So long that the disk would begin with it early.
    let left = try render("left.wav", "--no-sync", seconds: 60)
    #expect(left.status == 0, "\(left.errors)")
    let awaited = try place.run(
      "render", "make.json", "--duration", "60", "--format", "float32", "-o", "awaited.wav")
    #expect(awaited.status == 0)
    #expect(try place.bytes("left.wav") == place.bytes("awaited.wav"))
  }

  @Test
  func `standard output that is closed, full or gone is exit 4`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "tone" }"#), to: "tone.json")
    let render = "\"$PATCHRUN\" render tone.json --duration 3 -o -"
    for line in ["exec \(render) >&-", "exec \(render) >/dev/full"] {
      let outcome = try place.shell(line).wait()
      #expect(outcome.status == 4, "\(line): \(outcome.errors)")
      #expect(outcome.errors.contains("standard output cannot be written: "))
    }
    let pipe = try place.shell("{ \(render); echo $? > status; } | head -c 100 > /dev/null").wait()
    #expect(pipe.status == 0)
    #expect(try String(decoding: place.bytes("status"), as: UTF8.self) == "4\n")
  }

  @Test
  func `a full disk ends one recording with exit 4, and the other goes on`() throws {
    // The file size limit of the process replaces a full disk, so that the test does not need root.
    let taps = #"""
      { "large": { "kind": "record", "at": "mixer", "path": "large.wav" },
        "small": { "kind": "record", "at": "mixer", "path": "small.ogg" },
        "flac": { "kind": "record", "at": "mixer", "path": "flac.flac" } }
      """#
    try place.write(TestPatch.noise(taps: taps), to: "noise.json")
    let outcome = try place.shell(
      "ulimit -f 400; exec \"$PATCHRUN\" render noise.json --duration 3"
    ).wait()
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("large.wav' ended at 0:0")
        && outcome.errors.contains("the file is larger than is allowed"), "\(outcome.errors)")
    #expect(outcome.errors.contains("what there is of it is in"))
    #expect(!outcome.errors.contains("unspecified"))
    #expect(!place.exists("large.wav") && !place.exists("flac.flac"))
    #expect(try SoundFileReader(path: place.path("small.ogg")).frameCount >= 144_000)
    for name in ["large.unfinished.wav", "flac.unfinished.flac"] {
      let reader = try SoundFileReader(path: place.path(name))
      #expect(reader.frameCount > 10_000 && reader.shortfall() == nil)
      var samples = [Float](repeating: 0, count: reader.frameCount * 2)
      #expect(try reader.read(into: &samples) == reader.frameCount)
    }
  }

  @Test(arguments: ["mp3", "ogg", "flac", "wav", "aiff"])
  func `a render to a full disk is exit 4 and replaces nothing`(ending: String) throws {
    guard SoundFileFormat.writable(forPath: "a.\(ending)") != nil else { return }
    try place.write(TestPatch.generic(#"{ "kind": "noise", "seed": 3 }"#), to: "noise.json")
    try place.write("kept", to: "out.\(ending)")
    let outcome = try place.shell(
      "ulimit -f 100; exec \"$PATCHRUN\" render noise.json --duration 20 -o out.\(ending)"
    ).wait()
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("failed: the file is larger than is allowed"), "\(outcome.errors)")
    #expect(try place.bytes("out.\(ending)") == Array("kept".utf8))
    #expect(place.exists("out.unfinished.\(ending)"))
  }

  @Test
  func `a tap replaces nothing that patchrun has not written, unless it is told to`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    try place.write("mine", to: "rec.wav")
    let refused = try place.run("render", "noise.json", "--duration", "0.1")
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("error[PR0719]") && refused.errors.contains("--overwrite"),
      "\(refused.errors)")
    #expect(try place.bytes("rec.wav") == Array("mine".utf8))
    #expect(
      try place.run("render", "noise.json", "--duration", "0.1", "--overwrite").status == 0)
    #expect(try place.samples("rec.wav").count == 9600)
    // A copy, as in a repository, is recognized as a file of patchrun.
    let bytes = try place.bytes("rec.wav")
    try FileManager.default.removeItem(atPath: place.path("rec.wav"))
    try Data(bytes).write(to: URL(fileURLWithPath: place.path("rec.wav")))
    #expect(try place.run("render", "noise.json", "--duration", "0.2").status == 0)
    #expect(try place.samples("rec.wav").count == 19_200)
  }

  @Test
  func `a path counts its takes`() throws {
    try place.write(
      TestPatch.noise(
        taps: #"{ "rec": { "kind": "record", "at": "mixer", "path": "{{a}} {date} {take}.wav" } }"#),
      to: "noise.json")
    for _ in 0..<3 {
      #expect(try place.run("render", "noise.json", "--duration", "0.1").status == 0)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
      .filter { $0.hasSuffix(".wav") }.sorted()
    #expect(names.count == 3 && names.allSatisfy { $0.hasPrefix("{a} 2") })
    #expect(names.map { String($0.suffix(6)) } == [" 1.wav", " 2.wav", " 3.wav"])
  }

  // MARK: - Changes

  /// Two buses through an EQ whose format an update changes.
  private func changing(_ update: String) -> String {
    """
    {
      "streamFormats": {
        "thin": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
        "wide": { "sample": "float32", "channels": 2, "sampleRate": 48000 }
      },
      "callbacks": { "noise": { "kind": "noise", "seed": 7 } },
      "nodes": {
        "eq": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096 },
                "inputs": { "0": { "streamFormat": "thin" } },
                "outputs": { "0": { "streamFormat": "thin" } } },
        "mixer": { "component": "MultichannelMixer",
                   "properties": { "maximumFramesPerSlice": 4096 },
                   "outputs": { "0": { "sampleRate": 48000 } } },
        "out": { "component": "GenericOutput", "properties": { "maximumFramesPerSlice": 4096 } }
      },
      "connections": [
        { "from": "noise", "to": "eq" }, { "from": "eq", "to": "mixer" },
        { "from": "mixer", "to": "out" }
      ],
      "taps": {
        "eq": { "kind": "record", "at": "eq", "path": "eq.wav" },
        "mix": { "kind": "record", "at": "mixer", "path": "mix.wav" }
      },
      "timeline": [ { "at": 2, "update": [ \(update) ] } ]
    }
    """
  }

  @Test
  func `a recording goes on in its file when its node is made anew`() throws {
    try place.write(
      changing(#"{ "op": "add", "path": "/nodes/mixer/inputCount", "value": 3 }"#),
      to: "change.json")
    let outcome = try place.run("render", "change.json", "--duration", "5", "-o", "out.wav")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let mix = try place.samples("mix.wav")
    #expect(mix.count == 2 * 240_000)
    #expect(try SoundFileReader(path: place.path("eq.wav")).frameCount == 240_000)
    // No frame is lost or doubled at the join: except for the fade, the recording equals the
    // output.
    let out = try place.samples("out.wav")
    #expect(mix[..<192_000] == out[..<192_000])
    #expect(mix[200_000...] == out[200_000...])
    #expect(!place.exists("mix-2.wav"))
  }

  @Test
  func `a recording whose bus carries another format goes on in a second file`() throws {
    try place.write(
      changing(
        #"""
        { "op": "replace", "path": "/nodes/eq/inputs/0/streamFormat", "value": "wide" },
        { "op": "replace", "path": "/nodes/eq/outputs/0/streamFormat", "value": "wide" }
        """#), to: "change.json")
    let outcome = try place.run("render", "change.json", "--duration", "5", "-o", "out.wav")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("eq-2.wav"), "\(outcome.errors)")
    let first = try SoundFileReader(path: place.path("eq.wav"))
    let second = try SoundFileReader(path: place.path("eq-2.wav"))
    #expect(first.channelCount == 1 && second.channelCount == 2)
    #expect(first.frameCount + second.frameCount == 240_000)
    #expect(first.frameCount >= 96_000 && first.frameCount < 98_000)
    #expect(try SoundFileReader(path: place.path("mix.wav")).frameCount == 240_000)
    // A second render replaces the same files.
    #expect(try place.run("render", "change.json", "--duration", "5", "-o", "out.wav").status == 0)
    #expect(!place.exists("eq-3.wav"))
  }

  @Test
  func `diff says that a recording goes on, and where`() throws {
    let text = changing("")
      .replacing("\"update\": [  ]", with: "\"stop\": true")
    try place.write(text, to: "old.json")
    try place.write(
      text.replacing("\"MultichannelMixer\",", with: "\"MultichannelMixer\", \"inputCount\": 3,"),
      to: "inputs.json")
    try place.write(
      text.replacing("\"streamFormat\": \"thin\"", with: "\"streamFormat\": \"wide\""),
      to: "wide.json")
    let inputs = try place.run("diff", "old.json", "inputs.json")
    #expect(
      inputs.output.contains("'mix' goes on in 'mix.wav'"), "\(inputs.output)\(inputs.errors)")
    let wide = try place.run("diff", "old.json", "wide.json")
    #expect(wide.output.contains("'eq' goes on in 'eq-2.wav'"), "\(wide.output)\(wide.errors)")
    #expect(!(inputs.output + wide.output).contains("begins anew"))
  }

  // MARK: - Kills

  /// `PATCHRUN_KILLS=100 swift test --filter WholeFileCommandTests` kills 100 times.
  @Test
  func `a render that is killed leaves nothing under its name that is not whole`() throws {
    let kills = Int(ProcessInfo.processInfo.environment["PATCHRUN_KILLS"] ?? "") ?? 8
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    var generator = SplitMix64(seed: 21)
    var (unfinished, finished) = (0, 0)
    for index in 0..<kills {
      let ending = ["wav", "flac", "ogg", "aiff", "mp3"][index % 5]
      let run = try place.start(
        ["render", "noise.json", "--duration", "20", "-o", "out.\(ending)"])
      usleep(UInt32.random(in: 10_000...900_000, using: &generator))
      run.process.signal(SIGKILL)
      _ = try run.wait()
      for name in ["out.\(ending)", "rec.wav"] where place.exists(name) {
        let reader = try SoundFileReader(path: place.path(name))
        #expect(reader.frameCount >= 960_000, "\(name)")
        finished += 1
        try FileManager.default.removeItem(atPath: place.path(name))
      }
      for name in ["out.unfinished.\(ending)", "rec.unfinished.wav"] where place.exists(name) {
        unfinished += 1
        guard try place.bytes(name).count > 60_000 else { continue }
        let recovered = try place.run("recover", name)
        #expect(recovered.status == 0, "\(name): \(recovered.errors)")
        try? FileManager.default.removeItem(
          atPath: place.path(name.replacing(".unfinished", with: "")))
      }
    }
    #expect(unfinished + finished > 0)
  }

  @Test
  func `recover says what it made of a file, and of what it cannot`() throws {
    try makeNoise("take.wav", seconds: 1)
    try FileManager.default.copyItem(
      atPath: place.path("take.wav"), toPath: place.path("take.unfinished.wav"))
    try cut("take.unfinished.wav", to: 0.7)
    let outcome = try place.run("recover", "take.unfinished.wav")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("take-2.wav: "), "\(outcome.output)")
    #expect(outcome.output.contains("its header says how long it is"))
    #expect(!place.exists("take.unfinished.wav"))
    #expect(try SoundFileReader(path: place.path("take-2.wav")).shortfall() == nil)
    let whole = try place.run("recover", "take.wav")
    #expect(whole.output.contains("it was whole"))
    try place.write("words", to: "words.wav")
    #expect(try place.run("recover", "words.wav").status == 3)
    #expect(try place.bytes("words.wav") == Array("words".utf8))
    #expect(try place.run("recover", "none.wav").status == 3)
  }
}

/// Takes of live runs, on a private server.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct LiveTakeTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("out"), .init("other")])
    place = try Workplace(on: server)
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
  }

  @Test
  func `each live run has a take of its own, unless it is told to overwrite`() throws {
    for _ in 0..<2 { #expect(try place.run("noise.json", "--duration", "0.3").status == 0) }
    let first = try place.bytes("rec.wav")
    #expect(try place.samples("rec-2.wav").count == 28_800)
    let third = try place.run("noise.json", "--duration", "0.3")
    #expect(third.errors.contains("rec-3.wav': the name "), "\(third.errors)")
    #expect(try place.run("noise.json", "--duration", "0.4", "--overwrite").status == 0)
    #expect(try place.bytes("rec.wav") != first)
    #expect(!place.exists("rec-4.wav"))
  }

  @Test
  func `a live change of the recorded node leaves one file as long as the clock`() throws {
    let run = try place.start(["noise.json", "--duration", "3"])
    #expect(run.waitForErrors("sink out"))
    usleep(1_200_000)
    let answer = try place.run("ctl", "set", "/nodes/mixer/inputCount", "3")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      (answer.output + answer.errors).contains("'rec' goes on"), "\(answer.output)\(answer.errors)")
    #expect(try run.wait().status == 0)
    #expect(try place.samples("rec.wav").count == 288_000)
    #expect(!place.exists("rec-2.wav"))
  }

  @Test
  func `a recording that begins again on another device goes on in its file, and says so`() throws {
    try place.write(
      TestPatch.noise(taps: TestPatch.recording)
        .replacing(
          "\"preferredSampleRate\"", with: "\"onRouteChange\": \"restart\", \"preferredSampleRate\""
        ),
      to: "noise.json")
    let run = try place.start(["noise.json", "--duration", "3"])
    #expect(run.waitForErrors("sink out"))
    usleep(1_000_000)
    let inputs = try server.control("list", "short", "sink-inputs").split(separator: "\n")
    let input = try #require(inputs.first.map { String($0.prefix { $0.isNumber }) })
    try server.control("move-sink-input", input, "other")
    #expect(run.waitForErrors("begins again there"))
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("missing at 0:0"), "\(outcome.errors)")
    #expect(!place.exists("rec-2.wav"))
    let frames = try place.samples("rec.wav").count / 2
    #expect(abs(frames - 144_000) < 3000)
  }

  @Test
  func `a recording says where the server stood still`() throws {
    let run = try place.start(["noise.json", "--duration", "3"])
    #expect(run.waitForErrors("sink out"))
    usleep(800_000)
    server.signal(SIGSTOP)
    usleep(1_500_000)
    server.signal(SIGCONT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains("warning: 'rec.wav': ") && outcome.errors.contains(" missing at 0:0"),
      "\(outcome.errors)")
    #expect(try place.samples("rec.wav").count == 288_000)
  }

  /// `PATCHRUN_KILLS=100 swift test --filter LiveTakeTests` kills 100 times.
  @Test
  func `a live run that is killed leaves a recording that can be made whole`() throws {
    let kills = Int(ProcessInfo.processInfo.environment["PATCHRUN_KILLS"] ?? "") ?? 2
    var generator = SplitMix64(seed: 22)
    for _ in 0..<kills {
      let run = try place.start(["noise.json", "--no-control"])
      #expect(run.waitForErrors("sink out"))
      usleep(UInt32.random(in: 200_000...1_200_000, using: &generator))
      run.process.signal(SIGKILL)
      _ = try run.wait()
      #expect(!place.exists("rec.wav"))
      let recovered = try place.run("recover", "rec.unfinished.wav")
      #expect(recovered.status == 0, "\(recovered.errors)")
      #expect(try SoundFileReader(path: place.path("rec.wav")).shortfall() == nil)
      try FileManager.default.removeItem(atPath: place.path("rec.wav"))
    }
  }
}

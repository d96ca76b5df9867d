import Foundation
import SoundFiles
import TestSupport
import Testing

@testable import patchrun

/// `run --to` and `--from`, without a sound server.
struct PipeCommandTests {
  let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(TestPatch.noise(), to: "noise.json")
    try place.write(TestPatch.passThrough, to: "pass.json")
  }

  /// Runs a shell command to its end. `$PATCHRUN` is the program.
  @discardableResult
  private func shell(_ line: String) throws -> Workplace.Outcome { try place.shell(line).wait() }

  private static func isInstalled(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  /// Makes `in.wav`, two channels of noise.
  private func makeInput(seconds: String = "0.7") throws {
    try place.run("render", "noise.json", "--duration", seconds, "-o", "in.wav", "-q")
  }

  // MARK: Playing

  @Test
  func `what goes to standard output is what a render puts there, to the byte`() throws {
    try shell(#""$PATCHRUN" run noise.json --duration 1.3 --to - | cat > run.wav"#)
    try shell(#""$PATCHRUN" render noise.json --duration 1.3 -o - | cat > render.wav"#)
    let run = try place.bytes("run.wav")
    #expect(run.count > 1_300_000 / 1000 * 48 * 8)
    let isSame = try run == place.bytes("render.wav")
    #expect(isSame)
  }

  /// The lengths in the header of a WAV file, of the whole and of its samples.
  private func lengths(_ name: String) throws -> (whole: Int, samples: Int, start: Int) {
    let bytes = try place.bytes(name)
    func word(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    let data = try #require(Data(bytes.prefix(512)).range(of: Data("data".utf8)))
    return (word(4), word(data.lowerBound + 4), data.upperBound + 4)
  }

  @Test(arguments: ["wav", "wav:s16le", "wav:s24le:44100:1"])
  func `a file has its true length at the end`(format: String) throws {
    try shell(
      "\"$PATCHRUN\" run noise.json --duration 0.35 --pace reader --to - --to-format \(format) > run.wav"
    )
    let (whole, samples, start) = try lengths("run.wav")
    let count = try place.bytes("run.wav").count
    #expect(whole == count - 8)
    #expect(samples == count - start - samples % 2)
    let frames = Int((0.35 * (format.contains("44100") ? 44_100 : 48_000)).rounded())
    let reader = try SoundFileReader(path: place.path("run.wav"))
    #expect(reader.frameCount == frames)
    guard format == "wav" else { return }
    try shell(#""$PATCHRUN" render noise.json --duration 0.35 -o - > render.wav"#)
    let isSame = try place.bytes("run.wav") == place.bytes("render.wav")
    #expect(isSame)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGKILL])
  func `a file has the length that it has come to where a signal ends it`(signal: Int32) throws {
    let run = try place.shell(#"exec "$PATCHRUN" run noise.json --to - > run.wav"#)
    #expect(run.waitForErrors("sink standard output"))
    usleep(2_300_000)
    run.process.signal(signal)
    #expect(try run.wait().status == (signal == SIGKILL ? 137 : 0))
    let (whole, samples, start) = try lengths("run.wav")
    let count = try place.bytes("run.wav").count
    if signal == SIGKILL {
      // The header does not include the last second.
      #expect(samples >= 48_000 * 8 && whole == samples + start - 8 && count >= start + samples)
    } else {
      #expect(whole == count - 8 && samples == count - start)
      #expect(samples >= 2 * 48_000 * 8)
    }
    #expect(try SoundFileReader(path: place.path("run.wav")).frameCount == samples / 8)
  }

  @Test
  func `what cannot be wound back lasts as long as it lasts`() throws {
    let run = #""$PATCHRUN" run noise.json --duration 0.1 --pace reader --to -"#
    try shell("\(run) | cat > pipe.wav; \(run) >> pipe.wav; \(run) > file.wav")
    let pipe = try lengths("pipe.wav")
    #expect(pipe.whole == 0xFFFF_FFFF && pipe.samples == 0xFFFF_FFFF)
    // A second run appends the same bytes.
    #expect(try place.bytes("pipe.wav").count == 2 * (pipe.start + 4800 * 8))
    #expect(try lengths("file.wav").samples == 4800 * 8)
  }

  @Test(.enabled(if: SmallDisk.canMount, "mounting takes root"))
  func `a file on a full disk has the length of what is there`() throws {
    let disk = try SmallDisk(bytes: 1 << 20)
    let outcome = try shell(
      "\"$PATCHRUN\" run noise.json --duration 9 --pace reader --to - > '\(disk.path)/run.wav'")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("standard output cannot be written: No space left on device"),
      "\(outcome.errors)")
    try shell("cp '\(disk.path)/run.wav' full.wav")
    let (_, samples, start) = try lengths("full.wav")
    #expect(samples > 900_000 && samples % 8 == 0)
    let rest = try place.bytes("full.wav").count - start - samples
    #expect((0..<8).contains(rest))
  }

  @Test
  func `a patch that begins again goes on in its file`() throws {
    let run = try place.shell(#"exec "$PATCHRUN" run noise.json --watch --to - > run.wav"#)
    #expect(run.waitForErrors("sink standard output"))
    usleep(300_000)
    try place.write(
      TestPatch.noise().replacing("Duration\": 0.02", with: "Duration\": 0.005"), to: "noise.json")
    #expect(run.waitForErrors("slice 256 frames"), "\(run.errorsSoFar)")
    usleep(300_000)
    run.process.signal(SIGTERM)
    #expect(try run.wait().status == 0)
    let (whole, samples, start) = try lengths("run.wav")
    let count = try place.bytes("run.wav").count
    #expect(whole == count - 8 && samples == count - start)
    #expect(try place.samples("run.wav").contains { abs($0) > 0.01 })
  }

  @Test
  func `messages go to standard error, and say where it plays`() throws {
    let outcome = try shell(
      #""$PATCHRUN" run noise.json --duration 0.1 --to - --to-format s16le | cat > raw"#)
    #expect(
      outcome.errors.hasPrefix("sink standard output (2 ch), 48000 Hz, slice 1024 frames (21.3 ms)")
    )
    #expect(outcome.errors.contains(", scheduling normal (the pipes set the pace)\n"))
    #expect(outcome.errors.contains("0.100 s, "))
    #expect(try place.bytes("raw").count == 4800 * 4)
  }

  @Test(arguments: [("s16le", 2), ("s24le", 3), ("s32le", 4), ("f32le", 4)])
  func `raw samples are of the type, the rate and the channels that were asked for`(
    type: String, width: Int
  ) throws {
    try shell(
      "\"$PATCHRUN\" run noise.json --duration 0.25 --to - --to-format \(type):44100:1 | cat > raw")
    #expect(try place.bytes("raw").count == 11_025 * width)
  }

  @Test
  func `a reader that has enough ends the run, and nothing is wrong`() throws {
    let outcome = try shell(
      #"{ "$PATCHRUN" run noise.json --to - ; echo $? > status; } | head -c 50001 > cut"#)
    #expect(try place.bytes("cut").count == 50_001)
    #expect(try place.bytes("status") == Array("0\n".utf8))
    #expect(
      outcome.errors.contains(
        "note: the reader of standard output has gone: the patch ends\n"))
  }

  @Test
  func `files and updates are in time, however fast the reader is`() throws {
    try makeInput(seconds: "3")
    let patch = """
      {
        "session": { "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "file": { "kind": "file", "path": "in.wav", "loop": true } },
        "nodes": {
          "eq": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096 } },
          "mixer": { "component": "MultichannelMixer",
                     "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "file", "to": "eq" }, { "from": "eq", "to": "mixer" },
          { "from": "mixer", "to": "io" }
        ],
        "timeline": [
          { "at": 1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0.2,
                               "duration": 1 } },
          { "at": 2.5, "update": [
            { "op": "add", "path": "/nodes/eq/properties/presentPreset", "value": "Rock" } ] },
          { "at": 5.25, "update": [
            { "op": "replace", "path": "/nodes/eq/properties/presentPreset", "value": "Flat" } ] }
        ]
      }
      """
    try place.write(patch, to: "long.json")
    let outcome = try shell(
      #""$PATCHRUN" run long.json --duration 8 --to - | cat > run.wav"#)
    try shell(#""$PATCHRUN" render long.json --duration 8 -o - | cat > render.wav"#)
    #expect(!outcome.errors.contains("were not there"))
    let (run, render) = (try place.bytes("run.wav"), try place.bytes("render.wav"))
    #expect(run.count > 8 * 48_000 * 8)
    let isSame = run == render
    #expect(isSame)
  }

  @Test
  func `a named pipe is waited for, and what nobody reads any more is a device that has gone`()
    throws
  {
    try shell("mkfifo snap")
    let run = try place.start(["run", "noise.json", "--to", "snap", "--to-format", "s16le"])
    #expect(run.waitForErrors("note: waiting for somebody to read 'snap'\n"))
    let outcome = try shell("head -c 20000 snap > heard")
    #expect(outcome.status == 0)
    #expect(try place.bytes("heard").count == 20_000)
    let end = try run.wait()
    #expect(end.status == 4)
    #expect(end.errors.contains("error: nobody reads 'snap' any more"))
  }

  @Test
  func `Ctrl-C ends the waiting for somebody at the other end`() throws {
    try shell("mkfifo snap")
    let run = try place.start(["run", "noise.json", "--to", "snap"])
    #expect(run.waitForErrors("waiting for somebody to read 'snap'"))
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "note: waiting for somebody to read 'snap'\n")
  }

  @Test
  func `Ctrl-C ends a run whose reader takes nothing`() throws {
    try shell("mkfifo snap")
    let reader = try place.shell("exec sleep 60 < snap")
    let run = try place.start(["run", "noise.json", "--to", "snap"])
    #expect(run.waitForErrors("sink snap"))
    usleep(100_000)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    reader.process.signal(SIGKILL)
  }

  // MARK: Hearing

  @Test
  func `what is heard on standard input is what a render hears, to the byte`() throws {
    try makeInput()
    let outcome = try shell(
      #"cat in.wav | "$PATCHRUN" run pass.json --from - --to - --end-with-input | cat > run.wav"#)
    try shell(#""$PATCHRUN" render pass.json --input in.wav -o - | cat > render.wav"#)
    let isSame = try place.bytes("run.wav") == place.bytes("render.wav")
    #expect(isSame)
    #expect(outcome.errors.contains("source standard input (2 ch)"))
    #expect(outcome.errors.contains("note: standard input has ended: the patch ends\n"))
  }

  @Test
  func `another rate is converted as a render converts it`() throws {
    try place.write(
      TestPatch.noise().replacingOccurrences(of: "48000", with: "44100"), to: "other.json")
    try place.run("render", "other.json", "--duration", "0.7", "-o", "in.wav", "-q")
    try shell(
      #"cat in.wav | "$PATCHRUN" run pass.json --from - --to - --end-with-input | cat > run.wav"#)
    try shell(#""$PATCHRUN" render pass.json --input in.wav -o - | cat > render.wav"#)
    let run = try place.bytes("run.wav")
    #expect(run.count > 33_000 * 8)
    let isSame = try run == place.bytes("render.wav")
    #expect(isSame)
  }

  @Test(.enabled(if: isInstalled("sox")))
  func `sox and patchrun read each other`() throws {
    try makeInput()
    try shell(
      #"sox -D in.wav -t wav -b 16 -c 1 - | "$PATCHRUN" run pass.json --from - --to - --to-format wav:s16le --end-with-input | sox -t wav --ignore-length - -t wav -e float -b 32 out.wav"#
    )
    try shell("sox -D in.wav -b 16 -c 1 -t wav mono.wav")
    let (out, mono) = (try place.samples("out.wav"), try place.samples("mono.wav"))
    #expect(out.count == 2 * mono.count && mono.count == 33_600)
    // A mono source is heard on both channels.
    let left = stride(from: 0, to: out.count, by: 2).map { out[$0] }
    let isSame = left == mono
    #expect(isSame)
  }

  @Test(.enabled(if: isInstalled("ffmpeg")))
  func `ffmpeg and patchrun read each other`() throws {
    try makeInput()
    try shell(
      #"ffmpeg -v error -i in.wav -f wav -c:a pcm_f32le - | "$PATCHRUN" run pass.json --from - --to - --end-with-input | ffmpeg -v error -f wav -i - -c:a pcm_f32le out.wav"#
    )
    let isSame = try place.samples("out.wav") == place.samples("in.wav")
    #expect(isSame)
  }

  @Test
  func `nothing at all on standard input is silence where its format is known`() throws {
    let outcome = try shell(
      #": | "$PATCHRUN" run pass.json --from - --from-format s16le:48000 --to - --to-format s16le --duration 0.1 | cat > raw"#
    )
    #expect(outcome.errors.contains("note: standard input has ended: silence follows\n"))
    #expect(try place.bytes("raw") == [UInt8](repeating: 0, count: 4800 * 4))
    let refused = try shell(#": | "$PATCHRUN" run pass.json --from - --to - | cat"#)
    #expect(refused.errors.contains("error: standard input has ended before it has begun\n"))
  }

  @Test
  func `odd bytes at the end are left out, and said`() throws {
    let outcome = try shell(
      #"head -c 4003 /dev/zero | "$PATCHRUN" run pass.json --from - --from-format s16le:48000:2 --to - --to-format s16le --end-with-input | cat > raw"#
    )
    #expect(
      outcome.errors.contains(
        "note: standard input has ended within a frame: its last 3 bytes are left out\n"))
    #expect(try place.bytes("raw").count == 4000)
  }

  // MARK: Wrong usage

  @Test(arguments: [
    (["--to", "-", "--sink", "out"], "--sink is for the sound server"),
    (["--to", "-", "--to-format", "s17le"], "there is no sample type 's17le'"),
    (["--to", "-", "--pace", "slow"], "there is no pace 'slow'"),
    (["--to-format", "s16le"], "--to-format needs --to"),
    (["--from-format", "s16le:48000"], "--from-format needs --from"),
    (["--end-with-input"], "--end-with-input needs --from"),
    (["--pace", "reader"], "--pace needs --to or --from"),
    (["--to", "-", "--from", "-"], "the patch hears no microphone, so that --from has no use"),
    (["--from", "-"], "the patch plays, and nothing says where to"),
    (["--to", "noise.json"], "'noise.json' is a file, and --to is for pipes"),
  ])
  func `what makes no sense is refused`(options: [String], message: String) throws {
    let outcome = try place.start(["run", "noise.json"] + options).wait()
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test
  func `a pipe that is not there is exit 3, and how to make one is said`() throws {
    let outcome = try place.run("run", "noise.json", "--to", "gone")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors == "error: there is no pipe 'gone'\n  = help: 'mkfifo gone' makes one\n")
  }

  @Test
  func `samples are not put on a terminal`() throws {
    let terminal = try PseudoTerminal(
      CommandLineTool.path, ["run", place.path("noise.json"), "--to", "-"],
      environment: place.environment, columns: 100, rows: 24)
    #expect(terminal.waitForEnd() == 2)
    #expect(terminal.screen.text.contains("samples are nothing for a terminal"))
    #expect(terminal.screen.text.contains("--to - | aplay"))
  }
}

import Foundation

/// A workload for patchrun and its peers.
struct PeerWorkload {
  /// One program's command for the workload.
  struct Job {
    var peer: String
    var command: [String]
    /// The file that it writes.
    var output: String
    var variables: [(String, String)] = []
    /// A file that is written before the program runs.
    var script: (path: String, data: Data)?
  }

  /// The goals of a workload.
  struct Goal {
    /// The greatest ratio to the floor.
    var floor: Double?
    /// The greatest ratio to the best peer.
    var peer: Double?
    /// The most seconds above the floor.
    var aboveFloor: Double?
    /// The most seconds.
    var seconds: Double?

    var text: String {
      var parts: [String] = []
      if let floor { parts.append("\(fixed(floor, 2)) x floor") }
      if let peer { parts.append(peer == 1 ? "ahead of the peer" : "\(fixed(peer, 2)) x peer") }
      if let aboveFloor { parts.append("floor + \(fixed(aboveFloor * 1e9, 0)) ns") }
      if let seconds { parts.append("\(fixed(seconds * 1000, 0)) ms") }
      return parts.joined(separator: ", ")
    }
  }

  var name: String
  var title: String
  var goal: Goal
  var jobs: [Job]
  /// Whether all programs must write the same samples. Equalizers and converters differ by design.
  var isExact = true
  /// The number of runs in a round: more for short workloads.
  var rounds = 1

  static let floor = "floor in C"
  static let ours = "patchrun"
}

/// Creates the workloads for the installed programs.
struct PeerCatalog {
  let sounds: PeerSounds
  /// The folder of the patches.
  let patches: String
  /// The folder of the rendered files.
  let output: String
  let floor: String?
  let patchrun: String
  /// The paths of the installed programs by name.
  let programs: [String: String]
  /// The compiled Faust programs by workload.
  let faust: [String: String]

  static let names = ["sox", "pd", "ffmpeg", "gst-launch-1.0", "scsynth"]

  private func out(_ name: String) -> String { "\(output)/\(name).wav" }

  private func part(_ number: Int) -> String {
    sounds.path("part" + (number < 10 ? "0" : "") + "\(number)")
  }

  private static func gains(_ part: Int) -> (left: Double, right: Double) {
    let place = Double(part % 9 - 4) / 8
    return (0.125 * (1 - place), 0.125 * (1 + place))
  }

  func workloads() -> [PeerWorkload] {
    [
      passing, passingOntoDisk, host(false), host(true), parts(false), parts(true), loops, chain(0),
      chain(1000),
      conversion, start, manyNodes,
    ]
  }

  // MARK: Jobs

  /// - Parameter isAwaited: Whether it waits for the disk, which no other program does.
  private func ours(
    _ patch: String, _ more: String..., isAwaited: Bool = false
  ) -> PeerWorkload.Job {
    .init(
      peer: PeerWorkload.ours,
      command: [patchrun, "render", "--quiet", "\(patches)/\(patch).json", "-o", out("patchrun")]
        + (isAwaited ? [] : ["--no-sync"]) + more, output: out("patchrun"))
  }

  private func floor(_ words: [String], _ inputs: [String]) -> [PeerWorkload.Job] {
    guard let floor else { return [] }
    return [
      .init(
        peer: PeerWorkload.floor, command: [floor] + words + [out("floor")] + inputs,
        output: out("floor"),
        variables: [("FRAMES", "\(sounds.short * 48_000)")])
    ]
  }

  private func sox(_ inputs: [String], _ effects: [String]) -> [PeerWorkload.Job] {
    guard let sox = programs["sox"] else { return [] }
    return [
      .init(
        peer: "sox",
        command: [sox] + inputs + ["-e", "floating-point", "-b", "32", out("sox")] + effects,
        output: out("sox"))
    ]
  }

  private func ffmpeg(_ inputs: [String], _ filter: [String]) -> [PeerWorkload.Job] {
    guard let ffmpeg = programs["ffmpeg"] else { return [] }
    return [
      .init(
        peer: "ffmpeg",
        command: [ffmpeg, "-v", "error", "-y"] + inputs.flatMap { ["-i", $0] } + filter
          + ["-c:a", "pcm_f32le", out("ffmpeg")], output: out("ffmpeg"))
    ]
  }

  private func gstreamer(_ input: String, _ elements: String) -> [PeerWorkload.Job] {
    guard let gst = programs["gst-launch-1.0"] else { return [] }
    let line =
      "filesrc location=\(input) ! wavparse ! \(elements)wavenc ! filesink location=\(out("gst"))"
    return [
      .init(
        peer: "GStreamer", command: [gst, "-q"] + line.split(separator: " ").map(String.init),
        output: out("gst"))
    ]
  }

  private func pd(
    _ name: String, seconds: Double, _ build: (inout PurePatch) -> [[PurePatch.Signal]]
  ) -> [PeerWorkload.Job] {
    guard let pd = programs["pd"] else { return [] }
    var patch = PurePatch()
    let channels = build(&patch)
    let path = "\(output)/\(name).pd"
    return [
      .init(
        peer: "Pd",
        command: [
          pd, "-nogui", "-batch", "-noprefs", "-nort", "-r", "48000", "-send", "pd dsp 1", path,
        ], output: out("pd"),
        script: (path, Data(patch.text(channels, seconds: seconds, to: out("pd")).utf8)))
    ]
  }

  /// Renders with `scsynth` without a sound card, in blocks of 512 frames.
  private func superCollider(
    _ name: String, seconds: Double, _ build: (inout SynthScore) -> Void
  ) -> [PeerWorkload.Job] {
    guard let scsynth = programs["scsynth"] else { return [] }
    var score = SynthScore()
    build(&score)
    score.end(at: seconds)
    let path = "\(output)/\(name).osc"
    return [
      .init(
        peer: "scsynth",
        command: [
          scsynth, "-N", path, "_", out("scsynth"), "48000", "WAV", "float", "-o", "2", "-i", "0",
          "-z", "512", "-m", "262144", "-n", "4096", "-w", "8192", "-b", "4096",
        ], output: out("scsynth"),
        variables: [("QT_QPA_PLATFORM", "offscreen")], script: (path, score.data))
    ]
  }

  /// Renders one synth that reads a stereo file and processes it.
  private func superCollider(
    _ name: String, seconds: Double, reading file: String,
    _ change: (inout SynthDefinition, [SynthDefinition.Input]) -> [SynthDefinition.Input]
  ) -> [PeerWorkload.Job] {
    superCollider(name, seconds: seconds) { score in
      var synth = SynthDefinition("peer")
      let input = synth.unit("DiskIn", [.constant(0), .constant(0)], outputs: 2)
      let output = change(&synth, input)
      _ = synth.unit("Out", [.constant(0)] + output, outputs: 0)
      score.add(
        at: 0,
        [SynthScore.receive(synth)] + SynthScore.open(file, buffer: 0, channels: 2) + [
          SynthScore.command("/s_new", .text("peer"), .integer(1000), .integer(0), .integer(0))
        ])
    }
  }

  private func faust(_ name: String, _ inputs: [String]) -> [PeerWorkload.Job] {
    guard let program = faust[name] else { return [] }
    return [
      .init(peer: "Faust", command: [program, out("faust")] + inputs, output: out("faust"))
    ]
  }

  /// The Faust programs by workload, for those with something to compute. The rest is done by a C
  /// program around them, as in the floor; and Faust's compiler merges gains in series into one.
  static let faustPrograms: [String: String] = {
    let bands = PeerEqualizer.bands.map {
      "fi.peak_eq_cq(\($0.gain), \($0.frequency), 1.25)"
    }.joined(separator: " : ")
    let host = """
      import("stdfaust.lib");
      eq = \(bands);
      process(l, r, b) = (l * 0.8 + beat * 0.6 : eq), (r * 0.8 + beat * 0.3 : eq)
      with { beat = b : eq; };

      """
    let channels = (0..<64).map { part in
      let (left, right) = gains(part)
      return "(eq : *(\(left))), (eq : *(\(right)))"
    }.joined(separator: ",\n")
    let parts = """
      import("stdfaust.lib");
      eq = \(bands);
      process = \(channels) :> _, _;

      """
    return ["w3": host, "w5": parts]
  }()

  // MARK: Workloads

  private var passing: PeerWorkload {
    let file = sounds.path("long")
    return PeerWorkload(
      name: "W1", title: "\(sounds.long) s of WAV passed through",
      goal: .init(floor: 1.15, peer: 1),
      jobs: [ours("w1")] + floor(["copy"], [file]) + sox([file], []) + ffmpeg([file], [])
        + gstreamer(file, "")
        + pd("w1", seconds: Double(sounds.long)) { patch in
          patch.read(file, channels: 2).map { [$0] }
        } + superCollider("w1", seconds: Double(sounds.long), reading: file) { $1 })
  }

  /// The first workload as users run it, who are told of a disk that fails.
  private var passingOntoDisk: PeerWorkload {
    PeerWorkload(
      name: "W1.disk", title: "the same, until the disk has it", goal: .init(),
      jobs: [ours("w1", isAwaited: true)] + floor(["copy"], [sounds.path("long")]))
  }

  private func host(_ isEqualized: Bool) -> PeerWorkload {
    let (guitar, beats) = (sounds.path("guitar"), sounds.path("beats"))
    let soxBands = PeerEqualizer.bands.flatMap {
      ["equalizer", fixed($0.frequency, 2), "1.25o", fixed($0.gain, 1)]
    }
    let ffmpegBands = PeerEqualizer.bands.map {
      "equalizer=f=\(fixed($0.frequency, 2)):t=o:w=1.25:g=\(fixed($0.gain, 1)):r=f64"
    }.joined(separator: ",")
    let beat = "pan=stereo|c0=0.6*c0|c1=0.3*c0"
    let mix = "amix=inputs=2:normalize=0"
    let filter =
      isEqualized
      ? "[0]volume=0.8:precision=float[a];[1]\(ffmpegBands),\(beat)[b];[a][b]\(mix),\(ffmpegBands)"
      : "[0]volume=0.8:precision=float[a];[1]\(beat)[b];[a][b]\(mix)"
    let remix = ["remix", "1v0.8,3v0.6", "2v0.8,3v0.3"]
    let soxBeats =
      isEqualized ? "|sox \(beats) -p \(soxBands.joined(separator: " "))" : beats
    var jobs = [ours(isEqualized ? "w3" : "w2")]
    jobs += floor([isEqualized ? "hostEQ" : "host"], [guitar, beats])
    jobs += sox(["-M", guitar, soxBeats], remix + (isEqualized ? soxBands : []))
    jobs += ffmpeg([guitar, beats], ["-filter_complex", filter])
    jobs += pd(isEqualized ? "w3" : "w2", seconds: Double(sounds.short)) { patch in
      let guitars = patch.read(guitar, channels: 2)
      var one = patch.read(beats, channels: 1)[0]
      if isEqualized { one = patch.equalized(one) }
      var channels: [[PurePatch.Signal]] = []
      for (index, gain) in [0.6, 0.3].enumerated() {
        let (left, right) = (
          patch.through("*~ 0.8", guitars[index]), patch.through("*~ \(gain)", one)
        )
        guard isEqualized else {
          channels.append([left, right])
          continue
        }
        let sum = patch.sum(left, right)
        channels.append([patch.equalized(sum)])
      }
      return channels
    }
    jobs += superCollider(isEqualized ? "w3" : "w2", seconds: Double(sounds.short)) { score in
      var synth = SynthDefinition("peer")
      let guitars = synth.unit("DiskIn", [.constant(0), .constant(0)], outputs: 2)
      var one = synth.unit("DiskIn", [.constant(1), .constant(0)])[0]
      if isEqualized { one = synth.equalized(one) }
      var mixed: [SynthDefinition.Input] = []
      for (guitar, gain) in zip(guitars, [0.6, 0.3] as [Float]) {
        let parts = (
          synth.product(guitar, .constant(0.8)), synth.product(one, .constant(gain))
        )
        let sum = synth.sum(parts.0, parts.1)
        mixed.append(isEqualized ? synth.equalized(sum) : sum)
      }
      _ = synth.unit("Out", [.constant(0)] + mixed, outputs: 0)
      score.add(
        at: 0,
        [SynthScore.receive(synth)] + SynthScore.open(guitar, buffer: 0, channels: 2)
          + SynthScore.open(beats, buffer: 1, channels: 1) + [
            SynthScore.command("/s_new", .text("peer"), .integer(1000), .integer(0), .integer(0))
          ])
    }
    if isEqualized { jobs += faust("w3", [guitar, beats]) }
    return PeerWorkload(
      name: isEqualized ? "W3" : "W2",
      title: isEqualized
        ? "W2 with ten-band equalizers on beat and master" : "mixer host, \(sounds.short) s",
      goal: isEqualized ? .init(floor: 1.5, peer: 0.25) : .init(floor: 1.4, peer: 1), jobs: jobs,
      isExact: !isEqualized, rounds: 2)
  }

  private func parts(_ isEqualized: Bool) -> PeerWorkload {
    let files = (0..<64).map(part)
    let bands = PeerEqualizer.bands.map {
      "equalizer=f=\(fixed($0.frequency, 2)):t=o:w=1.25:g=\(fixed($0.gain, 1)):r=f64,"
    }.joined()
    let chains = (0..<64).map { part in
      let (left, right) = Self.gains(part)
      return
        "[\(part)]\(isEqualized ? bands : "")pan=stereo|c0=\(left)*c0|c1=\(right)*c1[p\(part)];"
    }.joined()
    let filter =
      chains + (0..<64).map { "[p\($0)]" }.joined() + "amix=inputs=64:normalize=0"
    var jobs = [ours(isEqualized ? "w5" : "w4")]
    jobs += floor([isEqualized ? "partsEQ" : "parts"], files)
    if !isEqualized {
      let mix = [0, 1].map { channel in
        (0..<64).map { part in
          let (left, right) = Self.gains(part)
          return "\(2 * part + channel + 1)v\(channel == 0 ? left : right)"
        }.joined(separator: ",")
      }
      jobs += sox(["-M"] + files, ["remix"] + mix)
    }
    jobs += ffmpeg(files, ["-filter_complex", filter])
    jobs += pd(isEqualized ? "w5" : "w4", seconds: Double(sounds.short)) { patch in
      var channels: [[PurePatch.Signal]] = [[], []]
      for (part, file) in files.enumerated() {
        let (left, right) = Self.gains(part)
        for (index, signal) in patch.read(file, channels: 2).enumerated() {
          let signal = isEqualized ? patch.equalized(signal) : signal
          channels[index].append(patch.through("*~ \(index == 0 ? left : right)", signal))
        }
      }
      return channels
    }
    jobs += superCollider(isEqualized ? "w5" : "w4", seconds: Double(sounds.short)) { score in
      var synth = SynthDefinition("peer")
      let numbers = synth.parameters("buffer", "left", "right")
      var signals = synth.unit("DiskIn", [numbers[0], .constant(0)], outputs: 2)
      if isEqualized { signals = signals.map { synth.equalized($0) } }
      let mixed = [synth.product(signals[0], numbers[1]), synth.product(signals[1], numbers[2])]
      _ = synth.unit("Out", [.constant(0)] + mixed, outputs: 0)
      score.add(at: 0, [SynthScore.receive(synth)])
      for (part, file) in files.enumerated() {
        score.add(at: 0, SynthScore.open(file, buffer: part, channels: 2))
      }
      score.add(at: 0, (0..<64).map { Self.synth($0, "buffer", Double($0)) })
    }
    if isEqualized { jobs += faust("w5", files) }
    return PeerWorkload(
      name: isEqualized ? "W5" : "W4",
      title: isEqualized ? "64 files, an equalizer each, mixed" : "64 stereo files mixed",
      goal: isEqualized ? .init(floor: 1.4, peer: 0.25) : .init(floor: 1.25, peer: 1), jobs: jobs,
      isExact: !isEqualized)
  }

  /// Adds a synth for a part of the mix, after the existing ones.
  private static func synth(_ part: Int, _ parameter: String, _ value: Double) -> Data {
    let (left, right) = gains(part)
    return SynthScore.command(
      "/s_new", .text("peer"), .integer(1000 + part), .integer(1), .integer(0), .text(parameter),
      .number(value), .text("left"), .number(left), .text("right"), .number(right))
  }

  private var loops: PeerWorkload {
    let file = sounds.path("loop")
    let seconds = Double(sounds.short)
    return PeerWorkload(
      name: "W4m", title: "the same from memory", goal: .init(floor: 2, peer: 1),
      jobs: [ours("w4m", "--duration", "\(sounds.short)")] + floor(["loop"], [file])
        + superCollider("w4m", seconds: seconds) { score in
          var synth = SynthDefinition("peer")
          let numbers = synth.parameters("start", "left", "right")
          // Plays at its own rate from a position, in a loop.
          let signals = synth.unit(
            "PlayBuf",
            [.constant(0), .constant(1), .constant(0), numbers[0], .constant(1), .constant(0)],
            outputs: 2)
          let mixed = [
            synth.product(signals[0], numbers[1]), synth.product(signals[1], numbers[2]),
          ]
          _ = synth.unit("Out", [.constant(0)] + mixed, outputs: 0)
          // The file contains its second twice.
          score.add(
            at: 0,
            [
              SynthScore.receive(synth),
              SynthScore.command(
                "/b_allocRead", .integer(0), .text(file), .integer(0), .integer(48_000)),
            ])
          score.add(at: 0, (0..<64).map { Self.synth($0, "start", Double($0 * 739 % 48_000)) })
        })
  }

  private func chain(_ count: Int) -> PeerWorkload {
    let file = sounds.path("chain")
    let gains = String(repeating: "volume volume=0.9999 ! ", count: count)
    let soxGains = (0..<count).flatMap { _ in ["vol", "0.9999"] }
    let filter = Array(repeating: "volume=0.9999:precision=float", count: count)
    var jobs = [ours("w6-\(count)")] + floor(["chain", "\(count)"], [file])
    jobs += sox([file], soxGains)
    jobs += ffmpeg([file], count == 0 ? [] : ["-af", filter.joined(separator: ",")])
    jobs += gstreamer(file, gains)
    jobs += pd("w6-\(count)", seconds: 10) { patch in
      patch.read(file, channels: 2).map { signal in
        var signal = signal
        for _ in 0..<count { signal = patch.through("*~ 0.9999", signal) }
        return [signal]
      }
    }
    jobs += superCollider("w6-\(count)", seconds: 10, reading: file) { synth, signals in
      (0..<count).reduce(signals) { signals, _ in
        signals.map { synth.product($0, .constant(0.9999)) }
      }
    }
    return PeerWorkload(
      name: "W6.\(count)", title: "\(count) mixers of one input in a chain, slices of 512 frames",
      goal: .init(), jobs: jobs, isExact: count > 0)
  }

  private var conversion: PeerWorkload {
    let file = sounds.path("long44")
    let direct = CommandLine.arguments.first.flatMap(MeasuredCommand.find)
    var jobs = [ours("w7")]
    if let direct {
      jobs.append(
        .init(
          peer: "libsoxr VHQ, direct", command: [direct, "peers-soxr", file, out("soxr")],
          output: out("soxr")))
    }
    jobs += sox([file, "-r", "48000"], ["rate", "-v"])
    jobs += ffmpeg([file], ["-af", "aresample=48000:resampler=soxr:precision=28"])
    return PeerWorkload(
      name: "W7", title: "44.1 to 48 kHz, \(sounds.long) s, mastering", goal: .init(peer: 1.1),
      jobs: jobs, isExact: false)
  }

  private var start: PeerWorkload {
    let file = sounds.path("short")
    return PeerWorkload(
      name: "W8", title: "start, 0.1 s, end", goal: .init(seconds: 0.004),
      jobs: [ours("w8")] + floor(["copy"], [file]) + sox(["-v", "0.5", file], [])
        + ffmpeg([file], ["-af", "volume=0.5"]) + gstreamer(file, "volume volume=0.5 ! ")
        + pd("w8", seconds: 0.1) { patch in
          let channels = patch.read(file, channels: 2)
          return channels.map { [patch.through("*~ 0.5", $0)] }
        }
        + superCollider("w8", seconds: 0.1, reading: file) { synth, signals in
          signals.map { synth.product($0, .constant(0.5)) }
        }, isExact: false, rounds: 3)
  }

  private var manyNodes: PeerWorkload {
    let file = sounds.path("short")
    return PeerWorkload(
      name: "W8big", title: "10,000 nodes in series, 0.1 s", goal: .init(seconds: 0.05),
      jobs: [ours("w8big")]
        + pd("w8big", seconds: 0.1) { patch in
          let channels = patch.read(file, channels: 2)
          var signal = channels[0]
          for _ in 0..<10_000 { signal = patch.through("*~ 0.9999", signal) }
          return [[signal], [channels[1]]]
        }
        + superCollider("w8big", seconds: 0.1, reading: file) { synth, signals in
          let last = (0..<10_000).reduce(signals[0]) { signal, _ in
            synth.product(signal, .constant(0.9999))
          }
          return [last, signals[1]]
        }, isExact: false, rounds: 2)
  }
}

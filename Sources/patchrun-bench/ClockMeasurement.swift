import TestSupport

/// Measures a microphone and a loudspeaker with separate clocks on a sound server, for two minutes
/// each.
func measureRealClocks() { withServer { try measureRealClocks($0, seconds: 120) } }

/// Measures the latency from a microphone to a loudspeaker, compared with plain programs.
func measureThrough() { withServer { try measurePassThrough($0, seconds: 20) } }

private func withServer(_ measure: (_ program: String) throws -> Void) {
  guard PrivatePulse.isInstalled else { return print("no sound server is installed") }
  guard let program = MeasuredProgram.path else { return print("patchrun has not been built") }
  do { try measure(program) } catch { print("not measured: \(error)") }
}

// MARK: Simulated

/// Simulates a day of a microphone and a loudspeaker with separate clocks.
func measureSimulatedClocks() {
  print("24 hours simulated, notes 1 ms late, one of 200 up to 10 ms; the latency's deviation from")
  print("its target and the pitch's from what was heard, 30 s after the start and after each stall")
  print(
    column("ppm") + column("in") + column("out") + column("Hz") + column("stall", width: 10)
      + column("99 % ms") + column("worst") + column("99 % ct") + column("worst")
      + column("raises") + column("missing") + column("ratio 1"))
  var scenes: [ClockScene] = []
  for drift in [0, 1, 20, 100, -100, 500, -500] as [Double] {
    scenes.append(ClockScene(drift: drift, hours: 24))
  }
  for (lump, pull) in [(64, 64), (256, 256), (1024, 256), (480, 1024), (4096, 4096)] {
    for drift in [0, 500, -500] as [Double] {
      scenes.append(
        ClockScene(drift: drift, hours: 24, lump: lump, pull: pull, seed: UInt64(lump)))
    }
  }
  for rate in [8000, 44_100, 96_000, 192_000] as [Double] {
    scenes.append(ClockScene(sampleRate: rate, drift: 500, hours: 24, seed: 5))
  }
  for stall in [ClockScene.Stall.delivery, .source, .sink, .thread] {
    for drift in [0, 100, -500] as [Double] {
      scenes.append(ClockScene(drift: drift, hours: 24, stall: stall, seed: 9))
    }
  }
  for scene in scenes {
    let outcome = scene.run()
    print(
      column(scene.drift, 0) + column(String(scene.lump)) + column(String(scene.pull))
        + column(scene.sampleRate, 0) + column(scene.stall?.rawValue ?? "", width: 10)
        + column(outcome.usualLatency * 1000, 3) + column(outcome.worstLatency * 1000, 3)
        + column(outcome.usualPitch, 4) + column(outcome.worstPitch, 4)
        + column(String(outcome.raises)) + column(String(outcome.missing))
        + column(outcome.wasRatioOne ? "yes" : "no"))
  }
}

// MARK: On a server

extension PassThroughRig {
  /// Starts patchrun with a patch that plays the microphone on the loudspeaker.
  fileprivate func startPatch(_ program: String, frames: Int) throws -> ChildProcess {
    try start(
      program, ["@through.json"],
      files: [
        "through.json": """
        {
          "session": { "preferredIOBufferDuration": \(Double(frames) / Self.sampleRate) },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "nodes": {
            "io": {
              "component": "remoteIO",
              "device": { "sink": "\(Self.sink)", "source": "\(Self.source)" },
              "inputs": { "1": { "properties": { "enableIO": true } } }
            }
          },
          "connections": [ { "from": "io:1", "to": "io:0" } ]
        }
        """
      ])
  }

  /// The number of underruns in patchrun's messages.
  fileprivate var xruns: String {
    let words = errors.split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard let place = words.lastIndex(where: { $0.hasPrefix("xrun") }), place > 0 else {
      return "?"
    }
    return String(words[place - 1])
  }
}

private func measureRealClocks(_ program: String, seconds: Int) throws {
  print("\(seconds) s on a server, the microphone's clock bent, slices of 512; from 20 s on")
  print(
    column("ppm") + column("ms") + column("±ms") + column("99 % ct") + column("worst")
      + column("xruns") + column("lacked"))
  for drift in [0, 500, -500] as [Double] {
    let rig = try PassThroughRig(drift: drift, loudspeaker: .pipe)
    let run = try rig.startPatch(program, frames: 512)
    let clicks = try rig.record(seconds: Double(seconds)).filter { $0.time > 20 }
    run.signal(2)
    run.wait()
    let latencies = clicks.map(\.latency).sorted()
    let cents = clicks.map { abs($0.cents) }.sorted()
    guard !latencies.isEmpty else { return print("nothing was heard: \(rig.errors)") }
    let middle = median(latencies)
    let off = max(latencies[latencies.count - 1] - middle, middle - latencies[0])
    print(
      column(drift, 0) + column(middle * 1000, 2) + column(off * 1000, 2)
        + column(cents[cents.count * 99 / 100], 3) + column(cents[cents.count - 1], 3)
        + column(rig.xruns) + column(String(rig.lackedFrames)))
  }
}

private func measurePassThrough(_ program: String, seconds: Int) throws {
  print("from the microphone to the loudspeaker, \(seconds) s each, in ms; no drift")
  print(
    column("frames") + column("by", width: 34) + column("least") + column("50 %")
      + column("99 %") + column("most") + column("xruns"))
  for frames in [256, 512, 1024] {
    let milliseconds = max(1, frames * 1000 / 48_000)
    for by in ["patchrun", "module-loopback", "parec | pacat"] {
      let rig = try PassThroughRig()
      var process: ChildProcess?
      switch by {
      case "patchrun": process = try rig.startPatch(program, frames: frames)
      case "module-loopback":
        try rig.server.control(
          "load-module", "module-loopback", "source=\(PassThroughRig.source)",
          "sink=\(PassThroughRig.sink)", "latency_msec=\(milliseconds)", "adjust_time=0")
      default:
        let format = "--raw --format=float32le --rate=48000 --channels=2"
        let latency = "--latency-msec=\(milliseconds)"
        process = try rig.start(
          "/bin/sh",
          [
            "-c",
            "parec --device=\(PassThroughRig.source) \(format) \(latency) | "
              + "exec pacat --device=\(PassThroughRig.sink) \(format) \(latency)",
          ])
      }
      let clicks = try rig.record(seconds: Double(seconds)).filter { $0.time > 4 }
      let latencies = clicks.map { $0.latency * 1000 }.sorted()
      process?.signal(by == "patchrun" ? 2 : 15)
      process?.wait()
      guard !latencies.isEmpty else {
        print(column(String(frames)) + column(by, width: 34) + "  nothing was heard")
        continue
      }
      print(
        column(String(frames)) + column(by + ", \(milliseconds) ms", width: 34)
          + column(latencies[0], 1) + column(median(latencies), 1)
          + column(latencies[latencies.count * 99 / 100], 1)
          + column(latencies[latencies.count - 1], 1)
          + column(by == "patchrun" ? rig.xruns : "-"))
    }
  }
}

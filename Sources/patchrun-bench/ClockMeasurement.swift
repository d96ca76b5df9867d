import AudioGraphs
import AudioTypes
import AudioUnits
import Glibc
import PulseIO
import RenderHost
import TestSupport

/// A microphone and a loudspeaker with clocks of their own on a sound server, for `PATCHRUN_MEASURE` seconds
/// each; and how long the way from the one to the other is, beside that of plain programs.
func measureRealClocks() {
  guard PrivatePulse.isInstalled else { return print("no sound server is installed") }
  do {
    try measureRealClocks(seconds: Int(setting("PATCHRUN_MEASURE") ?? "") ?? 120)
    try measurePassThrough(seconds: 12)
  } catch {
    print("not measured: \(error)")
  }
}

private func setting(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

// MARK: Simulated

/// A day of a microphone and a loudspeaker with clocks of their own.
func measureSimulatedClocks() {
  print("24 hours simulated, notes 1 ms late, one of 200 up to 10 ms; the latency's deviation from its")
  print("target and the pitch's from what was heard, 30 s after the start and after each stall")
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

/// The microphone to the loudspeaker, by a graph on the rig's server.
private struct PassThroughGraph {
  let hardware: PulseHardware
  let graph: AudioGraph

  init(_ rig: PassThroughRig, frames: Int) throws {
    hardware = try PulseHardware.open(
      HardwareRequest(
        wantsInput: true, preferredIOBufferDuration: Double(frames) / 48_000,
        sinkName: PassThroughRig.sink, sourceName: PassThroughRig.source,
        server: rig.server.address))
    graph = AudioGraph(hardware: hardware)
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.connect(io, 1, to: io, 0)
    try graph.initialize()
    try graph.start()
  }

  func stop() {
    graph.stop()
    graph.close()
  }
}

private func measureRealClocks(seconds: Int) throws {
  print("\(seconds) s on a server, the microphone's clock bent, slices of 512; from 20 s on")
  print(
    column("ppm") + column("ms") + column("±ms") + column("99 % ct") + column("worst")
      + column("underruns") + column("missing"))
  for drift in [0, 500, -500] as [Double] {
    let rig = try PassThroughRig(drift: drift)
    let graph = try PassThroughGraph(rig, frames: 512)
    let clicks = try rig.record(seconds: Double(seconds)).filter { $0.time > 20 }
    let statistics = graph.hardware.statistics
    let missing = graph.graph.session?.configuration.capture?.missingFrames ?? 0
    graph.stop()
    let latencies = clicks.map(\.latency).sorted()
    let cents = clicks.map { abs($0.cents) }.sorted()
    guard !latencies.isEmpty else { return print("nothing was heard") }
    let middle = median(latencies)
    let off = max(latencies[latencies.count - 1] - middle, middle - latencies[0])
    print(
      column(drift, 0) + column(middle * 1000, 2) + column(off * 1000, 2)
        + column(cents[cents.count * 99 / 100], 3) + column(cents[cents.count - 1], 3)
        + column(String(statistics.underruns)) + column(String(missing)))
  }
}

private func measurePassThrough(seconds: Int) throws {
  print("\nfrom the microphone to the loudspeaker, \(seconds) s each, in ms; no drift")
  print(
    column("frames") + column("by", width: 34) + column("least") + column("50 %")
      + column("99 %") + column("most") + column("underruns"))
  for frames in [256, 512, 1024] {
    let milliseconds = max(1, frames * 1000 / 48_000)
    for by in ["patchrun", "module-loopback", "parec | pacat"] {
      let rig = try PassThroughRig()
      var graph: PassThroughGraph?
      var process: ChildProcess?
      switch by {
      case "patchrun": graph = try PassThroughGraph(rig, frames: frames)
      case "module-loopback":
        try rig.server.control(
          "load-module", "module-loopback", "source=\(PassThroughRig.source)",
          "sink=\(PassThroughRig.sink)", "latency_msec=\(milliseconds)", "adjust_time=0")
      default:
        let format = "--raw --format=float32le --rate=48000 --channels=2"
        let latency = "--latency-msec=\(milliseconds)"
        process = try ChildProcess(
          "/bin/sh",
          [
            "-c",
            "parec --device=\(PassThroughRig.source) \(format) \(latency) | "
              + "exec pacat --device=\(PassThroughRig.sink) \(format) \(latency)",
          ], environment: rig.server.environment)
      }
      let clicks = try rig.record(seconds: Double(seconds)).filter { $0.time > 4 }
      let underruns = graph.map { String($0.hardware.statistics.underruns) } ?? "-"
      let latencies = clicks.map { $0.latency * 1000 }.sorted()
      graph?.stop()
      process?.signal(SIGTERM)
      guard !latencies.isEmpty else {
        print(column(String(frames)) + column(by, width: 34) + "  nothing was heard")
        continue
      }
      print(
        column(String(frames)) + column(by + ", \(milliseconds) ms", width: 34)
          + column(latencies[0], 1) + column(median(latencies), 1)
          + column(latencies[latencies.count * 99 / 100], 1)
          + column(latencies[latencies.count - 1], 1) + column(underruns))
    }
  }
}

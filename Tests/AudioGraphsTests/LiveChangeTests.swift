import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// A continuous sine on every channel, with samples that depend on the frame number only.
private func sine(
  _ frequency: Double, _ amplitude: Double = 0.25, rate: Double = 48_000
) -> ClosureCallback {
  counting { _, frame in sineSample(frequency, amplitude, rate, frame) }
}

private func sineSample(
  _ frequency: Double, _ amplitude: Double, _ rate: Double, _ frame: Int
) -> Float {
  let phase: Double = 2 * Double.pi * frequency / rate
  return Float(amplitude * sin(phase * Double(frame)))
}

/// A graph that is pulled by the test, and its output so far (left channel).
private struct Listening {
  let graph: AudioGraph
  let io: NodeID
  let mix: NodeID
  var heard: [Float] = []

  /// Mixer -> io; inputs 0 to 7 are free.
  init(_ frames: Int = 512, feed: (AudioGraph, NodeID) throws -> Void) throws {
    graph = try openGraph(grant(frames: frames))
    io = try graph.addNode(remoteIO, name: "io")
    mix = try graph.addNode(mixer, name: "mix", slice: 4096)
    try feed(graph, mix)
    try graph.connect(mix, to: io)
    try graph.initialize()
  }

  mutating func pull(_ frameCount: Int) throws {
    let found = words(try pulled(graph, frameCount), as: Float.self)
    heard += stride(from: 0, to: found.count, by: 2).map { found[$0] }
  }

  /// The largest second difference of the output: at least the height of a step.
  var roughness: Double { clicks(heard) }

  func equalizer(_ name: String) throws -> NodeID {
    let node = try graph.addNode(AudioGraphsTests.equalizer, name: name, slice: 4096)
    try graph.unit(node).setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try graph.unit(node).setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    return node
  }
}

private func clicks(_ samples: [Float]) -> Double {
  var greatest = 0.0
  for index in 1..<max(2, samples.count - 1) where samples.count > 2 {
    let second =
      Double(samples[index - 1]) - 2 * Double(samples[index]) + Double(samples[index + 1])
    greatest = max(greatest, abs(second))
  }
  return greatest
}

struct LiveChangeTests {
  @Test func `the click detector hears a step, and not a sine`() {
    var samples = (0..<4800).map { sineSample(100, 0.25, 48_000, $0) }
    #expect(clicks(samples) < smoothness(100) * 1.01)
    for index in 2400..<4800 { samples[index] += 0.001 }
    #expect(clicks(samples) > smoothness(100) * 2)
  }

  @Test func `a source that takes another's place enters as the other leaves`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 0)
    }
    try live.pull(1000)
    try live.graph.disconnect(live.mix, 0)
    try live.graph.setInputCallback(counting { _, _ in -0.25 }, of: live.mix, 0)
    #expect(try live.graph.update())
    try live.pull(4000)
    #expect(live.heard[..<1000].allSatisfy { $0 == 0.5 })
    for frame in 0..<960 {
      let x = Double(frame) / 960
      let exact = 0.5 - 0.75 * (3 * x * x - 2 * x * x * x)
      #expect(abs(Double(live.heard[1000 + frame]) - exact) < 1e-6)
    }
    #expect(live.heard[1960...].allSatisfy { $0 == -0.25 })
  }

  @Test func `where what enters equals what leaves, nothing is heard at all`() throws {
    var live = try Listening { graph, mix in try graph.setInputCallback(sine(440), of: mix, 0) }
    let alone = try Listening { graph, mix in try graph.setInputCallback(sine(440), of: mix, 0) }
    try live.pull(700)
    try live.graph.disconnect(live.mix, 0)
    try live.graph.setInputCallback(sine(440), of: live.mix, 0)
    try live.graph.update()
    try live.pull(3000)
    let steady = words(try pulled(alone.graph, 3700), as: Float.self)
    #expect(live.heard == stride(from: 0, to: steady.count, by: 2).map { steady[$0] })
  }

  @Test func `the guide's example: an equalizer is put before a mixer that plays`() throws {
    // Audio Unit Hosting Guide: disconnect the beat, add the node, take the mixer's format,
    // initialize, connect, set the callback, update.
    var live = try Listening { graph, mix in
      try graph.setInputCallback(sine(100), of: mix, 0)
      try graph.setInputCallback(sine(160), of: mix, 1)
    }
    try live.pull(3000)
    let (graph, mix) = (live.graph, live.mix)
    try graph.disconnect(mix, 1)
    let equalizer = try graph.addNode(equalizer, name: "eq")
    let unit = try graph.unit(equalizer)
    guard
      case .streamFormat(let format) = try graph.unit(mix).property(.streamFormat, .input, 1)
    else {
      Issue.record("the mixer has no format")
      return
    }
    try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
    let boost = try #require(unit.factoryPresets.first { $0.name == "Bass Booster" })
    try unit.setProperty(.presentPreset, to: .preset(boost))
    try graph.initializeUnit(of: equalizer)
    #expect(unit.isInitialized)
    try graph.connect(equalizer, to: mix, 1)
    try graph.setInputCallback(sine(160), of: equalizer, 0)
    #expect(graph.pendingEditCount == 3)
    #expect(try graph.update())
    try live.pull(6000)
    #expect(live.heard.count == 9000)
    #expect(live.roughness < 2 * (smoothness(100) + smoothness(160)))
    let before = live.heard[1000..<3000].map(abs).max() ?? 0
    let after = live.heard[6000...].map(abs).max() ?? 0
    #expect(after > before * 1.2, "the bass is boosted")
  }

  @Test func `inputs come and go without a click`() throws {
    var live = try Listening { graph, mix in try graph.setInputCallback(sine(100), of: mix, 0) }
    try live.pull(1000)
    for round in 0..<4 {
      try live.graph.setInputCallback(sine(70), of: live.mix, 1)
      try live.graph.update()
      try live.pull(1000 + 17 * round)
      try live.graph.disconnect(live.mix, 1)
      try live.graph.update()
      try live.pull(1500 + 13 * round)
    }
    #expect(live.roughness < 2 * (smoothness(100) + smoothness(70)))
  }

  @Test func `updates faster than the fades wait for each other`() throws {
    var live = try Listening(64) { graph, mix in
      try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 0)
    }
    try live.pull(64)
    for level in [Float(0.1), -0.4, 0.3, 0.2] {
      try live.graph.disconnect(live.mix, 0)
      try live.graph.setInputCallback(counting { _, _ in level }, of: live.mix, 0)
      try live.graph.update()
      try live.pull(64)
    }
    try live.pull(8000)
    let session = try #require(live.graph.session)
    #expect(session.waitingStages == 0)
    #expect(live.heard.last == 0.2)
    // The steepest fade is by 0.9 in 960 frames. Its largest second difference is 6 · 0.9 / 960².
    #expect(live.roughness < 1.2 * 6 * 0.9 / (960 * 960))
    #expect(live.heard.contains(0.1) && live.heard.contains(-0.4) && live.heard.contains(0.3))
  }

  @Test func `two effects change places: the sound steps aside for a moment`() throws {
    var live = try Listening { _, _ in }
    let (graph, mix) = (live.graph, live.mix)
    let one = try live.equalizer("one")
    let two = try live.equalizer("two")
    try graph.setInputCallback(sine(100), of: one)
    try graph.connect(one, to: two)
    try graph.connect(two, to: mix, 0)
    try graph.update()
    try live.pull(4000)
    try graph.disconnect(mix, 0)
    try graph.disconnect(two)
    let source = try graph.detachFeed(of: one)
    try graph.attachFeed(source, to: two)
    try graph.connect(two, to: one)
    try graph.connect(one, to: mix, 0)
    try graph.update()
    try live.pull(6000)
    #expect(live.roughness < 2 * smoothness(100))
    // The sound is back, and its phase is as if it had never been interrupted.
    for frame in 8000..<10_000 {
      #expect(abs(live.heard[frame] - sineSample(100, 0.25, 48_000, frame)) < 1e-5)
    }
  }

  @Test func `a converter takes its place in a graph that plays`() throws {
    var live = try Listening { graph, mix in try graph.setInputCallback(sine(100), of: mix, 0) }
    try live.pull(2000)
    let (graph, mix) = (live.graph, live.mix)
    let converter = try graph.addNode(
      FormatConverter.description.component, name: "conv", slice: 4096)
    let unit = try graph.unit(converter)
    try unit.setProperty(
      .streamFormat, .input, 0, to: .streamFormat(float(2, rate: 44_100)))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    try graph.disconnect(mix, 0)
    try graph.setInputCallback(sine(100, rate: 44_100), of: converter)
    try graph.connect(converter, to: mix, 0)
    try graph.update()
    try live.pull(4000)
    try graph.disconnect(converter)
    try graph.setInputCallback(sine(70, rate: 44_100), of: converter)
    try graph.update()
    try live.pull(4000)
    try graph.removeNode(converter)
    try graph.setInputCallback(sine(100), of: mix, 0)
    try graph.update()
    try live.pull(4000)
    #expect(live.roughness < 2.5 * smoothness(100))
    #expect(try #require(live.graph.session).failedSlices.count == 0)
    #expect(live.heard[12_000...].map(abs).max() ?? 0 > 0.24)
  }

  @Test func `a callback that is moved goes on where it is, and the unit keeps its sound`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(NoiseCallback(), of: mix, 0)
    }
    let alone = try Listening { graph, mix in
      try graph.setInputCallback(NoiseCallback(), of: mix, 0)
    }
    try live.pull(1000)
    let feed = try live.graph.detachFeed(of: live.mix)
    try live.graph.attachFeed(feed, to: live.mix, 3)
    try live.graph.update()
    try live.pull(3000)
    let steady = words(try pulled(alone.graph, 4000), as: Float.self)
    for frame in 0..<4000 {
      #expect(abs(live.heard[frame] - steady[2 * frame]) < 1e-6)
    }
  }

  @Test func `what changes at a frame is the same with slices of every size`() throws {
    func play(_ frames: Int) throws -> [Float] {
      var live = try Listening(frames) { graph, mix in
        try graph.setInputCallback(sine(100), of: mix, 0)
      }
      let (graph, mix) = (live.graph, live.mix)
      try graph.update(at: 1777.0 / 48_000) { () throws(Violation) in
        try graph.unit(mix).setParameter(0, .input, 0, to: 0.25)
        try graph.setInputCallback(sine(310), of: mix, 2)
      }
      try graph.update(at: 5000.0 / 48_000) { () throws(Violation) in
        try graph.disconnect(mix, 0)
        try graph.unit(mix).setProperty(.meteringMode, .input, 2, to: .uint32(1))
      }
      try live.pull(9000)
      return live.heard
    }
    let whole = try play(4096)
    #expect(whole[1776] == sineSample(100, 0.25, 48_000, 1776))
    #expect(whole.count == 9000)
    for frames in [1, 64, 333, 1024] { #expect(try play(frames) == whole) }
  }

  @Test func `an update may be asked for by a render notification`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 0)
    }
    let (graph, mix) = (live.graph, live.mix)
    let answers = Notes()
    let token = graph.addRenderNotification { flags, time, _ in
      guard flags.contains(.postRender), time.sampleTime == 512 else { return }
      do {
        try graph.disconnect(mix, 0)
        answers.note(try graph.update() ? 1 : 0)
      } catch {
        answers.note(-1)
      }
    }
    try live.pull(2048)
    #expect(answers.all == [0])
    #expect(graph.pendingEditCount == 1)
    graph.collect()
    #expect(graph.pendingEditCount == 0)
    try live.pull(4096)
    #expect(live.heard.last == 0)
    #expect(try graph.updateWithoutWaiting())
    graph.removeRenderNotification(token)
  }

  @Test func `an update that nobody waits for says so, and reports its error once`() throws {
    let host = PacedHost(grant(frames: 64), speed: 20)
    let graph = AudioGraph(hardware: host)
    graph.defaultStreamFormat = float()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.open()
    try graph.unit(mix).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try graph.setInputCallback(ToneCallback(), of: mix, 0)
    try graph.connect(mix, to: io)
    try graph.initialize()
    try graph.start()
    try graph.setInputCallback(ToneCallback(), of: mix, 1)
    var isDone = try graph.updateWithoutWaiting()
    for _ in 0..<5000 where !isDone {
      usleep(1000)
      isDone = try graph.updateWithoutWaiting()
    }
    #expect(isDone)
    #expect(graph.interactions.count == 3)
    try graph.disconnect(mix, 5)
    var found: [Status] = []
    for _ in 0..<5000 where found.isEmpty {
      do { _ = try graph.updateWithoutWaiting() } catch { found.append(error.violation.status) }
      usleep(1000)
    }
    #expect(found == [.invalidConnection])
    #expect(graph.lastUpdateError == .invalidConnection)
    #expect(try graph.updateWithoutWaiting())
    try graph.setInputCallback(ToneCallback(), of: mix, 2)
    #expect(try graph.update())
    graph.close()
  }

  @Test func `no part of a change happens in the heap of the render thread`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(ToneCallback(), of: mix, 0)
    }
    try live.pull(1024)
    let session = try #require(live.graph.session)
    let equalizer = try live.equalizer("eq")
    let feed = try live.graph.detachFeed(of: live.mix)
    try live.graph.attachFeed(feed, to: equalizer)
    try live.graph.connect(equalizer, to: live.mix, 0)
    try live.graph.update()
    var memory = [Float](repeating: 0, count: 1024)
    unsafe memory.withUnsafeMutableBytes { memory in
      let base = memory.baseAddress
      unsafe session.pull(512, into: base)
      let count = allocations { for _ in 0..<8 { unsafe session.pull(512, into: base) } }
      #expect(count == 0)
    }
    #expect(session.waitingStages == 0)
  }

  @Test func `a tap that comes and goes hears from its first frame to its last`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(counting { _, frame in Float(frame) }, of: mix, 0)
    }
    try live.pull(512)
    let probe = ProbeTap()
    let tap = try live.graph.addTap(probe, at: live.mix)
    #expect(live.graph.pendingEditCount == 1)
    try live.graph.update()
    try live.pull(512)
    try live.graph.removeTap(tap)
    try live.graph.update()
    try live.pull(512)
    #expect(probe.floats[0] == (512..<1024).map(Float.init))
    refused(.nodeNotFound) { try live.graph.addTap(probe, at: NodeID(rawValue: 99)) }
  }

  @Test func `a source that joins later ends later`() throws {
    var live = try Listening { graph, mix in
      try graph.setInputCallback(counting(duration: 0.5, hashed), of: mix, 0)
    }
    #expect(live.graph.duration == 24_000)
    try live.pull(10_240)
    try live.graph.setInputCallback(counting(duration: 0.5, hashed), of: live.mix, 1)
    try live.graph.update()
    #expect(live.graph.duration == 34_240)
  }
}

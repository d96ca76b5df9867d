import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

@Suite struct VoiceProcessingIOTests {
  private final class Heard: Sendable {
    let samples = Mutex<[[Float]]>([])
    let events = Mutex<[MutedSpeechActivityListener.Event]>([])
  }

  /// A voice chat on a device with one rate.
  private struct Chat {
    var component = VoiceProcessingIO.description.component
    var grant: HardwareGrant
    var heard: StreamFormat
    var played: StreamFormat

    init(rate: Double = 16_000, frames: Int = 256, channels: Int = 1) {
      grant = AudioGraphsTests.grant(
        rate: rate, frames: frames, output: .float32, channels: 1, input: channels)
      heard = float(channels, rate: rate)
      played = float(1, rate: rate)
    }

    /// Renders the chat with the loudspeaker signal `far` and the microphone signal `near`. Returns
    /// the graph's input by channel.
    func run(
      _ far: [Float], _ near: [Float], listener: MutedSpeechActivityListener? = nil,
      _ settings: [(PropertyID, PropertyValue)] = []
    ) throws -> [[Float]] {
      let graph = AudioGraph(assuming: grant)
      try graph.open()
      let io = try graph.addNode(component)
      let unit = try graph.unit(io)
      try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
      try unit.setProperty(.streamFormat, .output, 1, to: .streamFormat(heard))
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(played))
      for (id, value) in settings { try unit.setProperty(id, to: value) }
      if let listener {
        try unit.setProperty(
          .mutedSpeechActivityEventListener, to: .mutedSpeechActivityListener(listener))
      }
      let result = Heard()
      let callback = InputCallbackReference { _, bus in
        result.samples.withLock { samples in
          for channel in 0..<bus.channelCount {
            if samples.count <= channel { samples.append([]) }
            samples[channel] += bus[channel].indices.map { bus[channel][$0] }
          }
        }
      }
      try unit.setProperty(.setInputCallback, to: .inputCallback(callback))
      try graph.setInputCallback(
        counting { _, frame in far.indices.contains(frame) ? far[frame] : 0 }, of: io)
      try graph.initialize()
      let channels = grant.inputFormat?.channelCount ?? 1
      _ = try pulled(graph, near.count / channels) { first, buffer in
        for index in buffer.indices {
          let place = first * channels + index
          buffer[index] = near.indices.contains(place) ? near[place] : 0
        }
      }
      return result.samples.withLock { $0 }
    }
  }

  private static let far = SpeechModel.speech(seconds: 2.5, sampleRate: 16_000, seed: 1)
    .map { $0 * 0.3 }

  /// The echo at the microphone: two reflections.
  private static func echo(of far: [Float], rate: Double = 16_000) -> [Float] {
    let (first, second) = (Int(0.003 * rate), Int(0.017 * rate))
    var random = SplitMix64(seed: 1)
    return far.indices.map { index in
      (index >= first ? 0.5 * far[index - first] : 0)
        - (index >= second ? 0.3 * far[index - second] : 0) + Float(random.normal()) * 3e-4
    }
  }

  private func energy(_ samples: ArraySlice<Float>) -> Double {
    10 * renderLog10(SpeechMeasures.power(samples) + 1e-14)
  }

  @Test func `what is played is taken out of what is heard`() throws {
    let near = Self.echo(of: Self.far)
    let output = try Chat().run(Self.far, near, [(.voiceProcessingEnableAGC, .uint32(0))])
    #expect(output.count == 1 && output[0].count == near.count)
    #expect(energy(near[24_000...]) - energy(output[0][24_000...]) >= 40)
  }

  @Test func `it is also where the two sides of the graph have different rates`() throws {
    let far = SpeechModel.speech(seconds: 2, sampleRate: 48_000, seed: 1).map { $0 * 0.3 }
    var chat = Chat(rate: 48_000)
    chat.heard = float(1, rate: 16_000)
    let near = Self.echo(of: far, rate: 48_000)
    let output = try chat.run(far, near, [(.voiceProcessingEnableAGC, .uint32(0))])
    #expect(abs(output[0].count - near.count / 3) <= 1)
    #expect(energy(near[72_000...]) - energy(output[0][24_000...]) >= 35)
  }

  @Test(arguments: [1, 64, 333, 1024])
  func `slices of the device change no bit`(frames: Int) throws {
    let (far, near) = (Array(Self.far.prefix(3000)), Self.echo(of: Array(Self.far.prefix(3000))))
    let expected = try Chat().run(far, near)
    #expect(try Chat(frames: frames).run(far, near) == expected)
  }

  @Test(arguments: [SampleType.float32, .int16, .fixed824])
  func `bypassed it hears what Remote IO hears`(sample: SampleType) throws {
    var chat = Chat(channels: 2)
    chat.heard = StreamFormat(sample, channels: 2, sampleRate: 16_000)
    let near = (0..<2000).map { hashed(0, $0) }
    let bypassed = try chat.run([], near, [(.bypassVoiceProcessing, .uint32(1))])
    chat.component = remoteIO
    #expect(try chat.run([], near) == bypassed)
    // 16 bits cannot represent the microphone's samples.
    guard sample != .int16 else { return }
    #expect(bypassed[0] == (0..<1000).map { hashed(0, 2 * $0) })
    #expect(bypassed[1] == (0..<1000).map { hashed(0, 2 * $0 + 1) })
  }

  @Test func `a voice is the same on every channel`() throws {
    let near = SpeechModel.speech(seconds: 0.5, sampleRate: 16_000, seed: 2)
    let output = try Chat(channels: 2).run([], near.flatMap { [$0, 0] })
    #expect(output.count == 2 && output[0] == output[1])
    #expect(energy(output[0][4000...]) > -60)
  }

  @Test func `muted it puts out silence, and a listener is told of speech`() throws {
    let result = Heard()
    let listener = MutedSpeechActivityListener { event in
      result.events.withLock { $0.append(event) }
    }
    let near =
      SpeechModel.speech(seconds: 1.2, sampleRate: 16_000, seed: 2)
      .map { $0 * 0.3 } + [Float](repeating: 0, count: 12_000)
    var random = SplitMix64(seed: 2)
    let noisy = near.map { $0 + Float(random.normal()) * 3e-4 }
    let output = try Chat().run([], noisy, listener: listener, [(.muteOutput, .uint32(1))])
    #expect(output[0].allSatisfy { $0 == 0 })
    #expect(result.events.withLock { $0 } == [.started, .ended])
  }

  @Test func `a lower quality is set while the unit renders`() throws {
    let graph = AudioGraph(assuming: Chat().grant)
    graph.defaultStreamFormat = float(1, rate: 16_000)
    try graph.open()
    let io = try graph.addNode(VoiceProcessingIO.description.component)
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.connect(io, 1, to: io, 0)
    try graph.initialize()
    for quality in [UInt32(0), 64, 127] {
      try unit.setProperty(.voiceProcessingQuality, to: .uint32(quality))
      _ = try pulled(graph, 600) { first, buffer in
        for index in buffer.indices { buffer[index] = hashed(0, first + index) }
      }
    }
    #expect(throws: Violation.self) {
      try unit.setProperty(.duckNonVoiceAudio, to: .uint32(0))
    }
  }

  @Test func `its latency is 20 ms, none when bypassed`() throws {
    let unit = UnitInstance(VoiceProcessingIO.self)
    #expect(try unit.property(.latency) == .float64(0))
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try unit.setProperty(
      .streamFormat, .output, 1, to: .streamFormat(float(1, rate: 16_000)))
    #expect(try unit.property(.latency) == .float64(0.02))
    try unit.setProperty(.bypassVoiceProcessing, to: .uint32(1))
    #expect(try unit.property(.latency) == .float64(0))
  }

  @Test func `what the microphone hears arrives as late as the latency says`() throws {
    var near = [Float](repeating: 0, count: 1600)
    near[800] = 0.5
    let output = try Chat().run([], near, [(.voiceProcessingEnableAGC, .uint32(0))])
    let loudest = output[0].indices.max { abs(output[0][$0]) < abs(output[0][$1]) }
    #expect(loudest == 800 + 320)
  }

  @Test(arguments: [4000.0, 384_000])
  func `a rate that no voice is processed at is refused`(rate: Double) throws {
    let unit = UnitInstance(VoiceProcessingIO.self)
    let found = refused(.formatNotSupported) {
      try unit.setProperty(.streamFormat, .output, 1, to: .streamFormat(float(1, rate: rate)))
    }
    #expect(found?.message.contains("8000 to 192000 Hz") == true)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1, rate: rate)))
  }

  @Test(
    arguments: [
      (2100, "kAUVoiceIOProperty_BypassVoiceProcessing", 0),
      (2101, "kAUVoiceIOProperty_VoiceProcessingEnableAGC", 1),
      (2102, "kAUVoiceIOProperty_DuckNonVoiceAudio", 1),
      (2103, "kAUVoiceIOProperty_VoiceProcessingQuality", 127),
      (2104, "kAUVoiceIOProperty_MuteOutput", 0),
    ] as [(UInt32, String, UInt32)])
  func `the headers' properties are there`(id: UInt32, constant: String, value: UInt32) throws {
    let unit = UnitInstance(VoiceProcessingIO.self)
    let info = try #require(unit.info(PropertyID(rawValue: id)))
    #expect(info.constant == constant)
    #expect(info.scopes == [.global])
    #expect(try unit.property(info.id) == .uint32(value))
    #expect(UnitInstance(RemoteIO.self).info(info.id) == nil)
  }

  @Test func `it has every property of Remote IO`() {
    let own = Set(UnitInstance(VoiceProcessingIO.self).properties)
    #expect(own.isSuperset(of: UnitInstance(RemoteIO.self).properties))
  }
}

import AudioTypes
import Diagnostics
public import PatchGraph
public import PatchRendering
public import PatchSyntax
import RenderCore
import SoundExpectations
public import SoundFiles
public import SoundMeasures

/// A first test file for a patch: it records how the patch sounds now, with tolerances for harmless
/// changes.
public struct FirstTests: Sendable {
  /// The test file.
  public let text: String
  /// The golden that the test file names, and its sound; `nil` where the patch is silent.
  public let golden: (path: String, sound: Sound)?

  /// In seconds: how much of an endless patch is rendered, and how much of any patch at most.
  private static let (usualDuration, maximumDuration) = (3.0, 10.0)
  /// Long enough for an echo and the release of a compressor; music takes some 300 kB as FLAC.
  private static let goldenSeconds = 2.0

  /// - Parameters:
  ///   - path: The path of the patch, relative to the test file.
  ///   - golden: The path of the golden, relative to the test file.
  ///   - input: The sound file for the microphone, with its path relative to the test file; `nil`
  ///     for none.
  ///   - duration: In seconds; `nil` for as long as the patch plays, at most 10 s.
  public init(
    of reading: PatchReader.Result, in surroundings: PatchSurroundings, path: String,
    golden goldenPath: String, input: (path: String, reader: SoundFileReader)? = nil,
    duration: Double?
  ) throws(PatchRender.Failure) {
    var request = PatchRender.Request(reading, in: surroundings)
    var own = try PatchRender.playingTime(request)
    request.input = input?.reader
    if let reader = input?.reader {
      own = max(own ?? 0, Double(reader.frameCount) / reader.sampleRate)
    }
    let length = duration ?? min(own ?? Self.usualDuration, Self.maximumDuration)
    request.duration = length
    let device = PatchRender.Place.device
    let outcome = try PatchRender.run(request, listeningAt: [device])
    if duration != nil, outcome.frameCount == 0 {
      throw .failed(
        "the duration is shorter than a frame, which lasts 1/\(rateText(outcome.sampleRate)) s")
    }
    guard let sound = outcome.sounds[device], sound.frameCount > 0 else {
      throw .failed("nothing comes out of the patch")
    }
    var lines: [JSONText] = []
    func expect(_ kind: String, _ value: JSONText, channel: Int? = nil) {
      var members = [JSONText.Member(kind, value)]
      if let channel { members.insert(.init("channel", .number(channel)), at: 0) }
      lines.append(.object(members))
    }
    if let own, duration == nil, input == nil, own <= Self.maximumDuration {
      expect("duration", ["near": .number((own * 1000).rounded() / 1000), "within": 0.002])
    }
    let levels = sound.rms()
    for channel in sound.channels.indices {
      let isSilent = levels[channel].value < -90
      expect(
        isSilent ? "silence" : "notSilent", true, channel: sound.channelCount == 1 ? nil : channel)
    }
    expect("finite", true)
    let peak = sound.truePeak().map(\.value).max() ?? -.infinity
    if peak.isFinite {
      expect("truePeak", ["atMost": .number(Self.rounded(peak + 0.3, up: true))])
    }
    if sound.clipped().isEmpty { expect("clipping", 0) }
    if sound.clicks().isEmpty { expect("clicks", 0) }
    if sound.dropouts().isEmpty { expect("dropouts", 0) }
    if sound.dc().allSatisfy({ $0.value < -60 }) { expect("dc", true) }
    for (channel, level) in levels.enumerated() where level.value >= -90 {
      Self.add(
        "rms", level.value, sound.channel(channel), sound.channelCount == 1 ? nil : channel, &lines)
    }
    if sound.duration >= 3, let loudness = sound.integratedLoudness() {
      Self.add("integratedLoudness", loudness, sound, nil, &lines)
    }
    var golden: (String, Sound)?
    if let begin = Self.loudest(sound) {
      let end = min(sound.duration, begin + Self.goldenSeconds)
      let frames =
        Int((begin * sound.sampleRate).rounded())..<Int((end * sound.sampleRate).rounded())
      lines.append(
        .object([
          .init("during", [.number(begin), .number((end * 1e6).rounded() / 1e6)]),
          .init(
            "golden", ["path": .string(goldenPath), "kernel": .string(VectorMath.name)]),
        ]))
      golden = (goldenPath, sound.during(frames))
    }
    var test: [JSONText.Member] = []
    if let input { test.append(.init("input", .string(input.path))) }
    if own == nil || duration != nil || (own ?? 0) > Self.maximumDuration {
      test.append(.init("duration", .number(length)))
    }
    test.append(.init("expect", .array(lines)))
    let document: JSONText = [
      "patch": .string(path), "tests": ["sounds as it did": .object(test)],
    ]
    text = PatchFormatter.formatted(document.document)
    self.golden = golden
  }

  /// Adds an expectation that a number stays near its present value, within its margin.
  private static func add(
    _ kind: String, _ value: Double, _ sound: Sound, _ channel: Int?, _ lines: inout [JSONText]
  ) {
    guard value.isFinite, let kind = ExpectationCatalog.kind(kind),
      let expectation = Expectation.withoutSettings(kind)
    else { return }
    let margin = max(0.2, rounded(Margins.margin(expectation, of: sound) * 1.5, up: true))
    var members: [JSONText.Member] = []
    if let channel { members.append(.init("channel", .number(channel))) }
    members.append(
      .init(
        kind.name,
        ["near": .number((value * 10).rounded() / 10), "within": .number(margin)]))
    lines.append(.object(members))
  }

  /// The time at which the loudest two seconds begin, in seconds, to 10 ms; `nil` for silence. Most
  /// of what a patch does is heard there.
  private static func loudest(_ sound: Sound) -> Double? {
    let step = max(1, Int(sound.sampleRate / 100))
    let powers = stride(from: 0, to: sound.frameCount, by: step).map { start in
      sound.channels.reduce(0.0) { sum, channel in
        channel[start..<min(start + step, channel.count)].reduce(sum) { sum, sample in
          sample.isFinite ? sum + Double(sample) * Double(sample) : sum
        }
      }
    }
    let width = min(Int(goldenSeconds * 100), powers.count)
    var sum = powers[..<width].reduce(0, +)
    var best = (start: 0, power: sum)
    for start in 1..<max(1, powers.count - width + 1) {
      sum += powers[start + width - 1] - powers[start - 1]
      if sum > best.power { best = (start, sum) }
    }
    return best.power > 0 ? Double(best.start) / 100 : nil
  }

  private static func rounded(_ value: Double, up: Bool) -> Double {
    (value * 10).rounded(up ? .up : .down) / 10
  }
}

extension Expectation {
  /// An expectation without bound and settings, read from a text made for it.
  static func withoutSettings(_ kind: ExpectationKind) -> Expectation? {
    let text = SourceText(name: "", text: "{ \"\(kind.name)\": {} }")
    guard let root = JSONReader.read(text, dialect: .json).tree?.root, let value = root[kind.name],
      let key = root.members.reduce(nil as JSONValue?, { $0 ?? $1.key })
    else { return nil }
    return Expectation(kind: kind, json: root, key: key, value: value)
  }
}

import AudioGraphs
import AudioTypes
import Diagnostics
import FileAccess
import PatchGraph
import PatchRendering
import PatchSyntax
import RenderCore
import Responses
import SoundExpectations
import SoundFiles
import SoundMeasures

/// One run of a test: renders its patch as often as its expectations need.
///
/// Used by one thread at a time.
final class TestRun: TestedPatch {
  private let file: TestFile
  private let test: TestFile.Test
  private let patch: TestFile.TestedSource
  private let assumption: HardwareAssumption
  private let settings: TestSettings
  /// The patch with the mutation and the settings of the test.
  private let reading: PatchReader.Result
  private let mutations: [String]
  private let soundMutation: (@Sendable (Sound) -> Sound)?
  private let isCancelled: () -> Bool
  /// The renders, by variant; `nil` is the test's own patch.
  private var renders: [RenderVariant?: PatchRender.Outcome] = [:]

  /// - Parameter mutation: A deliberate fault; `nil` for none.
  /// - Throws: ``TestProblem`` where the patch, the hardware or a setting of the test is wrong.
  init(
    _ test: TestFile.Test, in file: TestFile, mutation: Mutation? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(TestProblem) {
    guard let patch = file.patch else {
      throw TestProblem(ExpectationRules.file, "the patch cannot be read", test.key)
    }
    self.file = file
    self.test = test
    self.patch = patch
    self.isCancelled = isCancelled
    do throws(HardwareAssumption.ParseError) {
      assumption =
        try test.written.hardware.map { written throws(HardwareAssumption.ParseError) in
          try HardwareAssumption.parse(written.value)
        } ?? HardwareAssumption()
    } catch {
      throw TestProblem(
        ExpectationRules.input, error.description, test.written.hardware?.json ?? test.key,
        help: ["write \"rate=48000,channels=2\", for example"])
    }
    settings = try TestSettings(test.written, of: patch, assuming: assumption)
    // Mutations come first, so that a setting of the test overrides one.
    if case .patch(let texts)? = mutation?.change {
      mutations = texts
    } else {
      mutations = []
    }
    reading = patch.reading(mutations + settings.overrides)
    if case .sound(let change)? = mutation?.change {
      soundMutation = change
    } else {
      soundMutation = nil
    }
  }

  // MARK: Checks without rendering

  /// Checks the patch, and the places where the expectations listen. Nothing is rendered.
  ///
  /// - Parameter isStatic: Whether no render follows: a patch with native code then needs no
  ///   permission to call it.
  /// - Returns: The problems of single expectations.
  /// - Throws: ``TestProblem`` where the patch is wrong or cannot be initialized.
  func check(isStatic: Bool = false) throws(TestProblem) -> [TestProblem] {
    let isAboutFindings =
      !test.expectations.isEmpty
      && test.expectations.allSatisfy { $0.kind.name == ExpectationKind.diagnostics.name }
    let built = PatchBuilder.build(reading, in: patch.surroundings, device: .assumed(assumption))
    if isAboutFindings { return [] }
    guard !built.hasErrors, let graph = built.graph else { throw problem(of: built) }
    if isStatic, !built.libraries.isEmpty, patch.surroundings.nativeCode == .refused { return [] }
    do throws(Violation) { try graph.initialize() } catch {
      throw problem(of: error)
    }
    let places = ListeningPlaces(graph, built.document)
    return test.expectations.compactMap { expectation in
      let problem = places.problem(of: expectation, duration: test.written.duration?.value)
      if problem != nil { expectationsWithoutPlace.insert(expectation.json.range.lowerBound) }
      return problem
    }
  }

  /// The first error of the patch, as a finding of the test file.
  private func problem(of built: BuiltPatch) -> TestProblem {
    let errors = built.diagnostics.filter { $0.severity == .error }
    guard let first = errors.first else {
      return TestProblem(ExpectationRules.file, "the patch is wrong", test.key)
    }
    let more = errors.findingCount > 1 ? ", and \(errors.findingCount - 1) more" : ""
    let place = built.source.origin(of: first.range)
    let position = place.text.position(of: place.range.lowerBound)
    let base = PatchBuilder.build(
      patch.reading(), in: patch.surroundings, device: .assumed(assumption))
    guard base.hasErrors else {
      let json = settings.place(of: first, in: built.source)
      return TestProblem(
        ExpectationRules.input,
        "what the test changes makes the patch wrong: \(first.code): \(first.message.text)\(more)",
        json ?? test.key, label: json == nil ? "in this test" : nil,
        help: first.help.prefix(2) + ["'patchrun explain \(first.code)' says more"])
    }
    return TestProblem(
      ExpectationRules.file,
      "the patch is wrong: \(first.code) at \(place.text.name):\(position.line):\(position.column): "
        + "\(first.message.text)\(more)",
      file.patchPlace ?? test.key,
      help: ["'patchrun validate \(place.text.name)' says all of it"])
  }

  private func problem(of violation: Violation) -> TestProblem {
    TestProblem(
      ExpectationRules.render, "the patch cannot be initialized: \(violation.message)", test.key,
      help: violation.help)
  }

  // MARK: Renders

  private var request: PatchRender.Request {
    var request = PatchRender.Request(reading, in: patch.surroundings, assuming: assumption)
    request.duration = test.written.duration?.value
    return request
  }

  /// Renders the test's own patch, where an expectation needs it.
  func render() throws(TestProblem) {
    guard
      test.expectations.contains(where: {
        $0.kind.subject == .sound && !expectationsWithoutPlace.contains($0.json.range.lowerBound)
          || $0.kind.name == ExpectationKind.load.name
      })
    else { return }
    do throws(ExpectationProblem) { _ = try outcome(nil) } catch {
      throw TestProblem(
        ExpectationRules.render, error.message, test.written.duration?.json ?? test.key,
        help: error.help)
    }
  }

  /// The offsets in the test file of expectations whose place has no sound.
  private var expectationsWithoutPlace: Set<Int> = []

  private var places: Set<PatchRender.Place> {
    Set(
      test.expectations.filter {
        $0.kind.subject == .sound && !expectationsWithoutPlace.contains($0.json.range.lowerBound)
      }.map { place($0) })
  }

  /// Where an expectation listens.
  private func place(_ expectation: Expectation) -> PatchRender.Place {
    guard let at = expectation.at?.value else { return .device }
    // Where the address is wrong, this has been reported and the expectation is not measured.
    return
      (try? ListeningPlaces.place(
        at, ends: subgraphEnds, outputUnits: outputUnits, in: built.document)) ?? .device
  }

  private lazy var built = PatchBuilder.build(
    reading, in: patch.surroundings, device: .assumed(assumption))
  private lazy var subgraphEnds =
    built.document?.nodes.filter { $0.value.endsSubgraph }.map(\.name) ?? []
  private lazy var outputUnits = ListeningPlaces.outputUnits(built.graph)

  private func outcome(
    _ variant: RenderVariant?
  ) throws(ExpectationProblem) -> PatchRender.Outcome {
    if let known = renders[variant] { return known }
    var request = request
    request.input = try input()
    if request.assumption.inputChannels == nil {
      request.assumption.inputChannels = request.input?.channelCount
    }
    switch variant {
    case nil: break
    case .slices(let frames): request.assumption.ioBufferFrames = frames
    case .settings(let texts):
      request.reading = patch.reading(mutations + settings.overrides + texts)
    case .changed(let texts, let time):
      let changed = patch.reading(mutations + settings.overrides + texts)
      guard !changed.hasErrors else {
        throw ExpectationProblem(
          "the change makes the patch wrong: \(changed.diagnostics.first?.message.text ?? "")",
          key: "change")
      }
      request.change = (changed, time)
    case .patch(let path):
      do throws(FileRefusal) {
        let other = try TestFile.patch(path, in: file.directory, file.access)
        request.reading = other.reading()
        request.surroundings = other.surroundings
      } catch {
        throw ExpectationProblem(error.message(for: path), key: "patch")
      }
    }
    do throws(PatchRender.Failure) {
      var outcome = try PatchRender.run(
        request, listeningAt: places, isCancelled: isCancelled)
      if let soundMutation { outcome.sounds = outcome.sounds.mapValues(soundMutation) }
      renders[variant] = outcome
      return outcome
    } catch {
      throw Self.problem(error)
    }
  }

  private func input() throws(ExpectationProblem) -> SoundFileReader? {
    guard let input = test.written.input else { return nil }
    do throws(SoundFileError) {
      return try SoundFileReader(path: FilePolicy.join(file.directory, input.value))
    } catch {
      throw ExpectationProblem(error.message)
    }
  }

  private static func problem(_ failure: PatchRender.Failure) -> ExpectationProblem {
    switch failure {
    case .wrong(let patch):
      let first = patch.diagnostics.first { $0.severity == .error }
      return ExpectationProblem(
        "the patch is wrong: " + (first.map { "\($0.code): \($0.message.text)" } ?? ""),
        help: Array(first?.help.prefix(2) ?? []))
    case .refused(let violation, _):
      return ExpectationProblem(
        "the patch cannot be initialized: \(violation.message)", help: violation.help)
    case .endless:
      return ExpectationProblem(
        "the patch has no end of its own", help: ["say how long it is rendered: \"duration\": 5"])
    case .noPlace(_, let text): return ExpectationProblem("there is no such output", help: [text])
    case .restart(let text):
      return ExpectationProblem("the change cannot be made while the patch plays: \(text)")
    case .failed(let text): return ExpectationProblem(text)
    }
  }

  // MARK: TestedPatch

  func sound(for expectation: Expectation) throws(ExpectationProblem) -> Sound {
    try part(of: try outcome(nil), for: expectation)
  }

  func sound(
    for expectation: Expectation, _ variant: RenderVariant
  ) throws(ExpectationProblem) -> Sound {
    try part(of: try outcome(variant), for: expectation)
  }

  private func part(
    of outcome: PatchRender.Outcome, for expectation: Expectation
  ) throws(ExpectationProblem) -> Sound {
    guard var sound = outcome.sounds[place(expectation)] else {
      throw ExpectationProblem("there is no such output", key: "at")
    }
    if let channel = expectation.channel {
      guard sound.channels.indices.contains(channel.value) else {
        throw ExpectationProblem(
          "there is no channel \(channel.value)",
          help: [
            sound.channelCount == 1
              ? "the only channel is 0" : "the channels are 0 to \(sound.channelCount - 1)"
          ], key: "channel")
      }
      sound = sound.channel(channel.value)
    }
    let frames = frames(of: expectation, sound)
    if frames != 0..<sound.frameCount {
      guard frames.lowerBound < sound.frameCount else {
        throw ExpectationProblem(
          "the sound is over after \(BoundUnit.seconds.text(sound.duration))", key: "during")
      }
      sound = sound.during(frames)
    }
    guard sound.frameCount > 0 else { throw ExpectationProblem("there is no sound at all") }
    return sound
  }

  private func frames(of expectation: Expectation, _ sound: Sound) -> Range<Int> {
    guard let during = expectation.during?.value else { return 0..<sound.frameCount }
    let begin = Int((during.lowerBound * sound.sampleRate).rounded())
    return begin..<max(begin + 1, Int((during.upperBound * sound.sampleRate).rounded()))
  }

  /// The first frame and the sample rate of the part that an expectation looks at; `nil` before the
  /// patch is rendered.
  func origin(of expectation: Expectation) -> (frame: Int, sampleRate: Double)? {
    guard let sound = renders[nil]?.sounds[place(expectation)] else { return nil }
    return (frames(of: expectation, sound).lowerBound, sound.sampleRate)
  }

  /// A hash of the test's own render: equal for renders with equal samples.
  var fingerprint: Int {
    var hasher = Hasher()
    for (place, sound) in (renders[nil]?.sounds ?? [:]).sorted(by: { "\($0.key)" < "\($1.key)" }) {
      hasher.combine(place)
      for channel in sound.channels {
        for sample in channel { hasher.combine(sample.bitPattern) }
      }
    }
    return hasher.finalize()
  }

  func golden(
    _ path: String, for expectation: Expectation
  ) throws(ExpectationProblem) -> Sound {
    do throws(SoundFileError) {
      return try Golden.read(FilePolicy.join(file.directory, path))
    } catch {
      throw ExpectationProblem(
        "the golden cannot be read: \(error.message)",
        help: ["'patchrun test --bless' writes the goldens that are missing"], key: "path")
    }
  }

  func response(
    from: String, to: String?, level: Double
  ) throws(ExpectationProblem) -> MeasuredPath {
    var reading = reading
    let patch = built
    guard !patch.hasErrors else { throw ExpectationProblem("the patch is wrong") }
    // No tap writes its file, and the timeline makes no changes.
    reading.document = patch.document
    reading.document?.taps = []
    reading.document?.timeline = []
    let bench = ResponseBench(
      reading: reading, surroundings: self.patch.surroundings, device: .assumed(assumption))
    let cancelled = isCancelled
    do throws(ResponseFailure) {
      let places = try bench.places(from: from, to: to)
      let measured = try bench.measure(
        places, fromChannel: nil, toChannel: nil, pointsPerOctave: 24,
        peak: renderExp(level / 20 * 2.302585092994046), isCancelled: { cancelled() })
      guard let measured else { throw ResponseFailure.failed("interrupted") }
      return MeasuredPath(
        frequencies: measured.response.frequencies,
        magnitudes: measured.response.channels.map(\.magnitude),
        latencyFrames: measured.response.latencyFrames)
    } catch {
      switch error {
      case .misuse(let message, let help), .failed(let message, let help):
        throw ExpectationProblem(message, help: help)
      case .wrongPatch: throw ExpectationProblem("the patch is wrong")
      case .refused(let violation, _): throw ExpectationProblem(violation.message)
      }
    }
  }

  func findings() throws(ExpectationProblem) -> [Rule.Code] {
    let listed = test.expectations.flatMap { $0.texts["codes"] ?? [] }
    let codes = PatchBuilder.build(
      reading, in: patch.surroundings, device: .assumed(assumption), notes: true
    ).diagnostics.filter { $0.severity != .note || listed.contains($0.code.rawValue) }.map(\.code)
    return Array(Set(codes)).sorted()
  }

  func load() throws(ExpectationProblem) -> Double {
    let outcome = try outcome(nil)
    let duration = Double(outcome.frameCount) / max(outcome.sampleRate, 1)
    return duration > 0 ? outcome.seconds / duration : 0
  }

  func playingTime() throws(ExpectationProblem) -> Double? {
    do throws(PatchRender.Failure) { return try PatchRender.playingTime(request) } catch {
      throw Self.problem(error)
    }
  }
}

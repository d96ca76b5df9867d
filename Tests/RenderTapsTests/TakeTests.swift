import AudioTypes
import FileAccess
import Foundation
import RenderCore
import SoundFiles
import TestSupport
import Testing

@testable import RenderTaps

/// Names of takes, and recordings that continue in the next graph.
struct TakeTests {
  private let moment = TakeMoment(1_800_000_000)

  @Test
  func `words in braces stand for the day, the time and the number`() throws {
    #expect(try TakeName("a/take.wav").path(moment, number: 1) == "a/take.wav")
    #expect(try TakeName("a.b/take.wav").path(moment, number: 2) == "a.b/take-2.wav")
    #expect(try TakeName("{{x}} {take}.wav").path(moment, number: 7) == "{x} 7.wav")
    let name = try TakeName("{date}/{time}.wav").path(moment, number: 1)
    #expect(
      name.wholeMatch(of: /2027-01-1[45]\/[0-9]{2}-[0-9]{2}-[0-9]{2}\.wav/) != nil, "\(name)")
    #expect(try TakeName("{take}.wav").isCounted && !TakeName("{date}.wav").isCounted)
  }

  @Test(arguments: [
    ("take {tak}.wav", "there is no '{tak}' for a path", 6..<9),
    ("take {.wav", "'{' is not closed", 5..<6), ("}.wav", "'}' closes nothing", 0..<1),
    ("{take}/a.wav", "'{take}' is in the name of a folder", 0..<6),
  ])
  func `what is wrong in braces is said with its place`(
    path: String, message: String, range: Range<Int>
  ) throws {
    let problem = #expect(throws: CallbackProblem.self) { _ = try TakeName(path) }
    #expect(problem?.message == message && problem?.range == range)
    #expect(problem?.kind == .takeName && problem?.setting == "path")
    #expect(RecordTap.description.problems(with: ["path": .text(path)]).map(\.message) == [message])
  }

  /// Renders `frameCount` ones into a tap.
  private func record(_ tap: RecordTap, _ frameCount: Int) throws -> any RenderService {
    let sink = try tap.makeSink(
      for: StreamFormat(.float32, channels: 1, sampleRate: 48_000), maximumFramesPerSlice: 4096)
    _ = render(
      sink.kernel, inputs: [[[Float](repeating: 1, count: frameCount)]], outputChannelCounts: [],
      frameCount: frameCount)
    return try #require(sink.service)
  }

  @Test
  func `a recording that is handed over goes on in its file, frame by frame`() throws {
    let folder = try TemporaryFolder()
    var tap = RecordTap(path: "\(folder.path)/a.wav")
    tap.takes = Takes(.number)
    let first = try record(tap, 1000)
    tap.takes.beginHandover()
    try first.finish()
    #expect(tap.takes.written.isEmpty)
    #expect(try folder.fileNames() == ["a.unfinished.wav"])
    let second = try record(tap, 500)
    #expect(tap.takes.endHandover().isEmpty)
    second.noteGap(seconds: 0.25, cause: "a test")
    try second.finish()
    #expect(try folder.fileNames() == ["a.wav"])
    #expect(try SoundFileReader(path: "\(folder.path)/a.wav").frameCount == 1500)
    #expect(tap.takes.written.map(\.path) == ["\(folder.path)/a.wav"])
    #expect(tap.takes.written.map(\.frameCount) == [1500])
    let whole = try FilePolicy.user.open("\(folder.path)/a.wav")
    let version = FileVersion(of: whole.descriptor)
    #expect(tap.takes.written.first?.version == version)
    let event = try #require(second.takeEvents().first)
    #expect(event.kind == .gap && event.duration == 0.25)
    #expect(event.message == "'\(folder.path)/a.wav': 0.250 s missing at 0:00.031: a test")
  }

  @Test
  func `a recording that nobody goes on with is closed`() throws {
    let folder = try TemporaryFolder()
    var tap = RecordTap(path: "\(folder.path)/a.wav")
    tap.takes = Takes(.number)
    let first = try record(tap, 1000)
    tap.takes.beginHandover()
    try first.finish()
    #expect(tap.takes.endHandover().isEmpty)
    #expect(try folder.fileNames() == ["a.wav"])
  }

  @Test(arguments: [Takes.Existing.replace, .replaceOwn, .number])
  func `one run never uses a name twice`(existing: Takes.Existing) throws {
    let folder = try TemporaryFolder()
    for run in 1...2 {
      var tap = RecordTap(path: "\(folder.path)/a.wav")
      tap.takes = Takes(existing)
      for _ in 0..<2 { try record(tap, 100 * run).finish() }
      let names = try folder.fileNames()
      let isNumbered = if case .number = existing { true } else { false }
      #expect(
        names
          == (isNumbered && run == 2
            ? ["a-2.wav", "a-3.wav", "a-4.wav", "a.wav"] : ["a-2.wav", "a.wav"]))
    }
    #expect(
      try SoundFileReader(path: "\(folder.path)/a.wav").frameCount
        == { if case .number = existing { 100 } else { 200 } }())
  }

  @Test
  func `a run that has failed leaves what was there`() throws {
    let folder = try TemporaryFolder()
    let tap = RecordTap(path: "\(folder.path)/a.wav")
    try record(tap, 100).finish()
    let again = RecordTap(path: "\(folder.path)/a.wav")
    try record(again, 200).abandon()
    #expect(try SoundFileReader(path: "\(folder.path)/a.wav").frameCount == 100)
    #expect(try SoundFileReader(path: "\(folder.path)/a.unfinished.wav").frameCount == 200)
  }
}

import AudioTypes
import FileAccess
import Foundation
import RenderCore
import SoundFiles
import TestSupport
import Testing

@testable import RenderTaps

/// Recordings on a disk that fills up and is emptied: a `tmpfs`, which only root can mount.
@Suite(.enabled(if: SmallDisk.canMount, "mounting takes root"))
struct FullDiskTests {
  private static let rate = 8000.0
  private static let slice = 2048

  /// A recording of noise.
  private final class Bench {
    let format = StreamFormat(.float32, channels: 1, sampleRate: FullDiskTests.rate)
    let disk: SmallDisk
    let sink: RenderSink
    let service: any RenderService
    var generator = SplitMix64(seed: 4)
    var sent: [Float] = []
    var events: [ServiceEvent] = []

    init(_ name: String, isLive: Bool = true) throws {
      disk = try SmallDisk(bytes: 1 << 20)
      var tap = RecordTap(path: disk.path + "/" + name)
      tap.dither = .none
      tap.takes = Takes(.number, goesOnWhenThereIsRoom: isLive)
      sink = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
      service = try #require(sink.service)
    }

    /// Plays slices until an event of a kind, or `count` slices. Returns whether the event came.
    @discardableResult
    func play(_ count: Int, until kind: ServiceEvent.Kind? = nil) throws -> Bool {
      for _ in 0..<count {
        let noise = (0..<FullDiskTests.slice).map { _ in
          Float.random(in: -1...1, using: &generator) * 0.9
        }
        sent += noise
        _ = render(
          sink.kernel, inputs: [[noise]], outputChannelCounts: [], frameCount: noise.count)
        try service.service(atLeast: 4096)
        let new = service.takeEvents()
        events += new
        if let kind, new.contains(where: { $0.kind == kind }) { return true }
      }
      return false
    }

    func finish() throws {
      try service.finish()
      events += service.takeEvents()
    }
  }

  @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3", "aiff", "caf", "au", "w64", "rf64"])
  func `three times full, and each file is whole: their lengths and the gaps are the clock`(
    ending: String
  ) throws {
    let name = "take." + ending
    // Some versions of libsndfile lack formats.
    guard SoundFileFormat.writable(forPath: name) != nil else { return }
    let bench = try Bench(name)
    for round in 1...3 {
      bench.disk.fill(leaving: 40_960)
      #expect(try bench.play(4000, until: .ended), "round \(round)")
      // Nothing is written while there is no room.
      let before = bench.disk.names
      #expect(try !bench.play(40, until: .begun))
      #expect(bench.disk.names == before)
      bench.disk.clear()
      #expect(try bench.play(400, until: .begun), "round \(round)")
      try bench.play(20)
    }
    try bench.finish()
    #expect(bench.disk.names == (1...4).map { PendingFile.name(name, number: $0) }.sorted())
    let ended = bench.events.filter { $0.kind == .ended }
    #expect(ended.count == 3)
    #expect(ended.allSatisfy { $0.isFailure && $0.cause.hasPrefix("the disk is full") })
    let gaps = bench.events.filter { $0.kind == .gap }
    #expect(gaps.count == 3)
    let lost = gaps.reduce(0) { $0 + $1.frameCount }
    #expect(lost > 3 * 40 * Self.slice && bench.service.lostFrames == lost)
    // The files in order, each after its gap.
    let isLossy = ["ogg", "opus", "mp3"].contains(ending)
    var position = 0
    for number in 1...4 {
      if number > 1 { position += gaps[number - 2].frameCount }
      let path = bench.disk.path + "/" + PendingFile.name(name, number: number)
      let reader = try SoundFileReader(path: path)
      var found = [Float](repeating: 0, count: reader.frameCount)
      #expect(try reader.read(into: &found) == reader.frameCount)
      if !isLossy {
        let sent = bench.sent[position..<position + found.count]
        #expect(zip(found, sent).allSatisfy { abs($0 - $1) < 1e-4 }, "\(path)")
      }
      if number < 4 {
        #expect(gaps[number - 1].file.hasSuffix(PendingFile.name(name, number: number + 1)))
        // Decoders of lossy formats may return additional frames at the end.
        let told = Int((ended[number - 1].time * Self.rate).rounded())
        #expect(isLossy ? found.count >= told : found.count == told)
        position += told
      } else {
        position += found.count
      }
    }
    let extra = position - bench.sent.count
    #expect(isLossy ? (0...2304).contains(extra) : extra == 0, "\(extra)")
  }

  @Test
  func `frames that a full disk has cost up to the end are told and counted`() throws {
    let bench = try Bench("take.wav")
    bench.disk.fill(leaving: 40_960)
    #expect(try bench.play(100, until: .ended))
    try bench.play(10)
    try bench.finish()
    let reader = try SoundFileReader(path: bench.disk.path + "/take.wav")
    let gap = try #require(bench.events.last)
    #expect(gap.kind == .gap && gap.file.hasSuffix("/take.wav"))
    #expect(reader.frameCount + gap.frameCount == bench.sent.count)
    #expect(gap.time == Double(reader.frameCount) / Self.rate)
    #expect(gap.message.contains("(\(gap.frameCount) frames) missing"))
    #expect(gap.cause == "the disk was full")
  }

  @Test
  func `a disk that has room for all but the end of a file leaves it whole`() throws {
    let bench = try Bench("take.flac")
    try bench.play(9)
    bench.disk.fill(leaving: 0)
    try bench.finish()
    #expect(bench.disk.names == ["take.flac"])
    let reader = try SoundFileReader(path: bench.disk.path + "/take.flac")
    let lost = bench.events.filter { $0.kind == .gap }.reduce(0) { $0 + $1.frameCount }
    #expect(lost > 0 && reader.frameCount + lost == bench.sent.count, "\(bench.events)")
  }

  @Test
  func `a render does not go on: what there is of it is left as unfinished`() throws {
    let bench = try Bench("take.wav", isLive: false)
    bench.disk.fill(leaving: 40_960)
    #expect(try bench.play(100, until: .ended))
    bench.disk.clear()
    #expect(try !bench.play(100, until: .begun))
    try bench.finish()
    #expect(bench.disk.names == ["take.unfinished.wav"])
  }

  @Test
  func `where a file that has hardly begun finds no room either, the next one waits longer`() throws
  {
    let bench = try Bench("take.wav")
    bench.disk.fill(leaving: 8192)
    #expect(try bench.play(100, until: .ended))
    var seconds: [Double] = []
    for _ in 0..<3 {
      let begin = bench.sent.count
      bench.disk.clear()
      #expect(try bench.play(400, until: .begun))
      seconds.append(Double(bench.sent.count - begin) / Self.rate)
      bench.disk.fill(leaving: 4096)
      #expect(try bench.play(100, until: .ended))
    }
    #expect(seconds[0] < 3 && seconds[1] > seconds[0] + 1 && seconds[2] > seconds[1] + 2)
  }

  @Test
  func `a graph that takes the place of one whose recording waits for room waits, too`() throws {
    let disk = try SmallDisk(bytes: 1 << 20)
    var tap = RecordTap(path: disk.path + "/take.wav")
    tap.takes = Takes(.number, goesOnWhenThereIsRoom: true)
    let format = StreamFormat(.float32, channels: 1, sampleRate: Self.rate)
    func play(_ sink: RenderSink, _ count: Int) throws -> [ServiceEvent] {
      let ones = [Float](repeating: 1, count: Self.slice)
      for _ in 0..<count {
        _ = render(sink.kernel, inputs: [[ones]], outputChannelCounts: [], frameCount: Self.slice)
        try #require(sink.service).service(atLeast: 4096)
      }
      return try #require(sink.service).takeEvents()
    }
    let first = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
    disk.fill(leaving: 8192)
    #expect(try play(first, 40).map(\.kind) == [.ended])
    disk.fill(leaving: 0)
    tap.takes.beginHandover()
    try #require(first.service).finish()
    let second = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
    #expect(tap.takes.endHandover().isEmpty)
    #expect(try play(second, 40) == [])
    disk.clear()
    #expect(try play(second, 40).map(\.kind) == [.begun, .gap])
    try #require(second.service).finish()
    #expect(disk.names == ["take-2.wav", "take.wav"])
  }
}

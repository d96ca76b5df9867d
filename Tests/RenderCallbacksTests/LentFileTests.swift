import AudioTypes
import Foundation
import Glibc
import RenderCallbacks
import RenderCore
import TestSupport
import Testing

/// A file of floats that an offline host plays: a kernel reads its frames where they lie.
@Suite struct LentFileTests {
  private static let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)

  /// A file callback in a plan with its reader.
  private final class Player {
    private let plan: RenderPlan
    let service: any RenderService
    private(set) var events: [ServiceEvent] = []
    private(set) var wasLent = false
    private var frame = 0

    init(_ path: String, notes: Bool = true) throws {
      let source = try FileCallback(path: path).makeSource(
        for: LentFileTests.format, maximumFramesPerSlice: 4096)
      service = try #require(source.service)
      plan = RenderPlan(
        rows: [
          .init(kernel: source.kernel, inputs: [], outputs: [0]),
          .init(kernel: .holding(FrameReader(notesFinite: notes)), inputs: [0], outputs: [1]),
        ], busChannelCounts: [2, 2], maximumFramesPerSlice: 4096, keeping: [1])
    }

    /// Plays the next frames, and returns them interleaved.
    func play(_ count: Int, beforeRendering change: () -> Void = {}) throws -> [Float] {
      try service.service(inStepFor: count)
      change()
      #expect(plan.render(frameCount: count, at: TimeStamp(sampleTime: Double(frame))) == .ok)
      wasLent = plan.bus(0, frameCount: count).isInterleaved
      frame += count
      events += service.takeEvents()
      let bus = plan.bus(1, frameCount: count)
      return (0..<count).flatMap { [bus[0][$0], bus[1][$0]] }
    }

    func finish() throws {
      try service.finish()
      events += service.takeEvents()
    }
  }

  /// - Parameter isMapped: Whether it is a WAV file, which is mapped. Otherwise it is a CAF file,
  ///   which libsndfile reads.
  private func file(
    _ count: Int, changing: [Int: Float] = [:], isMapped: Bool = true
  ) throws -> (TestFile, [Float]) {
    var samples = noise(2 * count, seed: 41)
    for (index, sample) in changing { samples[index] = sample }
    let file =
      isMapped
      ? try TestFile(shortHead: samples, channels: 2)
      : try TestFile(.float32, samples.map(Double.init), channels: 2, ending: "caf")
    return (file, samples)
  }

  /// Cuts a file of stereo floats off.
  private func cut(_ path: String, of count: Int, at frame: Int) {
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(unsafe truncate(path, status.st_size - off_t(8 * (count - frame))) == 0)
  }

  @Test(arguments: [1, 100, 512, 4096], [true, false])
  func `a long file is heard where it lies, sample for sample, and silence after it`(
    slice: Int, isMapped: Bool
  ) throws {
    // More than one stretch of memory.
    let count = slice < 100 ? 5000 : 600_001
    let (file, samples) = try file(count, isMapped: isMapped)
    let player = try Player(file.path)
    var found: [Float] = []
    var lent = 0
    while found.count < 2 * count + 2 * slice {
      found += try player.play(slice)
      if player.wasLent { lent += slice }
    }
    try player.finish()
    #expect(found.prefix(2 * count).map(\.bitPattern) == samples.map(\.bitPattern))
    #expect(found.dropFirst(2 * count).allSatisfy { $0 == 0 })
    #expect(lent > count - 2 * slice && player.events.isEmpty)
  }

  @Test func `a sample that is not finite is told with its frame`() throws {
    let (file, _) = try file(20_000, changing: [2 * 7000 + 1: .nan])
    func events(notes: Bool) throws -> [ServiceEvent] {
      let player = try Player(file.path, notes: notes)
      for _ in 0..<4 { _ = try player.play(4096) }
      try player.finish()
      return player.events
    }
    let found = try events(notes: false)
    #expect(found.map(\.kind) == [.notFinite] && found.map(\.time) == [7000.0 / 48_000])
    // A kernel that says that it has looked is believed: nobody else looks.
    #expect(try events(notes: true).isEmpty)
  }

  @Test func `a file that is cut off before it is read is told, and is silent from there`() throws {
    let (file, samples) = try file(100_000)
    let player = try Player(file.path)
    var found = try player.play(4096) + player.play(4096)
    cut(file.path, of: 100_000, at: 10_000)
    while found.count < 2 * 40_000 { found += try player.play(4096) }
    try player.finish()
    #expect(found.prefix(2 * 8192).map(\.bitPattern) == samples.prefix(2 * 8192).map(\.bitPattern))
    #expect(found.dropFirst(2 * 10_000).allSatisfy { $0 == 0 })
    #expect(player.events.contains { $0.kind == .unread && $0.isOngoing })
  }

  @Test func `a file that is cut off while it is read is told, and is silent from there`() throws {
    let (file, samples) = try file(100_000)
    let player = try Player(file.path)
    var found = try player.play(4096) + player.play(4096)
    #expect(player.wasLent)
    found += try player.play(4096) { cut(file.path, of: 100_000, at: 8192) }
    #expect(player.wasLent && player.events.isEmpty)
    found += try player.play(4096)
    try player.finish()
    #expect(found.prefix(2 * 8192).map(\.bitPattern) == samples.prefix(2 * 8192).map(\.bitPattern))
    #expect(found.dropFirst(2 * 8192).allSatisfy { $0 == 0 })
    let first = try #require(player.events.first)
    #expect(first.kind == .unread && first.time == 8192.0 / 48_000)
    #expect(first.cause == "the file was cut off while it was played")
  }

  @Test func `a fault in other memory still ends the process`() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      let path = NSTemporaryDirectory() + UUID().uuidString
      try! Data(count: 4096).write(to: URL(fileURLWithPath: path))
      let (file, _) = try LentFileTests().file(10_000)
      let player = try Player(file.path)
      _ = try player.play(4096)
      let descriptor = unsafe open(path, O_RDWR)
      let memory = unsafe mmap(nil, 4096, PROT_READ, MAP_PRIVATE, descriptor, 0)!
      _ = unsafe unlink(path)
      _ = ftruncate(descriptor, 0)
      _ = unsafe memory.load(as: UInt8.self)
    }
  }
}

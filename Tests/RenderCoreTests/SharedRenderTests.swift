import AudioTypes
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RenderCore

/// Adds its inputs, a constant and its last output. The result depends on the order of the rows and
/// on all earlier samples.
private struct Memory: RenderKernel {
  let number: Float
  var last: Float = 0

  init(number: Float) { self.number = number }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    for frame in 0..<context.frameCount {
      var sum = number + last * 0.37
      for input in 0..<context.inputCount {
        sum += context.input(input)[0][frame] * Float(input + 2) * 0.11
      }
      for channel in 0..<output.channelCount { output[channel][frame] = sum }
      last = sum / (1 + abs(sum))
    }
    return .ok
  }
}

private struct Refusal: RenderKernel {
  let status: Status

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { status }
}

/// Adds its inputs with individual gains, and notes the largest magnitude of the sum.
private struct Sum: RenderKernel, ~Copyable {
  var waiting: WaitingSignals
  let largest: ControlAccess

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    for input in 0..<context.inputCount {
      let signal = context.input(input)[0]
      waiting.append(
        signal, signal, leftGain: 1 / Float(input + 3), rightGain: -0.7 / Float(input + 1))
    }
    largest[word: 0] = waiting.mix(into: output[0], output[1], fresh: true, sharing: context.mix)
    return .ok
  }
}

/// A mix with the inputs of a row, and nothing else.
private struct Mix: RenderKernel {
  static var sharesMix: Bool { true }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { .ok }
}

/// Counts how often it is done, and on which threads.
private final class CountedErrand: CrewJob, @unchecked Sendable {
  // `@unchecked Sendable`: one thread at a time works, and the others see what it has done.
  private(set) var count = 0
  private(set) var threads: Set<UInt> = []

  func work() {
    count += 1
    threads.insert(UInt(pthread_self()))
  }
}

/// Adds up numbers, of which more are added while it is done.
@safe
private final class AddingErrand: CrewJob, @unchecked Sendable {
  // `@unchecked Sendable`: a number is written before it is counted, and one thread at a time works.
  private let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 100)
  private let count = Atomic<Int>(0)
  private var done = 0
  private(set) var sum = 0

  deinit { unsafe numbers.deallocate() }

  func add(_ number: Int) {
    let index = count.load(ordering: .relaxed)
    unsafe (numbers + index).initialize(to: number)
    count.store(index + 1, ordering: .releasing)
  }

  func work() {
    while done < count.load(ordering: .acquiring) {
      sum += unsafe numbers[done]
      done += 1
    }
  }
}

/// Threads that help a crew.
private final class Helpers {
  let crew: RenderCrew
  private let finished = DispatchGroup()

  init(_ count: Int, inRealTime: Bool = false, areUrgent: Bool = true) {
    crew = RenderCrew(inRealTime: inRealTime)
    for _ in 0..<count {
      finished.enter()
      Thread.detachNewThread { [crew, finished] in
        crew.help { _ in areUrgent }
        finished.leave()
      }
    }
  }

  func end() {
    crew.end()
    finished.wait()
  }
}

@Suite struct SharedRenderTests {
  private static let slice = 4096

  /// Random rows that read some buses and write another, which may have been written before.
  private func rows(_ random: inout SplitMix64) -> (rows: [RenderPlan.Row], counts: [Int]) {
    let busCount = Int.random(in: 6...24, using: &random)
    var rows: [RenderPlan.Row] = []
    for number in 0..<Int.random(in: 6...32, using: &random) {
      let inputs = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        Int.random(in: 1..<busCount, using: &random)
      }
      // The output may be one of the inputs, which the row then processes in place.
      let output = Int.random(in: 1..<busCount, using: &random)
      rows.append(
        .init(
          kernel: .holding(Memory(number: Float(number))), inputs: inputs, outputs: [output]))
    }
    rows.append(
      .init(kernel: .holding(Memory(number: 0)), inputs: Array(1..<busCount), outputs: [0]))
    return (rows, [Int](repeating: 1, count: busCount))
  }

  private func played(
    _ plan: borrowing RenderPlan, _ crew: RenderCrew?, slices: Int
  ) -> [Float] {
    var heard: [Float] = []
    for slice in 0..<slices {
      let time = TimeStamp(sampleTime: Double(slice * Self.slice))
      let helpers = unsafe crew.map { unsafe Unmanaged.passUnretained($0) }
      #expect(unsafe plan.renderPiece(frameCount: Self.slice, at: time, crew: helpers) == .ok)
      let bus = plan.bus(0, frameCount: Self.slice)
      heard += (0..<Self.slice).map { bus[0][$0] }
    }
    return heard
  }

  @Test(arguments: [1, 2, 5], [false, true])
  func `any number of threads gives the same samples`(helperCount: Int, inRealTime: Bool) {
    let helpers = Helpers(helperCount, inRealTime: inRealTime)
    defer { helpers.end() }
    var sharedCount = 0
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let (rows, counts) = rows(&random)
      random = SplitMix64(seed: seed)
      let (twins, _) = self.rows(&random)
      let alone = RenderPlan(
        rows: rows, busChannelCounts: counts, maximumFramesPerSlice: Self.slice)
      let shared = RenderPlan(
        rows: twins, busChannelCounts: counts, maximumFramesPerSlice: Self.slice, keeping: [0],
        threadCount: helperCount + 1, inRealTime: inRealTime)
      guard shared.isShared else { continue }
      sharedCount += 1
      // With some of the helpers asleep, and with some that fall asleep on the way.
      if inRealTime, !seed.isMultiple(of: 3) { helpers.crew.gather() }
      defer { _ = helpers.crew.dismiss() }
      #expect(
        played(alone, nil, slices: 4) == played(shared, helpers.crew, slices: 4), "seed \(seed)")
    }
    #expect(sharedCount > 20)
  }

  @Test func `no rows that are worth sharing are taken for others`() {
    var (worth, passed) = (0, 0)
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let (rows, counts) = rows(&random)
      let frames = [16, 256, 4096].randomElement(using: &random) ?? 0
      let isWorth = RowStrands(rows, busCount: counts.count).isWorthSharing(frames)
      let maySave = RowStrands.maySave(rows, busCount: counts.count, frames)
      #expect(maySave || !isWorth, "seed \(seed)")
      worth += isWorth ? 1 : 0
      passed += maySave ? 1 : 0
    }
    #expect(worth > 40 && passed >= worth && passed < 300)
  }

  @Test func `a branch is one strand, and waits for nothing`() {
    // 1 -> 2 -> 0, 3 -> 4 -> 0.
    let rows = [(1, [Int]()), (2, [1]), (3, []), (4, [3]), (0, [2, 4])].map { output, inputs in
      RenderPlan.Row(kernel: .holding(Memory(number: 0)), inputs: inputs, outputs: [output])
    }
    let order = RowStrands(rows, busCount: 5)
    #expect(order.strands.map(\.rows) == [[0, 1], [2, 3], [4]])
    #expect(order.strands.map(\.needs) == [[], [], [0, 1]])
    #expect(order.heaviestChain == 3)
  }

  @Test func `strands that wait for nothing are taken together, and fewer of the last ones`() {
    let rows = (1...20).map { output in
      RenderPlan.Row(
        kernel: .holding(Memory(number: 0)), inputs: output == 20 ? Array(1...19) : [],
        outputs: [output])
    }
    var order = RowStrands(rows, busCount: 21)
    order.gather(for: 1)
    #expect(order.strands.map(\.rows.count) == [4, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1])
    #expect(order.strands.flatMap(\.rows) == Array(0..<20))
    #expect(order.strands.map(\.needs) == [[Int]](repeating: [], count: 11) + [Array(0..<11)])
    #expect(order.strandOfRow == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  }

  @Test func `rows of strands that are taken together keep the order of the plan`() {
    // Eight strands of two rows. The first rows of all come first in the plan.
    let rows = (1...16).map { output in
      RenderPlan.Row(
        kernel: .holding(Memory(number: 0)), inputs: output > 8 ? [output - 8] : [],
        outputs: [output])
    }
    var order = RowStrands(rows, busCount: 17)
    order.gather(for: 1)
    #expect(order.strands[0].rows == [0, 1, 8, 9])
  }

  @Test(arguments: [1, 3])
  func `a large mix is the same, whoever adds up which of its frames`(helperCount: Int) {
    let helpers = Helpers(helperCount)
    defer { helpers.end() }
    func plan(_ threadCount: Int, _ largest: ControlBlock) -> RenderPlan {
      var rows = (1...40).map { number in
        RenderPlan.Row(
          kernel: .holding(Memory(number: Float(number))), inputs: [], outputs: [number])
      }
      rows.append(
        .init(
          kernel: .holding(
            Sum(waiting: WaitingSignals(capacity: 40), largest: largest.access), with: largest),
          inputs: Array(1...40), outputs: [0]))
      return RenderPlan(
        rows: rows, busChannelCounts: [2] + [Int](repeating: 1, count: 40),
        maximumFramesPerSlice: Self.slice, keeping: [0], threadCount: threadCount)
    }
    let (largestAlone, largestShared) = (ControlBlock(count: 1), ControlBlock(count: 1))
    let alone = plan(1, largestAlone)
    let shared = plan(helperCount + 1, largestShared)
    let isShared = shared.isShared
    #expect(isShared)
    // Whole parts, and a remainder of one frame.
    for frameCount in [Self.slice, 1025, 700, 3] {
      for slice in 0..<50 {
        let time = TimeStamp(sampleTime: Double(slice))
        #expect(alone.renderPiece(frameCount: frameCount, at: time) == .ok)
        let status = unsafe shared.renderPiece(
          frameCount: frameCount, at: time, crew: .passUnretained(helpers.crew))
        #expect(status == .ok)
        let (one, other) = (
          alone.bus(0, frameCount: frameCount), shared.bus(0, frameCount: frameCount)
        )
        for channel in 0..<2 {
          #expect((0..<frameCount).allSatisfy { one[channel][$0] == other[channel][$0] })
        }
        #expect(largestAlone[word: 0] == largestShared[word: 0])
      }
    }
  }

  @Test(arguments: [0, 1, 128])
  func `a mix of few frames or none is computed by one thread`(frameCount: Int) {
    let shared = UnsafeMutablePointer<SharedMix>.allocate(capacity: 1)
    unsafe shared.initialize(to: SharedMix(threadCount: 2))
    defer {
      unsafe shared.deinitialize(count: 1)
      unsafe shared.deallocate()
    }
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 3 * 128)
    unsafe samples.initialize(repeating: 0.5, count: 3 * 128)
    defer { unsafe samples.deallocate() }
    let (signal, left, right) = unsafe (
      ChannelBuffer(base: samples, count: frameCount),
      ChannelBuffer(base: samples + 128, count: frameCount),
      ChannelBuffer(base: samples + 256, count: frameCount)
    )
    var waiting = WaitingSignals(capacity: 200)
    for _ in 0..<200 { waiting.append(signal, signal, leftGain: 1, rightGain: 0.5) }
    let largest = waiting.mix(
      into: left, right, fresh: true, sharing: unsafe MixSharing(shared))
    #expect(largest == (frameCount > 0 ? Float(100).bitPattern : 0))
    #expect(left.indices.allSatisfy { left[$0] == 100 && right[$0] == 50 })
  }

  @Test(arguments: [(15, 4096, false), (16, 4096, true), (16, 4095, false), (128, 512, true)])
  func `a mix is shared from 16 inputs of 4096 frames up`(
    inputCount: Int, frameCount: Int, isShared: Bool
  ) {
    // Its inputs come from elsewhere, as from files that are lent.
    let mix = RenderPlan.Row(
      kernel: .holding(Mix()), inputs: Array(1...inputCount), outputs: [0])
    #expect(
      RowStrands([mix], busCount: inputCount + 1).isWorthSharing(frameCount) == isShared)
    #expect(RowStrands.maySave([mix], busCount: inputCount + 1, frameCount) == isShared)
    let other = RenderPlan.Row(
      kernel: .holding(Memory(number: 0)), inputs: Array(1...inputCount), outputs: [0])
    #expect(!RowStrands([other], busCount: inputCount + 1).isWorthSharing(frameCount))
  }

  @Test(arguments: [0, 1, 3])
  func `a job that is left is done once before it is waited for, whoever is free`(
    helperCount: Int
  ) {
    let helpers = Helpers(helperCount)
    defer { helpers.end() }
    func plan(_ threadCount: Int) -> RenderPlan {
      let rows = (1...20).map { number in
        RenderPlan.Row(
          kernel: .holding(Memory(number: Float(number))), inputs: [], outputs: [number % 20])
      }
      return RenderPlan(
        rows: rows, busChannelCounts: [Int](repeating: 1, count: 20),
        maximumFramesPerSlice: Self.slice, keeping: [0], threadCount: threadCount)
    }
    let shared = plan(2)
    let errand = CountedErrand()
    helpers.crew.finishErrand()
    var random = SplitMix64(seed: 5)
    var heard: [Float] = []
    for number in 1...300 {
      helpers.crew.leave(errand)
      // None, or so many that a helper may have become tired.
      if Bool.random(using: &random) { heard += played(shared, helpers.crew, slices: 1) }
      if Int.random(in: 0..<10, using: &random) == 0 { usleep(400) }
      helpers.crew.finishErrand()
      #expect(errand.count == number)
    }
    // The rows remember: the same slices one after the other are the same samples.
    let alone = plan(1)
    var expected: [Float] = []
    for _ in 0..<(heard.count / Self.slice) { expected += played(alone, nil, slices: 1) }
    #expect(heard == expected)
  }

  @Test(arguments: [0, 1, 3])
  func `nothing that is added to a job that was left is forgotten`(helperCount: Int) {
    let helpers = Helpers(helperCount)
    defer { helpers.end() }
    for _ in 0..<300 {
      let errand = AddingErrand()
      for number in 1...100 {
        errand.add(number)
        helpers.crew.leave(errand)
      }
      helpers.crew.finishErrand()
      #expect(errand.sum == 5050)
    }
  }

  @Test func `a helper that sleeps is woken for a job`() {
    let helpers = Helpers(1)
    defer { helpers.end() }
    let errand = CountedErrand()
    let here = UInt(pthread_self())
    // A thread may be late: the one that waits then does the job itself.
    for _ in 0..<1000 where errand.threads.subtracting([here]).isEmpty {
      usleep(2000)
      helpers.crew.leave(errand)
      usleep(5000)
      helpers.crew.finishErrand()
    }
    #expect(!errand.threads.subtracting([here]).isEmpty)
  }

  @Test func `a chain is rendered by one thread`() {
    let rows = (1...20).map { number in
      RenderPlan.Row(
        kernel: .holding(Memory(number: 0)), inputs: number == 1 ? [] : [number - 1],
        outputs: [number])
    }
    let plan = RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 1, count: 21),
      maximumFramesPerSlice: Self.slice, keeping: [20], threadCount: 2)
    let isShared = plan.isShared
    #expect(!isShared)
  }

  @Test(arguments: [false, true])
  func `a client's code is run by one thread`(callsClient: Bool) {
    let rows = (1...20).map { number in
      RenderPlan.Row(
        kernel: callsClient && number == 7
          ? .calling(Memory(number: 0)) : .holding(Memory(number: 0)),
        inputs: [], outputs: [number])
    }
    let plan = RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 1, count: 21),
      maximumFramesPerSlice: Self.slice, keeping: [0], threadCount: 2)
    let isShared = plan.isShared
    #expect(isShared == !callsClient)
  }

  @Test func `of rows that fail the first one's status is returned`() {
    let helpers = Helpers(2)
    defer { helpers.end() }
    let failure = RenderFailure()
    let rows = (1...20).map { number in
      RenderPlan.Row(
        kernel: number == 8 || number == 15
          ? .holding(Refusal(status: number == 8 ? .noConnection : .failedInitialization))
          : .holding(Memory(number: 0)), inputs: [], outputs: [number],
        failure: number == 15 ? failure : nil)
    }
    let plan = RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 1, count: 21),
      maximumFramesPerSlice: Self.slice, keeping: [0], threadCount: 3)
    for _ in 0..<50 {
      let status = unsafe plan.renderPiece(
        frameCount: Self.slice, at: TimeStamp(sampleTime: 0),
        crew: .passUnretained(helpers.crew))
      #expect(status == .noConnection)
    }
    #expect(failure.take() == .failedInitialization)
  }

  @Test(arguments: [true, false])
  func `in real time only helpers that became as urgent help`(areUrgent: Bool) {
    let helpers = Helpers(2, inRealTime: true, areUrgent: areUrgent)
    defer { helpers.end() }
    let plan = RenderPlan(
      rows: (1...20).map { number in
        RenderPlan.Row(
          kernel: .holding(Memory(number: Float(number))), inputs: [], outputs: [number])
      }, busChannelCounts: [Int](repeating: 1, count: 21), maximumFramesPerSlice: Self.slice,
      keeping: Array(0...20), threadCount: 3, inRealTime: true)
    // Threads may begin late.
    var most = 0
    for _ in 0..<(areUrgent ? 20_000 : 100) where most < 2 {
      helpers.crew.gather()
      usleep(200)
      _ = played(plan, helpers.crew, slices: 1)
      most = max(most, helpers.crew.dismiss())
    }
    #expect(most == (areUrgent ? 2 : 0))
  }

  @Test func `helpers that sleep are woken`() {
    let helpers = Helpers(1)
    defer { helpers.end() }
    var random = SplitMix64(seed: 3)
    let rows = (1...20).map { number in
      RenderPlan.Row(
        kernel: .holding(Memory(number: Float(number))), inputs: [], outputs: [number])
    }
    let plan = RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 1, count: 21),
      maximumFramesPerSlice: Self.slice, keeping: Array(0...20), threadCount: 2)
    for _ in 0..<200 {
      // Sometimes longer than helpers spin before they sleep.
      usleep(UInt32.random(in: 0...400, using: &random))
      _ = played(plan, helpers.crew, slices: 1)
    }
    #expect(plan.bus(20, frameCount: 1)[0][0] != 0)
  }
}

import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

struct ScheduledParameterTests {
  private static let volume = MultichannelMixer.Parameter.volume

  /// A graph whose left output is the volume, initialized.
  private func graph(frames: Int = 512) throws -> (AudioGraph, mix: NodeID) {
    let (graph, mix) = try volumeGraph(frames: frames)
    try graph.initialize()
    return (graph, mix)
  }

  private func set(_ value: Float, at offset: UInt32) -> ParameterEvent {
    ParameterEvent(Self.volume, .input, 0, .immediate(bufferOffset: offset, value: value))
  }

  private func ramp(
    _ first: Float, _ last: Float, at offset: Int32, _ frames: UInt32
  ) -> ParameterEvent {
    ParameterEvent(
      Self.volume, .input, 0,
      .ramp(
        startBufferOffset: offset, durationInFrames: frames, startValue: first, endValue: last))
  }

  /// The gain of the mixer, `frame` frames after a volume was set.
  private func smoothed(_ first: Float, _ last: Float, _ frame: Int) -> Float {
    frame < 479 ? first + (last - first) / 480 * Float(frame + 1) : last
  }

  @Test func `a volume steps at its frame, as smoothly as one that is set`() throws {
    let (graph, mix) = try graph()
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters([set(0, at: 100)], of: mix)
    let found = try pulledLeft(graph, 1024)
    for frame in 0..<1024 {
      let expected = frame < 100 ? 1 : smoothed(1, 0, frame - 100)
      #expect(abs(found[frame] - expected) < 1e-6)
    }
    #expect(found[99] == 1 && found[100] < 1 && found[580] == 0)
  }

  @Test func `a volume ramps frame by frame from where the event says`() throws {
    let (graph, mix) = try graph()
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters([ramp(0.25, 0.75, at: 100, 256)], of: mix)
    let found = try pulledLeft(graph, 1024)
    for frame in 0..<1024 {
      let expected: Float =
        frame < 100 ? 1 : frame < 356 ? 0.25 + Float(frame - 100) / 512 : 0.75
      #expect(found[frame] == expected, "frame \(frame)")
    }
    #expect(try graph.unit(mix).parameter(Self.volume, .input, 0) == 0.75)
  }

  @Test func `a later event ends an earlier one, whatever order they are scheduled in`() throws {
    let (graph, mix) = try graph()
    _ = try pulledLeft(graph, 512)
    // Ramps of length 0 are steps without smoothing.
    try graph.scheduleParameters(
      [
        ramp(0, 0.5, at: 300, 0), ramp(0, 1, at: 0, 256), ramp(0, 0.25, at: 128, 0),
        ramp(1, 0.75, at: 400, 0), ramp(1, 0.125, at: 400, 0),
      ], of: mix)
    let found = try pulledLeft(graph, 512)
    for frame in 0..<512 {
      let expected: Float =
        frame < 128 ? Float(frame) / 256 : frame < 300 ? 0.25 : frame < 400 ? 0.5 : 0.125
      #expect(found[frame] == expected, "frame \(frame)")
    }
  }

  @Test func `an immediate event is what is read at once, and holds where its frame never comes`()
    throws
  {
    let (graph, mix) = try graph()
    let unit = try graph.unit(mix)
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters([set(0.5, at: 4000)], of: mix)
    #expect(try unit.parameter(Self.volume, .input, 0) == 0.5)
    #expect(try pulledLeft(graph, 512).allSatisfy { $0 == 1 })
    #expect(try unit.parameter(Self.volume, .input, 0) == 0.5)
    let found = try pulledLeft(graph, 1024)
    for frame in 0..<1024 { #expect(abs(found[frame] - smoothed(1, 0.5, frame)) < 1e-6) }
    try graph.scheduleParameters([set(0.25, at: 0)], of: mix)
    try unit.setParameter(Self.volume, .input, 0, to: 0.75)
    #expect(try unit.parameter(Self.volume, .input, 0) == 0.75)
    _ = try pulledLeft(graph, 512)
    #expect(try unit.parameter(Self.volume, .input, 0) == 0.25)
  }

  @Test func `a ramp that nobody schedules again stays where it is`() throws {
    let (graph, mix) = try graph()
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters([ramp(0, 1, at: 0, 1024)], of: mix)
    let found = try pulledLeft(graph, 1536)
    for frame in 0..<1536 { #expect(found[frame] == Float(min(frame, 511)) / 1024) }
    // A ramp that ends with the slice has reached its value.
    try graph.scheduleParameters([ramp(0, 1, at: 0, 512)], of: mix)
    let ended = try pulledLeft(graph, 1024)
    for frame in 0..<1024 { #expect(ended[frame] == Float(min(frame, 512)) / 512) }
  }

  /// A client that knows its changes in frames of the session, and schedules those within each
  /// slice.
  private func scheduled(_ slices: Slicing, _ frameCount: Int) throws -> [Float] {
    let (graph, mix) = try graph(frames: 4096)
    let schedule = try graph.parameterSchedule(of: mix)
    // The number of heap calls, or -1 for a refused event.
    let troubles = Notes()
    _ = graph.addRenderNotification { flags, time, count in
      guard flags.contains(.preRender) else { return }
      let now = Int(time.sampleTime)
      func ramp(_ first: Float, _ last: Float, at start: Int, _ length: Int) {
        guard start < now + count, start + length >= now else { return }
        let event = ParameterEvent(
          MultichannelMixer.Parameter.volume, .input, 0,
          .ramp(
            startBufferOffset: Int32(start - now), durationInFrames: UInt32(length),
            startValue: first, endValue: last))
        if schedule.schedule(event) != .ok { troubles.note(-1) }
      }
      func set(_ value: Float, at frame: Int) {
        guard frame >= now, frame < now + count else { return }
        let event = ParameterEvent(
          MultichannelMixer.Parameter.volume, .output, 0,
          .immediate(bufferOffset: UInt32(frame - now), value: value))
        if schedule.schedule(event) != .ok { troubles.note(-1) }
      }
      ramp(1, 0.3, at: 5, 1000)
      ramp(0.2, 0.9, at: 1500, 2500)
      ramp(0.9, 0.1, at: 4700, 77)
      set(0.5, at: 2000)
      set(0.7, at: 5200)
    }
    let session = try #require(graph.session)
    var found: [Float] = []
    var memory = [Float](repeating: 0, count: 2 * 4096)
    for slice in slices.cut(frameCount) {
      var calls = 0
      unsafe memory.withUnsafeMutableBytes { memory in
        calls = allocations { _ = unsafe session.pull(slice, into: memory.baseAddress) }
      }
      if calls != 0 { troubles.note(calls) }
      for frame in 0..<slice { found.append(memory[2 * frame]) }
    }
    #expect(troubles.all == [])
    #expect(session.failedSlices.count == 0)
    return found
  }

  @Test(arguments: Slicing.every)
  func `what a notification schedules sounds the same, however it is sliced`(
    slicing: Slicing
  ) throws {
    let found = try scheduled(slicing, 8000)
    let whole = try scheduled(Slicing([4096]), 8000)
    #expect(found == whole)
    for frame in 0..<2000 {
      let expected: Double =
        switch frame {
        case ..<5: 1
        case ..<1005: 1 - 0.7 * Double(frame - 5) / 1000
        case ..<1500: 0.3
        default: 0.2 + 0.7 * Double(frame - 1500) / 2500
        }
      #expect(abs(Double(found[frame]) - expected) < 1e-6)
    }
    #expect(abs(found[4600] - 0.45) < 1e-6)
    #expect(abs(found[7999] - 0.07) < 1e-6)
  }

  @Test func `observers hear of a slice once, however it is cut`() throws {
    let (graph, mix) = try graph()
    let notes = Notes()
    _ = graph.addRenderNotification { flags, time, frameCount in
      for number in [Int(flags.rawValue), Int(time.sampleTime), frameCount] { notes.note(number) }
    }
    try graph.scheduleParameters([ramp(0, 1, at: 7, 300), set(1, at: 400)], of: mix)
    _ = try pulledLeft(graph, 612)
    #expect(notes.all == [4, 0, 512, 8, 0, 512, 4, 512, 100, 8, 512, 100])
  }

  @Test func `what a schedule refuses, it refuses whole`() throws {
    let (graph, mix) = try graph()
    let schedule = try graph.parameterSchedule(of: mix)
    func event(
      _ parameter: UInt32, _ change: ParameterEvent.Change, element: Int = 0
    ) -> ParameterEvent { ParameterEvent(parameter, .input, element, change) }
    func ramp(_ last: Float) -> ParameterEvent.Change {
      .ramp(startBufferOffset: 0, durationInFrames: 8, startValue: 0, endValue: last)
    }
    let cases: [(ParameterEvent, Status)] = [
      (event(77, .immediate(bufferOffset: 0, value: 1)), .invalidParameter),
      (event(1000, .immediate(bufferOffset: 0, value: 1)), .invalidParameter),
      (event(1, ramp(1)), .invalidParameter),
      (event(2, ramp(2)), .invalidParameter),
      (event(2, .immediate(bufferOffset: 0, value: -2)), .invalidParameter),
      (event(0, .immediate(bufferOffset: 0, value: .nan)), .invalidParameter),
      (event(0, ramp(.infinity)), .invalidParameter),
      (event(0, ramp(1), element: 99), .invalidElement),
      (event(0, ramp(1), element: -1), .invalidElement),
    ]
    for (event, status) in cases {
      #expect(schedule.schedule(event) == status)
      refused(status) { try graph.scheduleParameters([set(0, at: 0), event], of: mix) }
    }
    #expect(schedule.schedule(event(1, .immediate(bufferOffset: 0, value: 1))) == .ok)
    refused(.nodeNotFound) {
      try graph.scheduleParameters([set(0, at: 0)], of: NodeID(rawValue: 99))
    }
    #expect(try pulledLeft(graph, 512).allSatisfy { $0 == 1 })
    try graph.uninitialize()
    try graph.unit(mix).setProperty(.elementCount, .input, 0, to: .uint32(3))
    #expect(schedule.schedule(set(0, at: 0)) == .invalidElement)
  }

  @Test func `more events than there is room for are refused, and those before them carried out`()
    throws
  {
    let (graph, mix) = try graph()
    let schedule = try graph.parameterSchedule(of: mix)
    let answers = Notes()
    _ = graph.addRenderNotification { flags, time, _ in
      guard flags.contains(.preRender), time.sampleTime == 512 else { return }
      for offset in 0..<300 {
        let change = ParameterEvent.Change.ramp(
          startBufferOffset: Int32(offset + 1), durationInFrames: 0, startValue: 0,
          endValue: Float(offset + 1) / 512)
        let event = ParameterEvent(MultichannelMixer.Parameter.volume, .input, 0, change)
        answers.note(Int(schedule.schedule(event).rawValue))
      }
    }
    _ = try pulledLeft(graph, 512)
    let events = (0..<256).map { ramp(0, 1, at: Int32($0), 0) }
    try graph.scheduleParameters(events, of: mix)
    refused(.cannotDoInCurrentContext) { try graph.scheduleParameters([events[0]], of: mix) }
    refused(.cannotDoInCurrentContext) {
      try graph.scheduleParameters(events + events, of: mix)
    }
    let found = try pulledLeft(graph, 1024)
    #expect(answers.all == Array(repeating: 0, count: 256) + Array(repeating: -10_863, count: 44))
    // The notification's events are later, and of two events at a frame the later one counts.
    for frame in 0..<1024 {
      #expect(found[frame] == (frame == 0 ? 1 : Float(min(frame, 256)) / 512), "frame \(frame)")
    }
    // The queue has room again.
    try graph.scheduleParameters(events, of: mix)
  }

  @Test func `the call that may wait is refused on the render thread`() throws {
    let (graph, mix) = try graph()
    let answers = Notes()
    let event = set(0, at: 0)
    _ = graph.addRenderNotification { _, _, _ in
      do throws(Violation) { try graph.scheduleParameters([event], of: mix) } catch {
        answers.note(Int(error.status.rawValue))
      }
    }
    #expect(try pulledLeft(graph, 512).allSatisfy { $0 == 1 })
    #expect(answers.all == [-10_863, -10_863])
  }

  private final class Flag: Sendable {
    let isUp = Atomic<Bool>(false)
  }

  @Test func `many threads schedule while another renders, and every event arrives`() async throws {
    let (graph, mix) = try graph(frames: 64)
    let unit = try graph.unit(mix)
    let session = try #require(graph.session)
    let end = Flag()
    await withTaskGroup(of: Int.self) { group in
      for element in 0..<4 {
        group.addTask {
          guard let schedule = try? graph.parameterSchedule(of: mix) else { return 0 }
          var number = 0
          while number < 500 {
            let change = ParameterEvent.Change.immediate(
              bufferOffset: 0, value: Float(number + 1))
            let event = ParameterEvent(MultichannelMixer.Parameter.volume, .input, element, change)
            if schedule.schedule(event) == .ok { number += 1 } else { await Task.yield() }
          }
          return number
        }
      }
      group.addTask {
        while !end.isUp.load(ordering: .acquiring) {
          _ = unsafe session.pull(64, into: nil)
          await Task.yield()
        }
        return 0
      }
      var sent = 0
      for await count in group {
        sent += count
        if sent == 2000 { end.isUp.store(true, ordering: .releasing) }
      }
    }
    unsafe session.pull(64, into: nil)
    for element in 0..<4 {
      #expect(try unit.parameter(Self.volume, .input, element) == 500)
    }
  }

  @Test func `a unit that has gone leaves no event behind that could harm`() throws {
    let (graph, mix) = try graph()
    let eq = try graph.addNode(mixer)
    try graph.scheduleParameters([set(0.5, at: 3)], of: eq)
    try graph.removeNode(eq)
    _ = try graph.update()
    try graph.scheduleParameters([ramp(0.5, 0.25, at: 0, 0)], of: mix)
    #expect(try pulledLeft(graph, 512).allSatisfy { $0 == 0.25 })
  }
}

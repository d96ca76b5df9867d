import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderHost
import Synchronization
import TestSupport
import Testing

@testable import AudioGraphs

/// Random programs that edit graphs before and after initialization. A program that violates a
/// property is shortened as far as possible before it is reported.
///
/// `PATCHRUN_PROPERTY_EFFORT=20` runs 20 times as many.
@Suite struct RandomGraphTests {
  /// A call of a program. Nodes are numbered in the order of their addition; a missing number
  /// selects another node.
  enum Call: Hashable, Sendable {
    case add(Int)
    case remove(Int)
    case connect(Int, Int, to: Int, Int)
    case feed(Int, Int, pulling: Int?)
    case disconnect(Int, Int)
    case setFormat(Int, Scope, Int, StreamFormat)
    case setRate(Int, Scope, Int, Double)
    case set(Int, PropertyID, Scope, Int, PropertyValue)
    case setParameter(Int, UInt32, Scope, Int, Float)
    case giveFormat(StreamFormat?)
    case open, close, initialize, uninitialize, update
  }

  private static let units = UnitCatalog.standard.components.map(\.description)

  static func program(seed: UInt64) -> [Call] {
    var random = SplitMix64(seed: seed)
    func one<Value>(of values: [Value]) -> Value { values.randomElement(using: &random)! }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func format() -> StreamFormat {
      StreamFormat(
        one(of: SampleType.allCases), channels: one(of: [1, 2, 2, 2, 3]),
        sampleRate: one(of: [44_100, 44_100, 44_100, 48_000, 0]),
        interleaved: one(of: [true, false]))
    }
    // A head and nodes that may lead to it, since random programs rarely add them.
    var calls: [Call] = [
      .open, .add(one(of: [4, 5, 5, 6])), .add(number(0...3)), .add(number(0...3)),
    ]
    if number(0...3) > 0 {
      calls.append(.giveFormat(StreamFormat(.float32, channels: 2, sampleRate: 44_100)))
    }
    if number(0...4) > 0 { calls += [.connect(1, 0, to: 0, 0), .connect(2, 0, to: 1, 0)] }
    if number(0...4) > 0 { calls.append(.feed(2, 0, pulling: nil)) }
    for _ in 0..<number(0...14) {
      let node = number(0...4)
      let scope: Scope = one(of: [.input, .output, .global])
      let bus = number(-1...2)
      let call: Call
      switch number(0...15) {
      case 0: call = .add(number(0...units.count))
      case 1: call = .remove(node)
      case 2, 3: call = .connect(node, number(0...1), to: number(0...4), bus)
      case 4: call = .feed(node, bus, pulling: one(of: [nil, number(0...4)]))
      case 5: call = .disconnect(node, bus)
      case 6: call = .setFormat(node, scope, bus, format())
      case 7: call = .setRate(node, scope, bus, one(of: [0, 44_100, 48_000, -1, .nan]))
      case 8: call = .set(node, .enableIO, scope, bus, .uint32(UInt32(number(0...2))))
      case 9: call = .set(node, .elementCount, .input, 0, .uint32(UInt32(number(0...4))))
      case 10:
        call = .set(node, .maximumFramesPerSlice, .global, 0, .uint32(one(of: [0, 64, 512, 4096])))
      case 11:
        call = one(of: [
          .set(node, .channelMap, scope, bus, .integers([0, Int32(number(-2...3))])),
          .set(node, .matrixLevels, .input, bus, .floats([1, 0.5])),
          .set(node, .spatializationAlgorithm, .input, bus, .uint32(UInt32(number(0...6)))),
          .set(
            node, .presentPreset, .global, 0,
            .preset(Preset(number: Int32(number(-2...30)), name: ""))),
        ])
      case 12:
        call = .setParameter(
          node, UInt32(number(0...12)), scope, bus, one(of: [0, 0.5, -1, 90, .infinity, .nan]))
      case 13: call = one(of: [.initialize, .uninitialize, .update, .update])
      case 14: call = one(of: [.giveFormat(nil), .giveFormat(format()), .close, .open])
      default: call = .update
      }
      calls.append(call)
      if number(0...7) == 0 { calls.append(.initialize) }
    }
    return calls + [.initialize, .update, .uninitialize, .initialize]
  }

  /// Runs a program and returns the violated property; `nil` if all hold. Errors that calls throw
  /// are no violations.
  private func failure(_ calls: [Call]) -> String? {
    let graph = Self.graph()
    defer { graph.close() }
    return failure(calls, on: graph)
  }

  private static func graph() -> AudioGraph {
    let device = StreamFormat(.float32, channels: 2, sampleRate: 44_100, interleaved: true)
    return AudioGraph(
      assuming: HardwareGrant(outputFormat: device, inputFormat: device, ioBufferFrames: 512))
  }

  /// Compares a graph's answers with and without its caches. Returns the difference.
  private func forgetfulness(_ graph: AudioGraph) -> String? {
    guard graph.isOpen else { return nil }
    func look() -> (violations: [Violation], buses: [NodeID: [[UnitConfiguration.Element]]]) {
      let (violations, configurations) = graph.examination()
      return (violations, configurations.mapValues { [$0.inputs, $0.outputs] })
    }
    let knowing = look()
    graph.state.withLock { $0.settled = SettledNodes() }
    let fresh = look()
    guard knowing.violations == fresh.violations else {
      return "it knows \(knowing.violations.map(\.message)), and finds "
        + "\(fresh.violations.map(\.message))"
    }
    return knowing.buses == fresh.buses ? nil : "it knows other formats than it finds"
  }

  private func failure(_ calls: [Call], on graph: AudioGraph) -> String? {
    var nodes: [NodeID] = []
    func node(_ index: Int) -> NodeID {
      nodes.indices.contains(index) ? nodes[index] : NodeID(rawValue: 77)
    }
    func errors() -> [Violation] { graph.violations().filter { $0.severity == .error } }
    for call in calls {
      switch call {
      case .add(let unit):
        let component =
          Self.units.indices.contains(unit)
          ? Self.units[unit]
          : ComponentDescription(type: .effectType, subtype: "none", manufacturer: .apple)
        if let id = try? graph.addNode(component) { nodes.append(id) }
      case .remove(let index): try? graph.removeNode(node(index))
      case .connect(let source, let output, let destination, let input):
        try? graph.connect(node(source), output, to: node(destination), input)
      case .feed(let index, let input, let source):
        if let source {
          try? graph.setInputCallback(
            GainCallback(gain: 0.5), of: node(index), input, from: .output(node(source), 0))
        } else {
          try? graph.setInputCallback(ToneCallback(), of: node(index), input)
        }
      case .disconnect(let index, let input): try? graph.disconnect(node(index), input)
      case .setFormat(let index, let scope, let bus, let format):
        try? graph.unit(node(index)).setProperty(
          .streamFormat, scope, bus, to: .streamFormat(format))
      case .setRate(let index, let scope, let bus, let rate):
        try? graph.unit(node(index)).setProperty(.sampleRate, scope, bus, to: .float64(rate))
      case .set(let index, let property, let scope, let bus, let value):
        try? graph.unit(node(index)).setProperty(property, scope, bus, to: value)
      case .setParameter(let index, let parameter, let scope, let bus, let value):
        try? graph.unit(node(index)).setParameter(parameter, scope, bus, to: value)
      case .giveFormat(let format):
        if !graph.isInitialized { graph.defaultStreamFormat = format }
      case .open: try? graph.open()
      case .close: graph.close()
      case .uninitialize: try? graph.uninitialize()
      case .initialize:
        guard !graph.isInitialized else { continue }
        let expected = errors().first
        do throws(Violation) {
          try graph.initialize()
          if let expected { return "initialize succeeds in spite of '\(expected.message)'" }
        } catch {
          guard error == expected else {
            return "initialize fails with '\(error.message)', and the first violation is "
              + "'\(expected?.message ?? "none")'"
          }
          guard !graph.isInitialized else { return "a graph that failed is initialized" }
        }
      case .update:
        let isDone = (try? graph.update()) == true && graph.pendingEditCount == 0
        if isDone, graph.isInitialized {
          // A graph that an update accepted must initialize.
          try? graph.uninitialize()
          if let error = errors().first { return "an update has accepted '\(error.message)'" }
          try? graph.initialize()
          guard graph.isInitialized else { return "what an update accepted does not initialize" }
        }
        // After a successful or refused update, the graph that plays must be one that could be
        // initialized.
        if graph.isInitialized, let error = errors().first {
          return "once updated it finds '\(error.message)'"
        }
      }
      if let what = forgetfulness(graph) { return what }
    }
    return nil
  }

  @Test(arguments: 0..<4)
  func `initialize fails exactly with the first violation, whatever a program does`(part: Int) {
    let effort = max(
      1, Int(ProcessInfo.processInfo.environment["PATCHRUN_PROPERTY_EFFORT"] ?? "") ?? 1)
    for index in 0..<(400 * effort) {
      let calls = Self.program(seed: UInt64(index * 4 + part))
      guard let what = failure(calls) else { continue }
      var shortest = calls
      var isShorter = true
      while isShorter {
        isShorter = false
        for position in shortest.indices.reversed() {
          var attempt = shortest
          attempt.remove(at: position)
          guard failure(attempt)?.prefix(12) == what.prefix(12) else { continue }
          shortest = attempt
          isShorter = true
        }
      }
      let program = shortest.map { "  \($0)" }.joined(separator: "\n")
      Issue.record("\(failure(shortest) ?? what)\n\(program)")
      return
    }
  }

  @Test func `what is known of a node and does not hold any more is found out`() throws {
    let graph = Self.graph()
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    let io = try graph.addNode(Self.units[5])
    let mixer = try graph.addNode(MultichannelMixer.description.component)
    try graph.connect(mixer, to: io)
    try graph.setInputCallback(ToneCallback(), of: mixer)
    _ = graph.examination()
    #expect(forgetfulness(graph) == nil)
    // As if a change of the unit had not been noticed.
    graph.state.withLock { state in
      guard let known = state.settled.nodes[mixer] else { return }
      var configuration = known.configuration
      configuration.inputs[0].format.sampleRate = 8000
      state.settled.nodes[mixer] = SettledNodes.Node(
        unit: known.unit, feedVersion: known.feedVersion, sources: known.sources,
        isPulled: known.isPulled, defaultFormat: known.defaultFormat, configuration: configuration)
    }
    #expect(forgetfulness(graph) != nil)
  }

  @Test func `some programs make a graph that initializes, and some do not`() {
    let count = 200
    let initialized = (0..<count).count { seed in
      let graph = Self.graph()
      defer { graph.close() }
      return failure(Self.program(seed: UInt64(seed)), on: graph) == nil && graph.isInitialized
    }
    #expect(initialized > count / 10 && initialized < count * 9 / 10, "\(initialized)")
  }
}

import AudioTypes
import AudioUnits
import RenderCore

/// The latency from the sources of the graph to each bus, and the differences between paths that
/// meet.
///
/// A path's latency is the sum of the latencies of its units (their property Latency, or the delay
/// of a converter's filter); an echo is no latency. Where paths meet in a unit, its output has the
/// largest of their latencies.
struct PathLatencies: Sendable {
  /// The latency of each unit's output, in seconds; 0 where missing.
  private(set) var outputs: [NodeID: Double] = [:]
  /// The latency at each input, before its delay, in seconds; 0 where missing.
  private(set) var inputs: [BusKey: Double] = [:]
  /// The delays of inputs of units with several, in frames of the input's rate, that make all paths
  /// equally late. Empty where the graph does not compensate.
  private(set) var delays: [BusKey: Int] = [:]
  private(set) var violations: [Violation] = []
  /// The latency of the microphone's side before the graph, in seconds.
  private(set) var microphone = 0.0

  private var ownLatencies: [NodeID: Double] = [:]

  /// The latency that a unit adds to its input, in seconds; 0 for a unit with pulled inputs, whose
  /// delays count instead.
  func own(_ node: NodeID) -> Double { ownLatencies[node] ?? 0 }

  /// A sound that may reach a unit by several paths.
  private enum Source: Hashable {
    case output(NodeID)
    case callback(String)
  }

  /// The shortest and the longest path from each source, in seconds.
  private typealias Spread = [Source: ClosedRange<Double>]

  /// Empty, for a graph without preparation.
  init() {}

  /// - Parameter preparation: Its configurations are settled and its pulled nodes found.
  init(_ model: GraphModel, _ preparation: Preparation, _ domains: RateDomains) {
    let head = model.head?.id
    var own: [NodeID: Double] = [:]
    var isAnything = false
    for id in preparation.order where preparation.pulled.contains(id) {
      // Of a large graph this is most nodes.
      guard let node = model.node(id),
        domains.havePulledInputs || node.unit.description.property(.latency) != nil,
        let configuration = preparation.configurations[id]
      else { continue }
      let latency = Self.latency(of: node, configuration)
      if id == head {
        microphone = latency
      } else if latency != 0 {
        own[id] = latency
      }
      isAnything = isAnything || id != head && latency != 0
      for input in configuration.inputs.indices
      where domains.delay(of: BusKey(node: id, bus: input)) != 0 { isAnything = true }
    }
    guard isAnything else { return }
    let forks = Self.forks(model, preparation)
    var spreads: [NodeID: Spread] = [:]
    for id in preparation.order where preparation.pulled.contains(id) {
      guard let node = model.node(id), let configuration = preparation.configurations[id] else {
        continue
      }
      let feeds = model.interactions(into: id).filter {
        configuration.inputs.indices.contains($0.input)
      }
      var arrivals: [(input: BusKey, latency: Double, spread: Spread)] = []
      for feed in feeds {
        let key = BusKey(node: id, bus: feed.input)
        let rate = configuration.inputs[feed.input].format.sampleRate
        let late = rate > 0 ? domains.delay(of: key) / rate : 0
        let source = feed.link.flatMap { $0.source == head ? nil : $0.source }
        let before = source.flatMap { outputs[$0] } ?? 0
        inputs[key] = before
        var spread = source.flatMap { spreads[$0] } ?? [:]
        if let fork = Self.source(of: feed), forks.contains(fork) { spread[fork] = 0...0 }
        arrivals.append((key, before + late, spread.mapValues { Self.moved($0, by: late) }))
      }
      let latest = arrivals.map(\.latency).max() ?? 0
      if model.compensatesLatency, arrivals.count > 1 {
        for index in arrivals.indices {
          let key = arrivals[index].input
          let rate = configuration.inputs[key.bus].format.sampleRate
          let frames = Int(((latest - arrivals[index].latency) * rate).rounded())
          delays[key] = frames
          guard rate > 0 else { continue }
          arrivals[index].spread = arrivals[index].spread.mapValues {
            Self.moved($0, by: Double(frames) / rate)
          }
        }
      }
      var spread: Spread = [:]
      if !forks.isEmpty {
        spread = meet(arrivals.map { ($0.input, $0.spread) }, node, configuration, model)
      }
      let latency =
        configuration.inputs.indices.contains {
          domains.isPulled(BusKey(node: id, bus: $0))
        } ? 0 : own[id] ?? 0
      if latency != 0 { ownLatencies[id] = latency }
      outputs[id] = latest + latency
      if latency != 0 { spread = spread.mapValues { Self.moved($0, by: latency) } }
      if !spread.isEmpty { spreads[id] = spread }
    }
  }

  private static func moved(_ range: ClosedRange<Double>, by time: Double) -> ClosedRange<Double> {
    range.lowerBound + time...range.upperBound + time
  }

  /// The latency from a unit's input to its output, in seconds; of an I/O unit, from the microphone
  /// to the graph.
  private static func latency(
    of node: GraphModel.Node, _ configuration: UnitConfiguration
  ) -> Double {
    guard node.unit.description.property(.latency) != nil, let controls = configuration.controls,
      case .float64(let latency)? = node.unit.derivedValue(
        of: PropertyPlace(.latency, .global, 0), in: { configuration }, controls: controls),
      latency.isFinite
    else { return 0 }
    return latency
  }

  /// The sources that feed more than one input.
  private static func forks(_ model: GraphModel, _ preparation: Preparation) -> Set<Source> {
    var counts: [Source: Int] = [:]
    for interaction in model.interactions where preparation.pulled.contains(interaction.destination)
    {
      if let source = source(of: interaction) { counts[source, default: 0] += 1 }
    }
    return Set(counts.filter { $0.value > 1 }.keys)
  }

  private static func source(of interaction: Interaction) -> Source? {
    if let link = interaction.link { return .output(link.source) }
    guard case .callback(let callback) = interaction else { return nil }
    return callback.name.map { .callback($0) }
  }

  /// Computes the spread of the latencies of the paths that meet in a unit. Reports a difference
  /// between them only here: downstream only the longest path counts.
  private mutating func meet(
    _ arrivals: [(input: BusKey, spread: Spread)], _ node: GraphModel.Node,
    _ configuration: UnitConfiguration, _ model: GraphModel
  ) -> Spread {
    var met: [Source: [(input: BusKey, range: ClosedRange<Double>)]] = [:]
    for arrival in arrivals {
      for (source, range) in arrival.spread {
        met[source, default: []].append((arrival.input, range))
      }
    }
    var worst: PathsMeetInStep.Meeting?
    var spread: Spread = [:]
    for (source, ranges) in met {
      guard let early = ranges.min(by: { $0.range.lowerBound < $1.range.lowerBound }),
        let late = ranges.max(by: { $0.range.upperBound < $1.range.upperBound })
      else { continue }
      spread[source] = late.range.upperBound...late.range.upperBound
      let difference = late.range.upperBound - early.range.lowerBound
      let rate = configuration.inputs[late.input.bus].format.sampleRate
      // Delays of whole frames leave up to half a frame.
      let tolerance = model.compensatesLatency ? 0.51 : 1e-3
      guard ranges.count > 1, early.input != late.input, difference * rate > tolerance else {
        continue
      }
      let name =
        switch source {
        case .output(let id): model.name(id)
        case .callback(let name): name
        }
      let meeting = PathsMeetInStep.Meeting(
        source: name, early: early.input, late: late.input, difference: difference)
      // The largest difference, and among equal ones the first name: the same result each time.
      if let found = worst,
        (found.difference, meeting.source) > (meeting.difference, found.source)
      {
        continue
      }
      worst = meeting
    }
    // An effect with a key input sums nothing.
    if let worst, node.component.type != .effectType {
      violations.append(PathsMeetInStep.violation(worst, in: model))
    }
    return spread
  }
}

import AudioTypes
import AudioUnits
import RenderCore

/// How late what crosses each bus is behind the sources of the graph, and where paths that meet differ.
///
/// A path takes up the latencies of the units on it (their property Latency, or what a converter's filter
/// comes late by), and nothing else: an echo is no latency. Where several paths meet in one unit, what it
/// puts out is as late as the latest of them.
struct PathLatencies: Sendable {
  /// In seconds, of what each unit puts out; 0 for one that is not there.
  private(set) var outputs: [NodeID: Double] = [:]
  /// In seconds, of what arrives at an input, before it is delayed; 0 for one that is not there.
  private(set) var inputs: [BusKey: Double] = [:]
  /// Frames by which inputs of units with several are delayed so that all paths are equally late, in the
  /// rate of what feeds them. Empty where the graph does not compensate.
  private(set) var delays: [BusKey: Int] = [:]
  private(set) var violations: [Violation] = []
  /// What the microphone's side adds before the graph, in seconds.
  private(set) var microphone = 0.0

  private var ownLatencies: [NodeID: Double] = [:]

  /// In seconds, what a unit adds to what it is fed, apart from what its pulled inputs do.
  func own(_ node: NodeID) -> Double { ownLatencies[node] ?? 0 }

  /// One sound that goes several ways.
  private enum Source: Hashable {
    case output(NodeID)
    case callback(String)
  }

  /// The shortest and the longest path from each such sound, in seconds.
  private typealias Spread = [Source: ClosedRange<Double>]

  /// None, for before anything is known.
  init() {}

  /// - Parameter preparation: With the configurations settled, and the pulled nodes found.
  init(_ model: GraphModel, _ preparation: Preparation, _ domains: RateDomains) {
    let head = model.head?.id
    var own: [NodeID: Double] = [:]
    var isAnything = false
    for id in preparation.order where preparation.pulled.contains(id) {
      guard let node = model.node(id), let configuration = preparation.configurations[id] else {
        continue
      }
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

  /// From a unit's input to its output, in seconds; of an I/O unit, before what the graph hears.
  private static func latency(
    of node: GraphModel.Node, _ configuration: UnitConfiguration
  ) -> Double {
    guard node.unit.description.property(.latency) != nil, let controls = configuration.controls,
      case .float64(let latency)? = node.unit.derivedValue(
        of: PropertyPlace(.latency, .global, 0), in: configuration, controls: controls),
      latency.isFinite
    else { return 0 }
    return latency
  }

  /// The sounds that go more than one way.
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

  /// What has come together in a unit; notes what came by paths of different lengths. It is said once: from
  /// there on the longest path counts.
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
      // What is left of a path that has been made as long as it goes in whole frames.
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
      // Of several the largest, and of equal ones the first by name: the same each time.
      if let found = worst,
        (found.difference, meeting.source) > (meeting.difference, found.source)
      {
        continue
      }
      worst = meeting
    }
    // An effect with a key sums nothing.
    if let worst, node.component.type != .effectType {
      violations.append(PathsMeetInStep.violation(worst, in: model))
    }
    return spread
  }
}

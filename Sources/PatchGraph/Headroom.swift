import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Glibc
import PatchSyntax
import RenderCore

/// Finds where the signal of a patch exceeds the range of a bus or of a loudspeaker.
enum Headroom {
  static let rule = Rule(
    "PR0314", "graph/headroom",
    "what is mixed stays within full scale where it is clipped",
    severity: .warning,
    page: .init(
      "What is mixed stays within full scale where a bus or a loudspeaker clips it.",
      because: """
        A bus of float32 or fixed8.24 holds more than full scale, so that gains may be made good further
        on. A bus of int16, int24 or int32 does not, and neither does the device: what is above 1 is cut
        off there, and heard as distortion. Core Audio says nothing of it; this warning is patchrun's own.

        Tones, sweeps, noise and impulses say how loud they are, and what they sum up to is certain enough
        to be told. Of files, microphones and expressions nobody knows: they are taken to reach full
        scale, and only where more than two such sources add up is it said that they can. Gains that
        units make, the volumes of a mixer and a preset's curve among them, are followed; what a 3D Mixer
        puts out, at whatever distances, counts as one more such source.
        """,
      example: .patch(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
          "callbacks": {
            "low": { "kind": "tone", "frequency": 220, "amplitude": 0.5 },
            "high": { "kind": "tone", "frequency": 440, "amplitude": 0.4 }
          },
          "nodes": {
            "mixer": {
              "component": "MultichannelMixer",
              "properties": { "maximumFramesPerSlice": 4096 }
            },
            "io": { "component": "remoteIO" }
          },
          "connections": [
            { "from": "low", "to": "mixer:0" },
            { "from": "high", "to": "mixer:1" },
            { "from": "mixer", "to": "io" }
          ]
        }
        """, wrong: ["\"amplitude\": 0.4": "\"amplitude\": 0.9"])))

  /// The peak of a bus, and the unit that last raised it.
  struct Level {
    var peak: PeakLevel
    var raisedBy: NodeID?

    init(_ peak: PeakLevel = PeakLevel(), raisedBy: NodeID? = nil) {
      self.peak = peak
      self.raisedBy = raisedBy
    }

    /// Whether the peak is reported. Known levels count as they are. Sources of unknown level are
    /// rarely at full scale at the same time, so only the sum of more than two of them counts.
    var exceedsFullScale: Bool { certainlyExceedsFullScale || peak.possible > 2.0005 }

    var certainlyExceedsFullScale: Bool { peak.known > 1.0005 }

    /// The peak that is reported; 1 is full scale.
    var reportedPeak: Double { certainlyExceedsFullScale ? peak.known : peak.possible }
  }
}

/// Follows levels from the sources to the output unit.
struct LevelWalk {
  private let graph: AudioGraph
  private let configurations: [NodeID: UnitConfiguration]
  private let interactions: [Interaction]
  private var outputs: [NodeID: [Headroom.Level]] = [:]
  /// What exceeds full scale, in the order of the signal.
  private(set) var findings: [Finding] = []

  struct Finding {
    var level: Headroom.Level
    /// The node that clips, at this input or, for `nil`, at its output.
    var node: NodeID
    var input: Int?
    /// What clips there: `the loudspeaker`, `int16`.
    var what: String
  }

  init(_ graph: AudioGraph, _ configurations: [NodeID: UnitConfiguration]) {
    self.graph = graph
    self.configurations = configurations
    interactions = graph.interactions
  }

  /// Whether the graph has anything that clips: a loudspeaker, or a bus of integers.
  static func canClip(_ graph: AudioGraph, _ configurations: [NodeID: UnitConfiguration]) -> Bool {
    configurations.contains { node, configuration in
      configuration.inputs.contains { clips($0.format) }
        || configuration.outputs.contains { clips($0.format) }
        || configuration.device != nil
          && (try? graph.unit(node))?.description.property(.enableIO) != nil
    }
  }

  /// Whether a bus of a format clips at full scale.
  private static func clips(_ format: StreamFormat) -> Bool {
    guard let sample = format.sampleType else { return false }
    return [.int16, .int24, .int32].contains(sample)
  }

  mutating func walk() {
    let feeds = Dictionary(grouping: interactions, by: \.destination)
    var pendingFeedCounts: [NodeID: Int] = [:]
    var destinations: [NodeID: [NodeID]] = [:]
    for interaction in interactions {
      guard let link = interaction.link else { continue }
      // The microphone side waits for no input.
      guard configurations[link.source]?.device == nil else { continue }
      pendingFeedCounts[link.destination, default: 0] += 1
      destinations[link.source, default: []].append(link.destination)
    }
    var ready = graph.nodes.filter { pendingFeedCounts[$0] == nil }
    var next = 0
    while next < ready.count {
      let node = ready[next]
      next += 1
      computeOutput(of: node, feeds[node] ?? [])
      for destination in destinations[node] ?? [] {
        pendingFeedCounts[destination, default: 0] -= 1
        if pendingFeedCounts[destination] == 0 { ready.append(destination) }
      }
    }
  }

  private mutating func computeOutput(of node: NodeID, _ feeds: [Interaction]) {
    guard let configuration = configurations[node], let unit = try? graph.unit(node) else { return }
    var inputs: [Int: Headroom.Level] = [:]
    for interaction in feeds where configuration.inputs.indices.contains(interaction.input) {
      var level = level(of: interaction)
      // The format of a connection is that of its source, where it has been checked.
      if interaction.connection == nil {
        clip(&level, configuration.inputs[interaction.input].format, node, interaction.input)
      }
      inputs[interaction.input] = level
    }
    if unit.description.isOutput {
      if let device = configuration.device, device.output != nil,
        unit.description.property(.enableIO) != nil, let level = inputs[RemoteIO.outputElement],
        level.exceedsFullScale
      {
        findings.append(
          Finding(level: level, node: node, input: RemoteIO.outputElement, what: "the loudspeaker"))
      }
      return
    }
    var output = output(of: unit, inputs, node, configuration)
    clip(&output, configuration.outputs[0].format, node, nil)
    outputs[node] = [output]
  }

  private mutating func clip(
    _ level: inout Headroom.Level, _ format: StreamFormat, _ node: NodeID, _ input: Int?
  ) {
    guard Self.clips(format), let sample = format.sampleType else { return }
    if level.exceedsFullScale {
      findings.append(
        Finding(level: level, node: node, input: input, what: "a bus of \(sample.rawValue)"))
    }
    level = Headroom.Level(level.peak.clipped)
  }

  // MARK: Sources

  private func level(of interaction: Interaction) -> Headroom.Level {
    switch interaction {
    case .connection(let connection): return output(connection.source)
    case .callback(let feed):
      var chain = [feed.callback]
      var start: Headroom.Level?
      var next = feed.feed
      while let feed = next {
        switch feed {
        case .output(let node, _):
          start = output(node)
          next = nil
        case .link(let link):
          chain.append(link.callback)
          next = link.from
        }
      }
      var level = start ?? Headroom.Level()
      for callback in chain.reversed() { level.peak = callback.peak(pulling: level.peak) }
      return level
    }
  }

  private func output(_ node: NodeID) -> Headroom.Level {
    // A microphone may hear anything.
    outputs[node]?.first ?? Headroom.Level(.unknown)
  }

  // MARK: Units

  private func output(
    of unit: UnitInstance, _ inputs: [Int: Headroom.Level], _ node: NodeID,
    _ configuration: UnitConfiguration
  ) -> Headroom.Level {
    let peak = unit.peak(of: inputs.mapValues(\.peak), in: configuration)
    let levels = inputs.sorted { $0.key < $1.key }.map(\.value)
    let loudest = levels.max { $0.peak.possible < $1.peak.possible }
    if let loudest, peak.possible > loudest.peak.possible {
      return Headroom.Level(peak, raisedBy: node)
    }
    let raisers = ([loudest] + levels).compactMap { $0?.raisedBy }
    return Headroom.Level(peak, raisedBy: raisers.first)
  }
}

extension GraphBuilder {
  /// Warns where a bus or a loudspeaker clips. Call it only for a patch that could be initialized.
  mutating func reportHeadroom(_ configurations: [NodeID: UnitConfiguration]) {
    guard LevelWalk.canClip(graph, configurations) else { return }
    var walk = LevelWalk(graph, configurations)
    walk.walk()
    guard !walk.findings.isEmpty else { return }
    // A volume above 1 has its own warning.
    let warned = nodesWarnedOfVolume()
    for finding in walk.findings {
      let level = finding.level
      let place: Violation.Place =
        level.raisedBy.map { .init(node: $0, .whole) }
        ?? finding.input.map { .init(node: finding.node, .feed($0)) }
        ?? .init(node: finding.node, .whole)
      if let node = level.raisedBy, warned.contains(node) { continue }
      report(diagnostic(finding, at: place))
    }
  }

  private func nodesWarnedOfVolume() -> Set<NodeID> {
    Set(
      diagnostics.compactMap { diagnostic in
        guard diagnostic.rule == UnitRules.parameterUsualRange,
          let tokens = diagnostic.pointer.flatMap({ JSONPointer(parsing: $0) })?.tokens,
          tokens.count > 1, tokens[0] == "nodes"
        else { return nil }
        return nodes[tokens[1]]
      })
  }

  private func diagnostic(_ finding: LevelWalk.Finding, at place: Violation.Place) -> Diagnostic {
    let level = finding.level
    let decibels = (20 * log10(level.reportedPeak) * 10).rounded() / 10
    let isCertain = level.certainlyExceedsFullScale
    let raiser = level.raisedBy.flatMap { try? graph.nodeInfo($0) }
    let what = raiser.map { "what \(quoted($0.name)) puts out" } ?? "what the callback plays"
    let verb = isCertain ? "goes up to" : "can go up to"
    // Rounded down, because a factor that is a little too great would still clip.
    let share = (100 / level.reportedPeak).rounded(.down) / 100
    var help = [
      raiser?.unit.map { $0.unit.help(toLowerTo: share, in: $0.configuration()) }
        ?? "make it \(share) times as loud, by its \"amplitude\" or \"gain\""
    ]
    if !isCertain {
      help.append("sources whose level is not known are taken to reach full scale")
    }
    return Headroom.rule.diagnostic(
      .init("\(what) \(verb) \(decibels) dB over full scale, and \(finding.what) clips it"),
      at: diagnosticRange(place), pointer: places.value(place).pointer.description, help: help)
  }

  private func diagnosticRange(_ place: Violation.Place) -> SourceRange {
    places.value(place).markRange
  }
}

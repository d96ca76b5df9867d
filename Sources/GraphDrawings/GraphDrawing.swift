import AudioGraphs
public import AudioTypes
import PatchGraph
public import PatchSyntax

/// The drawing of an initialized graph, for every output form: nodes, their buses, and the edges
/// between them, each with its stream format and the origin of the format.
public struct GraphDrawing: Hashable, Sendable {
  public var title: String
  /// The units in the order of the graph, then the callbacks that are used, then the taps.
  public var nodes: [Node]
  /// The edges in the order of the patch. The edge into a callback comes before the edges out of
  /// it, and the edges of taps come last.
  public var edges: [Edge]
  /// The sub-graphs, each after the one that it is in: `rack`, `rack/strip`.
  public var subgraphs: [String] = []
  /// The knobs of each sub-graph with their current values, in the order in which they are
  /// declared.
  public var knobs: [String: [Setting]] = [:]
  /// The format that a picture shows once for most connections; see `withCommonFormatNote()`.
  var commonFormat: CommonFormat?

  /// A box.
  public struct Node: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case unit, callback, tap }

    public var kind: Kind
    /// The name of the node in the patch.
    public var name: String
    /// The unit's name, or the kind of the callback or tap.
    public var type: String
    /// The component of a unit; `nil` for other nodes.
    public var component: ComponentDescription?
    /// The half of an I/O unit; see `splittingIOUnits()`.
    public var side: Side?
    /// Whether the outer side of the unit is a device.
    public var isDevice = false
    /// The settings of the whole node.
    public var settings: [Setting] = []
    /// The buses that are connected, have a name or a setting, or decide their format themselves.
    public var inputs: [Element] = []
    public var outputs: [Element] = []
    /// The number of inputs; 0 for a node that pulls nothing.
    public var inputCount = 0
    /// The channels and the rate of a file that is played.
    public var file: StreamFormat?
    /// The sub-graph that contains the node; `nil` for none.
    public var subgraph: String?
    /// The latency of a unit's output against the sources, in seconds.
    public var latency = 0.0
    /// The node's share of the rendering time, from 0 to 1; `nil` where it has not been measured.
    public var share: Double?

    init(_ kind: Kind, _ name: String, type: String, component: ComponentDescription? = nil) {
      self.kind = kind
      self.name = name
      self.type = type
      self.component = component
    }

    func input(_ number: Int) -> Element? { inputs.first { $0.number == number } }
    func output(_ number: Int) -> Element? { outputs.first { $0.number == number } }
  }

  /// The halves of an I/O unit.
  public enum Side: String, Hashable, Sendable { case microphone, loudspeaker }

  /// A bus.
  public struct Element: Hashable, Sendable {
    public var number: Int
    /// The ElementName of the bus.
    public var name: String?
    public var format: StreamFormat?
    public var origin: Origin?
    /// Whether an edge begins or ends at the bus.
    public var isUsed = false
    public var settings: [Setting] = []
    /// The conversions of samples between this bus and the rest of the node.
    public var conversions: [Conversion] = []
  }

  /// A connection along which sound flows, or one to a tap.
  public struct Edge: Hashable, Sendable {
    /// An index in `nodes`.
    public var source: Int
    public var output: Int
    /// An index in `nodes`.
    public var destination: Int
    public var input: Int
    public var format: StreamFormat?
    public var origin: Origin?
    /// Whether the edge leads to a tap, which only watches.
    public var isTap = false
    /// The latency of the sound against the sources, in seconds.
    public var latency = 0.0
    /// The delay at the end of the edge, in frames, that aligns it with the other inputs there.
    public var delay = 0
    /// Whether the format is the common one, which the picture shows once.
    var isCommon = false
    /// Whether a picture shows where the format was decided.
    var showsOrigin = true

    /// The latency and the delay in words, `12.72 ms late`; `nil` without both.
    public var latencyText: String? {
      let late = latency > 0 ? "\(LatencyText.milliseconds(latency)) ms late" : nil
      let delayed = delay > 0 ? "delayed by \(delay) frames" : nil
      let texts = [late, delayed].compactMap(\.self)
      return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The stream format, the latency and the delay.
    public var formatText: String? {
      let texts = [format?.summary, latencyText].compactMap(\.self)
      return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
  }

  /// A setting as it is written in the patch.
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var value: JSONText
    /// The symbol that follows a number: `Hz`.
    public var unit = ""
  }

  /// Where a stream format was decided.
  public struct Origin: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
      /// Set on this bus.
      case set
      /// Only the rate was set on this bus; the rest is the unit's default.
      case rateSet
      /// The unit's default.
      case unitDefault
      /// The `streamFormat` of the patch.
      case streamFormat
      /// Taken from this output along a connection.
      case propagated
      case device
      /// The format of the unit's input 0.
      case input
      /// A callback works in floats, with the rate and the channels of the bus it feeds.
      case callback
    }

    public var kind: Kind
    /// The node that the bus belongs to.
    public var node: String
    public var scope: Scope
    public var element: Int

    /// A few words for a label.
    public var text: String {
      let bus = "\(node) \(scope) \(element)"
      switch kind {
      case .set: return "set on \(bus)"
      case .rateSet: return "rate set on \(bus)"
      case .unitDefault: return "the default of \(node)"
      case .streamFormat: return "the patch's streamFormat"
      case .propagated: return "from \(bus)"
      case .device: return "the device's"
      case .input: return "as \(node) input 0"
      case .callback: return "floats, as the bus it feeds"
      }
    }
  }

  /// A change of format within a node.
  public struct Conversion: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable { case rate, sample, channels, layout }

    public var kind: Kind
    public var from: String
    public var to: String

    /// `22050 → 44100 Hz`.
    public var text: String {
      "\(from) → \(to)" + (kind == .rate ? " Hz" : kind == .channels ? " ch" : "")
    }
  }
}

extension GraphDrawing.Conversion {
  /// The conversions between two formats, of the given kinds.
  static func between(
    _ before: StreamFormat, _ after: StreamFormat, _ kinds: [Kind]
  ) -> [GraphDrawing.Conversion] {
    kinds.compactMap { kind in
      let (from, to) = (text(before, kind), text(after, kind))
      return from == to ? nil : GraphDrawing.Conversion(kind: kind, from: from, to: to)
    }
  }

  private static func text(_ format: StreamFormat, _ kind: Kind) -> String {
    switch kind {
    case .rate: rateText(format.sampleRate)
    case .sample: format.sampleType?.rawValue ?? "\(format.bitsPerChannel)-bit PCM"
    case .channels: "\(format.channelCount)"
    // One channel has the same layout either way.
    case .layout:
      format.isInterleaved && format.channelCount > 1 ? "interleaved" : "deinterleaved"
    }
  }
}

extension GraphDrawing.Setting {
  /// `frequency 440 Hz`.
  public var text: String {
    guard case .number = value, !unit.isEmpty else { return "\(name) \(Self.text(value))" }
    return "\(name) \(Self.text(value))\(unit == "°" ? "" : " ")\(unit)"
  }

  private static func text(_ value: JSONText) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let flag): return "\(flag)"
    case .number(let number):
      let text = rateText(number)
      // A computed number may have many digits: it is rounded.
      return text.count > 9 && number.magnitude >= 0.001
        ? rateText((number * 10_000).rounded() / 10_000) : text
    case .string(let text): return text
    // Too many values for a label.
    case .array(let values) where values.count > 16: return "[\(values.count) values]"
    case .array(let values): return "[\(values.map(text).joined(separator: ", "))]"
    case .object(let members):
      let texts = members.prefix(16).map { "\($0.name) \(text($0.value))" }
      return "{\(texts.joined(separator: ", "))}"
    }
  }
}

extension GraphDrawing {
  /// The knobs of a sub-graph in a line: `drive 6 dB, level 0.5`; `nil` for one without.
  func knobText(of subgraph: String) -> String? {
    guard let knobs = knobs[subgraph], !knobs.isEmpty else { return nil }
    return knobs.map(\.text).joined(separator: ", ")
  }

  /// A node, or a sub-graph with its contents.
  enum Part {
    /// An index in `nodes`.
    case node(Int)
    case subgraph(String, [Part])
  }

  /// The contents of the patch: first the nodes, then the sub-graphs with theirs.
  func parts() -> [Part] {
    let known = Set(subgraphs)
    /// The innermost sub-graph around another; `nil` for the patch.
    func surroundings(of name: String) -> String? {
      var rest = name[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        if known.contains(String(rest)) { return String(rest) }
      }
      return nil
    }
    let nodesInside = Dictionary(grouping: nodes.indices) { nodes[$0].subgraph }
    let subgraphsInside = Dictionary(grouping: subgraphs, by: surroundings)
    func parts(of subgraph: String?) -> [Part] {
      (nodesInside[subgraph] ?? []).map(Part.node)
        + (subgraphsInside[subgraph] ?? []).map { .subgraph($0, parts(of: $0)) }
    }
    return parts(of: nil)
  }
}

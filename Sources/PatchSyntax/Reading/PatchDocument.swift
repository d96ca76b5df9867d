public import AudioTypes
public import Diagnostics

/// A value of the patch with its place in the text.
public struct Located<Value: Sendable>: Sendable {
  public var value: Value
  /// The JSON that it was read from; of a key, the key.
  public var json: JSONValue

  public init(_ value: Value, at json: JSONValue) {
    self.value = value
    self.json = json
  }

  /// Where it is written.
  public var range: SourceRange { json.range }

  /// The text of its JSON Pointer. It is found by a walk from the root: for diagnostics, not for
  /// loops.
  public var pointer: String { json.pointer.description }
}

/// A patch as it is written: typed, with every value's place, and nothing resolved.
///
/// What a patch leaves out is `nil` or empty here. What was written wrong has been reported by
/// `PatchReader`, and is left out too. Values whose meaning depends on a unit, a callback or a tap
/// stay JSON. Members named `comment` are left out.
public struct PatchDocument: Sendable {
  /// The whole patch.
  public var root: JSONValue
  /// 1, if written.
  public var schemaVersion: Located<Int>?
  public var title: Located<String>?
  /// Values with names, which `"$name"` stands for: numbers, texts, truth values.
  public var constants: [Field] = []
  public var session: Located<Session>?
  public var limits: Located<Limits>?
  /// Whether paths that meet are made equally late.
  public var compensateLatency: Located<Bool>?
  /// The formats by name, in the order written.
  public var streamFormats: [Member<Located<StreamFormat>>] = []
  /// The format of every bus that needs one and is given none.
  public var streamFormat: Located<StreamFormat>?
  /// The `maximumFramesPerSlice` of every unit that sets none: 1 or more.
  public var maximumFramesPerSlice: Located<Int>?
  public var callbacks: [Member<Callback>] = []
  public var nodes: [Member<Node>] = []
  public var connections: [Connection] = []
  public var taps: [Member<Tap>] = []
  /// Beats per minute, finite and greater than 0.
  public var tempo: Located<Double>?
  /// The controls that a patch around this one may turn, by name.
  public var knobs: [Member<Knob>] = []
  /// The steps in the order written, which need not be that of their times. A repeated step is here
  /// once for each repetition.
  public var timeline: [Step] = []
  /// The sub-graphs that have replaced the nodes that name them, each after the one that contains
  /// it. Empty in a patch as it is written.
  public private(set) var subgraphs: [Subgraph] = []
  /// The indices in `subgraphs` by the trees of their texts.
  private(set) var subgraphNumbers: [ObjectIdentifier: Int] = [:]
  /// The copies that repetitions have made, in this patch and those put into it.
  public var copies = Copies()
  /// The names of nodes, callbacks and sub-graphs with errors that have been reported.
  public var unresolved: Set<String> = []

  /// Puts a sub-graph into the patch.
  public mutating func add(_ subgraph: Subgraph) {
    if let tree = subgraph.tree, subgraphNumbers[ObjectIdentifier(tree)] == nil {
      subgraphNumbers[ObjectIdentifier(tree)] = subgraphs.count
    }
    subgraphs.append(subgraph)
  }

  /// Sets the knobs of the sub-graph that was put in with a name.
  public mutating func setKnobs(_ knobs: [TurnedKnob], ofSubgraph name: String) {
    guard let index = subgraphs.lastIndex(where: { $0.name == name }) else { return }
    subgraphs[index].knobs = knobs
  }

  /// The index of the sub-graph that a value is written in; `nil` for the patch itself.
  public func subgraphNumber(around json: JSONValue) -> Int? {
    subgraphNumbers[ObjectIdentifier(json.tree)]
  }

  /// The number of nodes, callbacks and taps.
  public var itemCount: Int { nodes.count + callbacks.count + taps.count }

  /// The text that all ranges refer to.
  public var source: SourceText { root.tree.source }
}

extension PatchDocument {
  /// A member of an object whose keys are names.
  public struct Member<Value: Sendable>: Sendable {
    public var key: Located<String>
    public var value: Value

    public init(_ key: Located<String>, _ value: Value) {
      self.key = key
      self.value = value
    }

    public var name: String { key.value }
  }

  /// A member whose value is not interpreted yet.
  public typealias Field = Member<JSONValue>

  /// What the patch asks of the audio session. Rates are in hertz, durations in seconds; both are
  /// finite and greater than 0.
  public struct Session: Sendable {
    public var category: Located<SessionCategory>?
    public var preferredSampleRate: Located<Double>?
    public var preferredIOBufferDuration: Located<Double>?
    /// What to do when something happens to the device.
    public var policy = SessionPolicy()
  }

  /// How loud the patch may become, as written.
  public struct Limits: Sendable {
    /// The range of `outputPeak`, in decibels of which 0 is full scale.
    public static let outputPeakRange = -120.0...0
    /// The range of `requestedGain`, in decibels.
    public static let requestedGainRange = -120.0...120

    /// The greatest level of the output.
    public var outputPeak: Located<Level>?
    /// The greatest gain that requests and OSC messages may set.
    public var requestedGain: Located<Level>?
  }

  /// A sample rate: a number of hertz, finite and greater than 0, or what the session was granted.
  public enum SampleRate: Hashable, Sendable {
    case session
    case hertz(Double)
  }

  /// A stream format as it is written.
  public enum StreamFormat: Sendable {
    /// A name from `streamFormats`.
    case name(String)
    // Boxed: most buses have no format, but room for one.
    indirect case short(ShortFormat)
    /// An AudioStreamBasicDescription, field by field.
    indirect case description(FormatDescription)
  }

  /// A stream format by sample type, channels and rate. All but `interleaved` are required; where
  /// one is `nil`, an error has been reported.
  public struct ShortFormat: Sendable {
    public var sample: Located<SampleType>?
    /// 1 to 1024.
    public var channels: Located<Int>?
    public var sampleRate: Located<SampleRate>?
    public var interleaved: Located<Bool>?
  }

  /// The fields of an AudioStreamBasicDescription. A field that is `nil` was not written.
  public struct FormatDescription: Sendable {
    public var sampleRate: Located<SampleRate>?
    /// A number, or a string with a name or a four-character code.
    public var formatID: JSONValue?
    /// A number, a string with a name, or an array of such.
    public var formatFlags: JSONValue?
    /// The counts are in 0...4294967295.
    public var bytesPerPacket: Located<Int>?
    public var framesPerPacket: Located<Int>?
    public var bytesPerFrame: Located<Int>?
    public var channelsPerFrame: Located<Int>?
    public var bitsPerChannel: Located<Int>?
    public var reserved: Located<Int>?
    /// Whether a written field could not be read, so that the others do not describe the format.
    public var hasGaps = false
  }

  /// A step of the timeline.
  public struct Step: Sendable {
    public var json: JSONValue
    /// Its index among the steps as they are written.
    public var number = 0
    /// How it is repeated; `nil` for a step that is not.
    public var repetition: Repetition?
    /// The index of this repetition: 0 for the first one, and for a step that is not repeated.
    public var repetitionIndex = 0
    /// Whether it belongs to the timeline of a sub-graph, which continues through updates of the
    /// patch.
    public var isOfSubgraph = false
    /// The time from the start; `nil` where an error has been reported.
    public var at: Located<Time>?
    public var ramp: Ramp?
    /// The value of `update`; `nil` for another step.
    public var update: JSONValue?
    /// The callbacks whose sounds begin again.
    public var triggers: [Located<String>] = []
    /// Whether the patch ends at this step.
    public var stop: Located<Bool>?

    /// Whether it is an update or a trigger, which change feeds or start them again.
    public var isUpdate: Bool { update != nil || !triggers.isEmpty }

    /// The value of the update or the trigger; `nil` for another step.
    public var change: JSONValue? { update ?? (triggers.isEmpty ? nil : json["trigger"]) }
  }

  /// The repetition of a step.
  public struct Repetition: Sendable {
    /// The greatest count.
    public static let maximumCount = 1_000_000

    public var json: JSONValue
    /// The time from the beginning of one repetition to the beginning of the next, greater than 0.
    public var every: Located<Time>
    /// How often the step happens in all: 1 or more.
    public var count: Located<Int>
  }

  /// A ramp of a parameter.
  public struct Ramp: Sendable {
    public var json: JSONValue
    /// A JSON Pointer to a parameter; `nil` where an error has been reported.
    public var path: Located<JSONPointer>?
    /// Further pointers, in a patch with its sub-graphs put in: for a knob that turns several
    /// parameters.
    public var otherPaths: [Located<JSONPointer>] = []
    /// The target, not interpreted yet; `nil` where an error has been reported.
    public var to: JSONValue?
    /// The duration; `nil` for 0.
    public var duration: Located<Time>?
    /// `nil` for linear, and where an error has been reported.
    public var curve: Located<RampCurve>?
  }

  /// A moment or a length of time, finite and at least 0.
  public enum Time: Hashable, Sendable {
    case seconds(Double)
    /// Frames of the session.
    case frames(Double)
    /// Beats of the patch's tempo.
    case beats(Double)
    /// The first time plus a multiple of the second, which is in a different unit.
    indirect case sum(Time, Time, Int)

    /// This time plus a multiple of another.
    public func adding(_ other: Time, times: Int) -> Time {
      let factor = Double(times)
      return switch (self, other) {
      case (.seconds(let one), .seconds(let more)): .seconds(one + more * factor)
      case (.frames(let one), .frames(let more)): .frames(one + more * factor)
      case (.beats(let one), .beats(let more)): .beats(one + more * factor)
      default: times == 0 ? self : .sum(self, other, times)
      }
    }

    /// The same time, with beats converted to seconds.
    ///
    /// - Parameter tempo: Beats per minute.
    public func inSeconds(tempo: Double) -> Time {
      switch self {
      case .beats(let beats): .seconds(beats * 60 / tempo)
      case .sum(let one, let more, let times):
        one.inSeconds(tempo: tempo).adding(more.inSeconds(tempo: tempo), times: times)
      case .seconds, .frames: self
      }
    }

    /// Whether it is 0, in any unit.
    var isZero: Bool {
      switch self {
      case .seconds(let value), .frames(let value), .beats(let value): value == 0
      case .sum(let one, let more, let times): one.isZero && (more.isZero || times == 0)
      }
    }
  }

  /// A sub-graph: a patch inside another. The names in it begin with its own, `strip/`.
  public struct Subgraph: Sendable {
    /// The name of its node, with those of the sub-graphs around it: `strip`, or `rack/strip`.
    public var name: String
    /// The value of `subgraph`.
    public var place: JSONValue
    /// The path of its file.
    public var path: String
    /// The folder that paths in it are relative to; empty for the current one.
    public var directory: String
    /// The range of its text, behind that of the patch.
    public var textRange: SourceRange
    /// The tree of its text; `nil` where the text could not be read.
    public var tree: JSONTree?
    /// Its default stream format, or that of the sub-graph around it; `nil` for that of the whole
    /// patch.
    public var streamFormat: Located<StreamFormat>?
    /// Whether that format has an error, which has been reported.
    public var isFormatWrong: Bool
    /// Its knobs, in the order in which its patch declares them.
    public var knobs: [TurnedKnob] = []

    public init(
      name: String, place: JSONValue, path: String, directory: String, textRange: SourceRange,
      tree: JSONTree?, streamFormat: Located<StreamFormat>? = nil, isFormatWrong: Bool = false
    ) {
      self.name = name
      self.place = place
      self.path = path
      self.directory = directory
      self.textRange = textRange
      self.tree = tree
      self.streamFormat = streamFormat
      self.isFormatWrong = isFormatWrong
    }

    /// The beginning of all names in it.
    public var prefix: String { name + "/" }
  }

  /// A callback: a source of audio, or an effect on one, that is not a node.
  public struct Callback: Sendable {
    public var json: JSONValue
    /// The source that it pulls, once sub-graphs have been put in or an element name has been
    /// looked up; it replaces the value of `from`. `nil` before that.
    public var pulled: Located<Address>?
    /// Such as `file`; `nil` where an error has been reported.
    public var kind: Located<String>?
    /// All members but the kind.
    public var fields: [Field]
    /// The values that knobs have set in objects among the fields, by the name of the field. They
    /// replace those written in the object.
    public var turnedMembers: [String: [Field]] = [:]
  }

  /// `node`, `node:bus` or `node:name`.
  public struct Address: Hashable, Sendable, CustomStringConvertible {
    /// A node's or callback's name: not empty, and without a colon.
    public var node: String
    /// The number of the bus, in 0...4294967295; `nil` if not written.
    public var bus: Int?
    /// The name of an element in place of the number, until it has been looked up (`ElementNames`).
    public var element: String?

    public init(node: String, bus: Int? = nil, element: String? = nil) {
      self.node = node
      self.bus = bus
      self.element = element
    }

    /// As it is written.
    public var description: String {
      if let element { return "\(node):\(element)" }
      return bus.map { "\(node):\($0)" } ?? node
    }
  }

  /// A connection of an output to an input. Where an end is `nil`, an error has been reported.
  public struct Connection: Sendable {
    public var json: JSONValue
    public var from: Located<Address>?
    public var to: Located<Address>?
  }

  /// A tap, which watches a bus.
  public struct Tap: Sendable {
    public var json: JSONValue
    /// Such as `record`; `nil` where an error has been reported.
    public var kind: Located<String>?
    /// The bus; `nil` where an error has been reported.
    public var at: Located<Address>?
    /// All other members.
    public var fields: [Field]
  }
}

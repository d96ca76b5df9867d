public import Diagnostics

/// A value of the patch with its place in the text.
public struct Located<Value: Sendable>: Sendable {
  public var value: Value
  /// The JSON it was read from: of a key, the key.
  public var json: JSONValue

  public init(_ value: Value, at json: JSONValue) {
    self.value = value
    self.json = json
  }

  /// Where it is written.
  public var range: SourceRange { json.range }

  /// Its JSON Pointer's text. Found by a walk from the root: for diagnostics, not for loops.
  public var pointer: String { json.pointer.description }
}

/// A patch as it is written: typed, with every value's place, and nothing resolved.
///
/// What a patch leaves out is `nil` or empty here. What was written wrong has been reported by
/// `PatchReader` and is left out too. Everything whose meaning depends on a unit (properties,
/// parameters, fields of callbacks and taps) is kept as JSON. Members named `comment` are nowhere.
public struct PatchDocument: Sendable {
  /// The whole patch.
  public var root: JSONValue
  /// 1, if written.
  public var schemaVersion: Located<Int>?
  public var title: Located<String>?
  /// Values by name, as `"$name"` stands for them: numbers, texts, truth values.
  public var constants: [Field] = []
  public var session: Located<Session>?
  public var limits: Located<Limits>?
  /// Whether paths that meet are made equally late.
  public var compensateLatency: Located<Bool>?
  /// The formats by name, in the order written.
  public var streamFormats: [Member<Located<StreamFormat>>] = []
  /// The format of every bus that must be given one and is not.
  public var streamFormat: Located<StreamFormat>?
  /// The most frames of a slice, for every unit that says nothing else: 1 or more.
  public var maximumFramesPerSlice: Located<Int>?
  public var callbacks: [Member<Callback>] = []
  public var nodes: [Member<Node>] = []
  public var connections: [Connection] = []
  public var taps: [Member<Tap>] = []
  /// Beats per minute, finite and greater than 0.
  public var tempo: Located<Double>?
  /// What a patch that has this one as a sub-graph may turn of it, by names of their own.
  public var knobs: [Member<Knob>] = []
  /// In the order written, which need not be that of their times. A step that is repeated stands here for
  /// each of its times.
  public var timeline: [Step] = []
  /// The sub-graphs that have been put into the patch in the place of the nodes that name them, each
  /// after the one that it is in. Empty in a patch as it is written.
  public private(set) var subgraphs: [Subgraph] = []
  /// Their numbers by what they were read as.
  private(set) var subgraphNumbers: [ObjectIdentifier: Int] = [:]
  /// What has been written out of repetitions, in this patch and those put into it.
  public var copies = Copies()
  /// Names of sub-graphs, and of what is in them, that something is wrong with: it has been said.
  public var unresolved: Set<String> = []

  /// Puts a sub-graph into the patch.
  public mutating func add(_ subgraph: Subgraph) {
    if let tree = subgraph.tree, subgraphNumbers[ObjectIdentifier(tree)] == nil {
      subgraphNumbers[ObjectIdentifier(tree)] = subgraphs.count
    }
    subgraphs.append(subgraph)
  }

  /// Notes what can be turned of the sub-graph that was put in with a name.
  public mutating func setKnobs(_ knobs: [TurnedKnob], ofSubgraph name: String) {
    guard let index = subgraphs.lastIndex(where: { $0.name == name }) else { return }
    subgraphs[index].knobs = knobs
  }

  /// The number of the sub-graph that a value is written in; `nil` for the patch itself.
  public func subgraphNumber(around json: JSONValue) -> Int? {
    subgraphNumbers[ObjectIdentifier(json.tree)]
  }

  /// How many nodes, callbacks and taps there are.
  public var itemCount: Int { nodes.count + callbacks.count + taps.count }

  /// The text all ranges point into.
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

  /// A member whose value's meaning is somebody else's.
  public typealias Field = Member<JSONValue>

  /// What the patch asks of the audio session. Rates are in hertz, durations in seconds; both are
  /// finite and greater than 0.
  public struct Session: Sendable {
    public var category: Located<String>?
    public var preferredSampleRate: Located<Double>?
    public var preferredIOBufferDuration: Located<Double>?
    /// What is done when another takes the device away for a while, as written.
    public var onInterruption: Located<String>?
    /// What is done when the device becomes another, as written.
    public var onRouteChange: Located<String>?
    /// What is done when the device or the server goes, as written.
    public var onDeviceLoss: Located<String>?
    /// How long a device that is gone is waited for.
    public var deviceWait: Located<Double>?
    /// What files and timeline do without a device, as written.
    public var withoutDevice: Located<String>?
  }

  /// How loud the patch lets itself become, as written.
  public struct Limits: Sendable {
    /// What a limit of the output may be, in decibels of which 0 is full scale.
    public static let outputPeakRange = -120.0...0
    /// What a limit of gains may be, in decibels.
    public static let requestedGainRange = -120.0...120

    /// The greatest level that is ever put out.
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
    // Apart: most buses have no format, and have room for one.
    indirect case short(ShortFormat)
    /// An AudioStreamBasicDescription, field by field.
    indirect case description(FormatDescription)
  }

  /// A stream format by sample type, channels and rate. All but `interleaved` are required; one
  /// that is `nil` has been reported.
  public struct ShortFormat: Sendable {
    /// Such as `float32`.
    public var sample: Located<String>?
    /// 1 or more.
    public var channels: Located<Int>?
    public var sampleRate: Located<SampleRate>?
    public var interleaved: Located<Bool>?
  }

  /// The fields of an AudioStreamBasicDescription. What is `nil` was not written.
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
    /// Whether something that was written could not be read: then the others say too little.
    public var hasGaps = false
  }

  /// What happens at a time.
  public struct Step: Sendable {
    public var json: JSONValue
    /// Its number among those that are written.
    public var number = 0
    /// How it is repeated, if it is.
    public var repetition: Repetition?
    /// How often it has happened before: 0 for the first time.
    public var time = 0
    /// Whether it is of the timeline of a sub-graph, which goes on through updates of the patch.
    public var isOfSubgraph = false
    /// From the start; `nil` has been reported.
    public var at: Located<Time>?
    public var ramp: Ramp?
    /// What is written for `update`, if it is.
    public var update: JSONValue?
    /// The callbacks whose sounds begin again.
    public var triggers: [Located<String>] = []
    /// Whether the patch ends.
    public var stop: Located<Bool>?

    /// Whether what feeds what is another, or is made anew: an update or a trigger.
    public var isUpdate: Bool { update != nil || !triggers.isEmpty }

    /// What is written for the update or the trigger; `nil` for another step.
    public var change: JSONValue? { update ?? (triggers.isEmpty ? nil : json["trigger"]) }
  }

  /// How a step is repeated.
  public struct Repetition: Sendable {
    /// The most that one step may happen.
    public static let mostTimes = 1_000_000

    public var json: JSONValue
    /// From the beginning of one to that of the next, greater than 0.
    public var every: Located<Time>
    /// How often it happens in all: 1 or more.
    public var count: Located<Int>
  }

  /// A parameter that moves.
  public struct Ramp: Sendable {
    public var json: JSONValue
    /// A JSON Pointer to a parameter; `nil` has been reported.
    public var path: Located<JSONPointer>?
    /// Where else it leads, in a patch whose sub-graphs have been put in: of a knob that turns several
    /// parameters.
    public var otherPaths: [Located<JSONPointer>] = []
    /// A number, as yet unread; `nil` has been reported.
    public var to: JSONValue?
    /// 0 if not written.
    public var duration: Located<Time>?
    /// The name of its course, if it is written.
    public var curve: Located<String>?
  }

  /// A moment or a length of time, finite and at least 0.
  public enum Time: Hashable, Sendable {
    case seconds(Double)
    /// Frames of the session.
    case frames(Double)
    /// Beats of the patch's tempo.
    case beats(Double)
    /// One time and another, so many times: where they are in different units.
    indirect case sum(Time, Time, Int)

    /// This time and another one, so many times.
    public func adding(_ other: Time, times: Int) -> Time {
      let factor = Double(times)
      return switch (self, other) {
      case (.seconds(let one), .seconds(let more)): .seconds(one + more * factor)
      case (.frames(let one), .frames(let more)): .frames(one + more * factor)
      case (.beats(let one), .beats(let more)): .beats(one + more * factor)
      default: times == 0 ? self : .sum(self, other, times)
      }
    }

    /// The same, with what is in beats in seconds.
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

    /// Whether it is 0, in whatever unit.
    var isZero: Bool {
      switch self {
      case .seconds(let value), .frames(let value), .beats(let value): value == 0
      case .sum(let one, let more, let times): one.isZero && (more.isZero || times == 0)
      }
    }
  }

  /// A sub-graph: a patch in another one. The names of what is in it begin with its own, `strip/`.
  public struct Subgraph: Sendable {
    /// The node that it stands for, with those that it is in: `strip`, or `rack/strip`.
    public var name: String
    /// What is written for `subgraph`.
    public var place: JSONValue
    /// Its file.
    public var path: String
    /// What paths in it are relative to; empty for the current folder.
    public var directory: String
    /// Where its text stands behind that of the patch.
    public var textRange: SourceRange
    /// What its text was read as; `nil` where it could not be.
    public var tree: JSONTree?
    /// Its own format for buses that must be given one, or that of the sub-graph it is in; `nil` for
    /// that of the whole patch.
    public var streamFormat: Located<StreamFormat>?
    /// Whether that has been reported to be wrong.
    public var isFormatWrong: Bool
    /// What can be turned of it, in the order in which its patch declares it.
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

    /// What the names of everything in it begin with.
    public var prefix: String { name + "/" }
  }

  /// A source of audio that is no node.
  public struct Callback: Sendable {
    public var json: JSONValue
    /// What it pulls, in a patch whose sub-graphs have been put in, and where an element is named. Then it
    /// holds, and not what is written for `from`.
    public var pulled: Located<Address>?
    /// Such as `file`; `nil` has been reported.
    public var kind: Located<String>?
    /// Everything but the kind.
    public var fields: [Field]
    /// What knobs have set in objects among the fields, by the name of the field: there it holds, and not
    /// what is written in the object.
    public var turnedMembers: [String: [Field]] = [:]
  }

  /// An audio unit, or another patch in its place.
  public struct Node: Sendable {
    public var json: JSONValue
    /// `nil` when the node is a sub-graph, or when a mistake has been reported.
    public var component: Located<Component>?
    /// What is written for `subgraph`, if it is.
    public var subgraph: JSONValue?
    /// What a sub-graph changes in its patch: by JSON Pointers into that.
    public var settings: [Field] = []
    /// What is written for `preset`, if it is: the file of a preset.
    public var preset: JSONValue?
    /// Whether it is the output unit of a sub-graph, which hands on what it is fed.
    public var endsSubgraph = false
    /// The global scope.
    public var properties: [Field] = []
    /// Those of the global scope; of a sub-graph its knobs.
    public var parameters: [Field] = []
    /// The parts of the unit that are alike: an equalizer's filters.
    public var bands: Located<[Band]>?
    /// The input scope's ElementCount, in 0...4294967295.
    public var inputCount: Located<Int>?
    /// The output scope's ElementCount, in 0...4294967295.
    public var outputCount: Located<Int>?
    public var inputs: [Element] = []
    public var outputs: [Element] = []
    /// What an I/O unit plays on and hears from.
    public var device: Located<Device>?
  }

  /// One of the parts of a unit that are alike.
  public struct Band: Sendable {
    public var json: JSONValue
    public var parameters: [Field]
  }

  /// The sink and the source of an I/O unit.
  public struct Device: Sendable {
    public var sink: Located<DeviceChoice>?
    public var source: Located<DeviceChoice>?
  }

  /// Which sink or source: patterns of its properties, all of which have to hold. What is written as a text is
  /// a pattern of `name`.
  public struct DeviceChoice: Sendable {
    public var patterns: [(property: Located<String>, pattern: Located<String>)]
  }

  /// Which audio unit a node is.
  public enum Component: Sendable {
    /// Such as `iPodEQ`.
    case name(String)
    indirect case description(ComponentDescription)
  }

  /// The fields of an AudioComponentDescription. What is `nil` was not written, and matches any.
  public struct ComponentDescription: Sendable {
    /// Each is a number, or a string with a name or a four-character code.
    public var type: JSONValue?
    public var subtype: JSONValue?
    public var manufacturer: JSONValue?
    /// Each is a number.
    public var flags: JSONValue?
    public var flagsMask: JSONValue?
  }

  /// One bus of a node's inputs or outputs.
  public struct Element: Sendable {
    public var json: JSONValue
    /// The key: the bus number, in 0...4294967295.
    public var bus: Located<Int>
    public var streamFormat: Located<StreamFormat>?
    public var sampleRate: Located<SampleRate>?
    public var properties: [Field] = []
    public var parameters: [Field] = []
  }

  /// `node`, `node:bus` or `node:name`.
  public struct Address: Hashable, Sendable, CustomStringConvertible {
    /// A node's or callback's name: not empty, and without a colon.
    public var node: String
    /// In 0...4294967295; `nil` if not written.
    public var bus: Int?
    /// The name that is written for the number, until it has been looked up (`ElementNames`).
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

  /// One output element joined to one input element. An end that is `nil` has been reported.
  public struct Connection: Sendable {
    public var json: JSONValue
    public var from: Located<Address>?
    public var to: Located<Address>?
  }

  /// Something that listens to a bus.
  public struct Tap: Sendable {
    public var json: JSONValue
    /// Such as `record`; `nil` has been reported.
    public var kind: Located<String>?
    /// `nil` has been reported.
    public var at: Located<Address>?
    /// Everything else.
    public var fields: [Field]
  }
}

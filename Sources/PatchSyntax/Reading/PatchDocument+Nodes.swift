extension PatchDocument {
  /// An audio unit, or a sub-graph.
  public struct Node: Sendable {
    public var json: JSONValue
    /// Whether it is written with the same bytes as the node before it, and both are all that is
    /// written there: no preset and no sub-graph.
    public var isAsBefore = false
    /// Whether it was the output unit of a sub-graph. It passes its input on to the patch around it.
    public var endsSubgraph = false
    /// `nil` for a sub-graph, and where an error has been reported.
    public var component: Located<Component>?
    /// The properties of the global scope.
    public var properties: [Field] = []
    /// The parameters of the global scope; of a sub-graph its knobs.
    public var parameters: [Field] = []
    /// The input scope's ElementCount, in 0...4294967295.
    public var inputCount: Located<Int>?
    /// The output scope's ElementCount, in 0...4294967295.
    public var outputCount: Located<Int>?
    public var inputs: [Element] = []
    public var outputs: [Element] = []
    private var rareParts = RarePart<RareParts>()

    private struct RareParts {
      var subgraph: JSONValue?
      var settings: [Field] = []
      var preset: JSONValue?
      var bands: Located<[Band]>?
      var device: Located<Device>?
    }

    init(json: JSONValue) { self.json = json }

    private mutating func setRarePart(_ set: (inout RareParts) -> Void) {
      var parts = rareParts.value ?? RareParts()
      set(&parts)
      rareParts.value = parts
    }

    /// Whether it has no sub-graph and no settings of one, no preset, no bands and no device.
    var isPlain: Bool { rareParts.isAbsent }

    /// The value of `subgraph`; `nil` if not written.
    public var subgraph: JSONValue? {
      get { rareParts.value?.subgraph }
      set { setRarePart { $0.subgraph = newValue } }
    }
    /// The values that it changes in the patch of a sub-graph, by JSON Pointers into that patch.
    public var settings: [Field] {
      get { rareParts.value?.settings ?? [] }
      set { setRarePart { $0.settings = newValue } }
    }
    /// The value of `preset`, the path of a preset; `nil` if not written.
    public var preset: JSONValue? {
      get { rareParts.value?.preset }
      set { setRarePart { $0.preset = newValue } }
    }
    /// The bands of the unit, such as an equalizer's filters.
    public var bands: Located<[Band]>? {
      get { rareParts.value?.bands }
      set { setRarePart { $0.bands = newValue } }
    }
    /// The sink and the source of an I/O unit.
    public var device: Located<Device>? {
      get { rareParts.value?.device }
      set { setRarePart { $0.device = newValue } }
    }
  }

  /// A band of a unit.
  public struct Band: Sendable {
    public var json: JSONValue
    public var parameters: [Field]
  }

  /// The sink and the source of an I/O unit.
  public struct Device: Sendable {
    public var sink: Located<DeviceChoice>?
    public var source: Located<DeviceChoice>?
  }

  /// The choice of a sink or a source: patterns of its properties, all of which have to match. A
  /// text is a pattern of `name`.
  public struct DeviceChoice: Sendable {
    public var patterns: [(property: Located<String>, pattern: Located<String>)]
  }

  /// Which audio unit a node is.
  public enum Component: Sendable {
    /// Such as `iPodEQ`.
    case name(String)
    indirect case description(ComponentDescription)
  }

  /// The fields of an AudioComponentDescription. A field that is `nil` was not written, and matches
  /// any value.
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
    // Most inputs get their formats from connections.
    private var givenFormat = RarePart<Located<StreamFormat>>()
    public var sampleRate: Located<SampleRate>?
    public var properties: [Field] = []
    public var parameters: [Field] = []

    init(json: JSONValue, bus: Located<Int>) {
      self.json = json
      self.bus = bus
    }

    public var streamFormat: Located<StreamFormat>? {
      get { givenFormat.value }
      set { givenFormat.value = newValue }
    }
  }
}

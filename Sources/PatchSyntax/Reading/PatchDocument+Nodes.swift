extension PatchDocument {
  /// An audio unit, or a sub-graph.
  ///
  /// Nodes that are written with the same bytes, one after the other, share what they have. It is
  /// then moved to the place of the node where it is read, which makes new arrays.
  public struct Node: Sendable {
    public var json: JSONValue
    // An array of one: copies share it until one of them is changed.
    private var shared = [Parts()]
    /// The rows of the tree from the node that has been read to this one.
    private var rowOffset: Int32 = 0
    /// Whether it is written with the same bytes as the node before it, and both are all that is
    /// written there: no preset and no sub-graph.
    public private(set) var isAsBefore = false
    /// Whether it was the output unit of a sub-graph. It passes its input on to the patch around it.
    public var endsSubgraph = false

    /// What is written in a node.
    private struct Parts {
      var component: Located<Component>?
      var properties: [Field] = []
      var parameters: [Field] = []
      var inputCount: Located<Int>?
      var outputCount: Located<Int>?
      var inputs: [Element] = []
      var outputs: [Element] = []
      var rare = RarePart<RareParts>()
    }

    private struct RareParts {
      var subgraph: JSONValue?
      var settings: [Field] = []
      var preset: JSONValue?
      var bands: Located<[Band]>?
      var device: Located<Device>?
    }

    init(json: JSONValue) { self.json = json }

    /// The same node at another place of the text, where it is written with the same bytes; `nil`
    /// for a node with rare parts.
    func again(at place: JSONValue) -> Self? {
      guard case .name? = shared[0].component?.value, shared[0].rare.isAbsent,
        shared[0].inputs.allSatisfy({ $0.streamFormat == nil }),
        shared[0].outputs.allSatisfy({ $0.streamFormat == nil })
      else { return nil }
      var node = self
      node.json = place
      node.rowOffset += Int32(place.index - json.index)
      node.isAsBefore = true
      return node
    }

    private func moved(_ value: JSONValue) -> JSONValue {
      JSONValue(tree: value.tree, index: value.index + Int(rowOffset))
    }

    private func moved<Value>(_ value: Located<Value>) -> Located<Value> {
      Located(value.value, at: moved(value.json))
    }

    private func moved(_ fields: [Field]) -> [Field] {
      rowOffset == 0 ? fields : fields.map { Field(moved($0.key), moved($0.value)) }
    }

    private func moved(_ elements: [Element]) -> [Element] {
      guard rowOffset != 0 else { return elements }
      return elements.map { element in
        var copy = Element(json: moved(element.json), bus: moved(element.bus))
        copy.sampleRate = element.sampleRate.map { moved($0) }
        copy.properties = moved(element.properties)
        copy.parameters = moved(element.parameters)
        return copy
      }
    }

    /// Whether it is an audio unit that is written by a name.
    public func isUnit(named name: String) -> Bool {
      if case .name(name)? = shared[0].component?.value { true } else { false }
    }

    /// The values of `inputCount` and `outputCount`, without their places.
    public var busCounts: (input: Int?, output: Int?) {
      (shared[0].inputCount?.value, shared[0].outputCount?.value)
    }

    private mutating func change(_ change: (inout Parts) -> Void) {
      if rowOffset != 0 {
        shared = [
          Parts(
            component: component, properties: properties, parameters: parameters,
            inputCount: inputCount, outputCount: outputCount, inputs: inputs, outputs: outputs)
        ]
        rowOffset = 0
      }
      isAsBefore = false
      change(&shared[0])
    }

    /// `nil` for a sub-graph, and where an error has been reported.
    public var component: Located<Component>? {
      get { shared[0].component.map { moved($0) } }
      set { change { $0.component = newValue } }
    }
    /// The properties of the global scope.
    public var properties: [Field] {
      get { moved(shared[0].properties) }
      set { change { $0.properties = newValue } }
    }
    /// The parameters of the global scope; of a sub-graph its knobs.
    public var parameters: [Field] {
      get { moved(shared[0].parameters) }
      set { change { $0.parameters = newValue } }
    }
    /// The input scope's ElementCount, in 0...4294967295.
    public var inputCount: Located<Int>? {
      get { shared[0].inputCount.map { moved($0) } }
      set { change { $0.inputCount = newValue } }
    }
    /// The output scope's ElementCount, in 0...4294967295.
    public var outputCount: Located<Int>? {
      get { shared[0].outputCount.map { moved($0) } }
      set { change { $0.outputCount = newValue } }
    }
    public var inputs: [Element] {
      get { moved(shared[0].inputs) }
      set { change { $0.inputs = newValue } }
    }
    public var outputs: [Element] {
      get { moved(shared[0].outputs) }
      set { change { $0.outputs = newValue } }
    }

    private mutating func setRarePart(_ set: (inout RareParts) -> Void) {
      var rare = shared[0].rare.value ?? RareParts()
      set(&rare)
      change { $0.rare.value = rare }
    }

    /// The value of `subgraph`; `nil` if not written.
    public var subgraph: JSONValue? {
      get { shared[0].rare.value?.subgraph }
      set { setRarePart { $0.subgraph = newValue } }
    }
    /// The values that it changes in the patch of a sub-graph, by JSON Pointers into that patch.
    public var settings: [Field] {
      get { shared[0].rare.value?.settings ?? [] }
      set { setRarePart { $0.settings = newValue } }
    }
    /// The value of `preset`, the path of a preset; `nil` if not written.
    public var preset: JSONValue? {
      get { shared[0].rare.value?.preset }
      set { setRarePart { $0.preset = newValue } }
    }
    /// The bands of the unit, such as an equalizer's filters.
    public var bands: Located<[Band]>? {
      get { shared[0].rare.value?.bands }
      set { setRarePart { $0.bands = newValue } }
    }
    /// The sink and the source of an I/O unit.
    public var device: Located<Device>? {
      get { shared[0].rare.value?.device }
      set { setRarePart { $0.device = newValue } }
    }
  }

  /// Whether the node at an index has the same component and settings as the one before it, because it
  /// is written with the same bytes. `false` in a patch with sub-graphs, where knobs change values that are
  /// written alike.
  public func isNodeAsBefore(_ index: Int) -> Bool {
    subgraphs.isEmpty && nodes[index].value.isAsBefore
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

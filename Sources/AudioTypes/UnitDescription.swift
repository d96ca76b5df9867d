/// Everything that can be said about a kind of unit before there is one: the schema, `units`, the
/// validator's limits and the README's tables are made from this.
public struct UnitDescription: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var component: ComponentDescription
    var name: String
    var constant: String
    var aliases: [String]
    var summary: String
    var inputs: Buses
    var outputs: Buses
    var defaultMaximumFramesPerSlice: Int
    var sizesItsOwnSlices: Bool
    var properties: [PropertyInfo]
    var parameters: [ParameterInfo]
    var formatNotes: [String]
    var handsOn: Bool
  }

  private var storage: SharedFields<Fields>

  public var component: ComponentDescription {
    get { storage.fields.component }
    set { storage.fields.component = newValue }
  }
  /// The name in a patch: `MultichannelMixer`.
  public var name: String {
    get { storage.fields.name }
    set { storage.fields.name = newValue }
  }
  /// The subtype's name in Core Audio's headers: `kAudioUnitSubType_MultiChannelMixer`.
  public var constant: String {
    get { storage.fields.constant }
    set { storage.fields.constant = newValue }
  }
  /// Other spellings that are understood where a component is named.
  public var aliases: [String] {
    get { storage.fields.aliases }
    set { storage.fields.aliases = newValue }
  }
  public var summary: String {
    get { storage.fields.summary }
    set { storage.fields.summary = newValue }
  }
  public var inputs: Buses {
    get { storage.fields.inputs }
    set { storage.fields.inputs = newValue }
  }
  public var outputs: Buses {
    get { storage.fields.outputs }
    set { storage.fields.outputs = newValue }
  }
  /// Frames in the largest slice until `maximumFramesPerSlice` is set.
  public var defaultMaximumFramesPerSlice: Int {
    get { storage.fields.defaultMaximumFramesPerSlice }
    set { storage.fields.defaultMaximumFramesPerSlice = newValue }
  }
  /// Whether slices may exceed `maximumFramesPerSlice` without an error: I/O units size themselves.
  public var sizesItsOwnSlices: Bool {
    get { storage.fields.sizesItsOwnSlices }
    set { storage.fields.sizesItsOwnSlices = newValue }
  }
  /// The properties that this kind adds to, or has other than, the generic ones.
  public var properties: [PropertyInfo] {
    get { storage.fields.properties }
    set { storage.fields.properties = newValue }
  }
  public var parameters: [ParameterInfo] {
    get { storage.fields.parameters }
    set { storage.fields.parameters = newValue }
  }
  /// What the unit says of stream formats, a sentence a scope.
  public var formatNotes: [String] {
    get { storage.fields.formatNotes }
    set { storage.fields.formatNotes = newValue }
  }
  /// Whether it is an output unit in the midst of a graph: that of a sub-graph, which hands what it is
  /// fed on to another unit.
  public var handsOn: Bool {
    get { storage.fields.handsOn }
    set { storage.fields.handsOn = newValue }
  }

  /// The buses (elements) of one scope.
  public struct Buses: Hashable, Sendable {
    /// How many a fresh unit has.
    public var count: Int
    /// How many it may be given, where their number may be set (`ElementCount`, `inputCount`).
    public var settable: ClosedRange<Int>?

    public init(count: Int, settable: ClosedRange<Int>? = nil) {
      self.count = count
      self.settable = settable
    }
  }

  public init(
    component: ComponentDescription, name: String, constant: String, aliases: [String] = [],
    summary: String, inputs: Buses, outputs: Buses, defaultMaximumFramesPerSlice: Int = 1024,
    sizesItsOwnSlices: Bool = false, properties: [PropertyInfo] = [],
    parameters: [ParameterInfo] = [], formatNotes: [String]
  ) {
    storage = SharedFields(
      Fields(
        component: component,
        name: name,
        constant: constant,
        aliases: aliases,
        summary: summary,
        inputs: inputs,
        outputs: outputs,
        defaultMaximumFramesPerSlice: defaultMaximumFramesPerSlice,
        sizesItsOwnSlices: sizesItsOwnSlices,
        properties: properties,
        parameters: parameters,
        formatNotes: formatNotes,
        handsOn: false))
  }

  /// Whether it ends a graph, and pulls it.
  public var isOutput: Bool { component.type == .outputType && !handsOn }

  public func parameters(in scope: Scope) -> [ParameterInfo] {
    parameters.filter { $0.scope == scope }
  }

  public func property(_ id: PropertyID) -> PropertyInfo? {
    properties.first { $0.id == id }
  }
}

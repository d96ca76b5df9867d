/// Everything that can be said about a kind of unit before there is one: the schema, `units`, the
/// validator's limits and the README's tables are made from this.
public struct UnitDescription: Hashable, Sendable {
  public var component: ComponentDescription
  /// The name in a patch: `MultichannelMixer`.
  public var name: String
  /// The subtype's name in Core Audio's headers: `kAudioUnitSubType_MultiChannelMixer`.
  public var constant: String
  /// Other spellings that are understood where a component is named.
  public var aliases: [String]
  public var summary: String
  public var inputs: Buses
  public var outputs: Buses
  /// Frames in the largest slice until `maximumFramesPerSlice` is set.
  public var defaultMaximumFramesPerSlice: Int
  /// Whether slices may exceed `maximumFramesPerSlice` without an error: I/O units size themselves.
  public var sizesItsOwnSlices: Bool
  /// The properties that this kind adds to, or has other than, the generic ones.
  public var properties: [PropertyInfo]
  public var parameters: [ParameterInfo]
  /// What the unit says of stream formats, a sentence a scope.
  public var formatNotes: [String]
  /// Whether it is an output unit in the midst of a graph: that of a sub-graph, which hands what it is
  /// fed on to another unit.
  public var handsOn = false

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
    self.component = component
    self.name = name
    self.constant = constant
    self.aliases = aliases
    self.summary = summary
    self.inputs = inputs
    self.outputs = outputs
    self.defaultMaximumFramesPerSlice = defaultMaximumFramesPerSlice
    self.sizesItsOwnSlices = sizesItsOwnSlices
    self.properties = properties
    self.parameters = parameters
    self.formatNotes = formatNotes
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

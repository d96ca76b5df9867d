/// Everything that can be said about a kind of unit before there is one: the schema, `units`, the
/// validator's limits and the reference are made from this.
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
    var bands: Bands?
    var handsOn: Bool
  }

  private var storage: SharedFields<Fields>

  /// What a search finds it by.
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
  /// Its input elements: how many at birth, and how many there may be.
  public var inputs: Buses {
    get { storage.fields.inputs }
    set { storage.fields.inputs = newValue }
  }
  /// Its output elements, likewise.
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
  /// Its parameters, those of all scopes, in the order of their words in a control block.
  public var parameters: [ParameterInfo] {
    get { storage.fields.parameters }
    set { storage.fields.parameters = newValue }
  }
  /// What the unit says of stream formats, a sentence a scope.
  public var formatNotes: [String] {
    get { storage.fields.formatNotes }
    set { storage.fields.formatNotes = newValue }
  }
  /// Its bands, where it has some.
  public var bands: Bands? {
    get { storage.fields.bands }
    set { storage.fields.bands = newValue }
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

  /// Parts of a unit that are alike, each with the same parameters: NBandEQ's filters. In a patch they
  /// are the node's "bands", an array of objects.
  ///
  /// The number of a band's parameter is that of the first band's plus the band. A unit has as many
  /// bands as `number` says, which a patch that has "bands" need not set; a band that a patch has is
  /// switched on unless it says otherwise.
  public struct Bands: Hashable, Sendable {
    /// How many there can be.
    public var most: Int
    /// The property that says how many there are.
    public var number: PropertyID
    /// The parameters of the first band, their keys as in a band: `frequency`.
    public var parameters: [ParameterInfo]
    /// The number of the first band's parameter that switches it off.
    public var bypass: UInt32

    public init(
      most: Int, number: PropertyID, parameters: [ParameterInfo], bypass: UInt32
    ) {
      self.most = most
      self.number = number
      self.parameters = parameters
      self.bypass = bypass
    }

    /// The parameters of all bands, one kind after the other.
    var all: [ParameterInfo] {
      parameters.flatMap { info in
        (0..<most).map { band in
          var info = info
          info.id += UInt32(band)
          info.key = "bands/\(band)/\(info.key)"
          return info
        }
      }
    }

    /// The key of a band's parameter: `bands/0/frequency`.
    public static func key(_ band: Int, _ key: String) -> String { "bands/\(band)/\(key)" }
  }

  public init(
    component: ComponentDescription, name: String, constant: String, aliases: [String] = [],
    summary: String, inputs: Buses, outputs: Buses, defaultMaximumFramesPerSlice: Int = 1024,
    sizesItsOwnSlices: Bool = false, properties: [PropertyInfo] = [],
    parameters: [ParameterInfo] = [], bands: Bands? = nil, formatNotes: [String]
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
        parameters: parameters + (bands?.all ?? []),
        formatNotes: formatNotes,
        bands: bands,
        handsOn: false))
  }

  /// Whether it ends a graph, and pulls it.
  public var isOutput: Bool { component.type == .outputType && !handsOn }

  /// The parameters, those of bands but once: with the key `bands/N/frequency` and the first's number.
  public var listedParameters: [ParameterInfo] {
    parameters.filter { !$0.isOfBand }
      + (bands?.parameters ?? []).map { info in
        var info = info
        info.key = "bands/N/\(info.key)"
        return info
      }
  }

  /// The parameters that the elements of a scope have, in order.
  public func parameters(in scope: Scope) -> [ParameterInfo] {
    parameters.filter { $0.scope == scope }
  }

  /// What is known of a property; `nil` where the unit has none of that number.
  public func property(_ id: PropertyID) -> PropertyInfo? {
    properties.first { $0.id == id }
  }
}

/// The description of a kind of unit. The schema, the listing of `patchrun units`, the limits of
/// the validator and the reference are made from it.
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
    var isSubgraphOutput: Bool
  }

  private var storage: SharedFields<Fields>

  /// The component that a search finds it by.
  public var component: ComponentDescription { storage.fields.component }
  /// Its name in a patch: `MultichannelMixer`.
  public var name: String { storage.fields.name }
  /// The name of its subtype in Core Audio's headers: `kAudioUnitSubType_MultiChannelMixer`.
  public var constant: String { storage.fields.constant }
  /// Other names that a patch may use for it.
  public var aliases: [String] { storage.fields.aliases }
  /// A sentence for users.
  public var summary: String { storage.fields.summary }
  /// Its input elements: the number in a new unit, and the numbers allowed.
  public var inputs: Buses { storage.fields.inputs }
  /// Its output elements, likewise.
  public var outputs: Buses { storage.fields.outputs }
  /// The frames of the largest slice until `maximumFramesPerSlice` is set.
  public var defaultMaximumFramesPerSlice: Int { storage.fields.defaultMaximumFramesPerSlice }
  /// Whether slices may be longer than `maximumFramesPerSlice` without an error, as for I/O units.
  public var sizesItsOwnSlices: Bool {
    get { storage.fields.sizesItsOwnSlices }
    set { storage.fields.sizesItsOwnSlices = newValue }
  }
  /// The properties that this kind adds to the generic ones, or redefines.
  public var properties: [PropertyInfo] { storage.fields.properties }
  /// The parameters of all scopes, in the order of their words in a control block.
  public var parameters: [ParameterInfo] { storage.fields.parameters }
  /// Its rules for stream formats, a sentence for each scope.
  public var formatNotes: [String] { storage.fields.formatNotes }
  /// Its bands; `nil` for none.
  public var bands: Bands? { storage.fields.bands }
  /// Whether it is the output unit of a sub-graph, which passes its input on to a unit of the
  /// enclosing graph.
  public var isSubgraphOutput: Bool {
    get { storage.fields.isSubgraphOutput }
    set { storage.fields.isSubgraphOutput = newValue }
  }

  /// The buses (elements) of one scope.
  public struct Buses: Hashable, Sendable {
    /// The number in a new unit.
    public var count: Int
    /// The numbers that may be set (`ElementCount`, `inputCount`); `nil` where the number is fixed.
    public var settable: ClosedRange<Int>?

    public init(count: Int, settable: ClosedRange<Int>? = nil) {
      self.count = count
      self.settable = settable
    }
  }

  /// Parts of a unit with the same parameters each: NBandEQ's filters. In a patch they are the
  /// node's "bands", an array of objects.
  ///
  /// The number of a band's parameter is that of the first band's plus the band's index.
  /// `countProperty` sets the number of bands; a patch with "bands" need not set it. Bands of a
  /// patch are on unless it says otherwise.
  public struct Bands: Hashable, Sendable {
    /// The largest number of bands.
    public var maximumCount: Int
    /// The property that sets the number of bands.
    public var countProperty: PropertyID
    /// The parameters of the first band, with their keys in a band: `frequency`.
    public var parameters: [ParameterInfo]
    /// The number of the parameter that bypasses the first band.
    public var bypass: UInt32

    public init(
      maximumCount: Int, countProperty: PropertyID, parameters: [ParameterInfo], bypass: UInt32
    ) {
      self.maximumCount = maximumCount
      self.countProperty = countProperty
      self.parameters = parameters
      self.bypass = bypass
    }

    /// The parameters of all bands, grouped by parameter.
    var all: [ParameterInfo] {
      parameters.flatMap { info in
        (0..<maximumCount).map { band in
          var info = info
          info.setting.id += UInt32(band)
          info.setting.key = Self.key(band, info.key)
          return info
        }
      }
    }

    /// The key of a band's parameter: `bands/0/frequency`.
    public static func key(_ band: Int, _ key: String) -> String { "bands/\(band)/\(key)" }
  }

  public init(
    component: ComponentDescription, name: String, constant: String, aliases: [String] = [],
    summary: String, inputs: Buses = Buses(count: 1), outputs: Buses = Buses(count: 1),
    defaultMaximumFramesPerSlice: Int = 1024,
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
        isSubgraphOutput: false))
  }

  /// Whether it is the output unit of a graph, which pulls it.
  public var isOutput: Bool { component.type == .outputType && !isSubgraphOutput }

  /// The parameters, those of bands only once: with the key `bands/N/frequency` and the number of
  /// the first band's parameter.
  public var listedParameters: [ParameterInfo] {
    parameters.filter { !$0.isOfBand }
      + (bands?.parameters ?? []).map { info in
        var info = info
        info.setting.key = "bands/N/\(info.key)"
        return info
      }
  }

  /// The parameters of the elements of a scope, in order.
  public func parameters(in scope: Scope) -> [ParameterInfo] {
    parameters.filter { $0.scope == scope }
  }

  /// The description of a property; `nil` where `properties` has none of that number.
  public func property(_ id: PropertyID) -> PropertyInfo? {
    properties.first { $0.id == id }
  }
}

public import AudioTypes

/// Every component that a graph can name: what `AudioComponentFindNext` searches.
public struct UnitCatalog: Sendable {
  /// A component: its names, and its unit.
  public struct Component: Sendable {
    public var description: ComponentDescription
    public var name: String
    /// The subtype's name in Core Audio's headers.
    public var constant: String
    /// Other spellings that are accepted.
    public var aliases: [String]
    /// The type of the unit.
    public var unit: any AudioUnit.Type

    public init(_ unit: any AudioUnit.Type) {
      let description = unit.description
      self.description = description.component
      name = description.name
      constant = description.constant
      aliases = description.aliases
      self.unit = unit
    }
  }

  /// In the order of a search.
  public let components: [Component]
  /// The index of a component by each of its one-word names.
  private let indices: [String: Int]

  public init(_ components: [Component]) {
    self.components = components
    indices = Dictionary(
      components.enumerated().flatMap { index, component in
        ([component.name, component.constant, component.description.subtype.text].compactMap(\.self)
          + component.aliases).map { ($0, index) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The seven units of Apple's guide, and later ones. The order is ours: that of Core Audio
  /// depends on the system.
  public static let standard = UnitCatalog([
    Component(FormatConverter.self),
    Component(IPodEQ.self),
    Component(Mixer3D.self),
    Component(MultichannelMixer.self),
    Component(GenericOutput.self),
    Component(RemoteIO.self),
    Component(VoiceProcessingIO.self),
    Component(NBandEQ.self),
    Component(LowPassFilter.self),
    Component(HighPassFilter.self),
    Component(BandPassFilter.self),
    Component(LowShelfFilter.self),
    Component(HighShelfFilter.self),
    Component(ParametricEQ.self),
    Component(Delay.self),
    Component(SampleDelay.self),
    Component(Reverb2.self),
    Component(Distortion.self),
    Component(PeakLimiter.self),
    Component(DynamicsProcessor.self),
    Component(Splitter.self),
    Component(MultiSplitter.self),
    Component(Merger.self),
    Component(MatrixMixer.self),
    Component(Varispeed.self),
  ])

  /// The first component after `previous` that matches; `nil` where there is none.
  public func findNext(
    after previous: ComponentDescription? = nil, matching wanted: ComponentDescription
  ) -> Component? {
    let start = previous.flatMap { previous in
      components.firstIndex { $0.description == previous }
    }
    return components[(start.map { $0 + 1 } ?? 0)...].first { wanted.matches($0.description) }
  }

  /// The number of components that match.
  public func count(matching wanted: ComponentDescription) -> Int {
    components.count { wanted.matches($0.description) }
  }

  /// The component with a name, an alias, a `kAudio…` name, the four characters of a subtype, or
  /// all three codes with blanks or slashes between them (`aumx/mcmx/appl`); `nil` for none.
  public func component(named name: String) -> Component? {
    if let index = indices[name] { return components[index] }
    let codes = name.split(whereSeparator: { $0 == "/" || $0 == " " }).map(String.init)
    guard codes.count > 1 else { return nil }
    return components.first { component in
      codes
        == [
          component.description.type.text, component.description.subtype.text,
          component.description.manufacturer.text,
        ].compactMap(\.self)
    }
  }

  /// The units of all components, in the same order.
  public var units: [any AudioUnit.Type] { components.map(\.unit) }
}

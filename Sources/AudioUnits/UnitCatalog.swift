public import AudioTypes

/// Every component that a graph can name: what `AudioComponentFindNext` searches.
public struct UnitCatalog: Sendable {
  /// A component: what it is called, and the unit where patchrun has it.
  public struct Component: Sendable {
    public var description: ComponentDescription
    public var name: String
    public var constant: String
    public var aliases: [String]
    /// `nil` for a component that is known but not there yet.
    public var unit: (any AudioUnit.Type)?

    init(_ unit: any AudioUnit.Type) {
      let description = unit.description
      self.description = description.component
      name = description.name
      constant = description.constant
      aliases = description.aliases
      self.unit = unit
    }

    init(
      absent type: FourCharCode, _ subtype: FourCharCode, name: String, constant: String,
      aliases: [String] = []
    ) {
      description = ComponentDescription(type: type, subtype: subtype, manufacturer: .apple)
      self.name = name
      self.constant = constant
      self.aliases = aliases
      unit = nil
    }
  }

  /// In the order of a search.
  public let components: [Component]

  public init(_ components: [Component]) { self.components = components }

  /// The seven units of the guide. The order is ours: Core Audio's is the system's affair.
  public static let standard = UnitCatalog([
    Component(FormatConverter.self),
    Component(IPodEQ.self),
    Component(Mixer3D.self),
    Component(MultichannelMixer.self),
    Component(GenericOutput.self),
    Component(RemoteIO.self),
    Component(VoiceProcessingIO.self),
  ])

  /// The first component after `previous` that a search finds; `nil` for no further one.
  public func findNext(
    after previous: ComponentDescription? = nil, matching wanted: ComponentDescription
  ) -> Component? {
    let start = previous.flatMap { previous in
      components.firstIndex { $0.description == previous }
    }
    return components[(start.map { $0 + 1 } ?? 0)...].first { wanted.matches($0.description) }
  }

  /// How many components a search finds.
  public func count(matching wanted: ComponentDescription) -> Int {
    components.count { wanted.matches($0.description) }
  }

  /// The component of a name, an alias, a `kAudio…` name, a subtype's four characters, or all three
  /// codes with blanks or slashes between them (`aumx/mcmx/appl`).
  public func component(named name: String) -> Component? {
    components.first { component in
      component.name == name || component.constant == name || component.aliases.contains(name)
        || component.description.subtype.text == name
        || name.split(whereSeparator: { $0 == "/" || $0 == " " }).map(String.init)
          == [
            component.description.type.text, component.description.subtype.text,
            component.description.manufacturer.text,
          ].compactMap(\.self)
    }
  }

  /// The units that are there.
  public var units: [any AudioUnit.Type] { components.compactMap(\.unit) }
}

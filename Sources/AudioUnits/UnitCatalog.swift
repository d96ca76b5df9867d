public import AudioTypes
import Synchronization

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

  /// The units, in the order of a search.
  public let units: [any AudioUnit.Type]
  private let found = FoundUnits()

  public init(_ units: [any AudioUnit.Type]) { self.units = units }

  /// All components, in the order of a search. Reads the descriptions of all units.
  public var components: [Component] { units.map(Component.init) }

  /// The seven units of Apple's guide, and later ones. The order is ours: that of Core Audio
  /// depends on the system.
  public static let standard = UnitCatalog([
    FormatConverter.self,
    IPodEQ.self,
    Mixer3D.self,
    MultichannelMixer.self,
    GenericOutput.self,
    RemoteIO.self,
    VoiceProcessingIO.self,
    NBandEQ.self,
    LowPassFilter.self,
    HighPassFilter.self,
    BandPassFilter.self,
    LowShelfFilter.self,
    HighShelfFilter.self,
    ParametricEQ.self,
    Delay.self,
    SampleDelay.self,
    Reverb2.self,
    Distortion.self,
    PeakLimiter.self,
    DynamicsProcessor.self,
    Splitter.self,
    MultiSplitter.self,
    Merger.self,
    MatrixMixer.self,
    Varispeed.self,
  ])

  /// The first component after `previous` that matches; `nil` where there is none.
  public func findNext(
    after previous: ComponentDescription? = nil, matching wanted: ComponentDescription
  ) -> Component? {
    let start = previous.flatMap { previous in
      units.firstIndex { $0.description.component == previous }
    }
    return units[(start.map { $0 + 1 } ?? 0)...]
      .first { wanted.matches($0.description.component) }.map(Component.init)
  }

  /// The number of components that match.
  public func count(matching wanted: ComponentDescription) -> Int {
    units.count { wanted.matches($0.description.component) }
  }

  /// The component with a name, an alias, a `kAudio…` name, the four characters of a subtype, or
  /// all three codes with blanks or slashes between them (`aumx/mcmx/appl`); `nil` for none.
  public func component(named name: String) -> Component? {
    found.unit(called: name, in: units).map(Component.init)
  }
}

/// The units that have been found by name.
///
/// A name is looked for in one unit after the other, so that a patch makes the descriptions of a few
/// units only: those of all take a seventh of a start.
private final class FoundUnits: Sendable {
  private let units = Mutex<[String: any AudioUnit.Type]>([:])
  /// Named by most patches, and looked at first.
  private static let frequent: [any AudioUnit.Type] = [
    MultichannelMixer.self, GenericOutput.self, RemoteIO.self,
  ]

  /// The first unit with a name, as `UnitCatalog.component(named:)` takes it; `nil` for none. Any
  /// thread.
  func unit(called name: String, in all: [any AudioUnit.Type]) -> (any AudioUnit.Type)? {
    if let known = units.withLock({ $0[name] }) { return known }
    let frequent = Self.frequent.filter { unit in all.contains { $0 == unit } }
    let found =
      (frequent + all).first { Self.isCalled(name, $0.description) }
      ?? Self.unit(coded: name, in: all)
    if let found { units.withLock { $0[name] = found } }
    return found
  }

  private static func isCalled(_ name: String, _ unit: UnitDescription) -> Bool {
    name == unit.name || name == unit.constant || name == unit.component.subtype.text
      || unit.aliases.contains(name)
  }

  private static func unit(
    coded name: String, in all: [any AudioUnit.Type]
  ) -> (any AudioUnit.Type)? {
    let codes = name.split(whereSeparator: { $0 == "/" || $0 == " " }).map(String.init)
    guard codes.count > 1 else { return nil }
    return all.first { unit in
      let component = unit.description.component
      return codes
        == [component.type.text, component.subtype.text, component.manufacturer.text]
        .compactMap(\.self)
    }
  }
}

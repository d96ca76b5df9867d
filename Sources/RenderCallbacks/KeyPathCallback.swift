import AudioTypes
public import RenderCore

/// A callback whose live settings are stored in its own properties: it maps each setting to a
/// property by a key path.
public protocol KeyPathCallback: LiveCallback {
  /// The key paths of the properties, by the keys of the settings.
  typealias KeyPaths = [String: any WritableKeyPath<Self, Double> & Sendable]

  /// The description of this kind of callback.
  static var description: CallbackDescription { get }
  /// An entry for each live setting of the description.
  static var keyPaths: KeyPaths { get }
}

extension KeyPathCallback {
  public var liveSettings: [LiveSetting] {
    Self.description.settings.compactMap { info in
      guard info.change != .fixed, let property = Self.keyPaths[info.key] else { return nil }
      return LiveSetting(info, value: self[keyPath: property])
    }
  }

  public func setting(_ values: [String: Double]) -> Self {
    var copy = self
    for (key, property) in Self.keyPaths {
      if let value = values[key] { copy[keyPath: property] = value }
    }
    return copy
  }
}

extension Bool {
  /// 0 or 1, as live settings have it.
  var number: Double {
    get { self ? 1 : 0 }
    set { self = newValue != 0 }
  }
}

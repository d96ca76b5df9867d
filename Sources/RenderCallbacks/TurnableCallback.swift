public import RenderCore

/// A callback that says of each of its live settings which of its properties has its value.
public protocol TurnableCallback: LiveCallback {
  /// The properties of live settings, by the keys of these.
  typealias Turnable = [String: any WritableKeyPath<Self, Double> & Sendable]

  /// What is known of callbacks of this kind.
  static var description: CallbackDescription { get }
  /// All settings of the description that do not stay as they are.
  static var turnable: Turnable { get }
}

extension TurnableCallback {
  public var liveSettings: [LiveSetting] {
    Self.description.settings.compactMap { info in
      guard info.change != .fixed, let property = Self.turnable[info.key] else { return nil }
      return LiveSetting(info, value: self[keyPath: property])
    }
  }

  public func setting(_ values: [String: Double]) -> Self {
    var copy = self
    for (key, property) in Self.turnable {
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

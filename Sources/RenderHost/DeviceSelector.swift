/// Selects a sink or a source by name, by a pattern of the name, or by other properties.
public struct DeviceSelector: Hashable, Sendable {
  /// A pattern for each property; all must match. `*` matches any characters, `?` one; case counts.
  public var patterns: [String: String]

  public init(patterns: [String: String]) { self.patterns = patterns }

  /// Selects by a name or a pattern of names.
  public init(name: String) { self.init(patterns: ["name": name]) }

  /// The properties that every back end has. All others are a back end's own and contain a dot:
  /// `device.bus_path`.
  public static let words = ["name", "description", "driver", "bus"]

  /// Whether a selector can have a property of this name.
  public static func isProperty(_ name: String) -> Bool {
    words.contains(name) || name.contains(".")
  }

  /// The name, where the selector is an exact name; `nil` where it can match several devices.
  public var exactName: String? {
    guard patterns.count == 1, let name = patterns["name"],
      !name.contains(where: { $0 == "*" || $0 == "?" })
    else { return nil }
    return name
  }

  /// Whether a device matches all patterns.
  public func matches(_ device: AudioDevice) -> Bool {
    patterns.allSatisfy { property, pattern in
      guard let value = device.property(property) else { return false }
      return Self.matches(Array(value), Array(pattern))
    }
  }

  /// The first device that matches: the default one before others, monitors last. `nil` for none.
  public func device(
    _ direction: AudioDevice.Direction, among devices: [AudioDevice]
  ) -> AudioDevice? {
    let found = devices.filter { $0.direction == direction && matches($0) }
    let real = found.filter { $0.monitorOf == nil }
    return real.first { $0.isDefault } ?? real.first ?? found.first { $0.isDefault } ?? found.first
  }

  /// The selection as words behind "sink" or "source": `'usb'`, `whose description is like
  /// '*USB*'`.
  public var summary: String {
    if let exactName { return "'\(exactName)'" }
    let parts = patterns.sorted { $0.key < $1.key }.map { "\($0.key) is like '\($0.value)'" }
    return "whose " + parts.joined(separator: " and ")
  }

  /// Takes at most as many steps as the product of the two lengths.
  private static func matches(_ text: [Character], _ pattern: [Character]) -> Bool {
    var (place, part) = (0, 0)
    var star: (place: Int, part: Int)?
    while place < text.count {
      if part < pattern.count, pattern[part] == "*" {
        star = (place, part)
        part += 1
      } else if part < pattern.count, pattern[part] == "?" || pattern[part] == text[place] {
        place += 1
        part += 1
      } else if let last = star {
        star = (last.place + 1, last.part)
        (place, part) = (last.place + 1, last.part + 1)
      } else {
        return false
      }
    }
    return pattern[part...].allSatisfy { $0 == "*" }
  }
}

extension AudioDevice {
  /// A property by its name in a selector; `nil` where the device has none.
  public func property(_ name: String) -> String? {
    switch name {
    case "name": self.name
    case "description": description
    case "bus": properties["device.bus"]
    default: properties[name]
    }
  }
}

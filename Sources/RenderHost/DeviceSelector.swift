/// Which sink or source is meant: by its name, by a pattern of it, or by what it has besides.
public struct DeviceSelector: Hashable, Sendable {
  /// What is looked at: each of the properties has to be like its pattern. In a pattern `*` stands for
  /// any characters, `?` for one; upper and lower case count.
  public var patterns: [String: String]

  public init(patterns: [String: String]) { self.patterns = patterns }

  /// By name, or a pattern of it.
  public init(name: String) { self.init(patterns: ["name": name]) }

  /// The properties that have a word of their own. All others are the back end's and have a dot in them:
  /// `device.bus_path`.
  public static let words = ["name", "description", "driver", "bus"]

  /// Whether a device can have such a property.
  public static func isProperty(_ name: String) -> Bool {
    words.contains(name) || name.contains(".")
  }

  /// The one name that it stands for; `nil` where it may be several devices.
  public var exactName: String? {
    guard patterns.count == 1, let name = patterns["name"],
      !name.contains(where: { $0 == "*" || $0 == "?" })
    else { return nil }
    return name
  }

  /// Whether a device is one that is meant.
  public func matches(_ device: AudioDevice) -> Bool {
    patterns.allSatisfy { property, pattern in
      guard let value = device.property(property) else { return false }
      return Self.matches(Array(value), Array(pattern))
    }
  }

  /// The device that is meant: the default one before others, monitors last. `nil` for none.
  public func device(
    _ direction: AudioDevice.Direction, among devices: [AudioDevice]
  ) -> AudioDevice? {
    let found = devices.filter { $0.direction == direction && matches($0) }
    let real = found.filter { $0.monitorOf == nil }
    return real.first { $0.isDefault } ?? real.first ?? found.first { $0.isDefault } ?? found.first
  }

  /// What is looked for, behind the word sink or source: `'usb'`, `whose description is like '*USB*'`.
  public var summary: String {
    if let exactName { return "'\(exactName)'" }
    let parts = patterns.sorted { $0.key < $1.key }.map { "\($0.key) is like '\($0.value)'" }
    return "whose " + parts.joined(separator: " and ")
  }

  /// In steps that are at most as many as the two lengths multiplied.
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
  /// A property by the name that a selector has for it; `nil` where the device has none.
  public func property(_ name: String) -> String? {
    switch name {
    case "name": self.name
    case "description": description
    case "bus": properties["device.bus"]
    default: properties[name]
    }
  }
}

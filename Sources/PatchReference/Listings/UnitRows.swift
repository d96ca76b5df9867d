import AudioTypes
import AudioUnits
import PatchGraph

/// The cells of a property in the listings.
struct PropertyRow {
  var info: PropertyInfo
  /// The unit of the property; `nil` in a table about every unit.
  var unit: UnitDescription?

  /// The number, or the four-character code of an AudioConverter's property, as Core Audio prints
  /// them.
  var id: String {
    info.id.rawValue < 0x1_0000
      ? "\(info.id.rawValue)"
      : FourCharCode(rawValue: info.id.rawValue).text.map { "'\($0)'" } ?? "\(info.id.rawValue)"
  }

  /// `input, output`; `input 1, output 0` where it exists on one element only; `all`.
  var scopes: String {
    if info.scopes.count == Scope.allCases.count && info.elements.isEmpty { return "all" }
    return Scope.allCases.filter(info.scopes.contains).map { scope in
      info.elements[scope].map { "\(scope) \($0)" } ?? "\(scope)"
    }.joined(separator: ", ")
  }

  /// `scopes` in short: `in 1, out 0`.
  var shortScopes: String {
    info.elements.isEmpty
      ? scopes : scopes.replacing("input", with: "in").replacing("output", with: "out")
  }

  /// The type, with the unit of a number: `number (s)`.
  var type: String {
    kind + (info.unit.symbol.isEmpty ? "" : " (\(info.unit.symbol))")
  }

  private var kind: String {
    switch info.kind {
    case .boolean: "boolean"
    case .uint32(let range):
      range.upperBound == .max
        ? "whole number" : "\(range.lowerBound) to \(range.upperBound)"
    case .float64: "number"
    case .streamFormat: "stream format"
    case .string: "text"
    case .preset: "preset"
    case .presets: "presets"
    case .floats, .doubles: "numbers"
    case .matrix: "rows of numbers"
    case .ids: "whole numbers"
    case .integers(let range):
      range.upperBound == .max
        ? "numbers from \(range.lowerBound)"
        : "numbers \(range.lowerBound) to \(range.upperBound)"
    case .choice(let choices): choices.map(\.name).joined(separator: ", ")
    case .channelCounts: "channel counts"
    case .parameterInfo: "parameter info"
    case .status: "status"
    case .strings: "texts"
    case .parameterText: "parameter text"
    case .classInfo: "state"
    case .clipping: "clipping"
    case .startTime: "time stamp"
    case .object: "object"
    }
  }

  /// A short form of `type`, and a note with what it leaves out.
  var shortType: (text: String, note: String?) {
    guard case .choice = info.kind else { return (type, nil) }
    return ("a choice", "One of \(type).")
  }

  var access: String {
    switch info.access {
    case .readOnly: "read"
    case .readWrite: "read, write"
    case .writeOnly: "write"
    case .readWriteUntilInitialized: "read, write until initialized"
    }
  }

  /// A short form of `access`. A line above the table explains `until init`.
  var shortAccess: String {
    info.access == .readWriteUntilInitialized ? "until init" : access
  }

  /// The value of a fresh unit, of several scopes with slashes between; `-` where the buses differ.
  var defaultValue: String {
    if info.id == .maximumFramesPerSlice, let unit {
      return "\(unit.defaultMaximumFramesPerSlice)"
    }
    if info.id == .elementCount, let unit {
      return "\(unit.inputs.count)/\(unit.outputs.count)"
    }
    if !info.scopeDefaults.isEmpty {
      return Scope.allCases.compactMap { scope in info.scopeDefaults[scope].map(text) }
        .joined(separator: "/")
    }
    return text(of: info.defaultValue)
  }

  /// A value of the property, in a word or two; `-` for none.
  func text(of value: PropertyValue?) -> String { info.text(of: value) }
}

/// The cells of a parameter in the listings.
struct ParameterRow {
  var info: ParameterInfo

  /// The number; of a parameter of a band, the sum that gives it.
  var id: String { info.isOfBand ? "\(info.id) + N" : "\(info.id)" }
  var unit: String {
    let symbol = info.unit.symbol
    return info.unit.name + (symbol.isEmpty ? "" : " (\(symbol))")
  }
  /// The range; called "usual" where a value outside it only gives a warning.
  var range: String {
    (info.isRangeEnforced ? "" : "usually ")
      + "\(plain(info.range.lowerBound)) to \(plain(info.range.upperBound))"
  }
  var defaultValue: String { plain(info.defaultValue) }
  var access: String {
    info.isReadOnly ? "read" : info.canRamp ? "read, write, ramp" : "read, write"
  }
}

extension UnitDescription.Buses {
  /// The number of buses: `1`, or `8 (1 to 1024)` where it may be set.
  var text: String {
    "\(count)" + (settable.map { " (\($0.lowerBound) to \($0.upperBound))" } ?? "")
  }
}

/// The note on a property or parameter that patchrun adds; `nil` for one of Core Audio.
func patchrunNote(_ proposed: String) -> String? {
  proposed.isEmpty ? nil : "Ours, not Core Audio's: \(proposed)."
}

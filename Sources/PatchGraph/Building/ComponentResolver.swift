import AudioGraphs
package import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Finds the component that a node names.
package enum ComponentResolver {
  package static let types: [String: FourCharCode] = [
    "kAudioUnitType_FormatConverter": .formatConverterType,
    "kAudioUnitType_Effect": .effectType,
    "kAudioUnitType_Mixer": .mixerType,
    "kAudioUnitType_Output": .outputType,
  ]

  /// The unit, or the diagnostic that says why there is none.
  static func resolve(
    _ component: Located<PatchDocument.Component>, node: String
  ) -> Result<any AudioUnit.Type, FailedResolution> {
    do throws(Violation) {
      switch component.value {
      case .name(let name):
        guard let found = UnitCatalog.standard.component(named: name) else {
          return .failure(unknown(name, component))
        }
        return .success(found.unit)
      case .description(let fields):
        let wanted: ComponentDescription
        switch codes(fields) {
        case .success(let description): wanted = description
        case .failure(let failure): return .failure(failure)
        }
        return .success(try ComponentsFound.find(wanted, in: .standard))
      }
    } catch {
      return .failure(
        FailedResolution(
          diagnostic: error.diagnostic(
            in: PatchPlaces(root: component.json), at: component.json)))
    }
  }

  /// The unit of a component; `nil` where none is found. Reports nothing.
  static func unit(_ component: PatchDocument.Component?) -> (any AudioUnit.Type)? {
    switch component {
    case .name(let name)?: return UnitCatalog.standard.component(named: name)?.unit
    case .description(let fields)?:
      guard case .success(let wanted) = codes(fields) else { return nil }
      return try? ComponentsFound.find(wanted, in: .standard)
    case nil: return nil
    }
  }

  private static func unknown(
    _ name: String, _ component: Located<PatchDocument.Component>
  ) -> FailedResolution {
    let names = UnitCatalog.standard.components.map(\.name)
    // Behind a guess, a list of all components would hide it.
    let help =
      Synonyms.didYouMean(name, among: names, knownAs: Synonyms.components).map {
        [$0, "'patchrun units' lists the components"]
      } ?? ["the components are: " + names.joined(separator: ", ")]
    return FailedResolution(
      diagnostic: ComponentsFound.rule.diagnostic(
        "there is no component \(quoted(name))",
        at: component.range, pointer: component.pointer, help: help,
        fixes: component.json.correction(of: name, among: names)))
  }

  private static func codes(
    _ fields: PatchDocument.ComponentDescription
  ) -> Result<ComponentDescription, FailedResolution> {
    var result = ComponentDescription()
    let subtypes = Dictionary(
      uniqueKeysWithValues: UnitCatalog.standard.components.map {
        ($0.constant, $0.description.subtype)
      })
    let rows:
      [(JSONValue?, [String: FourCharCode], WritableKeyPath<ComponentDescription, FourCharCode>)] =
        [
          (fields.type, types, \.type), (fields.subtype, subtypes, \.subtype),
          (fields.manufacturer, ["kAudioUnitManufacturer_Apple": .apple], \.manufacturer),
        ]
    for (json, names, path) in rows {
      guard let json else { continue }
      if let text = json.string, let code = names[text] ?? FourCharCode(text) {
        result[keyPath: path] = code
      } else if let number = json.integer, let word = UInt32(exactly: number) {
        result[keyPath: path] = FourCharCode(rawValue: word)
      } else if json.kind != .invalid {
        var help = ["four characters in quotes, such as \"aumx\", a number, or a kAudio… name"]
        if let text = json.string, let guess = didYouMean(text, among: names.keys.sorted()) {
          help.insert(guess, at: 0)
        }
        var diagnostic = NameRules.formatField.diagnostic(
          "this is not a four-char code", at: json.range, pointer: json.pointer.description,
          help: help,
          fixes: json.string.map { json.correction(of: $0, among: names.keys.sorted()) } ?? [])
        // The search for a component fails, so the status is that of the search.
        diagnostic.status = .invalidAudioUnit
        return .failure(FailedResolution(diagnostic: diagnostic))
      }
    }
    for (json, path) in [
      (fields.flags, \ComponentDescription.flags), (fields.flagsMask, \.flagsMask),
    ] {
      guard let json else { continue }
      guard let word = json.integer.flatMap({ UInt32(exactly: $0) }) else {
        return .failure(
          FailedResolution(
            diagnostic: NameRules.formatField.diagnostic(
              "flags are a whole number from 0 to 4294967295", at: json.range,
              pointer: json.pointer.description, help: ["they are 0 in every search"])))
      }
      result[keyPath: path] = word
    }
    return .success(result)
  }
}

/// Why a component was not found; the diagnostic is `nil` where that has been reported.
struct FailedResolution: Error {
  var diagnostic: Diagnostic?
}

import AudioTypes
import AudioUnits
public import Diagnostics
import PatchSyntax

/// A preset by itself, without a patch that names it.
public struct SavedPreset: Sendable {
  /// What it is called; `nil` for nothing.
  public let name: String?
  /// The name of its unit; `nil` where there is no such unit.
  public let unit: String?
  /// What is wrong with its text, or with what it is of.
  public let diagnostics: [Diagnostic]
  /// What they point into.
  public let source: SourceText

  /// `nil` for a text that is no preset.
  public init?(_ text: SourceText) {
    guard PresetLikeness.isPreset(text) else { return nil }
    let reading = PatchReader.readPreset(text)
    source = reading.source
    name = reading.preset?.name?.value
    var unit: String?
    var diagnostics = reading.diagnostics
    if let component = reading.preset?.node.component {
      switch ComponentResolver.resolve(component, node: "") {
      case .success(let found): unit = found.description.name
      case .failure(let failure): diagnostics += [failure.diagnostic].compactMap(\.self)
      }
    }
    self.unit = unit
    self.diagnostics = diagnostics
  }
}

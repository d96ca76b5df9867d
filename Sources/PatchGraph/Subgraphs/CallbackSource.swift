import AudioTypes
package import PatchSyntax
import RenderCallbacks
import RenderCore

/// Finds the source that a callback pulls.
package enum CallbackSource {
  /// The `from` of a callback whose kind pulls; `nil` where it is not written, and where the kind
  /// has a setting of that name.
  static func json(_ callback: PatchDocument.Callback) -> JSONValue? {
    guard let kind = callback.kind?.value,
      let description = CallbackCatalog.description(of: kind), description.input != .none,
      !description.settings.contains(where: { $0.key == "from" })
    else { return nil }
    return callback.fields.first { $0.name == "from" }?.value
  }

  /// The address that a callback pulls; `nil` for none, and for a text that is not an address.
  package static func address(_ callback: PatchDocument.Callback) -> PatchDocument.Address? {
    callback.pulled?.value
      ?? json(callback).flatMap { PatchReader.address($0, "'from'").address?.value }
  }
}

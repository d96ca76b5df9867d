package import PatchSyntax
import RenderCallbacks
import RenderCore

/// What a callback is written to pull.
package enum CallbackSource {
  /// What is written for `from`, of a kind that pulls; `nil` where nothing is, and where the kind
  /// means something else by it.
  static func json(_ callback: PatchDocument.Callback) -> JSONValue? {
    guard let kind = callback.kind?.value,
      let description = CallbackCatalog.description(of: kind), description.input != .none,
      !description.settings.contains(where: { $0.key == "from" })
    else { return nil }
    return callback.fields.first { $0.name == "from" }?.value
  }

  /// What a callback pulls; `nil` for nothing, and for what is no address.
  package static func address(_ callback: PatchDocument.Callback) -> PatchDocument.Address? {
    callback.pulled?.value
      ?? json(callback).flatMap { PatchReader.address($0, "'from'").address?.value }
  }
}

import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks

/// Which shared libraries a graph may load.
///
/// A library can do everything that its user can, so the person who runs a patch decides. A change
/// of a playing patch may load only the libraries that the patch had when it was started.
public enum NativeCode: Hashable, Sendable {
  case refused
  case allowed
  /// Only the files at these paths, as `BuiltPatch.libraries` spells them.
  case only(Set<String>)

  func allows(_ path: String) -> Bool {
    switch self {
    case .refused: false
    case .allowed: true
    case .only(let paths): paths.contains(path)
    }
  }
}

extension BuiltPatch {
  /// A library that a `native` callback calls.
  public struct Library: Hashable, Sendable {
    /// The path that is loaded.
    public var path: String
    public var symbol: String
  }
}

extension GraphBuilder {
  /// Reports a library that a playing patch did not have when it was started.
  mutating func reportLateLibrary(
    _ native: NativeCallback, _ member: PatchDocument.Member<PatchDocument.Callback>
  ) {
    guard case .only = surroundings.nativeCode, !surroundings.nativeCode.allows(native.path)
    else { return }
    let json = member.value.json["path"] ?? member.value.json
    report(
      CallbacksReady.rule.diagnostic(
        "a patch that plays does not load a library that it had not before",
        status: .unauthorized,
        at: json.markRange,
        pointer: json.pointer.description,
        help: ["stop the patch, and start it again with '--allow-native'"]))
  }
}

extension NativeCallback {
  /// A copy that may load its library if `code` allows it.
  ///
  /// - Parameter processes: Whether the callback processes input.
  func allowed(by code: NativeCode, processes: Bool) -> NativeCallback {
    var copy = self
    copy.processes = processes
    copy.isAllowed = code.allows(path)
    return copy
  }
}

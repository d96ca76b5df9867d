import AudioGraphs
public import AudioTypes
public import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Which shared libraries a graph may load.
///
/// Whoever wrote a library can do all that its user can, so that whoever runs a patch decides. A change
/// of a patch that plays may load what the patch had when it was started, and nothing else.
public enum NativeCode: Hashable, Sendable {
  case refused
  case allowed
  /// The files at these paths, as `BuiltPatch.libraries` has them.
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
    /// As it would be loaded.
    public var path: String
    public var symbol: String
  }

  /// What initializing its graph has thrown, said of its text.
  public func diagnostic(of violation: Violation) -> Diagnostic? {
    places.map { violation.diagnostic(in: $0) }
  }
}

extension GraphBuilder {
  /// Says that a patch that plays cannot load what it had not when it was started.
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
  /// The same, to be loaded or not.
  func allowed(by code: NativeCode, processes: Bool) -> NativeCallback {
    var copy = self
    copy.processes = processes
    copy.isAllowed = code.allows(path)
    return copy
  }
}

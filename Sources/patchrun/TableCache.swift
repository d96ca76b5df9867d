import AudioUnits

/// The folder that keeps computed tables between runs, because computing them takes long.
enum TableCache {
  static let variable = "PATCHRUN_CACHE"

  /// The folder according to the environment; `nil` for none.
  static func folder(_ environment: (String) -> String?) -> String? {
    if let named = environment(variable), !named.isEmpty {
      return named == "off" ? nil : absolute(named)
    }
    // The XDG Base Directory Specification says that relative paths are ignored.
    if let shared = environment("XDG_CACHE_HOME").flatMap(absolute) { return shared + "/patchrun" }
    return environment("HOME").flatMap(absolute).map { $0 + "/.cache/patchrun" }
  }

  private static func absolute(_ path: String) -> String? { path.hasPrefix("/") ? path : nil }

  /// Keeps tables in this folder from now on.
  static func apply() {
    if let folder = folder(environmentVariable) { Mixer3D.keepHeads(in: folder) }
  }
}

import AudioUnits

/// Where the program keeps what takes long to prepare, from one run to the next.
enum KeptTables {
  static let variable = "PATCHRUN_CACHE"

  /// The folder that the environment names; `nil` for none.
  static func folder(_ environment: (String) -> String?) -> String? {
    if let named = environment(variable), !named.isEmpty {
      return named == "off" ? nil : absolute(named)
    }
    // A relative path counts as none: the XDG Base Directory Specification says so.
    if let shared = environment("XDG_CACHE_HOME").flatMap(absolute) { return shared + "/patchrun" }
    return environment("HOME").flatMap(absolute).map { $0 + "/.cache/patchrun" }
  }

  private static func absolute(_ path: String) -> String? { path.hasPrefix("/") ? path : nil }

  /// Has tables kept there from now on.
  static func apply() {
    if let folder = folder(environmentVariable) { Mixer3D.keepHeads(in: folder) }
  }
}

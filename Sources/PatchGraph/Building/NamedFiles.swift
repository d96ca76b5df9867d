import AudioTypes
import Diagnostics
import FileAccess
import PatchSyntax

extension FileRefusal {
  /// The diagnostic of a path that the file policy refuses.
  ///
  /// - Parameters:
  ///   - path: The path as the message shows it.
  ///   - json: The value that names it.
  func diagnostic(_ rule: Rule, _ path: String, at json: JSONValue) -> Diagnostic {
    rule.diagnostic(
      .init(message(for: path)), at: json.markRange, pointer: json.pointer.description,
      help: help.isEmpty ? [] : [help])
  }
}

extension GraphBuilder {
  /// Whether the file policy lets a callback read its files; reports each refusal. The callback
  /// itself reports errors of the disk.
  mutating func mayRead(
    _ paths: [(path: String, json: JSONValue)]
  ) -> Bool {
    var mayRead = true
    for (path, json) in paths {
      guard let refusal = surroundings.files.refusal(toRead: path) else { continue }
      report(refusal.diagnostic(FileRules.reading, path, at: json))
      mayRead = false
    }
    return mayRead
  }

  /// The place that a tap writes to; reports a refusal of the file policy. `nil` for standard
  /// output, and for an error of the disk, which the tap itself reports.
  mutating func place(toWrite path: String, _ json: JSONValue) -> Result<WritePlace?, FileRefusal> {
    // `-` is standard output.
    guard path != "-" else { return .success(nil) }
    do throws(FileRefusal) { return .success(try surroundings.files.writePlace(path)) } catch {
      guard error.isOfPolicy else { return .success(nil) }
      report(error.diagnostic(FileRules.writing, path, at: json))
      return .failure(error)
    }
  }
}

/// The files that a patch reads and writes, to find a written file that is used twice.
struct NamedFiles {
  private var readPaths: Set<String> = []
  private var readFiles: Set<FileIdentity> = []
  private var writtenPaths: Set<String> = []
  private var writtenPlaces: Set<WritePlace.Key> = []
  private var writtenFiles: Set<FileIdentity> = []

  enum Clash {
    case isPlayed, isWritten
  }

  mutating func addRead(_ path: String) {
    readPaths.insert(path)
    if let file = FileIdentity(of: path) { readFiles.insert(file) }
  }

  mutating func addWritten(_ path: String, _ place: WritePlace?) {
    guard place?.content != .stream else { return }
    writtenPaths.insert(path)
    if let key = place?.key { writtenPlaces.insert(key) }
    if let file = place?.fileIdentity { writtenFiles.insert(file) }
  }

  /// Whether the patch also plays or records a file, however its path is spelt; `nil` for neither.
  func clash(_ path: String, _ place: WritePlace?) -> Clash? {
    let file = place == nil ? FileIdentity(of: path) : place?.fileIdentity
    if readPaths.contains(path) || file.map(readFiles.contains) == true { return .isPlayed }
    let isWritten =
      writtenPaths.contains(path) || place.map { writtenPlaces.contains($0.key) } == true
      || file.map(writtenFiles.contains) == true
    return isWritten ? .isWritten : nil
  }
}

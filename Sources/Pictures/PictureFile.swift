public import FileAccess

/// A picture file to write, completely or not at all.
public struct PictureFile: Sendable {
  /// Why a picture cannot be written.
  public struct Failure: Error, Hashable, Sendable {
    /// A sentence that starts in lower case and names the file.
    public var message: String
    /// What to do about it; empty for nothing.
    public var help = ""
    /// Whether there is an existing file that patchrun has not written.
    public var isOwnership = false
  }

  /// The path as it was given.
  public let path: String
  /// The format, by the ending of the path.
  public let format: PictureFormat
  private let files: FilePolicy
  private let existing: PendingFile.Existing

  /// - Parameters:
  ///   - files: Which files may be written.
  ///   - existing: What happens to an existing file.
  /// - Returns: `nil` where the path does not end as a picture's.
  public init?(
    path: String, files: FilePolicy = .user, existing: PendingFile.Existing = .replace
  ) {
    guard let format = PictureFormat(path: path) else { return nil }
    self.path = path
    self.format = format
    self.files = files
    self.existing = existing
  }

  /// Checks whether the picture can be written, as far as that can be found without writing it.
  public func check() throws(Failure) {
    if let problem = format.problem { throw Failure(path, problem) }
    let place = try place()
    if place.content == .stream { throw Failure(path, "it is no plain file") }
    if let refusal = place.problem() { throw Failure(path, refusal) }
    if let failure = PendingFile.problem(place, existing: existing) { throw Failure(path, failure) }
  }

  /// Writes the drawing in place of a file that exists.
  ///
  /// - Returns: The path of the file, which differs from `path` where the file is numbered.
  @discardableResult
  public func write(_ drawing: Drawing) throws(Failure) -> String {
    if let problem = format.problem(of: drawing) { throw Failure(path, problem) }
    return try write(format.bytes(of: drawing))
  }

  private func place() throws(Failure) -> WritePlace {
    do throws(FileRefusal) { return try files.writePlace(path) } catch {
      throw Failure(path, error)
    }
  }

  private func write(_ bytes: [UInt8]) throws(Failure) -> String {
    let place = try place()
    guard place.content != .stream else { throw Failure(path, "it is no plain file") }
    do throws(PendingFile.Failure) {
      let file = try PendingFile(place, existing: existing)
      let number = writeAll(bytes, to: file.descriptor)
      guard number == 0 else {
        file.discard()
        throw .system(number)
      }
      try file.finish()
      return file.path
    } catch {
      throw Failure(path, error)
    }
  }
}

extension PictureFile.Failure {
  init(_ path: String, _ reason: String, help: String = "") {
    message = "the picture '\(path)' cannot be written: \(reason)"
    self.help = help
  }

  init(_ path: String, _ refusal: FileRefusal) {
    self.init(path, refusal.message(for: path), help: refusal.help)
  }

  init(_ path: String, _ failure: PendingFile.Failure) {
    switch failure {
    case .system(let number): self.init(path, number)
    case .notRegular: self.init(path, "it is no plain file")
    case .notOwn:
      self.init(
        path, "it is there, and patchrun has not written it",
        help: "move it away, or have it replaced: --overwrite")
      isOwnership = true
    }
  }

  /// - Parameter number: The system's error number.
  init(_ path: String, _ number: Int32) {
    self.init(path, FileRefusal.text(errno: number))
  }
}

import AudioTypes
public import FileAccess
import Glibc
public import RenderCore
import SoundFiles
import Synchronization

/// Shared by the recordings and pictures of one run: the time at which it began, the names that it
/// has used, and what it does about existing files.
///
/// A run never uses a name twice, so that it never replaces its own recordings. In a handover, the
/// next graph continues the file of a recording. Any thread but the render thread.
public final class Takes: Sendable, Hashable {
  /// What to do about a file that exists.
  public enum Existing: Sendable {
    /// Replace it, whatever it is.
    case replace
    /// Replace it where patchrun wrote it; otherwise the tap fails.
    case replaceOwn
    /// Keep it, and number the new file.
    case number
  }

  /// Identifies a recording that can be continued: the same path and the same contents.
  struct Key: Hashable, Sendable {
    var path: String
    var format: StreamFormat
    var sampleType: FileSampleType?
    var quality: Double?
    var dither: Dither
  }

  /// `@unchecked Sendable`: one service at a time uses the writer.
  struct Held: @unchecked Sendable {
    let writer: SoundFileWriter
  }

  private struct State {
    var used: Set<String> = []
    var isHandingOver = false
    var waiting: [Key: Held] = [:]
    var waitingForRoom: Set<Key> = []
    var written: [WrittenTake] = []
  }

  /// What to do about files that exist.
  public let existing: Existing
  /// Whether a recording that a full disk ended continues in another file when there is room again:
  /// in runs that keep time.
  public let goesOnWhenThereIsRoom: Bool
  package let moment: TakeMoment
  private let state = Mutex(State())
  /// The number of requests for new takes.
  let newTakes = Atomic<Int>(0)
  /// The number of recordings, with those that wait for room.
  private let recordings = Atomic<Int>(0)

  /// Lets each recording in a file continue in a new one, from its next block on. No frame is lost
  /// between the two.
  ///
  /// - Returns: The number of recordings.
  @discardableResult
  public func beginNewTakes() -> Int {
    newTakes.wrappingAdd(1, ordering: .relaxed)
    return recordings.load(ordering: .relaxed)
  }

  func enter() { recordings.wrappingAdd(1, ordering: .relaxed) }
  func leave() { recordings.wrappingSubtract(1, ordering: .relaxed) }

  /// - Parameter seconds: When the run begins, in seconds since 1970; `nil` for now.
  public init(
    _ existing: Existing = .replace, goesOnWhenThereIsRoom: Bool = false,
    beginning seconds: Int? = nil
  ) {
    self.existing = existing
    self.goesOnWhenThereIsRoom = goesOnWhenThereIsRoom
    moment = TakeMoment(seconds ?? time(nil))
  }

  /// Equal if they are the same object.
  public static func == (left: Takes, right: Takes) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  // MARK: - Names

  /// The path of the first take, and what happens to a file that exists there.
  package func preview(_ name: TakeName) -> (path: String, existing: PendingFile.Existing) {
    let path = name.path(moment, number: 1)
    guard !isNumbered(name) else { return (path, numbered(name)) }
    return (path, replacement)
  }

  /// The path of the second take of a run: `take-2.wav` for `take.wav`. A path with `{take}` is
  /// returned as it is.
  public static func nextPath(of path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !path.contains("{take}") else { return path }
    return (parts.dropLast() + [Substring(PendingFile.name(String(name), number: 2))])
      .joined(separator: "/")
  }

  /// The path of the first take of a run where no file exists, for checks of its folder. A path
  /// with wrong braces is returned as it is.
  package func firstPath(of path: String) -> String {
    (try? TakeName(path))?.path(moment, number: 1) ?? path
  }

  /// The path of the first take of a run, for checks against files that must not be overwritten.
  /// `nil` where takes are numbered, because that never overwrites one.
  public func plainPath(of path: String) -> String? {
    guard let name = try? TakeName(path), !name.isCounted else { return nil }
    return name.path(moment, number: 1)
  }

  private func isNumbered(_ name: TakeName) -> Bool {
    if case .number = existing { return true }
    return name.isCounted
  }

  private func numbered(_ name: TakeName) -> PendingFile.Existing {
    let moment = moment
    return .number { number in
      let path = name.path(moment, number: number)
      return path.utf8.lastIndex(of: UInt8(ascii: "/"))
        .map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }
  }

  private var replacement: PendingFile.Existing {
    if case .replace = existing { return .replace }
    return .replaceOwn { SoundFileMark.isSet($0) || PictureMark.isSet($0) }
  }

  /// Makes the file for the next take with a free name, and reserves that name.
  package func begin<File, Failure: Error>(
    _ name: TakeName, _ make: (String, PendingFile.Existing) throws(Failure) -> File,
    path: (File) -> String
  ) throws(Failure) -> File {
    let used = state.withLock { $0.used }
    var number = 1
    if !isNumbered(name) {
      while used.contains(name.path(moment, number: number)) { number += 1 }
    }
    let file = try make(
      name.path(moment, number: number), isNumbered(name) ? numbered(name) : replacement)
    state.withLock { _ = $0.used.insert(path(file)) }
    return file
  }

  // MARK: - Finished takes

  /// The complete recordings with their final names, in the order in which they ended.
  public var written: [WrittenTake] { state.withLock { $0.written } }

  /// Adds a closed recording, where it is a file with its final name.
  func note(_ writer: SoundFileWriter) {
    guard let take = WrittenTake(writer) else { return }
    state.withLock { state in
      if !state.written.contains(take) { state.written.append(take) }
    }
  }

  // MARK: - Handover

  /// Keeps recordings that end from now on open, for the next graph to continue.
  public func beginHandover() { state.withLock { $0.isHandingOver = true } }

  /// Closes the recordings that no graph has continued.
  ///
  /// - Returns: The errors of files that could not be closed.
  public func endHandover() -> [ServiceError] {
    let rest = state.withLock { state in
      defer { state.waiting = [:] }
      state.isHandingOver = false
      return state.waiting.values.sorted { $0.writer.path < $1.writer.path }
    }
    return rest.compactMap { held in
      do throws(SoundFileError) {
        try held.writer.close()
        note(held.writer)
        return nil
      } catch {
        return ServiceError(error.message)
      }
    }
  }

  /// Keeps a recording open for the next graph. Returns false outside of a handover.
  func keep(_ writer: SoundFileWriter, for key: Key) -> Bool {
    let held = Held(writer: writer)
    return state.withLock { state in
      guard state.isHandingOver, state.waiting[key] == nil else { return false }
      state.waiting[key] = held
      return true
    }
  }

  /// Whether a full disk has ended a recording, which waits for room.
  func isWaitingForRoom(_ key: Key) -> Bool { state.withLock { $0.waitingForRoom.contains(key) } }

  func setWaitingForRoom(_ key: Key, _ isWaiting: Bool) {
    state.withLock { state in
      if isWaiting { state.waitingForRoom.insert(key) } else { state.waitingForRoom.remove(key) }
    }
  }

  /// Takes over a recording to continue; `nil` where there is none.
  func take(_ key: Key) -> SoundFileWriter? {
    state.withLock { $0.waiting.removeValue(forKey: key) }?.writer
  }
}

/// A tap that writes a file.
public protocol FileTap: RenderTap {
  /// The files that it may write.
  var files: FilePolicy { get set }
  /// Shared by all that a run writes.
  var takes: Takes { get set }
}

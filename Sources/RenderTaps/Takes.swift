import AudioTypes
public import FileAccess
import Glibc
public import RenderCore
import SoundFiles
import Synchronization

/// What the recordings and pictures of one run have in common: when it began, which names it has used,
/// and what becomes of files that are there.
///
/// No name is used twice in a run, so that what a run has recorded is never replaced by the same run.
/// A recording can be handed over from one graph to the next, and goes on in its file there. Callable from
/// any thread but the render thread.
public final class Takes: Sendable, Hashable {
  /// What becomes of a file that is there already.
  public enum Existing: Sendable {
    /// It is replaced, whatever it is.
    case replace
    /// It is replaced where patchrun has written it; else the tap cannot write there.
    case replaceOwn
    /// It stays, and the new one has a number.
    case number
  }

  /// A recording that is to go on: the same path, and the same in the file.
  struct Key: Hashable, Sendable {
    var path: String
    var format: StreamFormat
    var sampleType: FileSampleType?
    var quality: Double?
    var dither: Dither
  }

  /// `@unchecked Sendable`: one service at a time has it.
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

  /// What becomes of a file that is there already.
  public let existing: Existing
  /// Whether a recording that a full disk has ended goes on in another file when there is room again: in a
  /// run that keeps time.
  public let goesOnWhenThereIsRoom: Bool
  package let moment: TakeMoment
  private let state = Mutex(State())
  /// How often new takes have been asked for.
  let newTakes = Atomic<Int>(0)
  /// How many recordings there are, those among them that wait for room.
  private let recordings = Atomic<Int>(0)

  /// Has each recording that is a file go on in a new one, from its next block on. No frame is lost in
  /// between.
  ///
  /// - Returns: How many recordings there are.
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

  /// Each is one of its own.
  public static func == (left: Takes, right: Takes) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  // MARK: - Names

  /// The path that a take would have, and what would become of a file that is there.
  package func preview(_ name: TakeName) -> (path: String, existing: PendingFile.Existing) {
    let path = name.path(moment, number: 1)
    guard !isNumbered(name) else { return (path, numbered(name)) }
    return (path, replacement)
  }

  /// The path of the second take of a run: `take-2.wav` for `take.wav`; the path itself where it counts.
  public static func nextPath(of path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !path.contains("{take}") else { return path }
    return (parts.dropLast() + [Substring(PendingFile.name(String(name), number: 2))])
      .joined(separator: "/")
  }

  /// The path of the first take of a run, were no file there: for checks of where it leads. The path
  /// itself where its braces are wrong.
  package func firstPath(of path: String) -> String {
    (try? TakeName(path))?.path(moment, number: 1) ?? path
  }

  /// The path that the first take of a run would have, were no file there: for checks of files that must
  /// not be one. `nil` where takes are counted, and none that is there is written to.
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

  /// Makes a file for a take with the name that is next, and keeps that name from the others.
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

  // MARK: - What has been written

  /// The recordings that are whole and have their names, in the order in which they ended.
  public var written: [WrittenTake] { state.withLock { $0.written } }

  /// Notes a recording that has been closed, where it is a file that has its name.
  func note(_ writer: SoundFileWriter) {
    guard let take = WrittenTake(writer) else { return }
    state.withLock { state in
      if !state.written.contains(take) { state.written.append(take) }
    }
  }

  // MARK: - From one graph to the next

  /// Recordings that end from now on are kept open, and wait for a graph in which they go on.
  public func beginHandover() { state.withLock { $0.isHandingOver = true } }

  /// Closes the recordings that have found no graph to go on in.
  ///
  /// - Returns: What could not be closed.
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

  /// Whether a recording has been taken to be gone on with.
  func keep(_ writer: SoundFileWriter, for key: Key) -> Bool {
    let held = Held(writer: writer)
    return state.withLock { state in
      guard state.isHandingOver, state.waiting[key] == nil else { return false }
      state.waiting[key] = held
      return true
    }
  }

  /// Whether a recording has been ended by a full disk, and waits for room.
  func isWaitingForRoom(_ key: Key) -> Bool { state.withLock { $0.waitingForRoom.contains(key) } }

  func setWaitingForRoom(_ key: Key, _ isWaiting: Bool) {
    state.withLock { state in
      if isWaiting { state.waitingForRoom.insert(key) } else { state.waitingForRoom.remove(key) }
    }
  }

  /// A recording that is to go on.
  func take(_ key: Key) -> SoundFileWriter? {
    state.withLock { $0.waiting.removeValue(forKey: key) }?.writer
  }
}

/// A tap that writes a file.
public protocol FileTap: RenderTap {
  /// Where it may be written.
  var files: FilePolicy { get set }
  /// What it has in common with what else a run writes.
  var takes: Takes { get set }
}

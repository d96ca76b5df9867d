import CShims
import Glibc

/// A file that is being written beside its name, and gets it when it is whole.
///
/// Until then it is called `take.unfinished.wav` in the folder of `take.wav`: whatever ends the process
/// leaves that, and what was called `take.wav` before is still there. The data is on the disk before the
/// name is given. A file that is open is locked (`flock`), so that two runs never write into one.
///
/// One thread at a time may use it.
@safe
public final class PendingFile {
  /// What becomes of a file that has the name already.
  public enum Existing: Sendable {
    /// It is replaced.
    case replace
    /// It is replaced where patchrun has written it, which is asked with a descriptor of it that may be
    /// read; else there is a failure.
    case replaceOwn(@Sendable (Int32) -> Bool)
    /// It stays: the new one gets the first name that is free, of those that numbers from 1 up give.
    case number(@Sendable (Int) -> String)

    /// It stays: the new one is numbered as `take-2.wav` where `take.wav` is there.
    public static func numbered(_ name: String) -> Existing {
      .number { PendingFile.name(name, number: $0) }
    }
  }

  /// Why a file cannot be made or finished.
  public enum Failure: Error, Hashable, Sendable {
    /// The system's error number.
    case system(Int32)
    /// Something has the name that is no regular file.
    case notRegular
    /// Something has the name that patchrun has not written.
    case notOwn
  }

  /// Of the file, to be read and written. It is closed with this object.
  public let descriptor: Int32
  /// Where the file will be. `finish()` may give it another number.
  public private(set) var path: String
  /// Where the file is until then.
  public private(set) var unfinishedPath: String
  /// Whether another name has been taken than was asked for.
  public private(set) var isNumbered = false
  private let place: WritePlace
  private let existing: Existing
  private var name: String
  private var unfinishedName: String
  private var isOpen = true

  /// Makes the file, empty, under the name that says that it is not finished.
  ///
  /// - Parameter place: Of a file, and no stream.
  public init(_ place: WritePlace, existing: Existing) throws(Failure) {
    let folder = place.folderDescriptor
    let mode = try Self.check(place.name, in: folder, existing)
    var descriptor: Int32 = -1
    switch existing {
    case .number(let named):
      (name, unfinishedName, descriptor) = try Self.reserve(named, in: folder)
    case .replace, .replaceOwn:
      name = place.name
      (unfinishedName, descriptor) = try Self.create(place.name, in: folder, existing)
    }
    if let mode { _ = fchmod(descriptor, mode) }
    self.descriptor = descriptor
    self.place = place
    self.existing = existing
    isNumbered = name != place.name
    path = isNumbered ? Self.shown(name, beside: place) : place.path
    unfinishedPath = Self.shown(unfinishedName, beside: place)
    FileMark.set(descriptor)
  }

  /// Takes up a file that is there, to be made whole where it is: one that says by its name that it is
  /// not finished gets the name that it was to have, or the first number of it that is free; any other
  /// keeps its own.
  ///
  /// - Throws: `.system(EWOULDBLOCK)` where somebody is writing it.
  public init(recovering place: WritePlace) throws(Failure) {
    guard place.content == .file else { throw .notRegular }
    descriptor = unsafe openat(
      place.folderDescriptor, SystemPath(place.name).c, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .system(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw .system(number)
    }
    self.place = place
    unfinishedName = place.name
    unfinishedPath = place.path
    let finished = Self.finishedName(of: place.name)
    name = finished ?? place.name
    path = place.path
    existing = finished.map(Existing.numbered) ?? .replace
    if finished != nil { path = Self.shown(name, beside: place) }
  }

  /// Why `init` would refuse a place, as far as can be told without touching it; `nil` for no reason.
  public static func problem(_ place: WritePlace, existing: Existing) -> Failure? {
    guard place.content != .stream else { return nil }
    do throws(Failure) {
      _ = try check(place.name, in: place.folderDescriptor, existing)
      return nil
    } catch {
      return error
    }
  }

  /// The path of something in the folder of a place, as the place itself is shown.
  private static func shown(_ name: String, beside place: WritePlace) -> String {
    let path = place.path
    // Of a link what it leads to is written, which may be in another folder.
    guard SystemPath(path).name.text == place.name else { return name }
    return String(path.dropLast(place.name.count)) + name
  }

  deinit {
    _ = close(descriptor)
  }

  /// Puts what has been written onto the disk, and gives the file its name.
  ///
  /// - Parameter synchronizes: Whether it waits for the disk. Otherwise whoever calls sees to that, for many
  ///   files at once: after a power cut the file may have its name and not its bytes.
  public func finish(synchronizes: Bool = true) throws(Failure) {
    guard isOpen else { return }
    isOpen = false
    while synchronizes, fsync(descriptor) != 0 {
      // What is no disk has nothing to put down.
      if errno == EINVAL || errno == EROFS { break }
      guard errno == EINTR else { throw .system(errno) }
    }
    let folder = place.folderDescriptor
    switch existing {
    case .replace, .replaceOwn:
      _ = try Self.check(name, in: folder, existing)
      guard unsafe renameat(folder, SystemPath(unfinishedName).c, folder, SystemPath(name).c) == 0
      else {
        throw .system(errno)
      }
    case .number(let named):
      var number = 0
      while true {
        let result = Self.renameWithoutReplacing(unfinishedName, name, in: folder)
        if result == 0 { break }
        guard result == EEXIST, number < Self.mostNumbers else { throw .system(result) }
        number += 1
        name = named(number)
        path = Self.shown(name, beside: place)
        isNumbered = true
      }
    }
    unfinishedPath = path
    _ = flock(descriptor, LOCK_UN)
    guard synchronizes else { return }
    // The name is there after a power cut, too. What is open for its path alone cannot be synchronized.
    let whole = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard whole >= 0 else { return }
    _ = fsync(whole)
    _ = close(whole)
  }

  /// Leaves the file under the name that says that it is not finished.
  public func leave() {
    isOpen = false
    _ = flock(descriptor, LOCK_UN)
  }

  /// Removes the file: nothing has been written that anybody would miss.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    _ = unsafe unlinkat(place.folderDescriptor, SystemPath(unfinishedName).c, 0)
  }

  // MARK: - Names

  /// `take.unfinished.wav` for `take.wav`. The extension stays, so that every player takes it.
  public static func unfinishedName(of name: String, attempt: Int = 1) -> String {
    let (stem, ending) = parts(of: name)
    return fitting(stem, ".unfinished" + (attempt > 1 ? "-\(attempt)" : "") + ending)
  }

  /// `take-2.wav` for `take.wav` and 2; the name itself for 1.
  public static func name(_ name: String, number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, ending) = parts(of: name)
    return fitting(stem, "-\(number)" + ending)
  }

  /// The name that a file with an unfinished one was to have; `nil` for any other.
  public static func finishedName(of name: String) -> String? {
    let (stem, ending) = parts(of: name)
    guard let dot = stem.lastIndex(of: ".") else { return nil }
    let word = stem[dot...].dropFirst()
    let number = word.dropFirst("unfinished".count)
    guard word.hasPrefix("unfinished"), dot > stem.startIndex,
      number.isEmpty || (number.first == "-" && Int(number.dropFirst()) != nil)
    else { return nil }
    return stem[..<dot] + ending
  }

  /// A name in front of its extension, and the extension with its dot.
  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  /// A name that a file system takes.
  private static func fitting(_ stem: String, _ ending: String) -> String {
    var stem = stem
    while stem.utf8.count + ending.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
    return stem + ending
  }

  private static let mostNumbers = 1_000_000

  // MARK: - The folder

  /// Looks at what has the name. Returns the permissions of a file that is to be replaced.
  private static func check(
    _ name: String, in folder: Int32, _ existing: Existing
  ) throws(Failure) -> mode_t? {
    var status = stat()
    guard unsafe fstatat(folder, SystemPath(name).c, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw .system(errno) }
      return nil
    }
    if case .number = existing { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw status.st_mode & S_IFMT == S_IFDIR ? .system(EISDIR) : .notRegular
    }
    // A file that may not be written is not to be replaced, either.
    guard unsafe faccessat(folder, SystemPath(name).c, W_OK, 0) == 0 else { throw .system(errno) }
    if case .replaceOwn(let isOwn) = existing, status.st_size > 0 {
      let file = unsafe openat(
        folder, SystemPath(name).c, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { throw .notOwn }
      defer { _ = close(file) }
      guard FileMark.isSet(file) || isOwn(file) else { throw .notOwn }
    }
    return status.st_mode & 0o7777
  }

  private static func createExclusively(_ name: String, in folder: Int32) -> Int32 {
    let descriptor = unsafe openat(
      folder, SystemPath(name).c, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    if descriptor >= 0 { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
    return descriptor
  }

  /// Makes the file for a name that is to be replaced, in the place of what a run has left that was
  /// killed.
  private static func create(
    _ name: String, in folder: Int32, _ existing: Existing
  ) throws(Failure) -> (String, Int32) {
    for attempt in 1...1000 {
      let unfinished = unfinishedName(of: name, attempt: attempt)
      for _ in 0..<2 {
        let descriptor = createExclusively(unfinished, in: folder)
        if descriptor >= 0 { return (unfinished, descriptor) }
        guard errno == EEXIST else { throw .system(errno) }
        guard removeAbandoned(unfinished, in: folder, existing) else { break }
      }
    }
    throw .system(EEXIST)
  }

  /// Removes what nobody writes any more and patchrun has written.
  private static func removeAbandoned(
    _ name: String, in folder: Int32, _ existing: Existing
  ) -> Bool {
    let file = unsafe openat(
      folder, SystemPath(name).c, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      flock(file, LOCK_EX | LOCK_NB) == 0
    else { return false }
    var isOwn = FileMark.isSet(file) || status.st_size == 0
    if !isOwn, case .replaceOwn(let check) = existing { isOwn = check(file) }
    guard isOwn else { return false }
    return unsafe unlinkat(folder, SystemPath(name).c, 0) == 0
  }

  /// Makes the file under the first name that neither a file has nor one that is being written.
  private static func reserve(
    _ named: (Int) -> String, in folder: Int32
  ) throws(Failure) -> (name: String, unfinished: String, descriptor: Int32) {
    for number in 1...mostNumbers {
      let name = named(number)
      guard unsafe faccessat(folder, SystemPath(name).c, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
        continue
      }
      let unfinished = unfinishedName(of: name)
      let descriptor = createExclusively(unfinished, in: folder)
      if descriptor >= 0 { return (name, unfinished, descriptor) }
      guard errno == EEXIST else { throw .system(errno) }
    }
    throw .system(EEXIST)
  }

  /// Returns the system's error number; 0 where it has been done.
  private static func renameWithoutReplacing(
    _ from: String, _ to: String, in folder: Int32
  ) -> Int32 {
    // A link is made where nothing has the name, and only there.
    if unsafe linkat(folder, SystemPath(from).c, folder, SystemPath(to).c, 0) == 0 {
      return unsafe unlinkat(folder, SystemPath(from).c, 0) == 0 ? 0 : errno
    }
    guard errno != EEXIST else { return EEXIST }
    // Some file systems have no links.
    if unsafe faccessat(folder, SystemPath(to).c, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return EEXIST }
    return unsafe renameat(folder, SystemPath(from).c, folder, SystemPath(to).c) == 0 ? 0 : errno
  }
}

extension WritePlace {
  /// Opens a pipe or a device to write to; -1 with `errno` where that fails. It belongs to the caller.
  public func openStream() -> Int32 {
    unsafe openat(folderDescriptor, SystemPath(name).c, O_WRONLY | O_CLOEXEC | O_NOCTTY)
  }
}

/// What tells a file that patchrun has written from any other, beside what is in the file itself.
///
/// Files that have room for it name the program that wrote them; the others have an extended attribute,
/// where the file system does.
public enum FileMark {
  /// What a file that has room for it says it was made by.
  public static let software = "patchrun"

  /// Marks an open file as patchrun's own, where the file system can.
  public static func set(_ descriptor: Int32) {
    _ = unsafe shims_set_mark(descriptor, software)
  }

  /// Whether an open file has the mark.
  public static func isSet(_ descriptor: Int32) -> Bool {
    shims_has_mark(descriptor) != 0
  }
}

import CShims
import Glibc

/// A file that is written under a temporary name, and gets its final name when it is complete.
///
/// Until then it is called `take.unfinished.wav`, in the folder of `take.wav`: if the process ends
/// early, that file stays, and so does the `take.wav` from before. The data is on the disk before
/// the file gets its name. An open file is locked (`flock`), so that two runs never write into one.
///
/// One thread at a time may use it.
@safe
public final class PendingFile {
  /// What happens to an existing file with the final name.
  public enum Existing: Sendable {
    /// It is replaced.
    case replace
    /// It is replaced if patchrun wrote it, which the function decides from a readable descriptor
    /// of it; otherwise `init` fails.
    case replaceOwn(@Sendable (Int32) -> Bool)
    /// It stays: the new file gets the first free name of those that the function returns for the
    /// numbers from 1 up.
    case number(@Sendable (Int) -> String)

    /// It stays: the new file is numbered, as `take-2.wav` where `take.wav` is there.
    public static func numbered(_ name: String) -> Existing {
      .number { PendingFile.name(name, number: $0) }
    }
  }

  /// Why a file cannot be made or finished.
  public enum Failure: Error, Hashable, Sendable {
    /// The system's error number.
    case system(Int32)
    /// The file of that name is not regular.
    case notRegular
    /// patchrun has not written the file of that name.
    case notOwn
  }

  /// The descriptor of the file, for reading and writing. It is closed with this object.
  public let descriptor: Int32
  /// The final path of the file. `finish()` may give it another number.
  public private(set) var path: String
  /// The path of the file until `finish()`.
  public private(set) var unfinishedPath: String
  /// Whether the file has another name than was asked for.
  public private(set) var isNumbered = false
  private let place: WritePlace
  private let existing: Existing
  private var name: String
  private var unfinishedName: String
  private var isOpen = true

  /// Creates the file, empty, under its unfinished name.
  ///
  /// - Parameter place: The place of a file, not of a stream.
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

  /// Takes over an existing file, to repair it where it is. A file with an unfinished name gets its
  /// final name, or the first free number of it; any other keeps its name.
  ///
  /// - Throws: `.system(EWOULDBLOCK)` where another process is writing it.
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

  /// Why `init` would refuse a place, as far as that can be found without writing; `nil` for no
  /// reason.
  public static func problem(_ place: WritePlace, existing: Existing) -> Failure? {
    guard place.content != .stream else { return nil }
    do throws(Failure) {
      _ = try check(place.name, in: place.folderDescriptor, existing)
      return nil
    } catch {
      return error
    }
  }

  /// The path of a name in the folder of a place, shown as the place itself is.
  private static func shown(_ name: String, beside place: WritePlace) -> String {
    let path = place.path
    // Where the path is a link, its target is written, which may be in another folder.
    guard SystemPath(path).name.text == place.name else { return name }
    return String(path.dropLast(place.name.count)) + name
  }

  deinit {
    _ = close(descriptor)
  }

  /// Writes the data to the disk, and gives the file its name.
  ///
  /// - Parameter synchronizes: Whether to wait for the disk. If not, the caller must synchronize,
  ///   for many files at once: otherwise the file may have its name but not its bytes after a power
  ///   cut.
  public func finish(synchronizes: Bool = true) throws(Failure) {
    guard isOpen else { return }
    isOpen = false
    while synchronizes, fsync(descriptor) != 0 {
      // Files that are on no disk cannot be synchronized.
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
    // Keeps the name after a power cut. A folder that is open for its path alone cannot be
    // synchronized.
    let whole = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard whole >= 0 else { return }
    _ = fsync(whole)
    _ = close(whole)
  }

  /// Keeps the file under its unfinished name.
  public func leave() {
    isOpen = false
    _ = flock(descriptor, LOCK_UN)
  }

  /// Removes the file, where nothing of value has been written.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    _ = unsafe unlinkat(place.folderDescriptor, SystemPath(unfinishedName).c, 0)
  }

  // MARK: - Names

  /// `take.unfinished.wav` for `take.wav`. The extension stays, so that every player accepts it.
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

  /// The final name of a file with an unfinished one; `nil` for any other.
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

  /// A name without its extension, and the extension with its dot.
  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  /// A name cut to the 255 bytes that file systems allow.
  private static func fitting(_ stem: String, _ ending: String) -> String {
    var stem = stem
    while stem.utf8.count + ending.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
    return stem + ending
  }

  private static let mostNumbers = 1_000_000

  // MARK: - The folder

  /// Checks the file that has the name. Returns the permissions of one that is to be replaced.
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
    // A file that is not writable is not replaced either.
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

  /// Creates the file for a name that is to be replaced. A file that a killed run has left is
  /// removed.
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

  /// Removes an unfinished file that patchrun has written and that no process is writing any more.
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

  /// Creates the file under the first name that no file has, finished or not.
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

  /// Renames a file where the new name is free. Returns the system's error number; 0 for success.
  private static func renameWithoutReplacing(
    _ from: String, _ to: String, in folder: Int32
  ) -> Int32 {
    // A link is made only where nothing has the name.
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
  /// Opens a pipe or a device for writing; -1 with `errno` where that fails. The caller closes it.
  public func openStream() -> Int32 {
    unsafe openat(folderDescriptor, SystemPath(name).c, O_WRONLY | O_CLOEXEC | O_NOCTTY)
  }
}

/// The mark of files that patchrun has written.
///
/// Files that have room for it name the program; the others have an extended attribute, where the
/// file system supports that.
public enum FileMark {
  /// The name of the program in files that have room for it.
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

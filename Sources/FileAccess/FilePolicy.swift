import Glibc

/// Which files may be read and written.
///
/// The user may name any file: links are followed, and every folder is allowed (`user`). The files
/// that a *patch* names are its author's choice. A patch reads regular files only, whatever links
/// lead to them, and no file of a virtual file system such as `/proc`; a confined one reads only in
/// its folder. It writes to its own folder, the working folder and those that the user has allowed,
/// and follows no link on the way.
///
/// Every file that a patch names is opened here. Callable from any thread but the render thread: it
/// waits for the disk.
public struct FilePolicy: Hashable, Sendable {
  /// An allowed folder.
  private struct Folder: Hashable, Sendable {
    /// As the user has named it; empty for the working folder.
    var spelling: SystemPath
    /// Absolute, links followed.
    var path: SystemPath

    init(_ text: String, in workingFolder: SystemPath) {
      let spelling = SystemPath(text)
      self.spelling = spelling
      path =
        text.isEmpty
        ? workingFolder : spelling.canonical ?? workingFolder.joined(spelling).normalized
    }
  }

  /// For files that the user names, and for programs that use the library.
  public static let user = FilePolicy()

  /// Whether a patch names the files.
  public let isOfPatch: Bool
  /// Whether the patch reads in its own folder only.
  public let isConfined: Bool
  /// The folder of the patch, or the one that it was found below, as it was named; empty for the
  /// working folder, `nil` for the user's own files.
  public var folder: String? { own?.spelling.text }
  private let workingFolder: SystemPath
  /// The folder of the patch.
  private let own: Folder?
  /// Folders that the user has allowed.
  private let allowed: [Folder]
  private let output: Folder?
  /// The paths that a confined patch may name outside its folder, as they are spelt.
  private var exceptions: Set<SystemPath> = []

  private init() {
    isOfPatch = false
    isConfined = false
    workingFolder = SystemPath("")
    own = nil
    allowed = []
    output = nil
  }

  /// For files that a patch names.
  ///
  /// - Parameters:
  ///   - folder: The folder of the patch; empty for the working folder.
  ///   - allowed: Further folders that it may write to and, where it is confined, read in.
  ///   - outputFolder: The folder that relative paths of written files begin in.
  ///   - isConfined: Whether it reads in its folder only. Then it does not write to the working
  ///     folder either.
  public init(
    patchIn folder: String, allowed: [String] = [], outputFolder: String? = nil,
    isConfined: Bool = false
  ) {
    isOfPatch = true
    self.isConfined = isConfined
    let here = SystemPath.workingFolder
    workingFolder = here
    own = Folder(folder, in: here)
    self.allowed = allowed.map { Folder($0, in: here) }
    output = outputFolder.map { Folder($0, in: here) }
  }

  private init(confining policy: FilePolicy, to folder: String, except exceptions: Set<String>) {
    isOfPatch = true
    isConfined = true
    workingFolder = policy.isOfPatch ? policy.workingFolder : .workingFolder
    own = policy.own ?? Folder(folder, in: workingFolder)
    allowed = policy.allowed
    output = policy.output
    self.exceptions = policy.exceptions.union(exceptions.map { SystemPath($0) })
  }

  /// The policy for a document from a stranger: it reads and writes in the patch's folder, and in
  /// those that the user has allowed.
  ///
  /// - Parameters:
  ///   - folder: The folder of the patch; empty for the working folder.
  ///   - exceptions: Paths that may be named anyway, as they would be opened.
  public func confined(to folder: String, except exceptions: Set<String>) -> FilePolicy {
    isConfined ? self : FilePolicy(confining: self, to: folder, except: exceptions)
  }

  /// The folders in which a file may be read; `nil` for any.
  private func readable(_ path: SystemPath) -> [Folder]? {
    guard isConfined, !exceptions.contains(path) else { return nil }
    return [own].compactMap(\.self) + allowed
  }

  /// The folders in which a file may be written.
  private func writable(_ path: SystemPath) -> [Folder] {
    var folders = [own, output].compactMap(\.self) + allowed
    // The root of the file system is never allowed as a working folder.
    if !isConfined || exceptions.contains(path), workingFolder != SystemPath("/") {
      folders.append(Folder("", in: workingFolder))
    }
    return folders
  }

  /// All folders that have a name, the longest name first.
  private var named: [Folder] {
    ([own, output].compactMap(\.self) + allowed).filter { !$0.spelling.bytes.isEmpty }
      .sorted { $0.spelling.bytes.count > $1.spelling.bytes.count }
  }

  /// A path of a patch, joined to the folder that its paths begin in (empty for the working
  /// folder), so that the process can open it.
  public static func join(_ folder: String, _ path: String) -> String {
    if folder.isEmpty || path.utf8.first == SystemPath.slash { return path }
    return folder.utf8.last == SystemPath.slash ? folder + path : folder + "/" + path
  }

  /// Everything before the last slash; empty without a slash.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: SystemPath.slash) else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of a file that a patch writes, whose paths begin in `folder`.
  public func outputPath(_ path: String, in folder: String) -> String {
    // Standard output is no file in a folder.
    if path == "-", folder.isEmpty { return path }
    return Self.join(output?.spelling.text ?? folder, path)
  }

  /// A path as an absolute one, without `.` and `..`. Links below an allowed folder are not
  /// followed.
  private func absolute(_ path: SystemPath) -> SystemPath {
    for folder in named {
      guard let rest = path.below(folder.spelling) else { continue }
      // Behind 'a' there may be '//b', which is not absolute.
      return SystemPath(bytes: folder.path.bytes + [SystemPath.slash] + rest.bytes).normalized
    }
    return workingFolder.joined(path).normalized
  }

  /// The nearest of the folders that contain a path, and the path below it.
  private static func holding(
    _ path: SystemPath, among folders: [Folder]
  ) -> (folder: SystemPath, rest: SystemPath)? {
    folders.compactMap { folder in path.below(folder.path).map { (folder.path, $0) } }
      .min { $0.1.bytes.count < $1.1.bytes.count }
  }
}

// MARK: - Reading

extension FilePolicy {
  /// The contents of a file.
  public struct Contents: Sendable {
    /// All bytes of the file.
    public var bytes: [UInt8]
    /// The identity of the file.
    public var identity: FileIdentity
  }

  /// All bytes of a file.
  ///
  /// - Parameter limit: The most bytes that it may have.
  public func read(_ path: String, limit: Int) throws(FileRefusal) -> Contents {
    let file = try open(path)
    return Contents(bytes: try file.read(limit: limit), identity: file.identity)
  }

  /// Opens a regular file for reading, and never any other file: opening a device may have an
  /// effect, and opening a pipe waits.
  public func open(_ path: String) throws(FileRefusal) -> OpenedFile {
    let path = SystemPath(path)
    guard path.isUsable else { throw .notFound }
    if isOfPatch {
      // Some of their links lead to files that the process has open, which have no other name.
      let written = absolute(path)
      for folder in ["/proc", "/sys"] where written.below(SystemPath(folder)) != nil {
        throw .ofSystem
      }
    }
    if let folders = readable(path) { return try open(path, in: folders) }
    var status = stat()
    guard unsafe stat(path.c, &status) == 0 else { throw FileRefusal(errno: errno) }
    if let refusal = FileRefusal(mode: status.st_mode) { throw refusal }
    // Another file may have replaced it in the meantime, so the open file is checked once more.
    let descriptor = unsafe Glibc.open(path.c, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileRefusal(errno: errno) }
    return try OpenedFile(descriptor, fromPatch: isOfPatch)
  }

  /// Opens a file whose place, links followed, is in one of the folders.
  private func open(
    _ path: SystemPath, in folders: [Folder]
  ) throws(FileRefusal) -> OpenedFile {
    let (folder, name) = try place(of: path, in: folders)
    if let refusal = FileRefusal(mode: try folder.status(of: name).st_mode) { throw refusal }
    let descriptor = unsafe openat(
      folder.descriptor, name.c, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileRefusal(errno: errno) }
    return try OpenedFile(descriptor, fromPatch: isOfPatch)
  }

  /// The place of a file, links followed, in one of the folders.
  private func place(
    of path: SystemPath, in folders: [Folder]
  ) throws(FileRefusal) -> (folder: FolderDescriptor, name: SystemPath) {
    let written = absolute(path)
    // The patch must not learn whether there is a file outside.
    guard let own = Self.holding(written, among: folders) else {
      throw .outsideReadable(folder: written.folder.text)
    }
    guard let place = written.canonical else {
      let number = errno
      guard number == ENOENT || number == ENOTDIR else { throw FileRefusal(errno: number) }
      throw Self.leadsThroughLink(own.rest, below: own.folder)
        ? .outsideReadable(folder: written.folder.text) : .notFound
    }
    guard let holder = Self.holding(place, among: folders) else {
      throw .outsideReadable(folder: place.folder.text)
    }
    guard let parent = place.folder.below(holder.folder) else { throw .isFolder }
    // The place has no links; a link found now was created in the meantime.
    do throws(FileRefusal) {
      return (try FolderDescriptor.open(parent, below: holder.folder), place.name)
    } catch {
      if case .noFolder = error { throw .notFound }
      throw error
    }
  }

  private static func leadsThroughLink(_ path: SystemPath, below root: SystemPath) -> Bool {
    var status = stat()
    var place = root
    for part in path.parts {
      place = place.joined(part)
      guard unsafe lstat(place.c, &status) == 0 else { return false }
      if status.isLink { return true }
    }
    return false
  }

  /// This policy's refusal to open a file; `nil` where the file may be opened, and where only the
  /// file system refuses.
  public func refusal(toRead path: String) -> FileRefusal? {
    do throws(FileRefusal) {
      _ = try open(path)
      return nil
    } catch {
      return error.isOfPolicy ? error : nil
    }
  }
}

// MARK: - Writing

extension FilePolicy {
  /// The place that a path means, where it may be written to.
  ///
  /// For the user, links are followed, and pipes and devices are allowed. For a patch, no link is
  /// followed below the folder that allows it, and only regular files are replaced. Nothing is
  /// created here.
  public func writePlace(_ text: String) throws(FileRefusal) -> WritePlace {
    let path = SystemPath(text)
    guard path.isUsable else { throw .notFound }
    guard isOfPatch else {
      let target = path.target
      return try WritePlace(
        text, try FolderDescriptor.open(target.folder), target.name, allowsStreams: true)
    }
    let written = absolute(path)
    guard let holder = Self.holding(written, among: writable(path)) else {
      throw .outsideWritable(folder: written.folder.text)
    }
    guard let parent = written.folder.below(holder.folder), !holder.rest.bytes.isEmpty else {
      throw .isFolder
    }
    let folder = try FolderDescriptor.open(parent, below: holder.folder)
    guard !KernelFileSystem.holds(folder.descriptor) else { throw .ofSystem }
    return try WritePlace(text, folder, written.name, allowsStreams: false)
  }
}

extension FilePolicy {
  /// The policy for files that are found below a folder of the user's: those in it, and links that
  /// stay in it.
  public static func tree(_ folder: String) -> FilePolicy {
    FilePolicy(patchIn: folder, isConfined: true)
  }

  /// The place of an existing file that is to be replaced by a corrected version: links are
  /// followed as far as reading follows them.
  public func place(ofFile text: String) throws(FileRefusal) -> WritePlace {
    let path = SystemPath(text)
    guard path.isUsable else { throw .notFound }
    guard let folders = readable(path) else { return try writePlace(text) }
    let (folder, name) = try place(of: path, in: folders)
    return try WritePlace(text, folder, name, allowsStreams: false)
  }
}

extension WritePlace {
  /// Replaces the content of the regular file, as a whole or not at all. Its permissions stay.
  ///
  /// Returns the system's error number; 0 for success.
  public func replace(with bytes: [UInt8]) -> Int32 {
    guard content == .file else { return content == .nothing ? ENOENT : EINVAL }
    // The folder may be writable where the file is not.
    guard unsafe faccessat(folderDescriptor, SystemPath(name).c, W_OK, AT_EACCESS) == 0 else {
      return errno
    }
    var status = stat()
    guard
      unsafe fstatat(folderDescriptor, SystemPath(name).c, &status, AT_SYMLINK_NOFOLLOW) == 0
    else { return errno }
    for attempt in 0..<100 {
      let temporary = SystemPath(".\(getpid())-\(attempt).patchrun")
      let descriptor = unsafe openat(
        folderDescriptor, temporary.c, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        if errno == EEXIST { continue }
        return errno
      }
      var number = Self.fill(descriptor, bytes, status.st_mode & 0o7777)
      if close(descriptor) != 0, number == 0 { number = errno }
      if number == 0,
        unsafe renameat(folderDescriptor, temporary.c, folderDescriptor, SystemPath(name).c) != 0
      {
        number = errno
      }
      if number != 0 { _ = unsafe unlinkat(folderDescriptor, temporary.c, 0) }
      return number
    }
    return EEXIST
  }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8], _ mode: mode_t) -> Int32 {
    let number = writeAll(bytes, to: descriptor)
    if number != 0 { return number }
    if fchmod(descriptor, mode) != 0 { return errno }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

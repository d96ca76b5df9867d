import AudioTypes
import FileAccess
import Glibc
import RenderCore

/// A loaded shared library. The last reference to it unloads it.
@safe
final class SharedLibrary: @unchecked Sendable {
  // `@unchecked Sendable`: the path and the handle never change; functions of a library may be
  // looked up from any thread.
  private let path: String
  private let handle: UnsafeMutableRawPointer

  /// Loads the library, and so runs its initializers.
  init(_ path: String) throws(CallbackProblem) {
    self.path = path
    // Without a slash the loader would look in the system's folders.
    let place = path.contains("/") ? path : "./" + path
    guard let handle = unsafe dlopen(place, RTLD_NOW | RTLD_LOCAL) else {
      throw CallbackProblem(
        .fileUnreadable, status: .invalidFile,
        "the library '\(path)' cannot be loaded: \(Self.lastError)",
        help: "what it needs has to be where the loader finds it: 'ldd \(path)' lists that",
        setting: "path")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe _ = dlclose(handle) }

  /// The address of a function.
  func symbol(
    _ name: String, setting: String
  ) throws(CallbackProblem) -> UnsafeMutableRawPointer {
    guard let found = unsafe dlsym(handle, name) else {
      throw CallbackProblem(
        .badSetting, status: .failedInitialization,
        "the library '\(path)' has no function '\(name)'",
        help: "'nm -D \(path)' lists what it has; in C++ it has to be extern \"C\"",
        setting: setting)
    }
    return unsafe found
  }

  private static var lastError: String {
    unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason is given"
  }
}

/// Checks the file of a shared library without loading it.
enum LibraryFile {
  /// Why the file cannot be loaded; `nil` where no reason is found.
  static func problem(_ path: String, _ files: FilePolicy) -> CallbackProblem? {
    var header = [UInt8](repeating: 0, count: 20)
    let count: Int
    do throws(FileRefusal) {
      let file = try files.open(path)
      count = unsafe read(file.descriptor, &header, header.count)
    } catch {
      return problem(path, error)
    }
    guard count >= 0 else { return unreadable(path, errno) }
    guard count == header.count, Array(header[..<4]) == [0x7F, 0x45, 0x4C, 0x46] else {
      return other(path, "is no shared library", "a library of C is built with 'cc -shared -fPIC'")
    }
    // e_type and e_machine of the ELF header, in the order of its bytes.
    let isBig = header[5] == 2
    func half(_ at: Int) -> UInt16 {
      let (first, second) = (UInt16(header[at]), UInt16(header[at + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    guard half(16) == 3 else {
      return other(path, "is compiled, but is no shared library", "link it with 'cc -shared'")
    }
    guard header[4] == 2, half(18) == machine else {
      return other(
        path, "is a library for another kind of processor", "build it on this machine, or for it")
    }
    return nil
  }

  /// EM_X86_64, EM_AARCH64.
  private static var machine: UInt16 {
    #if arch(arm64)
      183
    #else
      62
    #endif
  }

  private static func problem(_ path: String, _ refusal: FileRefusal) -> CallbackProblem {
    switch refusal {
    case .notFound:
      CallbackProblem(
        .fileNotFound, status: .fileNotFound, "there is no library '\(path)'",
        help: buildHelp(path), setting: "path")
    case .notPermitted: unreadable(path, EACCES)
    case .isFolder: unreadable(path, EISDIR)
    case .notRegular:
      other(path, "is no shared library", "a library of C is built with 'cc -shared -fPIC'")
    default:
      CallbackProblem(
        .fileUnreadable, status: .filePermission, refusal.message(for: path),
        help: refusal.help, setting: "path")
    }
  }

  private static func unreadable(_ path: String, _ number: Int32) -> CallbackProblem {
    CallbackProblem(
      .fileUnreadable, status: .filePermission,
      "the library '\(path)' cannot be read: \(unsafe String(cString: strerror(number)))",
      setting: "path")
  }

  private static func other(_ path: String, _ what: String, _ help: String) -> CallbackProblem {
    CallbackProblem(
      .fileUnreadable, status: .invalidFile, "'\(path)' \(what)", help: help, setting: "path")
  }

  /// Help for a missing library: how to build it, where its source is beside it.
  private static func buildHelp(_ path: String) -> String {
    guard path.hasSuffix(".so") else { return "the path is relative to the patch" }
    let source = path.dropLast(3) + ".c"
    guard unsafe access(String(source), R_OK) == 0 else {
      return "the path is relative to the patch"
    }
    return "build it: cc -O2 -shared -fPIC -I Sources/CPatchrun/include -o \(path) \(source) -lm"
  }
}

import CSndfile
import Glibc

/// The bytes of a file between libsndfile and the disk.
///
/// libsndfile does not distinguish a failing disk from the end of a file, and some of its encoders
/// ignore failed writes. All bytes go through here, and the `errno` is kept. One thread at a time
/// may use it.
@safe
final class FileBytes {
  /// The `errno` with which a system call should fail, for tests of failing disks; 0 to let it
  /// succeed.
  typealias Fault = (_ offset: Int64, _ count: Int) -> Int32

  let descriptor: Int32
  private var position: Int64 = 0
  /// The `errno` of the first call that failed since this was cleared; 0 for none.
  var failure: Int32 = 0
  /// `nil` outside of tests.
  private let fault: Fault?

  /// - Parameter descriptor: Of a regular file. It is closed with this object.
  init(_ descriptor: Int32, fault: Fault? = nil) {
    self.descriptor = descriptor
    self.fault = fault
  }

  deinit { _ = close(descriptor) }

  /// Returns to the first byte.
  func rewind() { position = 0 }

  /// Opens a sound file on these bytes, which must outlive it.
  func open(_ mode: Int, _ info: inout SF_INFO) -> OpaquePointer? {
    var functions = unsafe SF_VIRTUAL_IO(
      get_filelen: { user in unsafe FileBytes.of(user).length },
      seek: { offset, whence, user in unsafe FileBytes.of(user).seek(offset, whence) },
      read: { buffer, count, user in unsafe FileBytes.of(user).read(buffer, count) },
      write: { buffer, count, user in unsafe FileBytes.of(user).write(buffer, count) },
      tell: { user in unsafe FileBytes.of(user).position })
    return unsafe sf_open_virtual(
      &functions, Int32(mode), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> FileBytes {
    unsafe Unmanaged<FileBytes>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
  }

  private var length: Int64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      note(errno)
      return -1
    }
    return Int64(status.st_size)
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let target =
      switch whence {
      case SEEK_CUR: position + offset
      case SEEK_END: length + offset
      default: offset
      }
    guard target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Reads bytes from `offset` on. Returns how many: fewer at the end of the file, and after a `failure`.
  func read(_ memory: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) -> Int {
    position = offset
    return Int(unsafe read(memory, Int64(count)))
  }

  private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int64) -> Int64 {
    guard let buffer = unsafe buffer else { return 0 }
    return transfer(count) { done, rest, place in
      unsafe pread(descriptor, buffer + done, rest, place)
    }
  }

  private func write(_ buffer: UnsafeRawPointer?, _ count: Int64) -> Int64 {
    guard let buffer = unsafe buffer else { return 0 }
    return transfer(count) { done, rest, place in
      let put = unsafe pwrite(descriptor, buffer + done, rest, place)
      if put == 0 { errno = EIO }
      return put == 0 ? -1 : put
    }
  }

  /// Transfers bytes until all are transferred, the file ends or a call fails. Returns how many.
  ///
  /// - Parameter move: Transfers some bytes, given the number done, the number left and the
  ///   position in the file. Returns their number, 0 at the end, -1 with `errno` set for a failure.
  private func transfer(_ count: Int64, _ move: (Int, Int, Int) -> Int) -> Int64 {
    var done: Int64 = 0
    while done < count {
      let planned = fault?(position, Int(count - done)) ?? 0
      if planned != 0 { errno = planned }
      let moved = planned != 0 ? -1 : move(Int(done), Int(count - done), Int(position))
      if moved > 0 {
        done += Int64(moved)
        position += Int64(moved)
      } else if moved == 0 {
        break
      } else {
        let number = errno
        guard number != EINTR else { continue }
        note(number)
        break
      }
    }
    return done
  }

  private func note(_ number: Int32) {
    if failure == 0 { failure = number }
  }
}

/// The libraries of this room, which are loaded when they are first needed, and may be missing.
enum SoundLibrary {
  /// Why libsndfile cannot be loaded; `nil` where it can.
  static var fileProblem: String? {
    guard let reason = unsafe csndfile_load() else { return nil }
    return unsafe "libsndfile, which reads and writes sound files, cannot be loaded "
      + "(\(String(cString: reason)))"
  }

  static func checkReading(_ path: String) throws(SoundFileError) {
    guard let problem = fileProblem else { return }
    throw SoundFileError(
      .notReadable, status: .fileFailed, "'\(path)' cannot be read: \(problem)")
  }

  static func checkWriting(_ path: String) throws(SoundFileError) {
    guard let problem = fileProblem else { return }
    throw SoundFileError(
      .notWritable, status: .fileFailed, "'\(path)' cannot be written: \(problem)")
  }
}

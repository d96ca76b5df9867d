import AudioTypes
import Glibc
import RenderCore
import RenderHost
import Synchronization
import TestSupport

/// A flag that one thread sets for another.
final class TestFlag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

struct TestFailure: Error { var description: String }

/// A named pipe in the file system, removed with the object.
final class TestFIFO: Sendable {
  let path: String

  init() throws {
    path = "/tmp/patchrun-fifo-\(UInt64.random(in: 0 ... .max))"
    guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure(description: "no FIFO") }
  }

  deinit { unsafe unlink(path) }
}

/// Reads a pipe without pause and keeps the bytes.
final class Drain: Sendable {
  private let pipe: TestFIFO
  private let descriptor: Int32
  private let isEnding = Atomic<Bool>(false)
  private let kept = Mutex<[UInt8]>([])
  private let thread = Mutex<HostThread?>(nil)

  init(_ pipe: TestFIFO) throws {
    self.pipe = pipe
    descriptor = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let thread = try HostThread("drain") { [self] in run() }
    self.thread.withLock { $0 = thread }
  }

  var bytes: [UInt8] { kept.withLock { $0 } }

  /// Closes the pipe.
  func end() {
    isEnding.store(true, ordering: .relaxed)
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnding.load(ordering: .relaxed) {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count > 0 {
        kept.withLock { $0 += buffer[..<count] }
      } else {
        usleep(500)
      }
    }
    close(descriptor)
  }
}

/// Interleaved floats from bytes in native order.
func floats(_ bytes: some Collection<UInt8>) -> [Float] {
  let bytes = Array(bytes)
  return (0..<bytes.count / 4).map { index in
    var bits: UInt32 = 0
    for byte in 0..<4 { bits |= UInt32(bytes[index * 4 + byte]) << (8 * byte) }
    return Float(bitPattern: bits)
  }
}

func bytes(_ samples: [Float]) -> [UInt8] {
  samples.flatMap { sample in
    (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
  }
}

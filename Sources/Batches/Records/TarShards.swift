import FileAccess
import PatchSyntax
import Synchronization

/// Packs outputs into archives for WebDataset: the files of each job, then a JSON file with its
/// measurements.
///
/// An archive is called `shards/WORKER-00000.unfinished.tar` while it is written. It is finished at
/// the requested size, or by the next run after its process was killed. Any thread.
final class TarShards: Sendable {
  /// A file to pack.
  struct Member {
    var name: String
    var bytes: [UInt8]
  }

  static let folderName = "shards"

  private struct State {
    var file: RawFile?
    var number = 0
    var size = 0
  }

  private let state = Mutex(State())
  private let folder: String
  private let limit: Int
  private let worker: String

  /// - Parameters:
  ///   - worker: The base name of the archives; a number is added.
  ///   - limit: The size in bytes at which an archive is finished.
  init(
    in outputFolder: String, called worker: String, limit: Int
  ) throws(RawFile.Failure) {
    self.worker = worker
    folder = outputFolder + "/" + Self.folderName
    self.limit = limit
    try RawFile.makeFolder(folder)
  }

  private func name(_ number: Int) -> String {
    let digits = String(number)
    return worker + "-" + String(repeating: "0", count: max(0, 5 - digits.count))
      + digits
  }

  /// The places of members: the archive's path below the folder of the batch, the offset of each
  /// member's bytes, and the end of the last one.
  struct Places {
    var archive: String
    var offsets: [Int]
    var end: Int
  }

  /// Adds the files of a job.
  func add(_ members: [Member]) throws(RawFile.Failure) -> Places {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    for member in members {
      bytes += Self.header(member.name, size: member.bytes.count)
      offsets.append(bytes.count)
      bytes += member.bytes
      bytes += [UInt8](repeating: 0, count: (512 - member.bytes.count % 512) % 512)
    }
    let folder = folder
    let limit = limit
    let result = state.withLock { state -> Result<Places, RawFile.Failure> in
      do throws(RawFile.Failure) {
        if state.file == nil {
          let path = folder + "/" + name(state.number) + ".unfinished.tar"
          let file = try RawFile(path, for: .appending)
          _ = file.lockWhole()
          state.file = file
          state.size = 0
        }
        let start = state.size
        let number = state.number
        try append(bytes, to: &state)
        if state.size >= limit { try finish(&state, in: folder) }
        return .success(
          Places(
            archive: Self.folderName + "/" + name(number) + ".tar",
            offsets: offsets.map { start + $0 }, end: start + bytes.count))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Finishes the current archive.
  func finish() throws(RawFile.Failure) {
    let folder = folder
    let failure = state.withLock { state -> RawFile.Failure? in
      do throws(RawFile.Failure) { try finish(&state, in: folder) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  /// Appends bytes to the current archive, all of them or none. If the disk is full, the part that
  /// was written is cut off, so that the next member begins at the end of the last whole one.
  private func append(_ bytes: [UInt8], to state: inout State) throws(RawFile.Failure) {
    do throws(RawFile.Failure) { try state.file?.write(bytes) } catch {
      do throws(RawFile.Failure) { try state.file?.truncate(to: state.size) } catch {
        state.file = nil
        state.number += 1
      }
      throw error
    }
    state.size += bytes.count
  }

  private func finish(_ state: inout State, in folder: String) throws(RawFile.Failure) {
    guard let file = state.file else { return }
    try append([UInt8](repeating: 0, count: 1024), to: &state)
    try file.synchronize()
    try RawFile.rename(file.path, to: folder + "/" + name(state.number) + ".tar")
    state.file = nil
    state.number += 1
  }

  /// Finishes the archives of killed processes. Cuts each archive after the last job that has a
  /// record.
  ///
  /// - Parameter ends: The end of that job in each archive, by the archive's path below the folder
  ///   of the batch.
  static func recover(in outputFolder: String, ends: () throws(JobFault) -> [String: Int])
    throws(JobFault)
  {
    let folder = outputFolder + "/" + folderName
    let ending = ".unfinished.tar"
    let names = ((try? FolderListing.names(in: folder)) ?? []).filter { $0.hasSuffix(ending) }
    guard !names.isEmpty else { return }
    let ends = try ends()
    for name in names {
      do throws(RawFile.Failure) {
        let file = try RawFile(folder + "/" + name, for: .appending)
        // If the lock is taken, another process is writing the archive.
        guard file.lockWhole() else { continue }
        let whole = name.dropLast(ending.count) + ".tar"
        guard let end = ends[folderName + "/" + whole], end <= file.size else {
          RawFile.remove(folder + "/" + name)
          continue
        }
        try file.truncate(to: end)
        try file.write([UInt8](repeating: 0, count: 1024))
        try file.synchronize()
        try RawFile.rename(folder + "/" + name, to: folder + "/" + whole)
      } catch {
        throw JobFault(BatchRules.output, "an archive cannot be finished: \(error.message)")
      }
    }
  }

  // MARK: The format

  /// A header of POSIX.1-1988 (`ustar`), preceded by an extended header of POSIX.1-2001 if the name
  /// is too long for it. The time is 0, so that equal files give equal archives.
  static func header(_ name: String, size: Int) -> [UInt8] {
    let bytes = Array(name.utf8)
    if bytes.count <= 100 { return block(bytes, size: size, kind: UInt8(ascii: "0")) }
    // "LENGTH path=NAME\n": the length includes its own digits.
    var length = bytes.count + 7
    length += String(length + String(length).count).count
    let text = Array("\(length) path=".utf8) + bytes + [0x0A]
    let padding = [UInt8](repeating: 0, count: (512 - text.count % 512) % 512)
    return block(Array("PaxHeader".utf8), size: text.count, kind: UInt8(ascii: "x")) + text
      + padding + block(Array(bytes.suffix(100)), size: size, kind: UInt8(ascii: "0"))
  }

  private static func block(_ name: [UInt8], size: Int, kind: UInt8) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ bytes: some Collection<UInt8>, at start: Int) {
      for (offset, byte) in bytes.enumerated() { block[start + offset] = byte }
    }
    func octal(_ value: Int, digits: Int) -> [UInt8] {
      let text = String(value, radix: 8)
      return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }
    put(name, at: 0)
    put(octal(0o644, digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    put(octal(size, digits: 11), at: 124)
    put(octal(0, digits: 11), at: 136)
    put(repeatElement(UInt8(ascii: " "), count: 8).map { $0 }, at: 148)
    block[156] = kind
    put("ustar".utf8, at: 257)
    put("00".utf8, at: 263)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(octal(sum, digits: 6) + [0, UInt8(ascii: " ")], at: 148)
    return block
  }

  /// The name in an archive. Its first dot is that of the extension, because WebDataset takes
  /// everything before the first dot as the name of the sample.
  static func name(of path: String) -> String {
    let ending = BatchJob.ending(of: path)
    let stem = ending.isEmpty ? path : String(path.dropLast(ending.count + 1))
    let parts = stem.split(separator: "/", omittingEmptySubsequences: false)
    let last = (parts.last ?? "").map { $0 == "." ? "_" : $0 }
    let folder = parts.dropLast().joined(separator: "/")
    return (folder.isEmpty ? "" : folder + "/") + String(last)
      + (ending.isEmpty ? "" : "." + ending)
  }
}

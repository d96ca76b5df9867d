import Foundation

/// Writes the sound files of the workloads: float noise and tones that are the same on every
/// machine.
struct PeerSounds {
  let folder: String
  /// The scale of the durations: 1 for the full measurement, 0.1 for `--quick`.
  let scale: Double

  /// The durations in seconds of the long and the short files.
  var long: Int { Int(600 * scale) }
  var short: Int { Int(60 * scale) }

  func path(_ name: String) -> String { "\(folder)/\(name).wav" }

  /// Writes the missing files, and reads all of them from the disk.
  func write() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write("long", seconds: Double(long), seed: 1)
    try write("long44", seconds: Double(long), rate: 44_100, seed: 2)
    try write("guitar", seconds: Double(short), seed: 3)
    try write("beats", seconds: Double(short), channels: 1, seed: 4)
    try write("chain", seconds: 10, seed: 5)
    try write("short", seconds: 0.1, seed: 6)
    // The same second twice, for loops that begin anywhere.
    try write("loop", seconds: 2, seed: 7, repeating: 48_000)
    for part in 0..<64 {
      try write(
        "part" + (part < 10 ? "0" : "") + "\(part)", seconds: Double(short), seed: 10 + part)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".wav") {
      try readAnew("\(folder)/\(name)")
    }
  }

  /// Has the system forget a file and reads it. One that has just been written lies in its cache in
  /// pieces of up to 2 MB, one that was read in pieces of 64 kB or less: to map the first into memory
  /// takes a third of the time.
  private func readAnew(_ path: String) throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    try file.synchronize()
    guard posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else { return }
    while let bytes = try file.read(upToCount: 1 << 17), !bytes.isEmpty {}
  }

  private func write(
    _ name: String, seconds: Double, rate: Int = 48_000, channels: Int = 2, seed: Int,
    repeating period: Int? = nil
  ) throws {
    let path = path(name)
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let frames = Int(seconds * Double(rate))
    let block = min(frames, period ?? 65_536)
    // White noise with a gentle low-pass, closer to the spectrum of music.
    var word = UInt32(truncatingIfNeeded: seed &* 747_796_405 &+ 1)
    var last = [Float](repeating: 0, count: channels)
    var samples = [Float](repeating: 0, count: block * channels)
    for index in samples.indices {
      word = word &* 1_664_525 &+ 1_013_904_223
      let noise = (Float(word >> 8) / Float(1 << 23) - 1) * 0.3
      last[index % channels] += 0.3 * (noise - last[index % channels])
      samples[index] = last[index % channels]
    }
    let bytes = unsafe samples.withUnsafeBytes { unsafe Data($0) }
    var data = header(frames, rate, channels)
    data.reserveCapacity(44 + frames * channels * 4)
    var left = frames * channels * 4
    while left > 0 {
      data += bytes.prefix(left)
      left -= min(left, bytes.count)
    }
    try data.write(to: URL(fileURLWithPath: path + ".part"))
    try FileManager.default.moveItem(atPath: path + ".part", toPath: path)
  }

  private func header(_ frames: Int, _ rate: Int, _ channels: Int) -> Data {
    var data = Data("RIFF".utf8)
    func add(_ value: Int, _ count: Int) {
      for byte in 0..<count { data.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    let size = frames * channels * 4
    add(size + 36, 4)
    data += Data("WAVEfmt ".utf8)
    add(16, 4)
    add(3, 2)
    add(channels, 2)
    add(rate, 4)
    add(rate * channels * 4, 4)
    add(channels * 4, 2)
    add(32, 2)
    data += Data("data".utf8)
    add(size, 4)
    return data
  }
}

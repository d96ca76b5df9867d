import AudioTypes
import FileAccess
import Glibc
import TestSupport
import Testing

@testable import SoundFiles

/// Files that get their name when they are complete.
struct WholeFileTests {
  static let endings = ["wav", "rf64", "w64", "aiff", "caf", "au", "flac", "ogg", "opus", "mp3"]
    .filter { SoundFileFormat.writable(forPath: "a.\($0)") != nil }

  private let format = StreamFormat(.int16, channels: 1, sampleRate: 48_000)
  private let samples: [Float] = {
    var generator = SplitMix64(seed: 12)
    return (0..<96_000).map { _ in
      Float(Int16.random(in: -9000...9000, using: &generator)) / 32_768
    }
  }()

  @Test(arguments: endings)
  func `what is there stays until a whole file takes its place`(ending: String) throws {
    let scratch = try TemporaryFolder()
    try scratch.write([1, 2, 3], to: "a.\(ending)")
    let writer = try SoundFileWriter(path: scratch.path("a.\(ending)"), format: format)
    try writer.write(samples, frameCount: 96_000)
    #expect(try scratch.bytes("a.\(ending)") == [1, 2, 3])
    #expect(try Set(scratch.fileNames()) == ["a.\(ending)", "a.unfinished.\(ending)"])
    try writer.close()
    #expect(try scratch.fileNames() == ["a.\(ending)"])
    #expect(try SoundFileReader(path: scratch.path("a.\(ending)")).frameCount >= 96_000)
    #expect(SoundFileReader.isCut(scratch.path("a.\(ending)")) == false)
  }

  @Test(arguments: endings)
  func `a full disk is told by its name, whatever the encoder says, and nothing is replaced`(
    ending: String
  ) throws {
    let scratch = try TemporaryFolder()
    try scratch.write([1, 2, 3], to: "a.\(ending)")
    // Our own code writes WAV and RF64. Tests of the program check them with a file size limit.
    guard !["wav", "rf64"].contains(ending) else { return }
    let writer = try SoundFileWriter(
      path: scratch.path("a.\(ending)"), format: format, sampleType: nil, quality: nil,
      waveLimit: UInt64(UInt32.max),
      fault: { offset, count in offset + Int64(count) > 6000 ? ENOSPC : 0 })
    let error = #expect(throws: SoundFileError.self) {
      for _ in 0..<20 { try writer.write(samples, frameCount: 96_000) }
      try writer.close()
    }
    #expect(error?.cause == "the disk is full")
    writer.abandon()
    #expect(try scratch.bytes("a.\(ending)") == [1, 2, 3])
  }

  @Test(arguments: endings)
  func `what a run leaves that is killed can be read, and made whole`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let writer = try SoundFileWriter(path: scratch.path("a.\(ending)"), format: format)
    // Lossy encoders write a page every second or two.
    for _ in 0..<(writer.sampleType == nil ? 10 : 1) {
      for first in stride(from: 0, to: 96_000, by: 4000) {
        try writer.write(Array(samples[first..<first + 4000]), frameCount: 4000)
      }
    }
    // The state after the process was killed, with an incomplete frame, page or block at the end.
    var bytes = try scratch.bytes("a.unfinished.\(ending)")
    bytes.removeLast(1)
    try scratch.write(bytes, to: "b.unfinished.\(ending)")
    let outcome = try SoundFileRecovery.recover(scratch.path("b.unfinished.\(ending)"))
    #expect(outcome.path == scratch.path("b.\(ending)"))
    #expect(outcome.frameCount > 70_000 && outcome.frameCount <= 962_000)
    #expect(scratch.exists("b.\(ending)") && !scratch.exists("b.unfinished.\(ending)"))
    #expect(SoundFileReader.isCut(scratch.path("b.\(ending)")) == false)
    let reader = try SoundFileReader(path: scratch.path("b.\(ending)"))
    var found = [Float](repeating: 0, count: reader.frameCount)
    #expect(try reader.read(into: &found) == reader.frameCount)
    if reader.sampleType != nil {
      #expect(found[...] == samples[..<reader.frameCount])
    }
    // Other programs read the same.
    if ending == "flac" || ending == "wav" || ending == "aiff",
      let text = try output(of: "soxi", ["-s", scratch.path("b.\(ending)")])
    {
      #expect(String(decoding: text, as: UTF8.self) == "\(reader.frameCount)\n")
    }
    writer.abandon()
  }

  @Test
  func `a recording of another program with no length is made whole in its place`() throws {
    let scratch = try TemporaryFolder()
    for ending in ["wav", "aiff", "caf", "au", "w64", "rf64"] {
      let writer = try SoundFileWriter(path: scratch.path("a.\(ending)"), format: format)
      try writer.write(samples, frameCount: 10_000)
      try writer.close()
      var bytes = try scratch.bytes("a.\(ending)")
      let whole = bytes
      let layout = try #require(unsafe ContainerLayout(open(scratch.path("a.\(ending)"), O_RDONLY)))
      #expect(layout.presentBytes == 20_000 && !layout.isUnfinished)
      for field in layout.fields {
        for index in 0..<field.width { bytes[Int(field.offset) + index] = 0 }
        if case .samples(let more) = field.meaning, more > 0 {
          let last = Int(field.offset) + (layout.isBigEndian ? field.width - 1 : 0)
          bytes[last] = UInt8(more)
        }
      }
      try scratch.write(bytes + [7], to: "a.\(ending)")
      let outcome = try SoundFileRecovery.recover(scratch.path("a.\(ending)"))
      #expect(outcome.frameCount == 10_000 && outcome.path == scratch.path("a.\(ending)"))
      #expect(try scratch.bytes("a.\(ending)") == whole)
    }
  }

  @Test(arguments: endings)
  func `a file of ours is told from others, wherever it has been copied to`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let writer = try SoundFileWriter(path: scratch.path("a.\(ending)"), format: format)
    try writer.write(samples, frameCount: 96_000)
    try writer.close()
    func isOwn(_ name: String) -> Bool {
      let descriptor = unsafe open(scratch.path(name), O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      return SoundFileMark.isSet(descriptor)
    }
    // A copy has no extended attributes.
    try scratch.write(scratch.bytes("a.\(ending)"), to: "copy.\(ending)")
    #expect(isOwn("copy.\(ending)") == !["w64", "au"].contains(ending))
    guard ending == "wav",
      try output(
        of: "sox",
        ["-n", "-r", "48000", "-b", "16", scratch.path("sox.wav"), "trim", "0", "0.1"]) != nil
    else { return }
    #expect(!isOwn("sox.wav"))
  }

  @Test
  func `a name that is taken gets a number, also by what is being written`() throws {
    let scratch = try TemporaryFolder()
    func begin() throws -> SoundFileWriter {
      try SoundFileWriter(
        path: scratch.path("a.wav"), files: .user, existing: .numbered("a.wav"), format: format)
    }
    let first = try begin()
    let second = try begin()
    try first.write(samples, frameCount: 10)
    try second.write(samples, frameCount: 20)
    #expect(try scratch.fileNames() == ["a-2.unfinished.wav", "a.unfinished.wav"])
    try second.close()
    // Another file takes the name in between.
    try scratch.write([1], to: "a.wav")
    try first.close()
    #expect(try scratch.fileNames() == ["a-2.wav", "a-3.wav", "a.wav"])
    #expect(first.path == scratch.path("a-3.wav") && first.isNumbered)
    #expect(try scratch.bytes("a.wav") == [1])
  }

  @Test
  func `what patchrun has not written is not replaced where that is asked for`() throws {
    let scratch = try TemporaryFolder()
    try scratch.write(Array("secret".utf8), to: "a.wav")
    func begin() throws -> SoundFileWriter {
      try SoundFileWriter(
        path: scratch.path("a.wav"), files: .user,
        existing: .replaceOwn { SoundFileMark.isSet($0) }, format: format)
    }
    let error = #expect(throws: SoundFileError.self) { _ = try begin() }
    #expect(error?.kind == .notOwn && error?.help.contains("--overwrite") == true)
    #expect(try scratch.fileNames() == ["a.wav"])
    // An empty file has nothing to lose, and files of patchrun may be replaced.
    try scratch.write([], to: "a.wav")
    for count in [10, 20] {
      let writer = try begin()
      try writer.write(samples, frameCount: count)
      try writer.close()
      #expect(try SoundFileReader(path: scratch.path("a.wav")).frameCount == count)
      try scratch.write(scratch.bytes("a.wav"), to: "a.wav")
    }
  }
}

extension SoundFileReader {
  /// Whether a file is shorter than its header says.
  static func isCut(_ path: String) -> Bool? {
    (try? SoundFileReader(path: path))?.shortfall() != nil
  }
}

import AudioTypes
import Glibc
import PictureTaps
import Pictures
import RenderCore
import SoundMeasures

/// A failed test with its sound.
struct ArtifactTest {
  /// An expectation and its result.
  struct Expectation {
    /// Its text in the test file.
    var text: String
    var passed: Bool
    /// The measured value; empty for none.
    var measured = ""
    /// Where it failed: the time in seconds and a description; empty for the whole sound.
    var time: Double?
    var place = ""
  }

  var title: String
  /// The test file; empty for none.
  var file = ""
  var expectations: [Expectation] = []
  var heard: Sound?
  /// The sound that was expected.
  var golden: Sound?
  /// The bound of the difference in 20 ms, in dBFS.
  var bound = -90.0
}

/// Writes the sounds and pictures of failed tests, and one self-contained page, `index.html`, that
/// shows them.
///
/// Each test's files have a name of their own, made from its title.
struct TestArtifacts {
  let folder: String
  /// The number of all tests that were run; `nil` to leave it out.
  var testCount: Int?
  /// The largest file of a sound that is embedded in the page, in bytes.
  var mostEmbedded = 4 << 20
  private(set) var page = ArtifactPage()
  private var names: Set<String> = []

  /// - Parameter folder: Created if necessary. Files of other names in it stay.
  init(folder: String) { self.folder = folder }

  /// Writes the sounds and pictures of a test.
  mutating func add(_ test: ArtifactTest) throws(CommandFailure) {
    try FileOutput.makeFolder(folder)
    let name = unused(Self.name(of: test.title))
    var section = ArtifactPage.Section(
      id: name, title: test.title, file: test.file, expectations: test.expectations)
    if let heard = test.heard {
      section.sounds.append(try write(heard, "Heard", "\(name).heard.wav"))
    }
    if let golden = test.golden {
      section.sounds.append(try write(golden, "Golden", "\(name).golden.wav"))
    }
    if let heard = test.heard, let golden = test.golden {
      try compare(heard, golden, test, name, &section)
    } else if let heard = test.heard, heard.channelCount > 0 {
      let drawing = try picture(heard, .waveform, "Heard", "\(name).heard")
      section.pictures.append(drawing)
    }
    page.sections.append(section)
  }

  /// Writes the page.
  ///
  /// - Returns: The path of the page.
  @discardableResult
  func finish() throws(CommandFailure) -> String {
    try FileOutput.makeFolder(folder)
    let path = path("index.html")
    try FileOutput.write(page.html(testCount: testCount), to: path)
    return path
  }

  // MARK: Names

  private func path(_ name: String) -> String {
    folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Letters, digits and hyphens: valid in every file system.
  static func name(of title: String) -> String {
    var name = ""
    for character in title.lowercased().unicodeScalars {
      let isPlain =
        character.isASCII && (character.properties.isAlphabetic || ("0"..."9") ~= character)
      if isPlain {
        name.unicodeScalars.append(character)
      } else if !name.isEmpty, !name.hasSuffix("-") {
        name += "-"
      }
    }
    while name.hasSuffix("-") { name.removeLast() }
    name = String(name.prefix(60))
    return name.isEmpty ? "test" : name
  }

  private mutating func unused(_ name: String) -> String {
    var result = name
    var number = 2
    while !names.insert(result).inserted {
      result = "\(name)-\(number)"
      number += 1
    }
    return result
  }

  // MARK: Sounds

  private func write(
    _ sound: Sound, _ title: String, _ file: String
  ) throws(CommandFailure) -> ArtifactPage.Audio {
    try SoundOutput.write(sound, to: path(file))
    return audio(sound, title, file, raised: 0)
  }

  /// - Parameter raised: How many decibels louder the sound is in the page.
  private func audio(
    _ sound: Sound, _ title: String, _ file: String, raised: Double
  ) -> ArtifactPage.Audio {
    var peak: Float = 0
    for channel in sound.channels {
      for sample in channel where sample.isFinite && sample.magnitude > peak {
        peak = sample.magnitude
      }
    }
    let size = sound.frameCount * sound.channelCount * 2
    return ArtifactPage.Audio(
      title: title, file: file, duration: sound.duration, peak: 20 * log10(Double(peak)),
      raised: raised,
      bytes: sound.frameCount > 0 && size <= mostEmbedded
        ? ListeningWave.bytes(of: sound, gain: pow(10, raised / 20)) : nil)
  }

  /// Compares the sounds sample by sample and adds the difference.
  private mutating func compare(
    _ heard: Sound, _ golden: Sound, _ test: ArtifactTest, _ name: String,
    _ section: inout ArtifactPage.Section
  ) throws(CommandFailure) {
    let comparison: SoundComparison
    do throws(SoundComparison.Refusal) {
      comparison = try SoundComparison(of: heard, with: golden, .exact)
    } catch {
      section.notes.append(Self.text(error))
      return
    }
    let sheet = ComparisonSheet(
      comparison: comparison, options: .exact, name: "heard", referenceName: "golden",
      convertedFrom: nil, bound: test.bound, peakBound: nil)
    section.notes += sheet.notes.map(Self.sentence)
    if let hint = Self.hint(heard, golden, comparison) { section.notes.append(hint) }
    let difference = comparison.difference
    let file = "\(name).difference.wav"
    try SoundOutput.write(difference, to: path(file))
    if comparison.null.peak > -.infinity {
      // Raised until its peak is 12 dB below full scale, so that it can be heard.
      let raised = max(0, (-12 - comparison.null.peak).rounded(.down))
      section.sounds.append(audio(difference, "Difference", file, raised: raised))
    }
    section.pictures.append(
      ComparisonPicture(sheet: sheet, sound: heard, reference: golden).drawing())
    guard difference.channelCount > 0 else { return }
    section.pictures.append(
      try picture(difference, .spectrogram, "Difference", "\(name).difference"))
  }

  private static func text(_ refusal: SoundComparison.Refusal) -> String {
    switch refusal {
    case .sampleRates(let one, let other):
      "No difference: \(rateText(one)) Hz were heard, the golden sound has \(rateText(other)) Hz."
    case .channelCounts(let one, let other):
      "No difference: \(counted(one, "channel")) \(one == 1 ? "was" : "were") heard, the golden "
        + "sound has \(other)."
    }
  }

  /// The offset and gain that would make the sounds alike.
  private static func hint(
    _ heard: Sound, _ golden: Sound, _ exact: SoundComparison
  ) -> String? {
    guard exact.null.relative > -60,
      let moved = try? SoundComparison(of: heard, with: golden),
      moved.null.rms < exact.null.rms - 20,
      // A few periods of two tones of different pitch are always alike.
      moved.offset.magnitude * 2 < Double(min(heard.frameCount, golden.frameCount))
    else { return nil }
    var changes: [String] = []
    if moved.offset != 0 {
      let size = moved.offset.magnitude
      changes.append(
        "\(fixed(size, size == size.rounded() ? 0 : 2)) frames "
          + "(\(fixed(size / moved.sampleRate * 1000, 3)) ms) \(moved.offset < 0 ? "early" : "late")"
      )
    }
    if moved.gain.magnitude > 0.0005 {
      changes.append(
        "\(fixed(moved.gain.magnitude, 3)) dB too \(moved.gain > 0 ? "loud" : "soft")")
    }
    if moved.isInverted { changes.append("upside down") }
    guard !changes.isEmpty else { return nil }
    return "What was heard is nearly the golden sound, but it is \(listed(changes)): without that, "
      + (moved.null.rms > -.infinity
        ? "\(fixed(moved.null.rms, 1)) dBFS RMS would be left." : "nothing would be left.")
  }

  /// Replaces `A` and `B` by the names of the two sounds.
  private static func sentence(_ note: String) -> String {
    let words = note.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word == "A" ? "what was heard" : word == "B" ? "the golden sound" : String(word)
    }
    let text = words.joined(separator: " ")
    return (text.first?.uppercased() ?? "") + text.dropFirst() + "."
  }

  // MARK: Pictures

  /// Writes a picture of a sound and returns its drawing.
  private func picture(
    _ sound: Sound, _ subject: PictureTap.Subject, _ title: String, _ name: String
  ) throws(CommandFailure) -> Drawing {
    let shown = sound.channelCount > 16 ? sound.channel(0) : sound
    var tap = PictureTap(subject, path: path("\(name).png"))
    tap.title = "\(title): \(subject.rawValue)"
    tap.width = 1000
    if subject == .spectrogram {
      // The brightest colour is the peak, rounded up to 10 dB.
      let peak = shown.channels.reduce(Float(0)) { sum, channel in
        channel.reduce(sum) { $1.isFinite ? max($0, $1.magnitude) : $0 }
      }
      let level = max(-100, 20 * log10(Double(max(peak, 1e-20))))
      tap.ceiling = min(40, (level / 10).rounded(.up) * 10)
      tap.floor = (tap.ceiling ?? 0) - 80
    }
    let format = StreamFormat(
      .float32, channels: shown.channelCount, sampleRate: shown.sampleRate, interleaved: true)
    let recorder: PictureRecorder
    do throws(CallbackProblem) { recorder = try PictureRecorder(tap, format) } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
    for start in stride(from: 0, to: shown.frameCount, by: 8192) {
      let frames = start..<min(start + 8192, shown.frameCount)
      var samples: [Double] = []
      for frame in frames {
        for channel in shown.channels { samples.append(Double(channel[frame])) }
      }
      recorder.add(samples, frameCount: frames.count)
    }
    let drawing = recorder.drawing()
    do throws(PictureFile.Failure) {
      try PictureFile(path: tap.path)?.write(drawing)
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
    return drawing
  }
}

/// Encodes a sound as a 16-bit WAV file in memory.
enum ListeningWave {
  /// - Parameter gain: Linear. Samples beyond full scale are clipped; NaN becomes silence.
  static func bytes(of sound: Sound, gain: Double) -> [UInt8] {
    let channels = sound.channelCount
    let size = sound.frameCount * channels * 2
    let rate = Int(sound.sampleRate.rounded())
    var bytes: [UInt8] = []
    bytes.reserveCapacity(44 + size)
    func put(_ value: Int, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    bytes += "RIFF".utf8
    put(36 + size, 4)
    bytes += "WAVEfmt ".utf8
    put(16, 4)
    put(1, 2)
    put(channels, 2)
    put(rate, 4)
    put(rate * channels * 2, 4)
    put(channels * 2, 2)
    put(16, 2)
    bytes += "data".utf8
    put(size, 4)
    for frame in 0..<sound.frameCount {
      for channel in sound.channels {
        let value = Double(channel[frame]) * gain * 32_767
        put(value.isFinite ? Int(max(-32_768, min(32_767, value.rounded()))) : 0, 2)
      }
    }
    return bytes
  }
}

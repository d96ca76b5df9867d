import ArgumentParser
import AudioTypes
import Diagnostics
import PatchSyntax
import Pictures
import SoundMeasures

struct Compare: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measures the difference between two sounds: files, or the output of patches.",
    discussion: """
      A is shifted in time, to a hundredth of a frame, and scaled to match B as closely as \
      possible. Then A is subtracted from B, and the difference is measured over time and \
      frequency. It has to be below --null-below in every 20 ms of every channel. A patch is \
      rendered offline; a patch without an end is rendered for the duration of the other sound.

      EXAMPLES:
        patchrun render mix.json --duration 5 -o mix.wav && \\
          patchrun compare mix.json mix.wav
        patchrun compare mix.json mix.json --duration 3 --no-align --no-gain
        patchrun compare mix.json mix.wav --null-below -120 --peak-below -100
        patchrun compare mix.json mix.wav --picture mix.svg --difference left.wav

      EXIT STATUS:
        0  the difference is below the bound
        1  it is not, or a patch is wrong
        2  wrong usage, such as sounds with different numbers of channels
        3  a file cannot be read or written
        4  a patch could not be rendered to its end
        130  interrupted
      """)

  @Argument(
    help: ArgumentHelp(
      "A sound file, or a patch (.json, .jsonc, or '-' for standard input).",
      valueName: "A"),
    completion: .file())
  var sound: String

  @Argument(
    help: ArgumentHelp(
      "The sound to compare with A, also a sound file or a patch.", valueName: "B"),
    completion: .file())
  var reference: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The greatest mean level (RMS) of the difference in 20 ms of a channel.", valueName: "dBFS"))
  var nullBelow = -90.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The greatest magnitude of the difference; by default any.", valueName: "dBFS"))
  var peakBelow: Double?

  @Flag(help: "Do not shift A in time.")
  var noAlign = false

  @Flag(help: "Do not scale or invert A.")
  var noGain = false

  @Option(
    help: ArgumentHelp(
      "How late or early A may be, up to 60 s. (default: 5)", valueName: "seconds"),
    transform: Seconds.read)
  var maxOffset = Seconds(value: 5)

  @Option(
    help: ArgumentHelp(
      "Compare one channel, from 0: N, or A's with B's as N:M.", valueName: "N[:M]"),
    transform: ChannelChoice.read)
  var channel: ChannelChoice?

  @Option(
    help: ArgumentHelp(
      "How long patches are rendered: 5, 1.5s, 500ms, 2min or 1:30.", valueName: "seconds"),
    transform: Seconds.read)
  var duration: Seconds?

  @Option(help: .microphoneOfPatch, completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "Draw both sounds and the difference over time and frequency, an SVG or a PNG.",
      valueName: "path"),
    completion: .file(extensions: ["svg", "png"]))
  var picture: String?

  @Option(
    help: ArgumentHelp("Write the difference to a sound file.", valueName: "path"),
    completion: .file())
  var difference: String?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(
    name: [.customShort("q"), .long], help: "Print nothing; only the exit status tells the result.")
  var quiet = false

  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  /// The channel of each sound to compare, from 0.
  struct ChannelChoice: Equatable {
    var sound: Int
    var reference: Int

    static func read(_ text: String) throws -> ChannelChoice {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(parts.count), let first = parts[0], let last = parts[parts.count - 1],
        first >= 0, last >= 0
      else { throw ValidationError("it is a channel from 0, as '1', or one of each, as '0:1'") }
      return ChannelChoice(sound: first, reference: last)
    }
  }

  func validate() throws {
    guard (-400...0).contains(nullBelow) else {
      throw ValidationError("'--null-below' is a number from -400 to 0")
    }
    guard (-400...40).contains(peakBelow ?? 0) else {
      throw ValidationError("'--peak-below' is a number from -400 to 40")
    }
    guard maxOffset.value <= 60 else {
      throw ValidationError("'--max-offset' is at most 60 s")
    }
    guard sound != "-" || reference != "-" else {
      throw ValidationError("only one of the two can come from standard input")
    }
    if let picture, PictureFormat(path: picture) == nil {
      throw ValidationError(
        "a picture is an SVG or a PNG: \(quoted(picture)) has to end in .svg or .png")
    }
    guard !(json && quiet) else {
      throw ValidationError("'--json' and '--quiet' exclude each other")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    try protectFiles()
    if let picture {
      do throws(PictureFile.Failure) { try PictureFile(path: picture)?.check() } catch {
        throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
      }
    }
    let signals = try Signals()
    guard var (first, second) = try sounds(signals) else {
      return ExitStatus.interrupted(by: signals.interruptedBy ?? 2)
    }
    if let channel {
      try first.choose(channel.sound)
      try second.choose(channel.reference)
    }
    var options = SoundComparison.Options(aligns: !noAlign, matchesGain: !noGain)
    options.mostOffset = maxOffset.value
    if let difference { try SoundOutput.check(difference, for: second.sound) }
    let comparison: SoundComparison
    do throws(SoundComparison.Refusal) {
      comparison = try SoundComparison(of: first.sound, with: second.sound, options)
    } catch {
      throw Self.failure(error, first, second)
    }
    let sheet = ComparisonSheet(
      comparison: comparison, options: options, name: first.name, referenceName: second.name,
      convertedFrom: first.convertedFrom, bound: nullBelow, peakBound: peakBelow)
    if let difference { try SoundOutput.write(comparison.difference, to: difference) }
    if let picture {
      let drawing = ComparisonPicture(sheet: sheet, sound: first.sound, reference: second.sound)
        .drawing()
      do throws(PictureFile.Failure) { try PictureFile(path: picture)?.write(drawing) } catch {
        throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
      }
    }
    if json { try output(sheet.json().document) } else if !quiet { try output(sheet.text()) }
    return sheet.isSame ? ExitStatus.success : ExitStatus.wrongPatch
  }

  // MARK: Sounds

  /// Reads or renders both sounds and converts the first to the rate of the second; `nil` after a
  /// signal.
  private func sounds(
    _ signals: Signals
  ) throws(CommandFailure) -> (ComparedSound, ComparedSound)? {
    let renderer = MemoryRenderer(
      input: input, duration: duration, kernel: kernel, native: native, policy: policy,
      hardware: hardware, appearance: appearance)
    // Sound files first: a patch without an end is rendered as long as the other sound is.
    let paths = [sound, reference]
    var found: [ComparedSound?] = [nil, nil]
    for index in [0, 1] where !ComparedSound.isPatch(paths[index]) {
      found[index] = try ComparedSound(file: paths[index])
    }
    for index in [0, 1] where found[index] == nil {
      let heard = try renderer.render(
        paths[index], fallbackDuration: found[1 - index]?.sound.duration, signals)
      guard let heard else { return nil }
      found[index] = ComparedSound(name: renderer.name(of: paths[index]), sound: heard)
    }
    guard var first = found[0], let second = found[1] else { return nil }
    try first.convert(to: second.sound.sampleRate)
    return (first, second)
  }

  private static func failure(
    _ refusal: SoundComparison.Refusal, _ first: ComparedSound, _ second: ComparedSound
  ) -> CommandFailure {
    switch refusal {
    case .channelCounts(let one, let other):
      CommandFailure(
        ExitStatus.wrongUsage,
        "\(quoted(first.name)) has \(counted(one, "channel")) and \(quoted(second.name)) \(other)",
        help: ["compare one of each: --channel 0, or --channel 0:1 for the first with the second"])
    case .sampleRates(let one, let other):
      CommandFailure(
        ExitStatus.wrongUsage,
        "\(quoted(first.name)) has \(rateText(one)) Hz and \(quoted(second.name)) "
          + "\(rateText(other)) Hz")
    }
  }

  // MARK: Files

  private func protectFiles() throws(CommandFailure) {
    var kept = [sound, reference].filter { $0 != "-" } + [input].compactMap { $0 }
    for (option, path) in [("--picture", picture), ("--difference", difference)] {
      guard let path else { continue }
      if kept.contains(where: { OneFile.same($0, path) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "\(quoted(path)) would be overwritten by \(option): it is read or written as well",
          help: ["name another file"])
      }
      kept.append(path)
    }
  }
}

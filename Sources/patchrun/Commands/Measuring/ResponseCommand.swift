import ArgumentParser
import AudioGraphs
import Diagnostics
import PatchGraph
import PatchRendering
import PatchSyntax
import PictureTaps
import Pictures
import RenderCore
import RenderHost
import Responses

struct ResponseCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "response",
    abstract: "Measures the frequency response from one bus of a patch to another.",
    discussion: """
      Several hundred simultaneous sines replace the source of --from, and are measured at --to. \
      All other sources are silent; the rest of the patch's graph is rendered offline, unchanged. \
      Magnitude, phase and group delay go to standard output as a table, or to a picture. It warns \
      if the path changes with time or with the level, or adds sounds of its own.

      EXAMPLES:
        patchrun response mix.json --from sea --to mixer
        patchrun response mix.json --from horn --to mixer -o horn.svg
        patchrun response mix.json --from mixer:1 --to io --format csv > horn.csv
        patchrun new pass-through -o pass.json
        patchrun response pass.json --from io:1 --to io

      EXIT STATUS:
        0  fine
        1  the patch is wrong
        2  wrong usage: an unknown bus, or no path between the two
        3  a file cannot be read or written
        4  nothing comes out
        130  interrupted
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, csv, json, svg, png
  }

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(
    help: ArgumentHelp(
      "Where the sines enter: an input (mixer:1), a callback that they replace, or the "
        + "microphone (io:1).",
      valueName: "address"))
  var from: String

  @Option(
    help: ArgumentHelp(
      "Where the sines are measured: an output (mixer); by default the output unit.",
      valueName: "address"))
  var to: String?

  @Option(
    help: ArgumentHelp(
      "The only channel that gets the sines, from 0; by default all.", valueName: "n"))
  var fromChannel: Int?

  @Option(
    help: ArgumentHelp("The only channel that is measured, from 0; by default all.", valueName: "n")
  )
  var toChannel: Int?

  @Option(
    help: ArgumentHelp(
      "How many frequencies in an octave, 1 to 96; by default 24, and 3 in a text table.",
      valueName: "n"))
  var points: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The peak of the sines, -100 to 20 dBFS. At 20 dB less the response should be the "
        + "same.",
      valueName: "dBFS"))
  var level = -20.0

  @Option(
    help: ArgumentHelp(
      "Measure the patch as its timeline has left it at this time; otherwise as it begins.",
      valueName: "seconds"),
    transform: Seconds.read)
  var at: Seconds?

  @Option(help: "The format to write; by default that of the file's ending, or text.")
  var format: Format?

  @Option(name: .output, help: .replacedFile)
  var output: String?

  @Option(help: ArgumentHelp("Of a picture, in pixels.", valueName: "pixels"))
  var width = 1000

  @Option(help: ArgumentHelp("Of a picture, in pixels.", valueName: "pixels"))
  var height = 640

  @Option(
    help: ArgumentHelp(
      "The theme of a picture: auto, light or dark; auto is light in a PNG, and the "
        + "setting of the viewer in an SVG.",
      valueName: "theme"),
    transform: oneOf)
  var theme = Theme.auto

  @OptionGroup var native: NativeOptions
  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  mutating func validate() throws {
    guard (1...96).contains(points ?? 1) else {
      throw ValidationError("'--points' is a whole number from 1 to 96")
    }
    guard (-100...20).contains(level) else {
      throw ValidationError("'--level' is a number from -100 to 20")
    }
    guard PictureTap.pixelLimits.contains(width), PictureTap.pixelLimits.contains(height) else {
      throw ValidationError(
        "'--width' and '--height' are from \(PictureTap.pixelLimits.lowerBound) to "
          + "\(PictureTap.pixelLimits.upperBound) pixels")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let format = try chosenFormat()
    let signals = try Signals()
    let file = try policy.patchFile(self.file)
    var reading = file.read(overrides)
    let device = PatchDevice.assumed(hardware.assumption)
    var patch = PatchBuilder.build(
      reading, in: policy.surroundings(of: file, native.nativeCode), device: device)
    appearance.report(patch)
    guard !patch.hasErrors, let rate = patch.graph?.grant.sampleRate else {
      return ExitStatus.wrongPatch
    }
    try native.nativeCode.check(patch, appearance, quiet: false)
    try OneFile.protect(
      patch, and: [self.file == "-" ? nil : self.file], from: output == "-" ? nil : output)
    reading = PatchBuilder.reading(
      reading, of: patch, playedTo: at?.value ?? 0, sampleRate: rate)
    patch = PatchBuilder.build(
      reading, in: policy.surroundings(of: file, native.nativeCode), device: device)
    guard !patch.hasErrors else { throw appearance.failure(of: patch) }
    // Taps would write their files, and a timeline would change the path during the measurement.
    reading.document = patch.document
    reading.document?.taps = []
    reading.document?.timeline = []
    let bench = ResponseBench(
      reading: reading, surroundings: policy.surroundings(of: file, native.nativeCode),
      device: device)
    let (places, measured) = try appearance.measuring { () throws(ResponseFailure) in
      let places = try bench.places(from: from, to: to)
      let measured = try bench.measure(
        places, fromChannel: fromChannel, toChannel: toChannel,
        pointsPerOctave: points ?? (format == .text ? 3 : 24),
        peak: renderExp(level / 20 * 2.302585092994046),
        isCancelled: { signals.interruptedBy != nil })
      return (places, measured)
    }
    guard let measured else { return ExitStatus.interrupted(by: signals.interruptedBy ?? 2) }
    guard !measured.response.isSilent else {
      throw CommandFailure(
        ExitStatus.failedRunning,
        "of what goes in at \(quoted(places.fromName)) nothing comes out at \(quoted(places.toName))",
        help: [
          "a volume of 0, an input that is not enabled, or a channel that nothing goes to would do that"
        ])
    }
    let sheet = ResponseSheet(
      places: places, measured: measured, level: level, title: patch.title ?? "")
    for warning in sheet.warnings { appearance.report("warning", warning) }
    try write(sheet, format)
    return ExitStatus.success
  }

  private func chosenFormat() throws(CommandFailure) -> Format {
    if let format {
      if format == .png, output == nil || output == "-", StandardStream.output.isTerminal {
        throw CommandFailure(
          ExitStatus.wrongUsage, "a PNG is nothing for a terminal",
          help: ["name a file: -o out.png"])
      }
      return format
    }
    guard let output, output != "-" else { return .text }
    let name = output.split(separator: "/").last.map(String.init) ?? output
    guard let dot = name.lastIndex(of: ".") else { return .text }
    let ending = name[name.index(after: dot)...].lowercased()
    if ending == "txt" { return .text }
    guard let format = Format(rawValue: ending) else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "what \(quoted(output)) is to be, its ending does not say",
        help: ["let it end in .svg, .png, .csv, .json or .txt, or say it: --format csv"])
    }
    return format
  }

  private func write(_ sheet: ResponseSheet, _ format: Format) throws(CommandFailure) {
    let bytes: [UInt8]
    switch format {
    case .text: bytes = Array(sheet.text().utf8)
    case .csv: bytes = Array(sheet.csv().utf8)
    case .json: bytes = Array(sheet.json().utf8)
    case .svg, .png:
      let drawing = sheet.drawing(width: Double(width), height: Double(height), theme: theme)
      if let problem = PictureFormat(rawValue: format.rawValue)?.problem(of: drawing) {
        throw CommandFailure(ExitStatus.unavailable, "the picture cannot be drawn: \(problem)")
      }
      bytes = format == .svg ? Array(drawing.svg().utf8) : drawing.png()
    }
    if let output, output != "-" {
      try FileOutput.write(bytes, to: output)
    } else {
      let number = StandardStream.output.put(bytes)
      guard number == 0 else {
        throw CommandFailure(
          ExitStatus.unavailable, "standard output cannot be written: \(systemMessage(number))")
      }
    }
  }
}

extension Appearance {
  /// Reports the diagnostics of a patch and returns the failure of the command.
  func failure(of patch: BuiltPatch) -> CommandFailure {
    report(patch)
    return .reported(ExitStatus.wrongPatch)
  }

  /// Turns a failed measurement into the failure of the command.
  fileprivate func measuring<Result>(
    _ body: () throws(ResponseFailure) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(ResponseFailure) { return try body() } catch {
      switch error {
      case .misuse(let message, let help):
        throw CommandFailure(ExitStatus.wrongUsage, message, help: help)
      case .failed(let message, let help):
        throw CommandFailure(ExitStatus.failedRunning, message, help: help)
      case .wrongPatch(let patch): throw failure(of: patch)
      case .refused(let violation, let patch): throw report(violation, of: patch)
      }
    }
  }
}

import ArgumentParser
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore
import SoundFiles

struct Bench: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures the time that a patch takes to render, and the share of each part.",
    discussion: """
      The patch is rendered offline twice, as fast as the processor can: once as it is, for the \
      speed and the time of each slice, and once with a clock around each unit, callback and tap, \
      for their shares. One thread renders. Nothing is played and no file is written: taps that \
      write files are left out. The load is the render time divided by the duration of the sound. \
      Reading files does not count: in a live run another thread does it.

      EXAMPLES:
        patchrun bench mix.json
        patchrun bench mix.json --duration 2 --slice 256
        patchrun bench mix.json --duration 2 --max-load 60
        patchrun bench mix.json --duration 2 --trace trace.json
        patchrun bench mix.json --kernel baseline
        patchrun bench mix.json --json

      EXIT STATUS:
        0  it has been measured
        1  the patch is wrong, or its load is above --max-load
        2  wrong usage
        3  a file cannot be read or written
        4  a failure on the way
        130  interrupted
      """)

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(
    help: ArgumentHelp(
      "How long to render; by default until the sources end, at most 10 seconds.",
      valueName: "seconds"),
    transform: Seconds.read)
  var duration: Seconds?

  @Option(
    help: ArgumentHelp(
      "Frames of a slice, 1 to 65536; otherwise as --hardware or the patch says.",
      valueName: "frames"))
  var slice: Int?

  @Option(help: .microphone, completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "End with 1 if the load is above this, and print which part takes most time.",
      valueName: "percent"),
    transform: Bench.percentage)
  var maxLoad: Double?

  @Option(
    help: ArgumentHelp(
      "Write the first 50,000 runs of the parts as trace events for Perfetto or Chrome; "
        + "an existing file is replaced.",
      valueName: "path"),
    completion: .file(extensions: ["json"]))
  var trace: String?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var native: NativeOptions
  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var kernel: KernelOptions
  @OptionGroup var appearance: AppearanceOptions

  /// The most events of a trace.
  static let traceLength = 50_000

  func validate() throws {
    if let slice, !(1...65_536).contains(slice) {
      throw ValidationError("'--slice' is a whole number of frames from 1 to 65536")
    }
  }

  /// Reads a percentage: `60`, `60%` or `60 %`.
  private static func percentage(_ text: String) throws -> Double {
    guard let quantity = Quantity(text), [.number, .percent].contains(quantity.measure),
      quantity.value > 0
    else { throw ValidationError("it is a percentage above 0, such as 60 or 60%") }
    return quantity.value
  }

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    let signals = try Signals()
    let file = try policy.patchFile(self.file)
    var reading = file.read(overrides)
    var assumption = hardware.assumption
    if let slice { assumption.ioBufferFrames = slice }
    let reader = try SoundFileReader.opened(asInput: input)
    if assumption.inputChannels == nil { assumption.inputChannels = reader?.channelCount }
    let surroundings = policy.surroundings(of: file, native.nativeCode)
    let patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    appearance.report(patch)
    guard !patch.hasErrors, let document = patch.document else { return ExitStatus.wrongPatch }
    try native.nativeCode.check(patch, appearance, quiet: false)
    try OneFile.protect(patch, and: [input, self.file == "-" ? nil : self.file], from: trace)
    let left = Self.writers(document)
    if !left.isEmpty {
      reading.document = document
      reading.document?.taps.removeAll { left.contains($0.name) }
      let names = listed(left.map { quoted($0) })
      appearance.report("note", "taps that write files are not measured: \(names)")
    }
    var run = BenchRun(
      reading: reading, surroundings: surroundings, assumption: assumption,
      hasTaps: left.isEmpty, input: input, appearance: appearance)
    let plain = try run.measure(duration, nil, signals)
    guard signals.interruptedBy == nil else { return interrupted(signals) }
    let meter = RenderMeter(eventCount: trace == nil ? 0 : Self.traceLength)
    let metered = try run.measure(duration, meter, signals)
    guard signals.interruptedBy == nil else { return interrupted(signals) }
    let sheet = BenchSheet(
      name: self.file == "-" ? "standard input" : self.file, plain: plain, metered: metered,
      parts: BenchSheet.parts(
        meter.readings, in: document, of: metered.pulled,
        clockCost: meter.clockCost),
      leftOut: left)
    if let trace { try FileOutput.write(sheet.trace(meter.keptEvents, document), to: trace) }
    try output(json ? sheet.json().document : sheet.text())
    return check(sheet, patch)
  }

  private func interrupted(_ signals: Signals) -> Int32 {
    ExitStatus.interrupted(by: signals.interruptedBy ?? 2)
  }

  /// The taps that write files. They are not measured, because they would replace files.
  private static func writers(_ document: PatchDocument) -> [String] {
    document.taps.filter { tap in tap.value.fields.contains { $0.name == "path" } }.map(\.name)
  }

  /// Reports a load above the limit and returns the exit status.
  private func check(_ sheet: BenchSheet, _ patch: BuiltPatch) -> Int32 {
    guard let maxLoad, sheet.plain.load * 100 > maxLoad else { return ExitStatus.success }
    let diagnostic = patch.diagnostic(
      ofLoad: sheet.plain.load, above: maxLoad / 100, costliest: sheet.costliest)
    StandardStream.error.put(appearance.text([diagnostic], in: patch.source, for: .error))
    appearance.hint(at: diagnostic)
    return ExitStatus.wrongPatch
  }
}

import ArgumentParser
import PatchSyntax

struct Measure: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measures a sound: a file, or the output of a patch.",
    discussion: """
      It prints the peak, the true peak and the level of each channel, the loudness of the whole \
      sound, and faults: clipping, clicks, drop-outs, samples that are not finite. A patch is \
      rendered offline. A test file ('patchrun test') checks such numbers of a patch.

      EXAMPLES:
        patchrun measure mix.json --duration 5
        patchrun render mix.json -o m.wav --duration 5 && patchrun measure m.wav

      EXIT STATUS:
        0  it is measured, whatever the numbers are
        1  the patch is wrong
        2  wrong usage
        3  a file cannot be read
        4  the patch could not be rendered to its end
        130  interrupted
      """)

  @Argument(
    help: ArgumentHelp(
      "A sound file, or a patch (.json, .jsonc, or '-' for standard input).",
      valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "How long a patch is rendered: 5, 1.5s, 500ms, 2min or 1:30.", valueName: "seconds"),
    transform: Seconds.read)
  var duration: Seconds?

  @Option(help: .microphoneOfPatch, completion: .file())
  var input: String?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    let signals = try Signals()
    let renderer = MemoryRenderer(
      input: input, duration: duration, kernel: kernel, native: native, policy: policy,
      hardware: hardware, appearance: appearance)
    let heard: ComparedSound
    if ComparedSound.isPatch(file) {
      guard let sound = try renderer.render(file, fallbackDuration: nil, signals) else {
        return ExitStatus.interrupted(by: signals.interruptedBy ?? 2)
      }
      heard = ComparedSound(name: renderer.name(of: file), sound: sound)
    } else {
      heard = try ComparedSound(file: file)
    }
    let sheet = MeasureSheet(name: heard.name, sound: heard.sound)
    try output(json ? sheet.json.document : sheet.text)
    return ExitStatus.success
  }
}

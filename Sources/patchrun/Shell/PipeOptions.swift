import ArgumentParser
import BackEnds
import RenderHost

/// The options for pipes in place of the sound server.
struct PipeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Play into a pipe instead of the sound server: '-' is standard output, PATH a FIFO.",
      valueName: "-|path"),
    completion: .file())
  var to: String?

  @Option(
    help: ArgumentHelp(
      "Use a pipe as the microphone: '-' is standard input, PATH a FIFO or a file.",
      valueName: "-|path"),
    completion: .file())
  var from: String?

  @Option(
    help: ArgumentHelp(
      "The format of --to: [wav:]TYPE[:RATE[:CHANNELS]], where TYPE is s16le, s24le, "
        + "s32le or f32le, and 'wav:' begins with a WAV header. The default is wav:f32le at "
        + "the session's rate.",
      valueName: "format"),
    completion: .list(["wav:s16le", "wav:f32le", "s16le:48000:2", "f32le:48000:2"]))
  var toFormat: String?

  @Option(
    help: ArgumentHelp(
      "The format of --from, if it does not begin with a WAV header: TYPE:RATE[:CHANNELS].",
      valueName: "format"),
    completion: .list(["s16le:48000:2", "s16le:44100:2", "f32le:48000:2"]))
  var fromFormat: String?

  @Option(
    help: ArgumentHelp(
      "What sets the pace of pipes: 'reader' plays as fast as the other end takes or "
        + "gives sound; 'realtime' follows the machine's clock, and drops sound that is not "
        + "taken in time. The default is realtime if the output is a file that takes "
        + "everything at once, otherwise reader.",
      valueName: "reader|realtime"),
    completion: .list(["reader", "realtime"]))
  var pace: String?

  @Flag(help: "End when the input of --from ends. Otherwise silence follows it.")
  var endWithInput = false

  /// Whether pipes are used.
  var areUsed: Bool { to != nil || from != nil }

  /// The options of the back end's request.
  var options: [String: String] {
    var options: [String: String] = [:]
    options["to-format"] = toFormat
    options["from-format"] = fromFormat
    options["pace"] = pace
    if endWithInput { options["end-with-input"] = "true" }
    return options
  }

  func validate() throws {
    if toFormat != nil && to == nil { throw ValidationError("--to-format needs --to") }
    if fromFormat != nil && from == nil { throw ValidationError("--from-format needs --from") }
    if endWithInput && from == nil { throw ValidationError("--end-with-input needs --from") }
    if pace != nil && !areUsed { throw ValidationError("--pace needs --to or --from") }
    guard areUsed else { return }
    do throws(HardwareError) {
      try BackEndCatalog.named("pipes").check(HardwareRequest(options: options))
    } catch {
      throw ValidationError("\(error.message); \(error.help)")
    }
  }
}

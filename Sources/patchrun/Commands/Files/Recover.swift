import ArgumentParser
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCore
import SoundFiles

/// Repairs the recordings of a writer that was killed.
struct Recover: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Makes a whole file of a recording that was cut off.",
    discussion: """
      A file that is being written is called 'take.unfinished.wav'. A run that is killed, or a disk \
      that is full, leaves it: every player takes it. 'recover' writes down how long it is, cuts off \
      what is behind its last whole frame, and gives it the name that it was to have, or a number \
      where that is taken. Nothing is coded anew: no sample changes.

      Recordings of other programs with a wrong length, or none, are made whole in their place: WAV, \
      RF64, Wave64, AIFF, CAF, AU, FLAC, Ogg and Opus.

      EXAMPLES:
        patchrun recover take.unfinished.wav

      EXIT STATUS:
        0  the file is whole
        2  wrong usage
        3  the file cannot be read or written, or there is nothing in it
      """)

  @Argument(help: ArgumentHelp("The sound file.", valueName: "file"), completion: .file())
  var file: String

  @Flag(help: "Print what was made of the file as JSON.")
  var json = false

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let outcome: SoundFileRecovery.Outcome
    do throws(SoundFileError) { outcome = try SoundFileRecovery.recover(file) } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
    if json {
      let text: JSONText = [
        "path": .string(outcome.path),
        "frames": .number(outcome.frameCount),
        "sampleRate": .number(outcome.sampleRate),
        "channels": .number(outcome.channelCount),
        "steps": .array(outcome.steps.map(JSONText.string)),
      ]
      try output(text.document)
      return ExitStatus.success
    }
    let done = outcome.steps.isEmpty ? "it was whole" : outcome.steps.joined(separator: "; ")
    try output(
      "\(outcome.path): \(counted(outcome.frameCount, "frame")), "
        + "\(ServiceEvent.clock(outcome.duration)), \(outcome.channelCount) ch, "
        + "\(rateText(outcome.sampleRate)) Hz: \(done)\n")
    return ExitStatus.success
  }
}

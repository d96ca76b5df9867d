import ArgumentParser
import AudioTypes
import PatchSyntax
import RenderCore
import SoundFiles

/// Repairs the recordings of a writer that was killed.
struct Recover: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Repairs a recording that was interrupted.",
    discussion: """
      While a file is being written, its name is 'take.unfinished.wav'. A killed run or a full \
      disk leaves it behind; every player can play it. 'recover' writes the length into it, \
      removes the bytes after its last whole frame, and gives it its intended name, with a number \
      if that name is taken. Nothing is encoded again: no sample changes.

      Recordings of other programs with a wrong length or without one are repaired in place: WAV, \
      RF64, Wave64, AIFF, CAF, AU, FLAC, Ogg and Opus.

      EXAMPLES:
        patchrun recover take.unfinished.wav

      EXIT STATUS:
        0  the file is whole
        2  wrong usage
        3  the file cannot be read or written, or has no sound
      """)

  @Argument(help: ArgumentHelp("The sound file.", valueName: "file"), completion: .file())
  var file: String

  @Flag(help: "Print the result for the file as JSON.")
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

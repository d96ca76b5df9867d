import ArgumentParser

struct PresetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset",
    abstract: "Keeps what a unit is set to in a file of its own.",
    discussion: """
      A preset is a JSON object with the name of a unit and what it is set to: properties, parameters, \
      bands, buses. A node of that unit has it by "preset": "FILE", relative to the patch; what the \
      node says itself holds.

      EXAMPLES:
        patchrun preset save mix.json mixer -o loud.json
        patchrun ctl get | patchrun preset save - mixer
        patchrun preset list .

      EXIT STATUS:
        0  done
        1  the patch or a preset is wrong
        2  wrong usage
        3  a file cannot be read or written
      """,
    subcommands: [PresetSave.self, PresetList.self])
}

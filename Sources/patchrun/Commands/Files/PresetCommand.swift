import ArgumentParser

struct PresetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset",
    abstract: "Saves and lists presets: the settings of a unit in a file of their own.",
    discussion: """
      A preset is a JSON object with the name of a unit and its settings: properties, parameters, \
      bands, buses. A node of that unit uses it with "preset": "FILE", relative to the patch; the \
      settings of the node itself take precedence.

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

import ArgumentParser

/// What several commands say of an argument.
extension ArgumentHelp {
  static var patch: ArgumentHelp {
    .init("The patch, or '-' for standard input.", valueName: "file")
  }

  static var newFile: ArgumentHelp {
    .init(
      "The file to write, which must not exist yet; by default standard output.", valueName: "file")
  }

  static var replacedFile: ArgumentHelp {
    .init(
      "The file to write; an existing file is replaced. The default, and '-', is standard output.",
      valueName: "path")
  }

  static var microphone: ArgumentHelp {
    .init("The sound file that replaces the microphone.", valueName: "path")
  }

  static var microphoneOfPatch: ArgumentHelp {
    .init("The sound file that replaces the microphone of a patch.", valueName: "path")
  }

  static var duration: ArgumentHelp {
    .init(
      "The duration, whenever the sources end: 5, 1.5s, 500ms, 2min or 1:30.", valueName: "seconds")
  }

  static var records: ArgumentHelp {
    .init("The folder of outputs and records.", valueName: "dir")
  }

  /// Of a change of the running document.
  static var tag: ArgumentHelp {
    .init("Only if the running document has this tag; 'ctl status' prints it.", valueName: "tag")
  }
}

extension NameSpecification {
  static var output: NameSpecification { [.customShort("o"), .long] }
}

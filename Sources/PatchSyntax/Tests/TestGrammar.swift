package import AudioTypes

/// The grammar of test files. The kinds of expectations are in their own catalog.
package enum TestGrammar {
  package static let file = ObjectGrammar<TestDocument>(
    "a test file",
    """
    What a patch is expected to sound like: tests by name, each a render of the patch and what is \
    expected of it.
    """,
    [
      .text(
        "patch", required: true, "The patch that is tested, relative to this file.",
        minimumLength: 1
      ) { $0.patch = $1 },
      .member(
        "tests", required: true, "The tests, each under its name: a sentence that says what holds.",
        .map(of: "test", names: ["minLength": 1])
      ) { reader, json, document in
        document.tests = reader.map(json, "'tests'", .test) { $0.test($1) }
      },
      .schemaPlace,
    ])

  /// The channel that an expectation is about.
  package static let channel = SettingInfo(
    "channel", .integer(0...1023),
    summary: "The channel that is looked at, from 0. Not given, all of them.")

  package static let test = ObjectGrammar<TestDocument.Test>(
    "a test", "A render of the patch, and what is expected of it.",
    [
      .settings(
        "settings",
        "What the patch is changed to, as by --set: new values, each by its JSON Pointer.",
        .schema([
          "type": "object",
          "propertyNames": ["anyOf": [["pattern": "^/"], ["const": "comment"]]],
        ])
      ) { $0.settings = $1 },
      .settings(
        "feed",
        """
        Callbacks in the place of others, by the name of a callback, or of what feeds an input: \
        "mixer:0". Sub-graphs are fed at their own inputs.
        """, .map(of: "callback")
      ) { $0.feeds = $1 },
      .text(
        "input", "The sound file that the microphone hears, relative to this file.",
        minimumLength: 1
      ) { $0.input = $1 },
      .setting(
        .init(
          "duration", .number(0 ... .infinity, excludesLowerBound: true), unit: .seconds,
          summary: "How long is rendered. Not given, until the patch ends by itself.")
      ) { $0.duration = $1 },
      .text(
        "hardware", "What the device is like, as --hardware has it: \"rate=48000,channels=2\"."
      ) { $0.hardware = $1 },
      .member(
        "expect", required: true, "What is expected. Each can fail by itself.",
        .list(of: "expectation")
      ) { reader, json, test in
        test.expectations = reader.array(json, "'expect'").compactMap { reader.expectation($0) }
      },
    ])
}

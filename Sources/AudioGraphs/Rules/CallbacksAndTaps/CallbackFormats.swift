package import AudioTypes

/// A processing callback passes on what it pulls, frame for frame and channel for channel.
package enum CallbackFormats {
  package static let rule = Rule(
    "PR0705", "callback/formats",
    "a processing callback feeds a bus with the rate and the channels of the one that it pulls",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .session, .format],
    page: .init(
      "A processing callback feeds a bus with the rate and the channels of the output that it pulls.",
      because: """
        It hands on frame for frame and channel for channel what AudioUnitRender gave it, into the
        buffers of its own bus. With other rates or channels there is nothing to put into some of
        them. A FormatConverter changes either.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        between,
        wrong: [
          "\"channels\": 2, \"sampleRate\": 44100 } } }\n":
            "\"channels\": 1, \"sampleRate\": 44100 } } }\n"
        ])))

  /// A tremolo between a mixer and the loudspeaker.
  private static let between = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone": { "kind": "tone" },
        "wave": { "kind": "tremolo", "from": "mixer" }
      },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": {
          "component": "remoteIO",
          "inputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } } }
        }
      },
      "connections": [
        { "from": "tone", "to": "mixer" },
        { "from": "wave", "to": "io" }
      ]
    }
    """

  static func violation(
    _ link: Connection, _ source: StreamFormat, _ destination: StreamFormat, in model: GraphModel
  ) -> Violation? {
    guard
      source.sampleRate != destination.sampleRate
        || source.channelCount != destination.channelCount
    else { return nil }
    let from = model.address(link.source, link.output)
    return Violation(
      rule, status: .formatNotSupported,
      "the callback pulls \(source.summary) from '\(from)' and is to feed "
        + "\(destination.summary); it can change neither the rate nor the channels",
      at: .init(node: link.destination, .streamFormat(.input, link.input)),
      notes: [
        .init(
          "\(source.summary) comes from here",
          at: .init(node: link.source, .streamFormat(.output, link.output)))
      ],
      help: [
        "give both buses the same rate and channels, or let the callback pull a FormatConverter "
          + "that changes them"
      ])
  }
}

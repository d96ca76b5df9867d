import AudioTypes
import Pictures
public import RenderTaps

extension PictureTap {
  public static let description = TapDescription(
    kind: "picture",
    summary:
      "Draws what has been on a bus, at the end: its waveform, its spectrogram or its levels.",
    settings: [
      SettingInfo(
        "of", .choice(Subject.allCases.map(\.rawValue)), isRequired: true,
        summary:
          "A waveform has extremes and RMS, a spectrogram frequencies over time; levels are peak, "
          + "RMS and, of up to 5.1 channels, loudness (EBU R 128)."),
      SettingInfo(
        "path", .path, isRequired: true,
        summary:
          "The file, relative to the patch: .svg or .png. As of a recording, it may have {date}, {time} "
          + "and {take} in it."),
      SettingInfo("title", .text, summary: "What is written above it; not given, the file's name."),
      SettingInfo(
        "channel", .integer(0...1023),
        summary:
          "Of which channel, from 0; not given, each for itself, and in a spectrogram the mean power "
          + "of all."),
      SettingInfo(
        "split", .boolean, defaultValue: .boolean(false),
        summary: "Whether a spectrogram, too, shows each channel for itself."),
      SettingInfo(
        "width", .integer(pixelLimits), unit: .generic, defaultValue: .number(1200),
        summary: "In pixels."
      ),
      SettingInfo(
        "height", .integer(heights), unit: .generic,
        summary: "In pixels; not given, what the channels take."),
      SettingInfo(
        "theme", .choice(Theme.allCases.map(\.rawValue)), defaultValue: .text(Theme.auto.rawValue),
        summary: "auto is light in a PNG, and in an SVG as the viewer likes it."),
      SettingInfo(
        "amplitude", .choice(Amplitude.allCases.map(\.rawValue)),
        defaultValue: .text(Amplitude.linear.rawValue), summary: "The vertical axis of a waveform."),
      SettingInfo(
        "frequencies", .choice(Frequencies.allCases.map(\.rawValue)),
        defaultValue: .text(Frequencies.logarithmic.rawValue),
        summary: "The vertical axis of a spectrogram."),
      SettingInfo(
        "size", .integer(SpectrumTap.sizes), unit: .sampleFrames, defaultValue: .number(4096),
        summary:
          "How many frames a spectrum of a spectrogram is made of, through a Hann window: even, with "
          + "no prime factor but 2, 3 and 5. The more, the finer the frequencies and the coarser the "
          + "times."),
      SettingInfo(
        "overlap", .number(0...0.95), unit: .generic, defaultValue: .number(0.75),
        summary: "How much of a spectrum's frames the next one has, too."),
      SettingInfo(
        "floor", .number(-200 ... -20), unit: .decibels,
        summary:
          "The lowest level that is drawn, in dBFS; not given, -120 in a spectrogram and -60 "
          + "elsewhere."),
      SettingInfo(
        "ceiling", .number(-180...40), unit: .decibels, defaultValue: .number(0),
        summary: "The level that has a spectrogram's brightest colour, in dBFS."),
    ],
    make: { values, files in
      var tap = PictureTap(values)
      tap.files = files
      return tap
    })

  /// The subjects of each setting that not every subject has.
  static let owners: [String: [Subject]] = [
    "split": [.spectrogram], "frequencies": [.spectrogram], "size": [.spectrogram],
    "overlap": [.spectrogram], "ceiling": [.spectrogram], "amplitude": [.waveform],
    "floor": [.waveform, .spectrogram, .levels],
  ]

  init(_ values: [String: SettingValue]) {
    var subject = Subject.waveform
    var path = ""
    if case .text(let name) = values["of"] { subject = Subject(rawValue: name) ?? .waveform }
    if case .text(let text) = values["path"] { path = text }
    self.init(subject, path: path)
    if case .text(let text) = values["title"] { title = text }
    if case .number(let number) = values["channel"] { channel = Int(number) }
    if case .boolean(let answer) = values["split"] { split = answer }
    if case .number(let number) = values["width"] { width = Int(number) }
    if case .number(let number) = values["height"] { height = Int(number) }
    if case .text(let name) = values["theme"] { theme = Theme(rawValue: name) ?? .auto }
    if case .text(let name) = values["amplitude"] {
      amplitude = Amplitude(rawValue: name) ?? .linear
    }
    if case .text(let name) = values["frequencies"] {
      frequencies = Frequencies(rawValue: name) ?? .logarithmic
    }
    if case .number(let number) = values["size"] { size = Int(number) }
    if case .number(let number) = values["overlap"] { overlap = number }
    if case .number(let number) = values["floor"] { floor = number }
    if case .number(let number) = values["ceiling"] { ceiling = number }
    given = Set(values.keys).intersection(Self.owners.keys)
  }

  /// The settings with limits.
  var values: [String: SettingValue] {
    var values: [String: SettingValue] = [
      "of": .text(subject.rawValue), "path": .text(path), "width": .number(Double(width)),
      "size": .number(Double(size)), "overlap": .number(overlap),
    ]
    values["height"] = height.map { .number(Double($0)) }
    values["channel"] = channel.map { .number(Double($0)) }
    values["floor"] = floor.map { .number($0) }
    values["ceiling"] = ceiling.map { .number($0) }
    return values
  }
}

public import AudioTypes
public import FileAccess
public import Pictures
public import RenderCore
public import RenderTaps

/// Draws a bus over the whole run: its waveform, its spectrogram or its levels.
///
/// The render thread only passes the frames on. The service thread summarizes them in columns, so
/// that a run of hours takes no more memory than one of minutes. The picture is written at the end,
/// completely or not at all. Samples that are not finite count as silence.
public struct PictureTap: FileTap {
  /// What to draw.
  public enum Subject: String, CaseIterable, Sendable {
    case waveform
    case spectrogram
    case levels
  }

  /// The scale of a waveform's amplitude.
  public enum Amplitude: String, CaseIterable, Sendable {
    case linear
    case decibels
  }

  /// The scale of a spectrogram's frequencies.
  public enum Frequencies: String, CaseIterable, Sendable {
    case logarithmic
    case linear
  }

  /// The range of the width, in pixels.
  public static let pixelLimits = 320...4096
  static let heights = 160...4096
  /// The most channels that can be told apart one above the other.
  static let mostChannels = 16

  /// What to draw.
  public var subject: Subject
  /// Absolute, or relative to the process's working directory; ends in `.svg` or `.png`. It may
  /// contain `{date}`, `{time}` and `{take}`.
  public var path: String
  /// The files that it may write.
  public var files = FilePolicy.user
  /// The title; `nil` for the name of the file.
  public var title: String?
  /// The channel, from 0; `nil` for all: separately or, in a spectrogram, as their mean power.
  public var channel: Int?
  /// Whether a spectrogram shows each channel separately.
  public var split = false
  /// In pixels, from 320 to 4096.
  public var width = 1200
  /// In pixels, from 160 to 4096; `nil` for a height that depends on the number of channels.
  public var height: Int?
  /// The colours.
  public var theme = Theme.auto
  /// The scale of a waveform's amplitude.
  public var amplitude = Amplitude.linear
  /// The scale of a spectrogram's frequencies.
  public var frequencies = Frequencies.logarithmic
  /// The frames of a spectrum, in a spectrogram: even, with no prime factors but 2, 3 and 5.
  public var size = 4096
  /// The share of frames that two successive spectra of a spectrogram have in common, from 0 to
  /// 0.95.
  public var overlap = 0.75
  /// The lowest level drawn, in dBFS; `nil` for -120 in a spectrogram and -60 in other pictures.
  public var floor: Double?
  /// The level of the brightest colour of a spectrogram, in dBFS; `nil` for 0.
  public var ceiling: Double?
  /// The settings that were given, of those that not every subject has.
  var given: Set<String> = []
  /// Shared by all that a run writes.
  public var takes = Takes()

  public init(_ subject: Subject, path: String) {
    self.subject = subject
    self.path = path
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var found = Self.description.problems(with: values)
    found += misplaced
    do throws(CallbackProblem) {
      let (path, existing) = try place()
      if let problem = files.problem(writing: path) {
        found.append(problem)
      } else if let file = PictureFile(path: path, files: files, existing: existing) {
        do throws(PictureFile.Failure) { try file.check() } catch {
          if error.isOwnership {
            found.append(
              CallbackProblem(
                .notOwn, status: .filePermission, error.message, help: error.help,
                setting: "path"))
          }
        }
      }
    } catch {
      found.append(error)
    }
    if PictureFile(path: path) == nil {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError,
          "a picture is an SVG or a PNG: the ending of '\(path)' says neither",
          help: "let it end in .svg or .png", setting: "path"))
    }
    if subject == .spectrogram {
      if let problem = SpectrumTap.problem(ofSize: size) { found.append(problem) }
      if floorLevel >= ceilingLevel {
        found.append(
          CallbackProblem(
            .badSetting, status: .parameterError,
            "the floor is not below the ceiling, \(rateText(ceilingLevel)) dBFS",
            setting: floor == nil ? "ceiling" : "floor"))
      }
    }
    if let problem = channelProblem(channel, of: format) { found.append(problem) }
    return found.isEmpty ? room(for: format) : found
  }

  /// Problems of too many channels, or too small a height.
  private func room(for format: StreamFormat) -> [CallbackProblem] {
    let count = panelCount(format)
    if count > Self.mostChannels {
      return [
        CallbackProblem(
          .badSetting, status: .parameterError,
          "a picture has room for \(Self.mostChannels) channels; the bus has "
            + "\(format.channelCount)",
          help: "choose one: \"channel\": 0")
      ]
    }
    let least = 110 + 60 * panels(format)
    guard let height, height < least else { return [] }
    return [
      CallbackProblem(
        .badSetting, status: .parameterError,
        "\(panels(format)) plots, one above the other, have no room in \(height) pixels",
        help: "give it at least \(least), or leave 'height' out", setting: "height")
    ]
  }

  /// Settings that the subject does not have.
  private var misplaced: [CallbackProblem] {
    given.sorted().compactMap { key in
      let owners = Self.owners[key] ?? []
      guard !owners.contains(subject) else {
        guard key == "floor", subject == .waveform, amplitude == .linear else { return nil }
        return CallbackProblem(
          .badSetting, status: .parameterError,
          "a waveform with a linear amplitude has no floor",
          help: "leave it out, or draw it in \"amplitude\": \"decibels\"", setting: key)
      }
      return CallbackProblem(
        .badSetting, status: .parameterError, "'\(key)' says nothing of \(subject.phrase)",
        help: "leave it out: it is for \(owners.map(\.phrase).joined(separator: " and "))",
        setting: key)
    }
  }

  /// The path of the picture, and what happens to a file that exists there.
  func place() throws(CallbackProblem) -> (String, PendingFile.Existing) {
    takes.preview(try TakeName(path))
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    let recorder = try PictureRecorder(self, format)
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSink(
      kernel: feed.makeKernel(), service: PictureService(recorder: recorder, feed: feed))
  }
}

// MARK: - Derived values

extension PictureTap {
  /// The number of channels drawn separately.
  func panelCount(_ format: StreamFormat) -> Int {
    if channel != nil || (subject == .spectrogram && !split) { return 1 }
    return format.channelCount
  }

  /// The number of plots, one above the other.
  func panels(_ format: StreamFormat) -> Int {
    panelCount(format) + (hasLoudness(format) ? 1 : 0)
  }

  /// Whether the loudness is drawn too: for all channels together, where it is defined, and from 8
  /// kHz up, because the filters of R 128 reach beyond 1.7 kHz.
  func hasLoudness(_ format: StreamFormat) -> Bool {
    subject == .levels && channel == nil
      && (1...LoudnessState.mostChannels).contains(format.channelCount)
      && format.sampleRate >= 8000 && LoudnessState.rates.contains(format.sampleRate)
  }

  func pixelHeight(_ format: StreamFormat) -> Int {
    if let height { return height }
    let plot =
      switch subject {
      case .waveform: panels(format) == 1 ? 220 : 150
      case .spectrogram: panels(format) == 1 ? 420 : 240
      case .levels: 150
      }
    return min(Self.heights.upperBound, 110 + panels(format) * (plot + 24))
  }

  var floorLevel: Double { floor ?? (subject == .spectrogram ? -120 : -60) }
  var ceilingLevel: Double { ceiling ?? 0 }

  /// The title of the picture.
  var heading: String {
    if let title { return title }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    return "\(stem): \(subject.rawValue)"
  }

  /// The channels drawn, with their names.
  func channels(_ format: StreamFormat) -> [(index: Int, name: String)] {
    let all = channel.map { $0...$0 } ?? 0...(format.channelCount - 1)
    return all.map { index in
      let name =
        format.channelCount == 1
        ? "" : format.channelCount == 2 ? ["Left", "Right"][index] : "Channel \(index)"
      return (index, name)
    }
  }
}

extension PictureTap.Subject {
  /// `a waveform`
  var phrase: String { self == .levels ? "levels" : "a \(rawValue)" }

  /// `Waveform`
  public var word: String {
    (rawValue.first?.uppercased() ?? "") + rawValue.dropFirst()
  }
}

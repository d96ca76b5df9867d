public import AudioTypes
public import FileAccess
public import Pictures
public import RenderCore
public import RenderTaps

/// Draws what has been on a bus: its waveform, its spectrogram or its levels, over the whole time.
///
/// The render thread only hands the frames on. Beside it they are reduced to columns as they come, so
/// that a run of hours takes no more memory than one of minutes; the picture is written at the end, whole
/// or not at all. What is not a finite number counts as silence.
public struct PictureTap: FileTap {
  /// What is drawn.
  public enum Subject: String, CaseIterable, Sendable {
    case waveform
    case spectrogram
    case levels
  }

  /// How the amplitude of a waveform is drawn.
  public enum Amplitude: String, CaseIterable, Sendable {
    case linear
    case decibels
  }

  /// How the frequencies of a spectrogram are drawn.
  public enum Frequencies: String, CaseIterable, Sendable {
    case logarithmic
    case linear
  }

  /// How wide a picture may be.
  public static let pixelLimits = 320...4096
  static let heights = 160...4096
  /// As many channels one above the other as can be told apart.
  static let mostChannels = 16

  /// What is drawn.
  public var subject: Subject
  /// Absolute, or relative to the process's working directory. It ends in `.svg` or `.png`.
  public var path: String
  /// Where it may be written.
  public var files = FilePolicy.user
  /// `nil` for what the file is called.
  public var title: String?
  /// `nil` for all: each for itself or, in a spectrogram, the mean power.
  public var channel: Int?
  /// Whether a spectrogram shows each channel for itself.
  public var split = false
  /// In pixels; without a height, what the channels take.
  public var width = 1200
  /// In pixels; `nil` for what the channels take.
  public var height: Int?
  /// The colours.
  public var theme = Theme.auto
  /// Whether a waveform's levels are linear or in decibels.
  public var amplitude = Amplitude.linear
  /// Whether a spectrogram's frequencies are linear or logarithmic.
  public var frequencies = Frequencies.logarithmic
  /// Of a spectrogram: frames that a spectrum is made of, and how much of them the next one has, too.
  public var size = 4096
  /// 0 to below 1.
  public var overlap = 0.75
  /// What is drawn at the bottom, and what has the brightest colour, in dBFS.
  public var floor: Double?
  /// In dBFS.
  public var ceiling: Double?
  /// The names of the settings that have been given, of those that not every subject has.
  var given: Set<String> = []
  /// What it has in common with what else a run writes.
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

  /// Whether all channels can be seen.
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

  /// Settings that what is drawn does not have.
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

  /// The path that the next picture would have, and what would become of a file that is there.
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

// MARK: - What follows from the settings

extension PictureTap {
  /// Channels that are drawn for themselves.
  func panelCount(_ format: StreamFormat) -> Int {
    if channel != nil || (subject == .spectrogram && !split) { return 1 }
    return format.channelCount
  }

  /// Plots one above the other.
  func panels(_ format: StreamFormat) -> Int {
    panelCount(format) + (hasLoudness(format) ? 1 : 0)
  }

  /// Whether the loudness is drawn, too: of all channels, where it is defined, and from 8 kHz up, since
  /// the filters of R 128 reach to 1.7 kHz and beyond.
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

  /// What is written above it.
  var heading: String {
    if let title { return title }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    return "\(stem): \(subject.rawValue)"
  }

  /// The channels that are drawn, and what they are called.
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

import ArgumentParser
import AudioTypes
import Diagnostics
import PictureTaps
import Pictures
import RenderCore
import RenderTaps

/// The value of `--picture`:
/// `spectrogram=mix.png,frequencies=linear,width=1600`.
struct PictureOption: ExpressibleByArgument, Equatable {
  /// The text on the command line.
  let text: String
  /// The settings of an equivalent `picture` tap.
  let values: [String: SettingValue]
  let path: String

  static let subjects = PictureTap.Subject.allCases.map(\.rawValue)

  init?(argument: String) {
    guard let read = try? Self.read(argument) else { return nil }
    self = read
  }

  private init(text: String, values: [String: SettingValue], path: String) {
    self.text = text
    self.values = values
    self.path = path
  }

  /// - Throws: A `ValidationError` with the reason.
  static func read(_ text: String) throws -> PictureOption {
    guard let equals = text.firstIndex(of: "=") else {
      throw ValidationError(
        "\(quoted(text)) is no picture: say what it shows and the file, waveform=out.svg")
    }
    let subject = String(text[..<equals])
    guard subjects.contains(subject) else {
      throw ValidationError(
        "there is no picture of the kind \(quoted(subject)): "
          + (didYouMean(subject, among: subjects) ?? "it is \(listed(subjects, "or"))"))
    }
    let infos = PictureTap.description.settings.filter { $0.key != "of" && $0.key != "path" }
    var values: [String: SettingValue] = ["of": .text(subject)]
    var path = ""
    for part in text[text.index(after: equals)...].split(
      separator: ",", omittingEmptySubsequences: false)
    {
      let isFirst = path.isEmpty && values.count == 1
      if !isFirst, let sign = part.firstIndex(of: "="), !part[..<sign].contains("/") {
        let key = String(part[..<sign])
        guard let info = infos.first(where: { $0.key == key }) else {
          throw ValidationError(
            "a picture has no setting \(quoted(key)): "
              + (didYouMean(key, among: infos.map(\.key))
                ?? "they are \(listed(infos.map(\.key), "and"))"))
        }
        values[key] = try value(String(part[part.index(after: sign)...]), of: info)
      } else if values.count == 1 {
        // The path contains a comma.
        path += isFirst ? part : "," + part
      } else if case .text(let title)? = values["title"] {
        values["title"] = .text(title + "," + part)
      } else {
        throw ValidationError("\(quoted(String(part))) is no setting: write NAME=VALUE")
      }
    }
    guard !path.isEmpty else {
      throw ValidationError("which file the \(subject) goes to is missing: \(subject)=out.svg")
    }
    guard PictureFile(path: path) != nil else {
      throw ValidationError(
        "a picture is an SVG or a PNG: \(quoted(path)) has to end in .svg or .png")
    }
    values["path"] = .text(path)
    return PictureOption(text: text, values: values, path: path)
  }

  private static func value(_ text: String, of info: SettingInfo) throws -> SettingValue {
    let value: SettingValue? =
      switch info.kind {
      case .number, .integer: Double(text).map(SettingValue.number)
      case .boolean: ["true": true, "false": false][text].map(SettingValue.boolean)
      default: .text(text)
      }
    guard let value, info.accepts(value) else {
      throw ValidationError("\(quoted(info.key)) is \(info.expectation), not \(quoted(text))")
    }
    return value
  }

  private static func listed(_ words: [String], _ last: String) -> String {
    words.dropLast().joined(separator: ", ") + " \(last) " + (words.last ?? "")
  }

  /// Creates the recorder of the picture.
  ///
  /// - Parameter title: The title of the patch; `nil` for the file's name.
  func recorder(_ format: StreamFormat, title: String?) throws(CommandFailure) -> PictureRecorder {
    do throws(CallbackProblem) {
      guard var tap = try PictureTap.description.makeTap(values) as? PictureTap else {
        throw CallbackProblem(.badSetting, status: .parameterError, "there is no such picture")
      }
      if tap.title == nil, let title { tap.title = "\(title): \(tap.subject.rawValue)" }
      return try PictureRecorder(tap, format)
    } catch {
      let isUsage = error.kind != .unwritable
      throw CommandFailure(
        isUsage ? ExitStatus.wrongUsage : ExitStatus.unavailable,
        (isUsage ? "--picture \(text): " : "") + error.message, help: [error.help])
    }
  }
}

import Diagnostics
import Pictures

/// The HTML page of failed tests. It needs no other file and no network, and works without its
/// script.
struct ArtifactPage {
  /// A sound to listen to.
  struct Audio {
    var title: String
    /// The name of its file beside the page.
    var file: String
    /// The duration in seconds.
    var duration: Double
    /// The peak in dBFS.
    var peak: Double
    /// How many decibels louder it is in the page than in its file.
    var raised: Double
    /// A WAV file in memory; `nil` if it is too large for the page.
    var bytes: [UInt8]?
  }

  struct Section {
    /// The id of the section in the page.
    var id: String
    var title: String
    var file: String
    var expectations: [ArtifactTest.Expectation]
    var notes: [String] = []
    var sounds: [Audio] = []
    var pictures: [Drawing] = []
  }

  var sections: [Section] = []

  // MARK: Writing

  /// - Parameter testCount: The number of all tests that were run.
  func html(testCount: Int?) -> String {
    let heading = Self.heading(sections.count, of: testCount)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
      media-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
      <title>\(Self.markup(heading))</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <header>
      <p class="program">patchrun test</p>
      <h1>\(Self.markup(heading))</h1>
      \(contents)</header>
      <main>
      \(sections.map(Self.section).joined(separator: "\n"))
      </main>
      <script>
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  private static func heading(_ failed: Int, of count: Int?) -> String {
    guard failed > 0 else {
      return count.map { $0 == 1 ? "The test passed" : "All \($0) tests passed" }
        ?? "No test failed"
    }
    guard let count, count >= failed else {
      return "\(counted(failed, "test")) failed"
    }
    return "\(failed) of \(counted(count, "test")) failed"
  }

  private var contents: String {
    guard !sections.isEmpty else { return "" }
    // Tests that `--new` wrote have the same name in all files.
    let hasFiles = Set(sections.map(\.file)).count > 1
    let rows = sections.map { section in
      let failed = section.expectations.filter { !$0.passed }
      let words = failed.first.map { first in
        (first.measured.isEmpty ? first.text : "\(first.text): \(first.measured)")
          + (failed.count > 1 ? ", and \(failed.count - 1) more" : "")
      }
      let title = hasFiles ? "\(section.file): \(section.title)" : section.title
      return "<li><a href=\"#\(section.id)\">\(Self.markup(title))</a>"
        + (words.map { "<span>\(Self.markup($0))</span>" } ?? "") + "</li>"
    }
    return "<nav aria-label=\"Failed tests\"><ol>\n\(rows.joined(separator: "\n"))\n</ol></nav>\n"
  }

  private static func section(_ section: Section) -> String {
    var parts = [
      "<section id=\"\(section.id)\" aria-labelledby=\"\(section.id)-title\">",
      "<h2 id=\"\(section.id)-title\">\(markup(section.title))</h2>",
    ]
    if !section.file.isEmpty { parts.append("<p class=\"file\">\(markup(section.file))</p>") }
    parts.append(table(section.expectations))
    for note in section.notes { parts.append("<p class=\"note\">\(markup(note))</p>") }
    if !section.sounds.isEmpty {
      parts.append("<div class=\"sounds\">")
      parts += section.sounds.map(audio)
      parts.append("</div>")
    }
    for picture in section.pictures {
      let svg = Base64.text(Array(picture.svg().utf8))
      let (width, height) = (Int(picture.width), Int(picture.height))
      parts.append(
        """
        <figure>
        <img width="\(width)" height="\(height)" alt="\(markup("\(picture.title). \(picture.summary)"))" \
        src="data:image/svg+xml;base64,\(svg)">
        </figure>
        """)
    }
    return (parts + ["</section>"]).joined(separator: "\n")
  }

  private static func table(_ expectations: [ArtifactTest.Expectation]) -> String {
    guard !expectations.isEmpty else { return "" }
    let rows = expectations.map { expectation in
      var place: [String] = []
      if let time = expectation.time {
        place.append("<time data-seconds=\"\(fixed(time, 4))\">\(clock(time))</time>")
      }
      if !expectation.place.isEmpty { place.append(markup(expectation.place)) }
      return """
        <tr class="\(expectation.passed ? "passed" : "failed")">
        <th scope="row"><span class="mark">\(expectation.passed ? "passed" : "failed")</span> \
        \(markup(expectation.text))</th>
        <td>\(markup(expectation.measured))</td>
        <td>\(place.joined(separator: ", "))</td>
        </tr>
        """
    }
    return """
      <table>
      <thead><tr><th scope="col">Expected</th><th scope="col">Measured</th>\
      <th scope="col">Where</th></tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody>
      </table>
      """
  }

  private static func audio(_ audio: Audio) -> String {
    let level = audio.peak.isFinite ? "peak \(minus(fixed(audio.peak, 1))) dBFS" : "silent"
    let raised = audio.raised > 0 ? ", here \(fixed(audio.raised, 0)) dB louder" : ""
    let player =
      audio.bytes.map { bytes in
        "<audio controls preload=\"metadata\" aria-label=\"\(markup(audio.title))\" "
          + "src=\"data:audio/wav;base64,\(Base64.text(bytes))\"></audio>"
      } ?? "<p class=\"absent\">Too long for this page: listen to the file.</p>"
    return """
      <div class="sound">
      <h3>\(markup(audio.title))</h3>
      \(player)
      <p>\(clock(audio.duration)), \(level)\(raised) · <a href="\(markup(audio.file))">\
      \(markup(audio.file))</a></p>
      </div>
      """
  }

  // MARK: Texts

  private static func markup(_ text: String) -> String {
    var result = ""
    for character in printable(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }

  /// Replaces a leading hyphen by a minus sign.
  private static func minus(_ text: String) -> String {
    text.hasPrefix("-") ? "\u{2212}" + text.dropFirst() : text
  }

  /// A time: `0:03.220`.
  private static func clock(_ seconds: Double) -> String {
    let thousandths = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let (whole, rest) = (thousandths / 1000, String(thousandths % 1000))
    let part = String(whole % 60)
    return "\(whole / 60):\(part.count < 2 ? "0" : "")\(part)."
      + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

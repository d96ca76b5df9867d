import AudioTypes
import Diagnostics

extension ReportFormat {
  /// JUnit's XML.
  public static let junit = ReportFormat("junit") { $0.junit() }
}

extension Report {
  /// JUnit XML: a suite for each patch with a test for each finding, or one passing test without
  /// findings. A test file has a test for each expectation instead. A warning is a passing test
  /// with output, unless warnings are denied.
  public func junit() -> String {
    let names = names
    let suites = entries.map { entry in
      switch entry {
      case .patch(let patch): Self.suite(patch, names, deniesWarnings: deniesWarnings)
      case .unreadable(let path): Self.suite(path)
      }
    }
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let totals = [
      ("tests", suites.reduce(0) { $0 + $1.tests }),
      ("failures", suites.reduce(0) { $0 + $1.failures }),
      ("errors", suites.reduce(0) { $0 + $1.errors }),
    ]
    xml += "<testsuites name=\"patchrun \(subject)\""
    for (name, count) in totals { xml += " \(name)=\"\(count)\"" }
    xml += ">\n"
    for suite in suites { xml += suite.xml }
    return xml + "</testsuites>\n"
  }

  private struct Suite {
    var tests = 0
    var failures = 0
    var errors = 0
    var cases = ""
    let name: String

    init(_ name: String) { self.name = xmlAttribute(name) }

    mutating func add(_ test: String, _ body: String = "", seconds: Double = 0) {
      tests += 1
      var head = "    <testcase name=\"\(xmlAttribute(test))\" classname=\"\(name)\""
      if seconds > 0 { head += " time=\"\((seconds * 1000).rounded() / 1000)\"" }
      cases += body.isEmpty ? "\(head)/>\n" : "\(head)>\n      \(body)\n    </testcase>\n"
    }

    var xml: String {
      "  <testsuite name=\"\(name)\" tests=\"\(tests)\" failures=\"\(failures)\""
        + " errors=\"\(errors)\">\n\(cases)  </testsuite>\n"
    }
  }

  private static func suite(
    _ patch: CheckedPatch, _ names: [Rule.Code: String], deniesWarnings: Bool
  ) -> Suite {
    if !patch.cases.isEmpty { return self.suite(ofCases: patch) }
    var suite = Suite(patch.path)
    let renderer = TextRenderer(source: patch.source)
    for diagnostic in patch.diagnostics {
      let place =
        patch.region(of: diagnostic.range).map { region in
          region.path == patch.path ? " at \(region.start)" : " at \(region.path):\(region.start)"
        } ?? ""
      let name = names[diagnostic.code].map { " \($0)" } ?? ""
      let text = xmlText(renderer.render(diagnostic))
      var body = "<system-out>\(text)</system-out>"
      if diagnostic.severity == .error || deniesWarnings && diagnostic.severity == .warning {
        suite.failures += diagnostic.count
        body =
          "<failure type=\"\(diagnostic.severity.rawValue)\""
          + " message=\"\(xmlAttribute(diagnostic.message.text))\">\(text)</failure>"
      }
      suite.add("\(diagnostic.code)\(name)\(place)", body)
    }
    if patch.diagnostics.isEmpty { suite.add("validates") }
    return suite
  }

  private static func suite(ofCases patch: CheckedPatch) -> Suite {
    var suite = Suite(patch.path)
    let renderer = TextRenderer(source: patch.source)
    for tested in patch.cases {
      let measured = tested.measured.joined(separator: "\n")
      var body = measured.isEmpty ? "" : "<system-out>\(xmlText(measured))</system-out>"
      if tested.status != .passed {
        let isFailure = tested.status == .failed
        if isFailure { suite.failures += 1 } else { suite.errors += 1 }
        let element = isFailure ? "failure" : "error"
        let message = tested.diagnostic?.message.text ?? "it could not be measured"
        let text = tested.diagnostic.map { xmlText(renderer.render($0)) } ?? ""
        let type = tested.diagnostic?.code.rawValue ?? "not measured"
        body =
          "<\(element) type=\"\(xmlAttribute(type))\" message=\"\(xmlAttribute(message))\">"
          + "\(text)</\(element)>" + (body.isEmpty ? "" : "\n      \(body)")
      }
      suite.add("\(tested.test): \(tested.title)", body, seconds: tested.seconds)
    }
    // Mistakes in the test file itself belong to no expectation.
    let reported = Set(patch.cases.compactMap(\.diagnostic))
    for diagnostic in patch.diagnostics where !reported.contains(diagnostic) {
      suite.errors += 1
      suite.add(
        "\(diagnostic.code)",
        "<error type=\"\(diagnostic.code)\" message=\"\(xmlAttribute(diagnostic.message.text))\">"
          + "\(xmlText(renderer.render(diagnostic)))</error>")
    }
    return suite
  }

  private static func suite(_ path: UnreadablePath) -> Suite {
    var suite = Suite(path.path)
    suite.errors = 1
    suite.add(
      "can be read", "<error type=\"unreadable\" message=\"\(xmlAttribute(path.message))\"/>")
    return suite
  }
}

/// Escapes text content. Characters that XML 1.0 cannot represent become U+FFFD.
func xmlText(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x26: result += "&amp;"
    case 0x3C: result += "&lt;"
    case 0x3E: result += "&gt;"
    case 0x0D: result += "&#13;"
    case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20, 0xFFFE, 0xFFFF: result += "\u{FFFD}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Escapes an attribute value in double quotes.
func xmlAttribute(_ text: String) -> String {
  var result = ""
  for scalar in xmlText(text).unicodeScalars {
    switch scalar {
    case "\"": result += "&quot;"
    case "\t": result += "&#9;"
    case "\n": result += "&#10;"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

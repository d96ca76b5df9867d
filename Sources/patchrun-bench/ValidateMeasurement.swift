import Foundation

/// Measures validation and the language server by running the program itself.
func measureValidate() {
  guard MeasuredProgram.path != nil else {
    print("build the program first: swift build -c release --product patchrun")
    return
  }
  let folder = "/tmp/patchrun-bench-\(getpid())"
  do {
    try FileManager.default.createDirectory(
      atPath: folder + "/many", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try measureSmall(folder)
    try measureLarge(folder)
    try measureEditor()
  } catch {
    print("the measurement cannot be made: \(error)")
  }
}

private func cost(_ arguments: [String], runs: Int) -> [MeasuredProgram.Cost] {
  (0..<runs).compactMap { _ in MeasuredProgram(arguments)?.wait() }
}

private func percentile(_ values: [Double], _ part: Double) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
}

/// Wall times, which include other programs' load, and processor times.
private func times(_ runs: [MeasuredProgram.Cost]) -> String {
  column((runs.map(\.wall).min() ?? 0) * 1000) + " ms at least,"
    + column(median(runs.map(\.wall)) * 1000) + " ms in the middle,"
    + column((runs.map(\.processor).min() ?? 0) * 1000) + " ms of processors"
}

// MARK: Small patches

private func measureSmall(_ folder: String) throws {
  let small = LargePatch.mixers.text(2)
  try write(small, folder + "/small.json")
  let one = cost(["validate", folder + "/small.json"], runs: 41)
  print("a small patch (2 mixers), the program from start to end")
  print(times(one) + ", " + column(one.map(\.memory).max() ?? 0) + " MB")
  for index in 0..<1000 { try write(small, folder + "/many/\(index).json") }
  let many = cost(["validate", folder + "/many"], runs: 5)
  print("1,000 small patches in one process")
  print(times(many) + ": " + fixed(1000 / median(many.map(\.wall)), 0) + " patches a second")
}

// MARK: Large ones

private func measureLarge(_ folder: String) throws {
  print(
    "large patches       least ms  50 % ms  processor ms       MB  us a node  to the next smaller")
  let file = folder + "/large.json"
  for kind in LargePatch.allCases {
    var before: (count: Int, processor: Double)?
    for count in [1_000, 3_000, 10_000] {
      try write(kind.text(count), file)
      let runs = cost(["validate", file], runs: 7)
      let processor = runs.map(\.processor).min() ?? 0
      // The ratio of costs to the next smaller size, divided by that of the sizes.
      let ratio = before.map { (processor / $0.processor) / (Double(count) / Double($0.count)) }
      print(
        "  " + column("\(count) \(kind)", width: 14)
          + column((runs.map(\.wall).min() ?? 0) * 1000, width: 12)
          + column(median(runs.map(\.wall)) * 1000)
          + column(processor * 1000, width: 14)
          + column(runs.map(\.memory).max() ?? 0)
          + column(processor / Double(count) * 1e6, width: 11)
          + (ratio.map { "  " + fixed($0, 2) + " of linear" } ?? ""))
      before = (count, processor)
    }
  }
  try write(LargePatch.chain.text(10_000), file)
  print("show of 10,000 nodes")
  for format in ["text", "json", "svg"] {
    let runs = cost(["show", "--format", format, file], runs: 3)
    print("  " + column(format) + times(runs))
  }
  try write(LargePatch.chain.text(10_000, mistakes: 100), file)
  let finding = cost(["validate", file], runs: 3)
  var fixing: [MeasuredProgram.Cost] = []
  for _ in 0..<3 {
    try write(LargePatch.chain.text(10_000, mistakes: 100), file)
    fixing += cost(["validate", "--fix", file], runs: 1)
  }
  print("10,000 nodes with 100 mistakes, half of which --fix can put right")
  print("  validate" + times(finding))
  print("     --fix" + times(fixing))
  let huge = LargePatch.chain.text(330_000)
  try write(huge, file)
  let runs = cost(["validate", file], runs: 1)
  print("\(huge.utf8.count / 1_000_000) MB, 330,000 nodes")
  print(times(runs) + ", " + column(runs.first?.memory ?? 0, 0) + " MB")
  try write("[" + String(repeating: "[1,{\"a\":2}],", count: 4_000_000) + "0]", file)
  let other = cost(["validate", file], runs: 1)
  print("50 MB of JSON that is no patch")
  print(times(other) + ", " + column(other.first?.memory ?? 0, 0) + " MB")
}

// MARK: An editor

private func measureEditor() throws {
  let count = 1000
  let text = LargePatch.mixers.text(count)
  guard let editor = EditorSession() else { return }
  editor.open(text)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  func places(_ part: String) -> [(line: Int, character: Int)] {
    lines.enumerated().compactMap { index, line in
      line.firstRange(of: part).map {
        (index, line.utf16.distance(from: line.startIndex, to: $0.upperBound))
      }
    }
  }
  let questions: [(title: String, method: String, part: String)] = [
    ("completion of an address", "completion", "\"to\": \"n"),
    ("completion of a component", "completion", "\"component\": \"M"),
    ("completion of a property", "completion", "{ \"maxi"),
    ("hover over a component", "hover", "\"component\": \"M"),
    ("hover over a connection", "hover", "\"to\": \"n"),
    ("hover over a property", "hover", "{ \"maxi"),
    ("definition", "definition", "\"to\": \"n"),
    ("references", "references", "\"to\": \"n"),
    ("outline", "documentSymbol", "\"to\": \"n"),
  ]
  print("\(count) mixers and callbacks in an editor, ms        50 %     95 %      most")
  for isTyping in [false, true] {
    for (title, method, part) in questions {
      let places = places(part)
      guard !places.isEmpty else { continue }
      var times: [Double] = []
      for round in 0..<60 {
        let place = places[round * 7919 % places.count]
        // With `isTyping` the text changes before every request.
        if isTyping { editor.type(at: place) }
        times.append(editor.time(method, at: place))
      }
      print(
        "  " + column(title + (isTyping ? ", typing" : ""), width: 40)
          + column(percentile(times, 0.5) * 1000) + column(percentile(times, 0.95) * 1000)
          + column((times.max() ?? 0) * 1000))
    }
  }
  print(
    "  from a change to its findings: " + fixed(median(editor.findingTimes(21)) * 1000, 1) + " ms")
}

/// A language-server session.
private final class EditorSession {
  private let program: MeasuredProgram
  private var number = 0
  private var version = 1
  private var received: [UInt8] = []
  private static let uri = "file:///nowhere/patch.json"

  init?() {
    guard let program = MeasuredProgram(["lsp"], hasPipes: true) else { return nil }
    self.program = program
    number += 1
    send(
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}}}"#
    )
    _ = message()
    send(#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#)
  }

  deinit { _ = program.wait() }

  func open(_ text: String) {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
    send(
      #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"\#(Self.uri)","languageId":"json","version":1,"text":"\#(escaped)"}}}"#
    )
    _ = message()
  }

  /// Inserts a blank at the beginning of a line and removes it.
  func type(at place: (line: Int, character: Int)) {
    change(place.line, 0, 0, " ")
    change(place.line, 0, 1, "")
  }

  private func change(_ line: Int, _ start: Int, _ end: Int, _ text: String) {
    version += 1
    send(
      #"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"\#(Self.uri)","version":\#(version)},"contentChanges":[{"range":{"start":{"line":\#(line),"character":\#(start)},"end":{"line":\#(line),"character":\#(end)}},"text":"\#(text)"}]}}"#
    )
  }

  /// The response time in seconds.
  func time(_ method: String, at place: (line: Int, character: Int)) -> Double {
    number += 1
    let start = now()
    send(
      #"{"jsonrpc":"2.0","id":\#(number),"method":"textDocument/\#(method)","params":{"textDocument":{"uri":"\#(Self.uri)"},"position":{"line":\#(place.line),"character":\#(place.character)},"context":{"includeDeclaration":true}}}"#
    )
    while !message().starts(with: "{\"jsonrpc\":\"2.0\",\"id\":\(number),") {}
    return now() - start
  }

  /// The times in seconds from a change to its diagnostics.
  func findingTimes(_ count: Int) -> [Double] {
    (0..<count).map { _ in
      let start = now()
      type(at: (0, 0))
      let wanted = "\"version\":\(version),"
      while !message().contains(wanted) {}
      return now() - start
    }
  }

  private func send(_ text: String) {
    var rest = Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(program.input, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The next message without its header.
  private func message() -> String {
    while true {
      if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let header = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let length = Int(header.split(separator: " ").last ?? "") ?? 0
        if received.count >= end.upperBound + length {
          let text = String(
            decoding: received[end.upperBound..<(end.upperBound + length)], as: UTF8.self)
          received.removeFirst(end.upperBound + length)
          return text
        }
      }
      var block = [UInt8](repeating: 0, count: 1 << 20)
      let count = unsafe read(program.output, &block, block.count)
      guard count > 0 else { fatalError("the language server has gone") }
      received += block[..<count]
    }
  }
}

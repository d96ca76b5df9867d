/// Bundles the modules of the page into two files: the modules that the page needs at its start,
/// and those that these import dynamically (`import()`). Comments are left out.
///
/// It relies on the style of these modules: imports and exports begin a line, an import ends at its
/// first semicolon, only classes, functions and constants are exported, comments have lines of their
/// own, and no string goes over several lines.
struct PanelBundle {
  private typealias Line = ArraySlice<UInt8>

  /// A parsed module.
  private struct Module {
    var lines: [Line] = []
    var exports: [String] = []
    /// The modules that it imports.
    var staticImports: [String] = []
    /// The modules that it imports by `import()` while it runs.
    var dynamicImports: [String] = []
  }

  /// The name of the second file.
  static let laterName = "later-parts.js"

  private var modules: [String: Module] = [:]
  /// The modules of the first file in an order in which imports come first.
  private(set) var order: [String] = []
  /// The modules of the second file: those that are reached by `import()` only.
  private(set) var later: [String] = []
  /// A cycle of imports, for which there is no such order; empty without one.
  private(set) var importCycle: [String] = []

  /// - Parameters:
  ///   - files: The texts of the modules by name. Imports of other modules stay as they are.
  ///   - main: The entry module.
  init(of files: [String: [UInt8]], main: String) {
    for (name, text) in files { modules[name] = Self.read(text, of: files) }
    add(main, to: \.order, on: [])
    for name in order { addDynamicImports(of: name) }
  }

  private mutating func add(
    _ name: String, to list: WritableKeyPath<Self, [String]>, on importers: [String]
  ) {
    guard !order.contains(name), !later.contains(name), let module = modules[name] else { return }
    guard !importers.contains(name) else {
      importCycle = importers + [name]
      return
    }
    for target in module.staticImports { add(target, to: list, on: importers + [name]) }
    self[keyPath: list].append(name)
  }

  /// Adds the modules that a module imports by `import()`, and those that they import, to the
  /// second file.
  private mutating func addDynamicImports(of name: String) {
    for target in modules[name]?.dynamicImports ?? []
    where !order.contains(target) && !later.contains(target) {
      let known = later.count
      add(target, to: \.later, on: [])
      for new in later[known...] { addDynamicImports(of: new) }
    }
  }

  // MARK: Reading

  private static func read(_ text: [UInt8], of files: [String: [UInt8]]) -> Module {
    var module = Module()
    var statement: [UInt8] = []
    var isInComment = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let line = line.drop { $0 == UInt8(ascii: " ") }
      if isInComment || line.starts(with: "/*".utf8) {
        isInComment = place(of: "*/", in: line) == nil
        continue
      }
      if line.isEmpty || line.starts(with: "//".utf8) { continue }
      if !statement.isEmpty || line.starts(with: "import ".utf8) {
        statement += line
        guard line.contains(UInt8(ascii: ";")) else { continue }
        if let name = path(in: statement[...]), files[name] != nil {
          module.staticImports.append(name)
        }
        module.lines.append(statement[...])
        statement = []
      } else {
        module.lines.append(line)
        if let name = exported(line) { module.exports.append(name) }
        module.dynamicImports += imports(in: line).map(\.name).filter { files[$0] != nil }
      }
    }
    return module
  }

  /// The name in `export const name = …`.
  private static func exported(_ line: Line) -> String? {
    guard line.starts(with: "export ".utf8) else { return nil }
    let words = line.split(separator: UInt8(ascii: " ")).dropFirst().drop {
      $0.elementsEqual("async".utf8)
    }
    return words.dropFirst().first.map { word in
      String(decoding: word, as: UTF8.self).prefix { $0.isLetter || $0.isNumber }.description
    }
  }

  /// The file name of the first relative path in a line: the text between `"./` and the next `"`.
  private static func path(in line: Line) -> String? {
    guard let begin = place(of: "\"./", in: line) else { return nil }
    return String(decoding: line[(begin + 3)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }

  /// The file names of the expressions `import("./x.js")` in a line, with their ranges.
  private static func imports(in line: Line) -> [(name: String, range: Range<Int>)] {
    let opening = "import(\"./"
    var found: [(name: String, range: Range<Int>)] = []
    var rest = line
    while let begin = place(of: opening, in: rest) {
      let name = rest[(begin + opening.utf8.count)...].prefix { $0 != UInt8(ascii: "\"") }
      found.append((String(decoding: name, as: UTF8.self), begin..<name.endIndex + 2))
      rest = rest[name.endIndex...]
    }
    return found
  }

  private static func place(of text: String, in line: Line) -> Int? {
    let text = Array(text.utf8)
    guard line.count >= text.count else { return nil }
    return (line.startIndex...line.endIndex - text.count).first { start in
      line[start] == text[0] && line[start...].starts(with: text)
    }
  }

  // MARK: Writing

  private static func variable(_ name: String) -> String {
    "$" + name.prefix { $0 != "." }.map { $0 == "-" ? "_" : String($0) }.joined()
  }

  private static func list(_ names: [String]) -> String {
    "{ \(names.map(variable).joined(separator: ", ")) }"
  }

  /// Rewrites `import { a, b as c } from "./x.js";` to `const { a, b: c } = $x;`.
  private func constants(_ statement: Line, _ name: String) -> String {
    let text = String(decoding: statement, as: UTF8.self)
    let names = text.drop { $0 != "{" }.dropFirst().prefix { $0 != "}" }.split(separator: ",")
    let parts = names.map { item in
      let words = item.split(separator: " ")
      return words.count == 3 ? "\(words[0]): \(words[2])" : words.joined(separator: " ")
    }
    return
      "const { \(parts.filter { !$0.isEmpty }.joined(separator: ", ")) } = \(Self.variable(name));"
  }

  private func written(_ line: Line) -> [UInt8] {
    if line.starts(with: "import ".utf8), let name = Self.path(in: line), modules[name] != nil {
      return Array(constants(line, name).utf8)
    }
    var line = line
    if line.starts(with: "export ".utf8) { line = line.dropFirst("export ".utf8.count) }
    var text: [UInt8] = []
    for (name, range) in Self.imports(in: line) where modules[name] != nil {
      text += line[..<range.lowerBound] + Array(promise(of: name).utf8)
      line = line[range.upperBound...]
    }
    return text + line
  }

  /// The expression that replaces `import("./x.js")`: a promise of the bundled module.
  private func promise(of name: String) -> String {
    let variable = Self.variable(name)
    guard isFirst, later.contains(name) else { return "Promise.resolve(\(variable))" }
    return
      "import(\"./\(Self.laterName)\").then(({ load }) => load(\(Self.list(shared))).\(variable))"
  }

  /// The modules of the first file that the second may import: all but the entry module.
  private var shared: [String] { order.dropLast() }

  /// Whether the first file is being written.
  private var isFirst = true

  private func wrapped(_ name: String, into text: inout [UInt8]) {
    guard let module = modules[name] else { return }
    text += "const \(Self.variable(name)) = (() => {\n".utf8
    for line in module.lines { text += written(line) + "\n".utf8 }
    text += "return { \(module.exports.joined(separator: ", ")) };\n})();\n".utf8
  }

  /// The text of the first file. The entry module comes last, at the top level, where it may use
  /// `await`.
  var text: [UInt8] {
    var text: [UInt8] = []
    for name in shared { wrapped(name, into: &text) }
    for line in order.last.flatMap({ modules[$0] })?.lines ?? [] {
      text += written(line) + "\n".utf8
    }
    return text
  }

  /// The text of the second file: a function that takes the modules of the first file. The brackets
  /// around the function make a browser compile it at once instead of parsing it twice.
  var laterText: [UInt8] {
    var bundle = self
    bundle.isFirst = false
    var text = Array("export const load = ((\(Self.list(shared))) => {\n".utf8)
    for name in later { bundle.wrapped(name, into: &text) }
    return text + "return \(Self.list(later));\n});\n".utf8
  }
}

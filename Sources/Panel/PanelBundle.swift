/// Bundles the modules of the page into one file, so that a browser requests one file instead of
/// thirty.
///
/// It relies on the style of these modules: imports and exports begin a line, an import ends at its
/// first semicolon, and only classes, functions and constants are exported.
struct PanelBundle {
  /// A parsed module.
  private struct Module {
    var body: [Substring] = []
    var exports: [Substring] = []
    /// The modules that it imports.
    var needs: [String] = []
  }

  private let files: [String: String]
  private var modules: [String: Module] = [:]
  /// The modules in an order in which imports come first.
  private(set) var order: [String] = []
  /// A circle of imports, which has no such order.
  private(set) var circle: [String] = []

  /// - Parameters:
  ///   - files: The texts of the modules by name. Imports of other modules stay as they are.
  ///   - main: The entry module.
  init(of files: [String: String], main: String) {
    self.files = files
    add(main, on: [])
  }

  private mutating func add(_ name: String, on way: [String]) {
    guard !order.contains(name), let text = files[name] else { return }
    guard !way.contains(name) else {
      circle = way + [name]
      return
    }
    let module = read(text)
    for need in module.needs { add(need, on: way + [name]) }
    modules[name] = module
    order.append(name)
  }

  private func read(_ text: String) -> Module {
    var module = Module()
    var statement: Substring = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if !statement.isEmpty || line.hasPrefix("import ") {
        statement += line
        guard line.contains(";") else { continue }
        module.body.append(imported(statement, &module))
        statement = ""
      } else if line.hasPrefix("export ") {
        let rest = line.dropFirst("export ".count)
        let words = rest.split(separator: " ").drop { $0 == "async" }
        let name = words.dropFirst().first.map { $0.prefix { $0.isLetter || $0.isNumber } }
        if let name { module.exports.append(name) }
        module.body.append(loaded(rest, &module))
      } else {
        module.body.append(loaded(line, &module))
      }
    }
    return module
  }

  /// Rewrites `import { a, b as c } from "./x.js";` to `const { a, b: c } = $x;`.
  private func imported(_ statement: Substring, _ module: inout Module) -> Substring {
    let parts = statement.split(separator: "\"")
    guard parts.count == 3, let name = Self.name(parts[1]), files[name] != nil,
      let open = statement.firstIndex(of: "{"), let close = statement.firstIndex(of: "}")
    else { return statement }
    module.needs.append(name)
    let names = statement[statement.index(after: open)..<close].split(separator: ",").map { item in
      let words = item.split(separator: " ")
      return words.count == 3 ? "\(words[0]): \(words[2])" : words.joined(separator: " ")
    }
    return "const { \(names.joined(separator: ", ")) } = \(Self.variable(name));"
  }

  /// Rewrites `import("./x.js")` to a promise of the bundled module.
  private func loaded(_ line: Substring, _ module: inout Module) -> Substring {
    let start = line.drop { $0 == " " }
    guard !start.hasPrefix("*"), !start.hasPrefix("/") else { return line }
    var result: Substring = ""
    var rest = line
    let opening = "import(\""
    while let found = rest.firstRange(of: opening) {
      let path = rest[found.upperBound...].prefix { $0 != "\"" }
      let behind = rest[path.endIndex...].dropFirst(2)
      guard let name = Self.name(path), files[name] != nil else {
        result += rest[..<found.upperBound]
        rest = rest[found.upperBound...]
        continue
      }
      module.needs.append(name)
      result += rest[..<found.lowerBound] + "Promise.resolve(\(Self.variable(name)))"
      rest = behind
    }
    return result + rest
  }

  /// The file name of a relative import.
  private static func name(_ path: Substring) -> String? {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : nil
  }

  private static func variable(_ name: String) -> String {
    "$" + name.prefix { $0 != "." }.map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// The text of the bundle.
  var text: String {
    var lines: [String] = []
    for (place, name) in order.enumerated() {
      guard let module = modules[name] else { continue }
      let body = module.body.joined(separator: "\n")
      // The entry module comes last, at the top level, where it may use `await`.
      if place == order.count - 1 {
        lines.append(body)
      } else {
        lines.append("const \(Self.variable(name)) = (() => {")
        lines.append(body)
        lines.append("return { \(module.exports.joined(separator: ", ")) };")
        lines.append("})();")
      }
    }
    return lines.joined(separator: "\n")
  }
}

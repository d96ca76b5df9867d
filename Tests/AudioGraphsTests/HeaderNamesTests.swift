import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import Testing

/// The page that says what Core Audio's functions and constants are called here.
@Suite struct HeaderNamesTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardized

  /// What stands in the rows of the page's tables: the C name, and what is said of it.
  private static func rows() throws -> [(name: String, text: String)] {
    let page = try String(
      contentsOf: sources.appending(path: "AudioGraphs/AudioGraphs.docc/FromAUGraph.md"),
      encoding: .utf8)
    return page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 2, cells[0].hasPrefix("`") else { return nil }
      return (cells[0].filter { $0 != "`" }, cells[cells.count - 1])
    }
  }

  /// The declarations of the rooms that a user of the library has.
  private struct Declarations {
    var types: Set<String> = []
    /// Of functions with their labels: `connect(_:_:to:_:)`.
    var functions: Set<String> = []
    /// Of properties and cases.
    var values: Set<String> = []

    init() throws {
      for room in [
        "AudioTypes", "RenderCore", "AudioUnits", "AudioGraphs", "RenderHost", "RenderCallbacks",
        "PulseIO",
      ] {
        let folder = HeaderNamesTests.sources.appending(path: room)
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".swift") {
          read(try String(contentsOf: folder.appending(path: name), encoding: .utf8))
        }
      }
    }

    private mutating func read(_ text: String) {
      for match in text.matches(of: /\b(?:class|struct|enum|protocol|typealias) (\w+)/) {
        types.insert(String(match.1))
      }
      for match in text.matches(of: /\b(?:let|var) (\w+)/) { values.insert(String(match.1)) }
      for match in text.matches(of: /\bcase (\w+(?:\([^)]*\))?(?:, \w+)*)/) {
        for name in match.1.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
          values.insert(String(name))
        }
      }
      for match in text.matches(of: /\b(?:func (\w+)|(init)[?]?)(?:<[^>]*>)?\(/) {
        let name = String(match.1 ?? match.2 ?? "")
        functions.insert("\(name)(\(labels(text[match.range.upperBound...])))")
      }
    }

    /// The labels of a list of parameters that begins behind its parenthesis.
    private func labels(_ text: Substring) -> String {
      var depth = 0
      var parameters = [""]
      for character in text {
        if "([{<".contains(character) { depth += 1 }
        if ")]}>".contains(character) {
          // An arrow ends no list.
          if character == ">" && parameters[parameters.count - 1].hasSuffix("-") { continue }
          if depth == 0 { break }
          depth -= 1
        }
        if character == "," && depth == 0 {
          parameters.append("")
        } else {
          parameters[parameters.count - 1].append(character)
        }
      }
      return parameters.compactMap { parameter in
        let words = parameter.split(whereSeparator: { $0.isWhitespace || $0 == ":" })
        return words.first.map { "\($0):" }
      }.joined()
    }

    /// Whether there is such a name: a type, or a member of one.
    func has(_ name: String) -> Bool {
      let parts = name.split(separator: ".").map(String.init)
      guard let last = parts.last, let first = parts.first, types.contains(first) else {
        return false
      }
      if parts.count == 1 { return true }
      return last.contains("(")
        ? functions.contains(last)
        : values.contains(last) || types.contains(last)
    }
  }

  @Test func `every name that the page gives is one that there is`() throws {
    let declarations = try Declarations()
    var count = 0
    for row in try Self.rows() {
      for match in row.text.matches(of: /`([^`]+)`/) {
        count += 1
        #expect(declarations.has(String(match.1)), "\(row.name): \(match.1)")
      }
      #expect(!row.text.isEmpty)
    }
    #expect(count > 150)
    #expect(!declarations.has("AudioGraph.connectAnywhere(_:)"))
    #expect(!declarations.has("AudioGraph.isNowhere"))
    #expect(!declarations.has("Graph"))
  }

  @Test func `every constant of a property, a parameter and a component is on it`() throws {
    let names = Set(try Self.rows().map(\.name))
    for component in UnitCatalog.standard.components {
      let unit = UnitInstance(component.unit)
      #expect(names.contains(component.constant), "\(component.constant)")
      for property in unit.properties where property.constant.hasPrefix("k") {
        #expect(names.contains(property.constant), "\(property.constant)")
      }
      for parameter in unit.description.parameters {
        // The meters of the right channel are those of the left and 1.
        guard !names.contains(parameter.constant) else { continue }
        #expect(
          names.contains { parameter.constant.hasPrefix($0) && $0.hasPrefix("kMulti") },
          "\(parameter.constant)")
      }
    }
  }

  @Test func `every function of the three headers is on it`() throws {
    let names = Set(try Self.rows().map(\.name))
    let functions = """
      NewAUGraph DisposeAUGraph AUGraphAddNode AUGraphRemoveNode AUGraphGetNodeCount AUGraphGetIndNode
      AUGraphNodeInfo AUGraphNewNodeSubGraph AUGraphGetNodeInfoSubGraph AUGraphIsNodeSubGraph
      AUGraphConnectNodeInput AUGraphSetNodeInputCallback AUGraphDisconnectNodeInput
      AUGraphClearConnections AUGraphGetNumberOfInteractions AUGraphGetInteractionInfo
      AUGraphCountNodeInteractions AUGraphGetNodeInteractions AUGraphUpdate AUGraphOpen AUGraphClose
      AUGraphInitialize AUGraphUninitialize AUGraphStart AUGraphStop AUGraphIsOpen AUGraphIsInitialized
      AUGraphIsRunning AUGraphGetCPULoad AUGraphGetMaxCPULoad AUGraphAddRenderNotify
      AUGraphRemoveRenderNotify CAShow
      AudioUnitInitialize AudioUnitUninitialize AudioUnitGetPropertyInfo AudioUnitGetProperty
      AudioUnitSetProperty AudioUnitAddPropertyListener AudioUnitRemovePropertyListener
      AudioUnitRemovePropertyListenerWithUserData AudioUnitAddRenderNotify
      AudioUnitRemoveRenderNotify AudioUnitGetParameter AudioUnitSetParameter
      AudioUnitScheduleParameters AudioUnitRender AudioUnitProcess AudioUnitProcessMultiple
      AudioUnitReset AudioOutputUnitStart AudioOutputUnitStop AUListenerCreate AUListenerDispose
      AUListenerAddParameter AUListenerRemoveParameter AUParameterSet AUParameterListenerNotify
      AudioComponentFindNext AudioComponentCount AudioComponentCopyName AudioComponentGetDescription
      AudioComponentGetVersion AudioComponentInstanceNew AudioComponentInstanceDispose
      AudioComponentInstanceGetComponent AudioComponentInstanceCanDo AudioComponentRegister
      """
    for name in functions.split(whereSeparator: \.isWhitespace) {
      #expect(names.contains(String(name)), "\(name)")
    }
  }
}

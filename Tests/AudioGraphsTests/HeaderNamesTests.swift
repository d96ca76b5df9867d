import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import TestSupport
import Testing

/// Checks the page that maps Core Audio's functions and constants to the names of this library.
@Suite struct HeaderNamesTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardized

  /// The rows of the page's tables: the C name and the text.
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

  /// The declarations of the rooms that users of the library import.
  private struct Declarations {
    /// Full names, such as `UnitCatalog.Component`.
    var types: Set<String> = []
    /// Full names, with the labels of functions: `AudioGraph.connect(_:_:to:_:)`.
    var members: Set<String> = []

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

    /// Reads a file formatted by `swift format`: the members of a type are indented by two more
    /// than the type.
    private mutating func read(_ text: String) {
      var scopes: [(indent: Int, name: String)] = []
      for line in text.split(separator: "\n") {
        let indent = line.prefix { $0 == " " }.count
        let words = line[line.index(line.startIndex, offsetBy: indent)...]
        guard let first = words.first, !"{)#/".contains(first) else { continue }
        while let scope = scopes.last, indent <= scope.indent { scopes.removeLast() }
        if let match = words.firstMatch(
          of: /^(?:@?[\w()]+ )*(?:class|struct|enum|protocol|extension|actor|typealias) ([\w.]+)/),
          scopes.last.map({ indent == $0.indent + 2 }) ?? true
        {
          let name = (scopes.last.map { $0.name + "." } ?? "") + match.1
          types.insert(name)
          scopes.append((indent, name))
        } else if let scope = scopes.last, indent == scope.indent + 2 {
          readMember(words, in: scope.name, of: text)
        }
      }
    }

    /// Reads a line with the beginning of a member.
    private mutating func readMember(_ line: Substring, in type: String, of text: String) {
      if let match = line.firstMatch(of: /^(?:@?[\w()]+ )*(?:let|var) (\w+)/) {
        members.insert("\(type).\(match.1)")
      } else if let match = line.firstMatch(of: /^(?:indirect )?case (.+)/) {
        for name in match.1.matches(of: /(?:^|, )(\w+)/) { members.insert("\(type).\(name.1)") }
      } else if let match = line.firstMatch(
        of: /^(?:@?[\w()]+ )*(?:func (\w+)|(init)[?]?)(?:<[^>]*>)?\(/)
      {
        let name = String(match.1 ?? match.2 ?? "")
        members.insert("\(type).\(name)(\(labels(text[match.range.upperBound...])))")
      }
    }

    /// The labels of a parameter list whose opening parenthesis was read.
    private func labels(_ text: Substring) -> String {
      var depth = 0
      var parameters = [""]
      for character in text {
        if "([{<".contains(character) { depth += 1 }
        if ")]}>".contains(character) {
          // The `>` of an arrow does not close a list.
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

    /// Whether a type or a member has this name.
    func has(_ name: String) -> Bool { types.contains(name) || members.contains(name) }
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
    // A member of another type, or with other labels, does not count.
    #expect(!declarations.has("AudioGraph.connect(_:)"))
    #expect(!declarations.has("AudioGraph.isClosed"))
    #expect(!declarations.has("AudioGraph.setProperty(_:_:_:to:)"))
    #expect(!declarations.has("Graph"))
  }

  @Test func `every constant of a property, a parameter and a component is on it`() throws {
    let names = Set(try Self.rows().map(\.name))
    for component in UnitCatalog.standard.components {
      let unit = UnitInstance(component.unit)
      if component.description.manufacturer == .apple {
        #expect(names.contains(component.constant), "\(component.constant)")
      }
      for property in unit.properties where property.constant.hasPrefix("k") {
        #expect(names.contains(property.constant), "\(property.constant)")
      }
      for parameter in unit.description.parameters where parameter.isOfHeaders {
        // The constants for the meters of the right channel are those of the left plus 1.
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

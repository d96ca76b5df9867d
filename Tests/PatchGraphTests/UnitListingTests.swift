import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderTaps
import Testing

struct UnitListingTests {
  let listing = UnitListing()

  @Test func `all components stand in the overview, each on a line within 100 columns`() {
    let lines = listing.text().split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 })
    for component in UnitCatalog.standard.components {
      let line = lines.first { $0.hasPrefix(component.name + " ") }
      #expect(line?.contains(component.description.subtype.text ?? "?") == true)
    }
  }

  @Test func `the columns of the overview begin below their headings`() throws {
    let lines = listing.text().split(separator: "\n").map(Array.init)
    let headings = String(try #require(lines.first))
    let column = headings.distance(
      from: headings.startIndex, to: try #require(headings.range(of: "OUTPUTS")).lowerBound)
    // A summary may continue in its own column.
    for line in lines.dropFirst().dropLast() where line[0] != " " {
      #expect(line[column] != " " && line[column - 1] == " ")
    }
  }

  /// Core Audio prints numbers that are four characters as such.
  private func printedID(_ info: PropertyInfo) -> String {
    guard info.id.rawValue > 0xFFFF else { return "\(info.id.rawValue)" }
    return FourCharCode(rawValue: info.id.rawValue).text.map { "'\($0)'" } ?? ""
  }

  @Test(arguments: UnitCatalog.standard.units.map { $0.description.name })
  func `a unit's text has each row of its description`(name: String) throws {
    let component = try #require(listing.component(named: name))
    let unit = component.unit.description
    let text = listing.text(of: component)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for info in GenericProperties.properties(of: unit) {
      #expect(words.contains("\(printedID(info)) \(info.key)"))
      #expect(words.contains("\(info.constant) \(info.summary)"))
      if !info.setting.proposed.isEmpty { #expect(words.contains("\(info.setting.proposed).")) }
    }
    for info in unit.listedParameters {
      let id = info.isOfBand ? "\(info.id) + N" : "\(info.id)"
      #expect(words.contains("\(id) \(info.key) \(info.scope)"))
      #expect(words.contains("\(info.constant) \(info.summary)"))
      if !info.setting.proposed.isEmpty { #expect(words.contains("\(info.setting.proposed).")) }
    }
    for note in unit.formatNotes { #expect(words.contains(note)) }
    for word in ["'\(unit.component.subtype.text ?? "")'", "\(unit.component.subtype.rawValue)"] {
      #expect(words.contains(word))
    }
  }

  @Test(arguments: UnitCatalog.standard.units.map { $0.description.name })
  func `the tables have each row of a unit's description`(name: String) throws {
    let unit = try #require(listing.component(named: name)?.unit.description)
    let markdown = ReferencePages.pages.filter {
      ["units/common.md", "units/\(name).md"].contains($0.path)
    }.map(\.text).joined()
    for info in GenericProperties.properties(of: unit) {
      let row = markdown.split(separator: "\n").first {
        $0.hasPrefix("| `\(info.key)`") && $0.contains("\(info.summary) `\(info.constant)`")
      }
      #expect(row?.contains("| \(printedID(info)) |") == true)
      #expect(row?.contains("*Ours") == !info.setting.proposed.isEmpty)
    }
    for info in unit.listedParameters {
      let id = info.isOfBand ? "\(info.id) + N" : "\(info.id)"
      let row = markdown.split(separator: "\n").first {
        $0.hasPrefix("| `\(info.key)` | \(id) |") && $0.contains(info.summary)
      }
      #expect(row?.contains("\(info.scope)") == true)
      #expect(row?.contains("*Ours") == !info.setting.proposed.isEmpty)
    }
  }

  @Test func `every row of a table has as many cells as its heading`() {
    let tables = ReferencePages.pages.map(\.text).joined(separator: "\n")
    var expected: Int?
    for line in tables.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        expected = nil
        continue
      }
      let cells = line.replacing("\\|", with: "").count { $0 == "|" }
      #expect(cells == expected ?? cells, "\(line)")
      expected = cells
    }
  }

  @Test(arguments: [
    "MultichannelMixer", "MultiChannelMixer", "kAudioUnitSubType_MultiChannelMixer", "mcmx",
    "aumx/mcmx/appl", "aumx mcmx appl",
  ])
  func `a unit is found by each of its spellings`(name: String) {
    #expect(listing.component(named: name)?.name == "MultichannelMixer")
  }

  @Test func `a misspelled name leads to the near ones`() {
    #expect(
      listing.unknown("remoteOI") == "there is no audio unit 'remoteOI'; did you mean 'remoteIO'"
        + " or 'RemoteIO'?")
    #expect(listing.unknown("granulator").contains("there are FormatConverter, iPodEQ, 3DMixer"))
  }

  @Test func `the JSON has every component, property and parameter`() throws {
    struct Component: Decodable {
      struct Row: Decodable {
        var id: UInt32
        var name: String
        var unit: String
        var access: String?
        var isReadOnly: Bool?
        var isWritableWhileInitialized: Bool
        var size: Int?
        var flags: UInt32?
      }
      var name: String
      var isAvailable: Bool
      var properties: [Row]?
      var parameters: [Row]?
    }
    let all = try JSONDecoder().decode([Component].self, from: Data(listing.json().utf8))
    #expect(all.map(\.name) == UnitCatalog.standard.components.map(\.name))
    for (row, component) in zip(all, UnitCatalog.standard.components) {
      #expect(row.isAvailable)
      let unit = component.unit.description
      #expect(
        row.properties?.map(\.name) == GenericProperties.properties(of: unit).map(\.key))
      #expect(row.parameters?.map(\.id) == unit.listedParameters.map(\.id))
      for (found, info) in zip(row.properties ?? [], GenericProperties.properties(of: unit)) {
        #expect(found.isWritableWhileInitialized == info.isWritableWhileInitialized)
        #expect(found.size == info.size)
        #expect(found.unit == info.unit.name)
        #expect(found.access == "\(info.access)")
      }
      for (found, info) in zip(row.parameters ?? [], unit.listedParameters) {
        #expect(found.isWritableWhileInitialized == !info.isReadOnly)
        #expect(found.isReadOnly == info.isReadOnly)
        #expect(found.flags == info.flags)
      }
      let one = try JSONDecoder().decode(
        Component.self, from: Data(listing.json(of: component).utf8))
      #expect(one.name == component.name)
    }
  }

  @Test func `no rule is listed twice, and no two have one code or one name`() {
    let rules = RuleCatalog.graph
    #expect(Set(rules.map(\.code)).count == rules.count)
    #expect(Set(rules.map(\.name)).count == rules.count)
    let codes = rules.map(\.code) + NameRules.all.map(\.code)
    #expect(Set(codes).count == codes.count)
  }

  @Test func `every callback and tap, and each setting of it, is in the tables`() {
    let rows =
      CallbackCatalog.standard.map { ($0.kind, $0.settings, CallbackListing.markdown()) }
      + TapCatalog.ofPatches.kinds.map { ($0.kind, $0.settings, CallbackListing.tapsMarkdown()) }
    for (kind, settings, table) in rows {
      #expect(table.contains("| `\(kind)` |"))
      for setting in settings {
        #expect(table.contains("| `\(setting.key)` | \(setting.expectation) |"))
        #expect(table.contains(setting.summary))
      }
    }
  }

  @Test(arguments: ReferencePages.pages.map(\.path))
  func `a page of the reference is the one that the program prints`(path: String) throws {
    let page = try #require(ReferencePages.pages.first { $0.path == path })
    #expect(
      page.text == PrintedFiles.text(of: "schema/\(path)"),
      "schema/\(path) is stale: patchrun units --pages schema")
  }

  @Test func `there are no other pages of the reference`() throws {
    let folder = PrintedFiles.package.appending(path: "schema")
    let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
    let pages = names.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
    #expect(Set(pages) == Set(ReferencePages.pages.map(\.path)))
  }

  @Test(arguments: UnitCatalog.standard.components.map(\.name))
  func `the example of a unit's page can be read`(name: String) throws {
    let component = try #require(listing.component(named: name))
    let page = ReferencePages.page(of: component).text
    let parts = page.components(separatedBy: "```json\n")
    let node = try #require(parts.dropFirst().first?.components(separatedBy: "\n```").first)
    let reading = PatchReader.read(bytes: Array("{ \"nodes\": { \(node) } }".utf8), name: name)
    let patch = PatchBuilder.build(reading, directory: "/")
    // The example lacks connections and formats, but all its settings must be valid.
    let findings = patch.diagnostics.filter { $0.code.rawValue.hasPrefix("PR05") }
    #expect(reading.diagnostics.isEmpty && findings.isEmpty, "\(node)")
  }
}

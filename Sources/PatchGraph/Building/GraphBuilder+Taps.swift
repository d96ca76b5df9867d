import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps

extension GraphBuilder {
  // MARK: Taps

  mutating func addTap(_ member: PatchDocument.Member<PatchDocument.Tap>) {
    guard let kind = member.value.kind, let at = member.value.at else { return }
    guard let description = TapCatalog.ofPatches.description(of: kind.value) else {
      let names = TapCatalog.ofPatches.kinds.map(\.kind)
      report(
        NameRules.tapKind.diagnostic(
          "there is no tap of the kind \(quoted(kind.value))", at: kind.range,
          pointer: kind.pointer,
          help: [didYouMean(kind.value, among: names)].compactMap(\.self)
            + ["the kinds are: " + names.joined(separator: ", ")],
          fixes: kind.json.correction(of: kind.value, among: names)))
      return
    }
    let values = settings(
      member.value.fields, description.settings, owner: member.value.json, isWritten: true,
      problems: description.problems)
    guard let node = tapNode(at), let values,
      let tap = try? description.makeTap(
        values, files: surroundings.files, takes: surroundings.takes)
    else { return }
    let path = member.value.fields.first { $0.name == "path" }?.value ?? member.value.json
    if case .text(let file)? = values["path"] {
      let first = file == "-" ? file : surroundings.takes.firstPath(of: file)
      guard case .success(let place) = place(toWrite: first, path),
        !refuseSharedFile(first, place, path)
      else { return }
      outputFiles.append(file)
      namedFiles.addWritten(first, place)
    }
    let bus = at.value.bus ?? 0
    places.recordFirst(at.json, for: Violation.Place(node: node, .bus(.output, bus)))
    guard let id = try? graph.addTap(tap, at: node, bus, name: member.name) else { return }
    let place = Violation.Place(node: node, .tap(id.rawValue))
    places.taps[place] = member.value.json
    places.record(at.json, for: place)
    layout.taps[member.name] = .init(
      id: id, at: .init(node: at.value.node, bus: bus), kind: kind.value, values: values, tap: tap)
  }

  mutating func refuseSharedFile(
    _ file: String, _ place: WritePlace?, _ json: JSONValue
  ) -> Bool {
    guard let clash = namedFiles.clash(file, place) else { return false }
    report(
      NameRules.recordingsApart.diagnostic(
        clash == .isPlayed
          ? "the patch plays this file, and would write over it"
          : "another tap writes this file", at: json.range,
        pointer: json.pointer.description, help: ["give the tap a file of its own"]))
    return true
  }

  mutating func tapNode(_ at: Located<PatchDocument.Address>) -> NodeID? {
    let name = at.value.node
    if let id = nodes[name] { return id }
    guard !doubts.names.contains(name) else { return nil }
    if callbacks[name] != nil {
      report(
        NameRules.tapPlace.diagnostic(
          "a tap watches a bus of a node, and \(quoted(name)) is a callback", at: at.range,
          pointer: at.pointer, help: ["put it at the node that the callback feeds"]))
    } else {
      reportUnknown(at, amongCallbacks: false)
    }
    return nil
  }
}

import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax

/// Reads the presets that nodes name. The settings of the node itself take precedence.
extension SubgraphAssembler {
  /// Reads the preset at a path, and adds its settings to a node. Reports where it cannot.
  mutating func applyPreset(
    _ place: JSONValue, into node: inout PatchDocument.Node, in directory: String
  ) {
    guard let written = place.string, node.subgraph == nil else { return }
    guard !written.isEmpty else {
      return refuse(preset: place, "the path of a preset is empty", .invalidFile)
    }
    let path = FilePolicy.join(directory, written)
    let preset: PatchReader.Preset?
    if let known = presets[path] {
      preset = known
    } else {
      preset = readPreset(path, place)
      presets[path] = .some(preset)
    }
    guard let preset, fits(preset, node, place),
      let unit = node.component.flatMap({ ComponentResolver.unit($0.value) })
    else { return }
    node.merge(preset.node, of: unit)
  }

  private mutating func readPreset(_ path: String, _ place: JSONValue) -> PatchReader.Preset? {
    let name = Self.shortened(path)
    let contents: FilePolicy.Contents
    do throws(FileRefusal) {
      contents = try policy.read(path, limit: limits.bytes)
    } catch {
      if error.isOfPolicy {
        report(error.diagnostic(FileRules.reading, name, at: place))
      } else {
        let status: Status =
          switch error {
          case .notFound: .fileNotFound
          case .notPermitted: .filePermission
          default: .invalidFile
          }
        refuse(preset: place, error.message(for: name), status)
      }
      return nil
    }
    files.append(.init(name: name, path: path))
    guard end + contents.bytes.count <= limits.bytes else {
      refuse(
        preset: place,
        "the patch and its presets have more than \(Diagnostic.decimal(limits.bytes)) bytes together",
        .invalidFile)
      return nil
    }
    let text = SourceText(name: name, bytes: contents.bytes)
    guard PresetRecognition.isPreset(text) else {
      refuse(
        preset: place, "\(quoted(name)) is no preset, so that nothing of it is shown", .invalidFile)
      return nil
    }
    let reading = PatchReader.readPreset(text, at: end, limits: limits)
    texts.append(reading.source)
    end += reading.source.bytes.count + 1
    diagnostics += reading.diagnostics
    return reading.diagnostics.hasErrors ? nil : reading.preset
  }

  /// Whether a preset is for the unit of a node. A component of the node that cannot be found is
  /// reported elsewhere.
  private mutating func fits(
    _ preset: PatchReader.Preset, _ node: PatchDocument.Node, _ place: JSONValue
  ) -> Bool {
    guard let component = node.component, let written = preset.node.component,
      let unit = ComponentResolver.unit(component.value)
    else { return false }
    switch ComponentResolver.resolve(written, node: "") {
    case .failure(let failure):
      if let diagnostic = failure.diagnostic, !diagnostics.contains(diagnostic) {
        report(diagnostic)
      }
      return false
    case .success(let other) where other != unit:
      let (name, wanted) = (other.description.name, unit.description.name)
      report(
        NameRules.presetUnit.diagnostic(
          "this is a preset of \(withArticle(name)), and the node is \(withArticle(wanted))",
          at: place.markRange, pointer: place.pointer.description,
          notes: [
            .init("the preset's unit", at: written.range),
            .init("the node's", at: component.range),
          ],
          help: ["name a preset that has been made of \(withArticle(wanted))"]))
      return false
    case .success: return true
    }
  }

  private mutating func refuse(preset place: JSONValue, _ message: String, _ status: Status) {
    var diagnostic = NameRules.presetFile.diagnostic(
      .init(message), at: place.markRange, pointer: place.pointer.description,
      help: status == .fileNotFound
        ? ["the path is relative to the patch that it is written in"] : [])
    diagnostic.status = status
    report(diagnostic)
  }
}

extension PatchDocument.Node {
  /// Adds the settings of a preset. The node's own settings take precedence.
  fileprivate mutating func merge(_ preset: PatchDocument.Node, of unit: any AudioUnit.Type) {
    let preset = preset.yielding(to: self, of: unit)
    properties = Self.merged(preset.properties, properties)
    parameters = Self.merged(preset.parameters, parameters)
    if bands == nil { bands = preset.bands }
    inputs = Self.merged(preset.inputs, inputs)
    outputs = Self.merged(preset.outputs, outputs)
  }

  /// The preset without the settings that settings of the node replace under another name: a pan
  /// replaces rows of levels, and rows of levels replace a pan.
  private func yielding(
    to own: PatchDocument.Node, of unit: any AudioUnit.Type
  ) -> PatchDocument.Node {
    let infos = UnitInstance(unit).properties.filter { $0.replacedBy != nil }
    guard !infos.isEmpty else { return self }
    func remains(
      _ fields: (properties: [PatchDocument.Field], parameters: [PatchDocument.Field]),
      besides own: (properties: [PatchDocument.Field], parameters: [PatchDocument.Field]),
      _ scope: Scope
    ) -> (properties: [PatchDocument.Field], parameters: [PatchDocument.Field]) {
      var left = fields
      for info in infos where info.scopes.contains(scope) {
        func isProperty(_ field: PatchDocument.Field) -> Bool {
          field.name == info.key || field.name == info.constant
        }
        func isParameter(_ field: PatchDocument.Field) -> Bool {
          unit.description.parameters(in: scope).contains {
            $0.id == info.replacedBy && ($0.key == field.name || $0.constant == field.name)
          }
        }
        if own.properties.contains(where: isProperty) {
          left.parameters.removeAll(where: isParameter)
        }
        if own.parameters.contains(where: isParameter) {
          left.properties.removeAll(where: isProperty)
        }
      }
      return left
    }
    var node = self
    (node.properties, node.parameters) = remains(
      (properties, parameters), besides: (own.properties, own.parameters), .global)
    for (path, scope) in [
      (\PatchDocument.Node.inputs, Scope.input), (\PatchDocument.Node.outputs, .output),
    ] {
      for index in node[keyPath: path].indices {
        let element = node[keyPath: path][index]
        guard
          let other = own[keyPath: path].first(where: { $0.bus.value == element.bus.value })
        else { continue }
        let left = remains(
          (element.properties, element.parameters), besides: (other.properties, other.parameters),
          scope)
        node[keyPath: path][index].properties = left.properties
        node[keyPath: path][index].parameters = left.parameters
      }
    }
    return node
  }

  private static func merged(
    _ preset: [PatchDocument.Field], _ own: [PatchDocument.Field]
  ) -> [PatchDocument.Field] {
    let names = Set(own.map(\.name))
    return preset.filter { !names.contains($0.name) } + own
  }

  private static func merged(
    _ preset: [PatchDocument.Element], _ own: [PatchDocument.Element]
  ) -> [PatchDocument.Element] {
    var elements = own
    for element in preset {
      guard let index = elements.firstIndex(where: { $0.bus.value == element.bus.value }) else {
        elements.append(element)
        continue
      }
      elements[index].properties = merged(element.properties, elements[index].properties)
      elements[index].parameters = merged(element.parameters, elements[index].parameters)
    }
    return elements
  }
}

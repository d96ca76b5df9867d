import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

extension UnitInstance {
  /// A parameter of a band, by its key in the band or its `k…` name; `nil` where there is no such
  /// band or parameter.
  func bandParameter(named name: String, of band: Int) -> ParameterInfo? {
    guard let bands = description.bands, (0..<bands.maximumCount).contains(band),
      let info = bands.parameters.first(where: { $0.key == name || $0.constant == name })
    else { return nil }
    return parameterInfo(info.id + UInt32(band), .global)
  }
}

extension GraphBuilder {
  /// Sets the bands of a node: first their number, unless the node sets it, then the parameters of
  /// each. A written band is on unless it sets its own bypass.
  ///
  /// - Parameter properties: The properties that the node sets.
  mutating func setBands(
    _ written: Located<[PatchDocument.Band]>, besides properties: [PatchDocument.Field],
    _ unit: UnitInstance, _ id: NodeID
  ) {
    let name = unit.description.name
    guard let bands = unit.description.bands else {
      report(
        UnitRules.parameterKnown.diagnostic(
          "\(name) has no bands", status: .invalidParameter, at: written.json.markRange,
          pointer: written.pointer,
          help: ["an equalizer has some: \"component\": \"NBandEQ\""]))
      return
    }
    let key = unit.info(bands.countProperty)?.key ?? ""
    let saysNumber = properties.contains {
      unit.info(named: $0.name)?.id == bands.countProperty
    }
    if !saysNumber, (1...bands.maximumCount).contains(written.value.count) {
      do throws(Violation) {
        try unit.setProperty(
          bands.countProperty, .global, 0, to: .uint32(UInt32(written.value.count)))
      } catch {
        report(error.at(node: id), at: written.json)
      }
    }
    var count = bands.maximumCount
    if case .uint32(let number)? = try? unit.property(bands.countProperty) { count = Int(number) }
    if written.value.isEmpty {
      report(
        UnitRules.parameterRange.diagnostic(
          "\(name) has at least one band", status: .invalidPropertyValue,
          at: written.json.markRange, pointer: written.pointer,
          help: ["leave \"bands\" out, and it changes nothing"]))
    }
    if written.value.count > count, let first = written.value.dropFirst(count).first {
      report(
        UnitRules.parameterKnown.diagnostic(
          "\(name) has \(count) bands here, and this would be one more",
          status: .invalidPropertyValue, at: first.json.markRange,
          pointer: first.json.pointer.description,
          help: [
            count < bands.maximumCount
              ? "leave \(quoted(key)) out: it is then as many as are written"
              : "there are \(bands.maximumCount) at most: let a second \(name) have the others"
          ]))
    }
    for (number, band) in written.value.prefix(count).enumerated() {
      set(band, number, bands, unit, id)
    }
  }

  private mutating func set(
    _ band: PatchDocument.Band, _ number: Int, _ bands: UnitDescription.Bands,
    _ unit: UnitInstance, _ id: NodeID
  ) {
    let bypass = bands.bypass + UInt32(number)
    let saysBypass = band.parameters.contains {
      unit.bandParameter(named: $0.name, of: number)?.id == bypass
    }
    if !saysBypass { try? unit.setParameter(bypass, .global, 0, to: 0) }
    for field in band.parameters where field.value.kind != .invalid {
      guard let info = unit.bandParameter(named: field.name, of: number) else {
        let keys = bands.parameters.map(\.key)
        let guess = didYouMean(field.name, among: keys)
        report(
          UnitRules.parameterKnown.diagnostic(
            "a band of \(unit.description.name) has no parameter \(quoted(field.name))",
            status: .invalidParameter, at: field.key.range, pointer: field.key.pointer,
            help: [guess].compactMap(\.self)
              + ["its parameters are: " + keys.joined(separator: ", ")],
            fixes: guess == nil ? [] : field.key.json.correction(of: field.name, among: keys)))
        continue
      }
      setParameter(info, field, unit, id, .global, 0)
    }
  }

  /// The name of the band parameter that a name refers to, with or without a band number: `gain`
  /// for `gain3`. `nil` for none.
  static func nameInBand(_ name: String, _ unit: UnitInstance) -> String? {
    if unit.bandParameter(named: name, of: 0) != nil { return name }
    let bare = String(name.prefix { !$0.isASCII || !$0.isNumber })
    return unit.bandParameter(named: bare, of: 0) == nil ? nil : bare
  }
}

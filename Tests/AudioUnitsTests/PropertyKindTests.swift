import AudioTypes
import AudioUnits
import RenderCore
import Testing

/// Values that select one of a few, or contain a list.
struct PropertyKindTests {
  private let unit = UnitInstance(Chooser.self)

  private func refusal(_ id: PropertyID, _ value: PropertyValue) -> Violation? {
    do {
      try unit.setProperty(id, to: value)
      return nil
    } catch { return error }
  }

  @Test func `a choice is one of its values`() throws {
    #expect(try unit.property(.sampleRateConverterComplexity) == .uint32(0x6E6F_726D))
    try unit.setProperty(.sampleRateConverterComplexity, to: .uint32(7))
    #expect(try unit.property(.sampleRateConverterComplexity) == .uint32(7))
    let refused = try #require(refusal(.sampleRateConverterComplexity, .uint32(8)))
    #expect(refused.status == -10851)
    #expect(refused.message == "'complexity' is \"normal\" or \"plain\", not 8")
    #expect(
      refusal(.sampleRateConverterComplexity, .uint32(0x6E6F_7271))?.message
        == "'complexity' is \"normal\" or \"plain\", not 1852797553")
    #expect(
      refusal(.sampleRateConverterComplexity, .string("normal"))?.message
        == "'complexity' takes \"normal\" or \"plain\"")
  }

  @Test func `a choice is called by its name, its constant or its code`() {
    let normal = Chooser.choices[0]
    let plain = Chooser.choices[1]
    #expect(normal.code == "norm")
    #expect(plain.code == nil)
    for text in ["normal", "kNormal", "norm"] { #expect(normal.isCalled(text)) }
    for text in ["Normal", "", "1852797549"] { #expect(!normal.isCalled(text)) }
    #expect(plain.isCalled("plain"))
    #expect(!plain.isCalled(""))
  }

  @Test func `each number of a list is in the range`() throws {
    try unit.setProperty(.channelMap, to: .integers([0, -1, 7]))
    #expect(try unit.property(.channelMap) == .integers([0, -1, 7]))
    try unit.setProperty(.channelMap, to: .integers([]))
    let refused = try #require(refusal(.channelMap, .integers([0, 8, -2])))
    #expect(refused.status == -10851)
    #expect(refused.message == "'map' is an array of whole numbers from -1 to 7, not 8")
    #expect(
      refusal(.channelMap, .uint32(1))?.message
        == "'map' takes an array of whole numbers from -1 to 7")
  }
}

private enum Chooser: AudioUnit {
  static let choices: [SettingInfo.Choice] = [
    .init(0x6E6F_726D, "normal", constant: "kNormal"), .init(7, "plain"),
  ]

  static let description = UnitDescription(
    component: ComponentDescription(
      type: .formatConverterType, subtype: "test", manufacturer: .apple),
    name: "Chooser", constant: "kChooser", summary: "Chooses.",
    inputs: .init(count: 1), outputs: .init(count: 1),
    properties: [
      PropertyInfo(
        .sampleRateConverterComplexity, key: "complexity", constant: "kComplexity",
        kind: .choice(choices), scopes: [.global], access: .readWrite,
        defaultValue: .uint32(0x6E6F_726D), summary: "Which."),
      PropertyInfo(
        .channelMap, key: "map", constant: "kMap", kind: .integers(-1...7), scopes: [.global],
        access: .readWrite, summary: "Where to."),
    ], formatNotes: [])

  static func refusal(of format: StreamFormat, scope: Scope, element: Int) -> FormatRefusal? {
    nil
  }

  static func violations(in configuration: UnitConfiguration) -> [Violation] { [] }

  static func makeKernels(_ configuration: UnitConfiguration, controls: ControlLayout)
    -> UnitKernels
  { UnitKernels() }
}

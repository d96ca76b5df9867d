import AudioTypes
import AudioUnits
import Testing

struct UnitCatalogTests {
  let catalog = UnitCatalog.standard

  private func all(_ wanted: ComponentDescription) -> [String] {
    var found: [String] = []
    var previous: ComponentDescription?
    while let next = catalog.findNext(after: previous, matching: wanted) {
      found.append(next.name)
      previous = next.description
    }
    return found
  }

  /// The units of the guide.
  private let seven = [
    "FormatConverter", "iPodEQ", "3DMixer", "MultichannelMixer", "GenericOutput", "remoteIO",
    "voiceProcessingIO",
  ]

  @Test func `a search for anything finds the seven units in order, and later ones`() {
    let names = catalog.components.map(\.name)
    #expect(all(ComponentDescription()) == names)
    #expect(names.filter(seven.contains) == seven)
    #expect(catalog.count(matching: ComponentDescription()) == names.count)
    #expect(Set(names).count == names.count)
    let ofApple = catalog.components.filter { $0.description.manufacturer == .apple }.map(\.name)
    #expect(all(ComponentDescription(manufacturer: .apple)) == ofApple)
    #expect(Set(ofApple).isSuperset(of: seven))
  }

  @Test func `wildcards find what Core Audio finds`() {
    let outputs = ComponentDescription(type: .outputType, manufacturer: .apple)
    #expect(catalog.count(matching: outputs) == 3)
    #expect(all(outputs) == ["GenericOutput", "remoteIO", "voiceProcessingIO"])
    let mixers = ComponentDescription(type: .mixerType)
    #expect(Array(all(mixers).prefix(2)) == ["3DMixer", "MultichannelMixer"])
    #expect(all(ComponentDescription(subtype: "ipeq")) == ["iPodEQ"])
    #expect(catalog.count(matching: ComponentDescription(manufacturer: "acme")) == 0)
    #expect(catalog.findNext(matching: ComponentDescription(type: "aumu")) == nil)
  }

  @Test func `flags or a mask find nothing`() {
    #expect(catalog.count(matching: ComponentDescription(flags: 1)) == 0)
    #expect(catalog.findNext(matching: ComponentDescription(flagsMask: 1)) == nil)
  }

  @Test(arguments: [
    ("MultichannelMixer", "mcmx"), ("kAudioUnitSubType_MultiChannelMixer", "mcmx"),
    ("MultiChannelMixer", "mcmx"), ("mcmx", "mcmx"), ("aumx/mcmx/appl", "mcmx"),
    ("aumx mcmx appl", "mcmx"), ("iPodEQ", "ipeq"), ("kAudioUnitSubType_AUiPodEQ", "ipeq"),
    ("remoteIO", "rioc"), ("RemoteIO", "rioc"), ("kAudioUnitSubType_RemoteIO", "rioc"),
    ("GenericOutput", "genr"), ("kAudioUnitSubType_GenericOutput", "genr"),
    ("FormatConverter", "conv"), ("kAudioUnitSubType_AUConverter", "conv"),
    ("3DMixer", "3dem"), ("kAudioUnitSubType_AU3DMixerEmbedded", "3dem"),
    ("voiceProcessingIO", "vpio"), ("kAudioUnitSubType_VoiceProcessingIO", "vpio"),
    ("Splitter", "splt"), ("kAudioUnitSubType_Splitter", "splt"), ("aufc/splt/appl", "splt"),
    ("MultiSplitter", "mspl"), ("aumx/mspl/appl", "mspl"), ("Merger", "merg"),
    ("kAudioUnitSubType_Merger", "merg"), ("aufc merg appl", "merg"), ("MatrixMixer", "mxmx"),
    ("aumx/mxmx/appl", "mxmx"), ("PeakLimiter", "lmtr"), ("aufx/lmtr/appl", "lmtr"),
    ("DynamicsProcessor", "dcmp"), ("kAudioUnitSubType_DynamicsProcessor", "dcmp"),
    ("Varispeed", "vari"), ("kAudioUnitSubType_Varispeed", "vari"), ("aufc/vari/appl", "vari"),
  ])
  func `a component is found by each of its names`(name: String, subtype: String) {
    #expect(catalog.component(named: name)?.description.subtype.text == subtype)
  }

  @Test(arguments: ["", "mixer", "aumx", "appl", "aumx/mcmx", "aumx/ipeq/appl", "MIXER"])
  func `another name finds nothing`(name: String) {
    #expect(catalog.component(named: name) == nil)
  }
}

import AudioTypes
import Testing

struct CodesTests {
  @Test(arguments: ["", "abc", "abcde", "ab\u{e9}", "ab\tc", "ab\u{7f}c"])
  func `a code is four printable characters, and nothing else`(text: String) {
    #expect(FourCharCode(text) == nil)
  }

  @Test func `a code prints in quotes, or as a number where it does not print`() {
    let linear: FourCharCode = "lpcm"
    #expect(linear.rawValue == 1_819_304_813)
    #expect(linear.text == "lpcm")
    #expect("\(FourCharCode(rawValue: 1_919_512_419))" == "'rioc'")
    #expect("\(FourCharCode(rawValue: 0x1F))" == "0x0000001F")
    #expect("\(FourCharCode(rawValue: 0x6162_637F))" == "0x6162637F")
  }

  @Test(arguments: [
    ("aufc", 1_635_083_875), ("conv", 1_668_247_158), ("aufx", 1_635_083_896),
    ("ipeq", 1_768_973_681), ("aumx", 1_635_085_688), ("3dem", 862_217_581),
    ("mcmx", 1_835_232_632), ("auou", 1_635_086_197), ("genr", 1_734_700_658),
    ("rioc", 1_919_512_419), ("vpio", 1_987_078_511), ("appl", 1_634_758_764),
  ])
  func `the codes of the units are Core Audio's numbers`(text: String, number: Int) {
    #expect(FourCharCode(text)?.rawValue == UInt32(number))
  }

  @Test(
    arguments: [
      (0, "noErr", "noErr (0)"),
      (-10868, "kAudioUnitErr_FormatNotSupported", "kAudioUnitErr_FormatNotSupported (-10868)"),
      (
        -10863, "kAUGraphErr_CannotDoInCurrentContext",
        "kAUGraphErr_CannotDoInCurrentContext (-10863)"
      ),
      (-50, "kAudio_ParamError", "kAudio_ParamError (-50)"),
      (
        560_161_140, "kAudioSessionIncompatibleCategory",
        "kAudioSessionIncompatibleCategory ('!cat')"
      ),
      (-2_147_450_879, "badComponentInstance", "badComponentInstance (-2147450879)"),
      (1_886_547_824, nil, "'prop'"),
      (-12_345, nil, "-12345"),
    ] as [(Int32, String?, String)])
  func `a status has Core Audio's name, and prints as four characters where they print`(
    number: Int32, name: String?, text: String
  ) {
    #expect(Status(rawValue: number).name == name)
    #expect("\(Status(rawValue: number))" == text)
  }

  @Test func `the named statuses are the header's numbers`() {
    let wanted: [(Status, Int32)] = [
      (.ok, 0), (.unauthorized, -10847), (.invalidOfflineRender, -10848), (.initialized, -10849),
      (.propertyNotInUse, -10850), (.invalidPropertyValue, -10851), (.nodeNotFound, -10860),
      (.invalidConnection, -10861), (.outputNode, -10862), (.cannotDoInCurrentContext, -10863),
      (.invalidAudioUnit, -10864), (.propertyNotWritable, -10865), (.invalidScope, -10866),
      (.uninitialized, -10867), (.formatNotSupported, -10868), (.fileNotSpecified, -10869),
      (.unknownFileType, -10870), (.invalidFile, -10871), (.tooManyFramesToProcess, -10874),
      (.failedInitialization, -10875), (.noConnection, -10876), (.invalidElement, -10877),
      (.invalidParameter, -10878), (.invalidProperty, -10879), (.parameterError, -50),
      (.fileNotFound, -43), (.filePermission, -54), (.unimplemented, -4),
      (.badComponentInstance, -2_147_450_879), (.badComponentSelector, -2_147_450_878),
      (.invalidComponentID, -3000), (.incompatibleCategory, 560_161_140),
      (.noHardware, 1_852_794_999),
    ]
    for (status, number) in wanted {
      #expect(status.rawValue == number)
      #expect(status.name != nil)
    }
    #expect(Status.incompatibleCategory.number == "'!cat'")
    #expect(Status.noHardware.number == "'nohw'")
  }

  @Test func `parameter units have the header's numbers`() {
    let wanted: [(ParameterUnit, UInt32)] = [
      (.generic, 0), (.boolean, 2), (.hertz, 8), (.decibels, 13), (.linearGain, 14),
      (.degrees, 15), (.pan, 18), (.meters, 19), (.ratio, 25), (.custom, 26),
    ]
    for (unit, number) in wanted { #expect(unit.rawValue == number) }
  }

  @Test func `a search matches what it names, and a flag finds nothing`() {
    let mixer = ComponentDescription(type: .mixerType, subtype: "mcmx", manufacturer: .apple)
    #expect(ComponentDescription().matches(mixer))
    #expect(ComponentDescription(type: .mixerType).matches(mixer))
    #expect(ComponentDescription(subtype: "mcmx").matches(mixer))
    #expect(!ComponentDescription(type: .outputType).matches(mixer))
    #expect(!ComponentDescription(flags: 1).matches(mixer))
    #expect(!ComponentDescription(flagsMask: 1).matches(mixer))
    #expect(ComponentDescription(type: .mixerType).hasWildcard)
    #expect(!mixer.hasWildcard)
    #expect("\(ComponentDescription(type: .mixerType))" == "'aumx' any any")
  }
}

import AudioTypes
import AudioUnits
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import TestSupport

/// A patch and its device.
struct GeneratedPatch: Sendable {
  var document: JSONText
  var hardware = HardwareAssumption()
}

/// Generates patches that are valid by construction: a tree of units and callbacks that grows from
/// the output unit, each with a stream format that its destination supports.
struct PatchGenerator {
  /// A stream format, independent of its notation.
  struct Sound: Hashable {
    var rate: Double
    var channels: Int
    var sample: SampleType
    var isInterleaved = false
  }

  /// The formats that a bus supports.
  struct Wanted {
    var rate: Double?
    var channels = 1...2
    var samples = SampleType.allCases
  }

  /// The folder of sound files.
  static let sounds = PrintedFiles.package.appending(path: "patches/audio").path

  private var random: SplitMix64
  private var document = JSONText.object([])
  private var hardware = HardwareAssumption()
  private var sessionRate = 44_100.0
  private var largestSlice = 1024
  private var common: Sound?
  private var head = "io"
  private var isMicrophoneFree = false
  private var hearsMicrophone = false
  private var taken: Set<String> = []
  private var generators: [String] = []

  /// - Parameter seed: The same seed gives the same patch.
  static func patch(seed: UInt64) -> GeneratedPatch {
    var generator = PatchGenerator(random: SplitMix64(seed: seed))
    return generator.generate()
  }

  private init(random: SplitMix64) { self.random = random }

  // MARK: Chance

  private mutating func one(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    pick([
      range.lowerBound, range.upperBound,
      ((Double.random(in: range, using: &random) * 1000).rounded(.towardZero) / 1000)
        .clamped(to: range),
    ])
  }

  private mutating func name(_ kind: String) -> String {
    let words = [
      kind, "été", "a b", "x~y", "n/1", "Ünit", "it's", "π", "mixer.2", "the \"loud\" one",
    ]
    while true {
      let word = one(in: 3) ? pick(words) : kind
      let name = taken.contains(word) ? "\(word)\(taken.count)" : word
      if taken.insert(name).inserted { return name }
    }
  }

  // MARK: The whole

  private mutating func generate() -> GeneratedPatch {
    let keys = [
      "$schema", "schemaVersion", "title", "session", "streamFormats", "streamFormat", "callbacks",
      "nodes", "connections", "taps", "timeline",
    ]
    for key in one(in: 3) ? keys.shuffled(using: &random) : keys {
      document[key] = key == "connections" || key == "timeline" ? [] : .object([])
    }
    document["$schema"] = one(in: 2) ? "../schema/patch.schema.json" : nil
    document["schemaVersion"] = one(in: 2) ? 1 : nil
    document["title"] = one(in: 2) ? "Any patch" : nil
    if one(in: 3) { document["compensateLatency"] = .boolean(!one(in: 3)) }
    if one(in: 4) { hardware.channels = pick([1, 2, 6]) }
    if one(in: 4) { hardware.inputChannels = pick([1, 2]) }
    if one(in: 2) {
      sessionRate = pick([44_100, 48_000, 96_000])
      document["session", "preferredSampleRate"] = .number(sessionRate)
    }
    var duration: Double?
    if one(in: 3) {
      duration = pick([0.005, 0.01, 0.023, 0.093])
      document["session", "preferredIOBufferDuration"] = .number(duration ?? 0)
    }
    largestSlice = HardwareGrant.ioBufferFrames(forDuration: duration, sampleRate: sessionRate)
    if one(in: 2) {
      let format = sound(Wanted(rate: one(in: 2) ? sessionRate : nil))
      common = format
      document["streamFormat"] = spelled(format)
    } else {
      document["streamFormat"] = nil
    }
    makeHead()
    if one(in: 5) { addNode("mcmx", "spare") }
    if one(in: 6) {
      // A node that nothing pulls is not an error.
      let unheard = addNode("ipeq", "unheard")
      finishEqualizer(unheard, source(Wanted(), into: unheard, 0, depth: 0))
    }
    finish()
    return GeneratedPatch(document: document, hardware: hardware)
  }

  private mutating func makeHead() {
    let component = pick(["rioc", "rioc", "vpio", "genr"])
    head = addNode(component, component == "genr" ? "out" : "io")
    guard component != "genr" else {
      _ = source(Wanted(rate: one(in: 3) ? nil : sessionRate), into: head, 0, depth: 3)
      return
    }
    isMicrophoneFree = one(in: 2)
    var plays = true
    if isMicrophoneFree && one(in: 6) {
      plays = false
      document["nodes", head, "outputs", "0", "properties", "enableIO"] = false
      let (address, _) = microphone(Wanted())
      addTap(address)
    } else {
      _ = source(Wanted(rate: one(in: 3) ? nil : sessionRate), into: head, 0, depth: 3)
    }
    if plays && one(in: 5) { document["nodes", head, "device", "sink"] = deviceChoice() }
    if hearsMicrophone && one(in: 5) {
      document["nodes", head, "device", "source"] = deviceChoice()
    }
    guard one(in: 2) else { return }
    document["session", "category"] = .string(
      pick(
        plays && hearsMicrophone
          ? ["playAndRecord", "multiRoute"]
          : hearsMicrophone
            ? ["record", "playAndRecord"] : ["playback", "ambient", "soloAmbient", "playAndRecord"])
    )
  }

  /// A device by name, by a pattern or by its properties.
  private mutating func deviceChoice() -> JSONText {
    pick([
      "usb", "alsa_*.analog-stereo", "??", ["description": "*Scarlett*"],
      ["bus": "usb", "device.bus_path": "pci-*"], ["driver": "module-null-sink.c", "name": "*"],
    ])
  }

  /// Removes empty members, sets optional properties, and adds the timeline.
  private mutating func finish() {
    for name in document["nodes"]?.members.map(\.name) ?? [] { decorate(name) }
    for tapped in PatchView(document).nodes where one(in: 8) && !tapped.unit.description.isOutput {
      addTap(tapped.name)
    }
    addTimeline()
    for key in ["session", "streamFormats", "callbacks", "connections", "taps", "timeline"]
    where document[key]?.count == 0 && !one(in: 4) {
      document[key] = nil
    }
    for path in document.paths where one(in: 60) {
      guard case .object? = document[path], document[path]?["comment"] == nil,
        path.last != "constants"
      else { continue }
      document[path + ["comment"]] = one(in: 2) ? "why" : ["why", "and how"]
    }
  }

  // MARK: Nodes

  @discardableResult
  private mutating func addNode(_ subtype: String, _ kind: String) -> String {
    let name = name(kind)
    guard let component = UnitCatalog.standard.component(named: subtype) else { return name }
    let code = component.description
    document["nodes", name, "component"] = pick([
      .string(component.name), .string(component.name), .string(subtype),
      ["type": .string(code.type.text ?? ""), "subtype": .string(subtype)],
      [
        "type": .string(code.type.text ?? ""), "subtype": .string(subtype),
        "manufacturer": "appl",
      ],
    ])
    if !component.unit.description.sizesItsOwnSlices, largestSlice > 1024 || !one(in: 5) {
      document["nodes", name, "properties", "maximumFramesPerSlice"] = pick([4096, 4096, 8192])
    }
    return name
  }

  /// Feeds an input and returns the format of the feed.
  private mutating func source(
    _ wanted: Wanted, into node: String, _ input: Int, depth: Int
  ) -> Sound {
    if depth > 0 && !one(in: 3) {
      let (address, format) = output(wanted, depth: depth - 1)
      if one(in: 5) {
        return feed(through: address, format, wanted, into: node, input)
      }
      connect(address, node, input)
      return format
    }
    let format = sound(wanted)
    let callback =
      !generators.isEmpty && one(in: 6) ? pick(generators) : addGenerator()
    connect(one(in: 5) ? addProcessor(of: callback) : callback, node, input)
    give(format, node, "inputs", input)
    return format
  }

  /// Feeds an input by a callback that processes an output.
  private mutating func feed(
    through address: String, _ format: Sound, _ wanted: Wanted, into node: String, _ input: Int
  ) -> Sound {
    var callback = addProcessor(of: address)
    if one(in: 3) { callback = addProcessor(of: callback) }
    connect(callback, node, input)
    var given = sound(wanted)
    given.rate = format.rate
    given.channels = format.channels
    give(given, node, "inputs", input)
    return given
  }

  /// A unit with an output: its address and format.
  private mutating func output(_ wanted: Wanted, depth: Int) -> (address: String, Sound) {
    if isMicrophoneFree && one(in: 3) { return microphone(wanted) }
    var kinds = ["conv"]
    if depth > 0 { kinds.append("vari") }
    if wanted.channels.overlaps(1...2) { kinds += ["ipeq", "ipeq", "lmtr", "dcmp"] }
    if wanted.channels.contains(2) && depth > 0 { kinds += ["mspl", "paths"] }
    if wanted.channels.contains(2) && wanted.samples.count > 1 {
      kinds += ["mcmx", "mcmx", "3dem"]
      if wanted.samples.contains(.float32) { kinds += ["many", "many", "many"] }
    }
    let kind = pick(kinds)
    switch kind {
    case "mspl":
      let node = addNode(pick(["splt", "mspl"]), "split")
      let format = source(wanted, into: node, 0, depth: depth)
      return (one(in: 2) ? node : "\(node):1", format)
    case "paths":
      // One source by two paths with different latencies.
      var stereo = wanted
      stereo.channels = 2...2
      let split = addNode("mspl", "split")
      document["nodes", split, "outputCount"] = .number(Int.random(in: 2...3, using: &random))
      let format = source(stereo, into: split, 0, depth: depth)
      let late = addNode(pick(["lmtr", "dcmp"]), "late")
      let sum = addNode("mxmx", "sum")
      connect("\(split):0", late, 0)
      give(format, late, "outputs", 0)
      connect(late, sum, 0)
      connect("\(split):1", sum, 1)
      give(format, sum, "outputs", 0)
      if one(in: 2) {
        document["nodes", sum, "properties", "matrixLevels"] = [
          [1, 0], [0, 1], [0.5, 0], [0, 0.5],
        ]
      }
      return (sum, format)
    case "lmtr", "dcmp":
      let node = addNode(kind, kind == "lmtr" ? "limiter" : "dynamics")
      var narrow = wanted
      narrow.channels = wanted.channels.clamped(to: 1...2)
      let format = source(narrow, into: node, 0, depth: depth)
      give(format, node, "outputs", 0)
      if kind == "lmtr", one(in: 2) {
        document["nodes", node, "properties", "lookAhead"] = .number(number(0.001...0.03))
      }
      return (node, format)
    case "vari":
      // A microphone cannot be read faster than in real time.
      let wasFree = isMicrophoneFree
      isMicrophoneFree = false
      let node = addNode("vari", "speed")
      let format = source(wanted, into: node, 0, depth: depth)
      isMicrophoneFree = wasFree
      return (node, format)
    case "ipeq":
      let node = addNode("ipeq", "eq")
      var narrow = wanted
      narrow.channels = wanted.channels.clamped(to: 1...2)
      let format = source(narrow, into: node, 0, depth: depth)
      finishEqualizer(node, format)
      return (node, format)
    case "mcmx": return mixer("mcmx", wanted, depth: depth)
    case "many": return many(wanted)
    case "3dem": return mixer("3dem", wanted, depth: depth)
    default:
      let node = addNode("conv", "converter")
      let taken = source(Wanted(rate: nil, channels: 1...8), into: node, 0, depth: depth)
      let format = sound(wanted)
      give(format, node, "outputs", 0)
      if taken.channels != format.channels && one(in: 2) {
        document["nodes", node, "outputs", "0", "properties", "channelMap"] = .array(
          (0..<format.channels).map { .number($0 % 3 == 2 ? -1 : $0 % taken.channels) })
      }
      return (node, format)
    }
  }

  private mutating func finishEqualizer(_ node: String, _ format: Sound) {
    give(format, node, "outputs", 0)
    if !one(in: 5) {
      document["nodes", node, "properties", "presentPreset"] = pick([
        "Rock", "Bass Booster", 1, 22, ["number": -3, "name": "mine"],
      ])
    }
  }

  private mutating func mixer(
    _ subtype: String, _ wanted: Wanted, depth: Int
  ) -> (address: String, Sound) {
    let node = addNode(subtype, subtype == "mcmx" ? "mixer" : "space")
    let isSpatial = subtype == "3dem"
    var format = Sound(
      rate: wanted.rate ?? pick([sessionRate, sessionRate, 48_000]), channels: 2, sample: .float32)
    if one(in: 4) || !wanted.samples.contains(.float32) {
      format.sample = pick(wanted.samples)
      give(format, node, "outputs", 0, isMixer: true)
    } else if format.rate != common?.rate || one(in: 2) {
      document["nodes", node, "outputs", "0", "sampleRate"] = spelled(rate: format.rate)
    }
    let count = Int.random(in: 1...3, using: &random)
    if one(in: 2) {
      document["nodes", node, "inputCount"] = .number(count + Int.random(in: 0...2, using: &random))
    }
    for input in 0..<count where input == 0 || !one(in: 4) {
      let passes = isSpatial && one(in: 4)
      if isSpatial {
        let algorithm = pick(["equalPowerPanning", "sphericalHead", "soundField"])
        if passes || one(in: 2) {
          document["nodes", node, "inputs", "\(input)", "properties", "spatializationAlgorithm"] =
            passes ? "stereoPassThrough" : .string(algorithm)
        }
      }
      _ = source(
        isSpatial
          ? Wanted(rate: nil, channels: passes ? 1...2 : 1...1, samples: [.int16])
          : Wanted(rate: format.rate), into: node, input, depth: depth)
    }
    return (node, format)
  }

  /// A mixer of tones, each of which is written once.
  private mutating func many(_ wanted: Wanted) -> (address: String, Sound) {
    let node = addNode("mcmx", "bank")
    let format = Sound(rate: wanted.rate ?? sessionRate, channels: 2, sample: .float32)
    document["nodes", node, "outputs", "0", "sampleRate"] = spelled(rate: format.rate)
    let number = Int.random(in: 1...4, using: &random)
    let count = named(.number(number))
    let tone = "\(name("many"))-{i}"
    document["callbacks", tone] = [
      "count": count, "kind": "tone", "frequency": "{200 * (i + 1)}", "amplitude": "-20 dB",
    ]
    document["nodes", node, "inputCount"] = count
    document["nodes", node, "inputs", "{i}"] = [
      "count": count, "streamFormat": spelled(format),
      "parameters": ["pan": .string("{i / \(number)}"), "volume": "{-6 * i} dB"],
    ]
    document["connections", "99999"] = [
      "count": count, "from": .string(tone), "to": .string("\(node):{i}"),
    ]
    return (node, format)
  }

  private mutating func microphone(_ wanted: Wanted) -> (address: String, Sound) {
    isMicrophoneFree = false
    hearsMicrophone = true
    let format = sound(wanted)
    document["nodes", head, "inputs", "1", "properties", "enableIO"] = true
    give(format, head, "outputs", 1)
    return ("\(head):\(one(in: 4) ? elementName(head, "outputs", 1) : "1")", format)
  }

  private mutating func connect(_ from: String, _ node: String, _ input: Int) {
    var to = input == 0 && !one(in: 3) ? node : "\(node):\(input)"
    if one(in: 6) { to = "\(node):\(elementName(node, "inputs", input))" }
    document["connections", "99999"] = ["from": .string(from), "to": .string(to)]
  }

  /// Gives an element a name that is unique in its node.
  private mutating func elementName(_ node: String, _ scope: String, _ bus: Int) -> String {
    let word = pick(["Voice", "Übung: ", "a b/c~d", "the \"loud\" one ", "-3 dB ", "n"])
    let name = "\(word)\(bus)"
    document["nodes", node, scope, "\(bus)", "properties", "elementName"] = .string(name)
    return name
  }

  // MARK: Callbacks

  private mutating func addGenerator() -> String {
    let callback: JSONText = pick([
      ["kind": "tone", "frequency": .number(number(0...3000)), "amplitude": 0.5],
      ["kind": "tone", "waveform": "square"], ["kind": "silence"],
      ["kind": "noise", "color": "pink", "amplitude": .number(number(0...1))],
      ["kind": "sweep", "from": 20, "to": 3000, "duration": .number(number(0.1...10))],
      ["kind": "impulse", "period": 0.5], ["kind": "impulse", "at": 1],
      ["kind": "expression", "value": "sin(tau * 440 * time) * k", "constants": ["k": 0.5]],
      [
        "kind": "file", "path": .string(Self.sounds + "/" + pick(["guitar.wav", "beats.wav"])),
        "loop": .boolean(one(in: 2)),
      ],
    ])
    let name = name("sound")
    document["callbacks", name] = callback
    generators.append(name)
    return name
  }

  private mutating func addProcessor(of source: String) -> String {
    var callback: JSONText = pick([
      ["kind": "gain", "gain": .number(number(-2...2))],
      ["kind": "tremolo", "rate": 5, "depth": .number(number(0...1)), "shape": "sine"],
      ["kind": "ringModulator", "frequency": 300], ["kind": "echo", "delay": 0.01],
      ["kind": "expression", "value": "tanh(2 * input)"],
    ])
    callback["from"] = .string(source)
    let name = name("effect")
    document["callbacks", name] = callback
    return name
  }

  // MARK: Stream formats

  private mutating func sound(_ wanted: Wanted) -> Sound {
    Sound(
      rate: wanted.rate ?? pick([sessionRate, sessionRate, sessionRate, 22_050, 44_100, 48_000]),
      channels: pick([
        wanted.channels.lowerBound, 2, Int.random(in: wanted.channels, using: &random),
      ])
      .clamped(to: wanted.channels),
      sample: pick(wanted.samples), isInterleaved: one(in: 3))
  }

  private mutating func give(
    _ format: Sound, _ node: String, _ scope: String, _ bus: Int, isMixer: Bool = false
  ) {
    if format == common && !isMixer && !one(in: 3) { return }
    document["nodes", node, scope, "\(bus)", "streamFormat"] = spelled(format, mayBeName: true)
  }

  private mutating func spelled(rate: Double) -> JSONText {
    rate == sessionRate && one(in: 2) ? "session" : .number(rate)
  }

  /// One of the three notations: by name, short, or field by field.
  private mutating func spelled(_ format: Sound, mayBeName: Bool = false) -> JSONText {
    if mayBeName && one(in: 3) {
      let text = spelled(format)
      if let known = document["streamFormats"]?.members.first(where: { $0.value == text }) {
        return .string(known.name)
      }
      let name = name("format")
      document["streamFormats", name] = text
      return .string(name)
    }
    guard one(in: 3) else {
      var short: JSONText = [
        "sample": .string(format.sample.rawValue), "channels": .number(format.channels),
        "sampleRate": spelled(rate: format.rate),
      ]
      if format.isInterleaved || one(in: 4) {
        short["interleaved"] = .boolean(format.isInterleaved)
      }
      return short
    }
    let word = format.sample.bitsPerChannel / 8
    let frame = format.isInterleaved ? word * format.channels : word
    var flags: UInt32 =
      switch format.sample {
      case .float32: 0x9
      case .int16, .int24, .int32: 0xC
      case .fixed824: 0xC0C
      }
    if !format.isInterleaved { flags |= 0x20 }
    var full: JSONText = [
      "mSampleRate": spelled(rate: format.rate), "mFormatID": "lpcm",
      "mFormatFlags": .number(flags),
      "mBytesPerPacket": .number(frame), "mFramesPerPacket": 1, "mBytesPerFrame": .number(frame),
      "mChannelsPerFrame": .number(format.channels),
      "mBitsPerChannel": .number(format.sample.bitsPerChannel),
    ]
    if flags == 0x29 && one(in: 2) {
      full["mFormatFlags"] = [
        "kAudioFormatFlagIsFloat", "kAudioFormatFlagIsPacked", "kAudioFormatFlagIsNonInterleaved",
      ]
    }
    return full
  }

  // MARK: Settings

  private mutating func decorate(_ name: String) {
    guard let unit = PatchView(document).nodes.first(where: { $0.name == name })?.unit else {
      return
    }
    setSome(unit, .global, ["nodes", name])
    if let presets = Self.presets[unit.description.name], one(in: 5) {
      document["nodes", name, "preset"] = .string(pick(presets))
    }
    for scope in [Scope.input, .output] {
      let key = scope == .input ? "inputs" : "outputs"
      for bus in document["nodes", name, key]?.members.map(\.name) ?? [] {
        setSome(unit, scope, ["nodes", name, key, bus])
      }
    }
  }

  /// A bound as in the tables: the shortest decimal number that gives this float.
  private static func written(_ bound: Float) -> Double {
    Double(bound.description) ?? Double(bound)
  }

  private mutating func setSome(_ unit: any AudioUnit.Type, _ scope: Scope, _ place: [String]) {
    for info in unit.description.parameters(in: scope) where !info.isReadOnly && one(in: 4) {
      // A microphone cannot be read faster than in real time.
      if scope == .input && info.key == "playbackRate" && hearsMicrophone { continue }
      let low = max(Self.written(info.range.lowerBound), -1000)
      let high = min(Self.written(info.range.upperBound), 1000)
      document[place + ["parameters", info.key]] = named(
        info.unit == .boolean
          ? .boolean(one(in: 2))
          : info.unit == .linearGain && one(in: 3)
            ? .string("\(Int(number(-60...0))) dB")
            : .number(
              ((number(low...high) * 8).rounded(.towardZero) / 8).clamped(to: low...high)))
    }
    let special: [PropertyID] = [
      .enableIO, .channelMap, .matrixLevels, .maximumFramesPerSlice, .presentPreset,
      .spatializationAlgorithm, .distanceParameters3DMixer, .lookAhead,
    ]
    for info in UnitInstance(unit).properties
    where info.isPatchProperty && info.scopes.contains(scope) && !special.contains(info.id)
      && one(in: 10)
    {
      if let only = info.elements[scope], "\(only)" != place.last { continue }
      // The address may have this property.
      if document[place + ["properties", info.key]] != nil { continue }
      document[place + ["properties", one(in: 5) ? info.constant : info.key]] = value(of: info)
    }
  }

  private mutating func value(of info: PropertyInfo) -> JSONText? {
    switch info.kind {
    case .boolean: .boolean(one(in: 2))
    case .integer(let range): .number(one(in: 2) ? range.lowerBound : range.upperBound)
    case .number: .number(number(0...1))
    case .text: "a name"
    case .choice(let choices): .string(pick(choices).name)
    case .preset: ["number": -1, "name": "mine"]
    default: nil
    }
  }

  // MARK: Taps and the timeline

  private mutating func addTap(_ address: String) {
    let name = name("take")
    document["taps", name] = [
      "kind": "record", "at": .string(address), "path": .string("take\(taken.count).wav"),
    ]
    if one(in: 4) {
      document["taps", name, "dither"] = .string(pick(["none", "tpdf", "shaped"]))
    }
  }

  /// The settings with ramps of the callbacks generated here, on any bus.
  static let ramps: [String: [(String, ClosedRange<Double>)]] = [
    "tone": [("frequency", 0...3000), ("amplitude", 0...1)], "noise": [("amplitude", 0...1)],
    "sweep": [("amplitude", 0...1)], "impulse": [("amplitude", -1...1)],
    "expression": [("constants/k", -1...1)], "file": [("gain", 0...2)], "gain": [("gain", -2...2)],
    "tremolo": [("rate", 0.5...20), ("depth", 0...1)],
    "ringModulator": [("frequency", 1...3000), ("mix", 0...1)],
    "echo": [("delay", 0.001...0.5), ("feedback", -0.9...0.9), ("mix", 0...1)],
  ]

  /// A duration: seconds, or a text with a unit.
  private mutating func duration() -> JSONText {
    if one(in: 3) { return .string("\(Int(number(0...1000))) ms") }
    return one(in: 3) ? .string("\(number(0...1))s") : .number(number(0...1))
  }

  /// A value, or the name of a constant with this value.
  private mutating func named(_ value: JSONText) -> JSONText {
    guard one(in: 6) else { return value }
    let name = "c\(document["constants"]?.members.count ?? 0)"
    document["constants", name] = value
    return .string("$\(name)")
  }

  private mutating func addTimeline() {
    var time = 0.0
    for (name, unit) in PatchView(document).nodes where one(in: 3) {
      let mixing = unit.description.parameters(in: .input).filter(\.canRamp)
      guard !mixing.isEmpty else { continue }
      let info = pick(mixing)
      time += number(0...2)
      // An angle may exceed its range by full turns.
      let turns = info.isCircular && one(in: 2) ? 360 * number(-2...2).rounded() : 0
      let token = name.replacing("~", with: "~0").replacing("/", with: "~1")
      document["timeline", "99999"] = [
        "at": .number(time),
        "ramp": [
          "path": .string("/nodes/\(token)/inputs/0/parameters/\(info.key)"),
          "to": .number(
            number(
              Double(max(info.range.lowerBound, -100))...Double(min(info.range.upperBound, 100))
            )
            .rounded() + turns),
          "duration": named(duration()),
        ],
      ]
      // No ramp is longer than a second, and no other ramp has this target.
      if one(in: 4), let step = document["timeline"]?.count {
        document["timeline", "\(step - 1)", "repeat"] = [
          "every": one(in: 2) ? .number(number(1...3)) : "1500 ms",
          "count": named(.number(number(1...9).rounded())),
        ]
      }
    }
    for name in PatchView(document).nodes("MatrixMixer") where one(in: 3) {
      let rows = document["nodes", name, "properties", "matrixLevels"]?.values ?? []
      guard !rows.isEmpty else { continue }
      let row = Int.random(in: 0..<rows.count, using: &random)
      let column = Int.random(in: 0..<rows[row].values.count, using: &random)
      time += number(0...2)
      document["timeline", "99999"] = [
        "at": .number(time),
        "ramp": [
          "path": .string(
            JSONPointer([
              "nodes", name, "properties", "matrixLevels", "\(row)", "\(column)",
            ]).description),
          "to": one(in: 3) ? .string("\(Int(number(-60...0))) dB") : .number(number(-2...2)),
          "duration": named(duration()),
        ],
      ]
    }
    // A patch with a timeline is always built as a whole, so most have none.
    let rampsCallbacks = one(in: 10)
    for (name, callback) in document["callbacks"]?.members.map({ ($0.name, $0.value) }) ?? []
    where rampsCallbacks && one(in: 3) {
      guard case .string(let kind)? = callback["kind"], let ramps = Self.ramps[kind] else {
        continue
      }
      let (key, range) = pick(ramps)
      if key.hasPrefix("constants/"), callback["constants"] == nil { continue }
      time += number(0...2)
      // The first of repeated callbacks.
      let one = name.replacing("{i}", with: "0")
      document["timeline", "99999"] = [
        "at": .number(time),
        "ramp": [
          "path": .string(JSONPointer(["callbacks", one]).description + "/\(key)"),
          "to": .number(number(range)),
          "duration": duration(),
        ],
      ]
    }
    if one(in: 6) { document["timeline", "99999"] = ["at": .number(time + 1), "stop": true] }
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}

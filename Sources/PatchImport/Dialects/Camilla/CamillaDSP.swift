import Diagnostics
import PatchSyntax

/// Reads configurations of CamillaDSP 3 and 4, in YAML.
struct CamillaDSP {
  private var chain: FilterChain
  private let root: CamillaGroup
  private let captureCount: Int
  /// The number of channels before the next step.
  private var count: Int

  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    let document = try YAMLReader.read(&reading)
    let root = try CamillaGroup(
      document, "the document",
      keys: [
        "title", "description", "devices", "mixers", "filters", "processors", "pipeline",
      ], &reading)
    let devices = try devices(of: root, &reading)
    var chain = FilterChain(
      title: root.value["title"]?.text, sampleRate: devices.sampleRate,
      channels: (0..<devices.capture).map(String.init))
    chain.title = root.value["title"]?.text
    var reader = CamillaDSP(
      chain: chain, root: root, captureCount: devices.capture, count: devices.capture)
    let steps = try root.has("pipeline") ? root.list("pipeline", &reading) : []
    for (index, step) in steps.enumerated() { try reader.addStep(step, index, &reading) }
    try reader.checkAllFilters(&reading)
    if let playback = devices.playback, playback != reader.count {
      throw reading.refuse(
        "the pipeline ends with \(reader.count) channels, and the playback device has \(playback)",
        at: root.value["pipeline"]?.range ?? document.range, pointer: "/pipeline",
        help: "a mixer changes the number of channels")
    }
    return reader.chain
  }

  private static let deviceKeys = [
    "samplerate", "chunksize", "queuelimit", "silence_threshold", "silence_timeout", "capture",
    "playback", "enable_rate_adjust", "target_level", "adjust_period", "resampler",
    "capture_samplerate", "stop_on_rate_change", "rate_measure_interval", "volume_ramp_time",
    "volume_limit", "multithreaded", "worker_threads",
  ]

  private static func devices(
    of root: CamillaGroup, _ reading: inout ImportReading
  ) throws(ImportRefused) -> (sampleRate: Double, capture: Int, playback: Int?) {
    guard let value = root.value["devices"] else {
      // REW exports filters and pipeline alone.
      guard root.has("filters"), root.has("pipeline") else {
        throw reading.refuse("the document lacks 'devices'", at: root.value.range)
      }
      reading.report(
        ImportRules.unclear,
        """
        'devices' is missing: the rate is taken for \
        \(Decimals.text(reading.options.sampleRate, digits: 1)) Hz, with \
        \(reading.options.channels.count) channels
        """, at: root.value.range, help: "'--rate' and '--channels' say others")
      return (reading.options.sampleRate, reading.options.channels.count, nil)
    }
    let devices = try CamillaGroup(value, "'devices'", keys: deviceKeys, &reading)
    let rate = try devices.positive("samplerate", &reading)
    _ = try devices.positive("chunksize", &reading)
    func channels(_ key: String) throws(ImportRefused) -> Int {
      guard let device = value[key] else {
        throw reading.refuse("'devices' lacks '\(key)'", at: value.range, pointer: value.pointer)
      }
      guard let count = device["channels"]?.integer, (1...256).contains(count) else {
        throw reading.refuse(
          "'\(key)' lacks 'channels', a whole number from 1", at: device.range,
          pointer: device.pointer)
      }
      return count
    }
    return (rate, try channels("capture"), try channels("playback"))
  }

  /// A text with `$samplerate$` and `$channels$` replaced by their values.
  private func replacingTokens(_ text: String) -> String {
    text.replacing("$samplerate$", with: Decimals.text(chain.sampleRate, digits: 0))
      .replacing("$channels$", with: String(captureCount))
  }

  /// The definition with a name in one of the root's groups, such as `filters`.
  private func definition(_ name: String, in group: String) -> ConfigValue? {
    root.value[group]?[name]
  }

  // MARK: Steps

  private mutating func addStep(
    _ value: ConfigValue, _ index: Int, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let name = "step \(index) of the pipeline"
    guard let type = value["type"]?.text else {
      throw reading.refuse("\(name) lacks 'type'", at: value.range, pointer: value.pointer)
    }
    let keys: [String]
    switch type {
    case "Filter": keys = ["type", "channels", "names", "bypassed", "description"]
    case "Mixer", "Processor": keys = ["type", "name", "bypassed", "description"]
    default:
      throw reading.refuse(
        "there is no step of the type '\(type)'", at: value["type"]?.range ?? value.range,
        pointer: value.pointer, help: "it is one of Filter, Mixer and Processor")
    }
    let step = try CamillaGroup(value, name, keys: keys, &reading)
    if try step.bool("bypassed", &reading) {
      reading.report(
        ImportRules.disabled, "\(Diagnostic.Message(name)) is bypassed", at: value.range,
        pointer: value.pointer)
      return
    }
    switch type {
    case "Filter": try addFilters(step, &reading)
    case "Mixer": try addMixer(step, &reading)
    default: try addProcessor(step, &reading)
    }
  }

  private mutating func addFilters(
    _ step: CamillaGroup, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    var channels: [Int]?
    if step.has("channels") {
      let numbers = try step.list("channels", &reading)
      var chosen: Set<Int> = []
      for number in numbers {
        guard let channel = number.integer, (0..<count).contains(channel),
          chosen.insert(channel).inserted
        else {
          throw reading.refuse(
            "'channels' has whole numbers from 0 to \(count - 1), each once", at: number.range,
            pointer: number.pointer)
        }
      }
      channels = chosen.count == count ? nil : chosen.sorted()
    }
    for value in try step.list("names", &reading) {
      guard let text = value.text else {
        throw reading.refuse(
          "the name of a filter is \(value.kind), not a text", at: value.range,
          pointer: value.pointer)
      }
      let name = replacingTokens(text)
      guard let definition = definition(name, in: "filters") else {
        let names = root.value["filters"]?.members?.map(\.key) ?? []
        throw reading.refuse(
          "there is no filter '\(name)'", at: value.range, pointer: value.pointer,
          help: didYouMean(name, among: names))
      }
      let filter = try CamillaFilter(
        definition, "the filter '\(name)'", sampleRate: chain.sampleRate, &reading)
      // A filter for no channel is checked as well.
      let kinds = try filter.kinds(replacingTokens: replacingTokens, &reading)
      if channels?.isEmpty == true { continue }
      for kind in kinds {
        try reading.add(.init(kind, channels: channels, at: definition.range), to: &chain)
      }
    }
  }

  /// Checks the type and the keys of every filter, including those that no step names.
  private func checkAllFilters(_ reading: inout ImportReading) throws(ImportRefused) {
    for member in root.value["filters"]?.members ?? [] {
      _ = try CamillaFilter(
        member.value, "the filter '\(member.key)'", sampleRate: chain.sampleRate, &reading)
    }
  }

  private mutating func addMixer(
    _ step: CamillaGroup, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let name = replacingTokens(try step.text("name", &reading))
    guard let definition = definition(name, in: "mixers") else {
      throw reading.refuse(
        "there is no mixer '\(name)'", at: step.value.range, pointer: step.value.pointer)
    }
    let mixer = try CamillaGroup(
      definition, "the mixer '\(name)'", keys: ["description", "channels", "mapping", "labels"],
      &reading)
    guard let sizes = definition["channels"] else {
      throw reading.refuse(
        "\(mixer.name) lacks 'channels'", at: definition.range, pointer: definition.pointer)
    }
    let channels = try CamillaGroup(sizes, "'channels'", keys: ["in", "out"], &reading)
    let inputs = try channels.count("in", &reading)
    let outputs = try channels.count("out", &reading)
    guard inputs == count, (1...256).contains(outputs) else {
      throw reading.refuse(
        "\(mixer.name) has \(inputs) inputs, and \(count) channels come to it", at: sizes.range,
        pointer: sizes.pointer)
    }
    var rows = [[Double]](repeating: Array(repeating: 0, count: inputs), count: outputs)
    var destinations: Set<Int> = []
    for value in try mixer.list("mapping", &reading) {
      let mapping = try CamillaGroup(
        value, "a mapping", keys: ["dest", "sources", "mute"], &reading)
      let destination = try mapping.count("dest", &reading)
      guard destination < outputs, destinations.insert(destination).inserted else {
        throw reading.refuse(
          "'dest' is one of 0 to \(outputs - 1), each once",
          at: value["dest"]?.range ?? value.range,
          pointer: value.pointer)
      }
      let isMute = try mapping.bool("mute", &reading)
      var sources: Set<Int> = []
      for value in try mapping.list("sources", &reading) {
        let source = try CamillaGroup(
          value, "a source", keys: ["channel", "gain", "scale", "inverted", "mute"], &reading)
        let channel = try source.count("channel", &reading)
        guard channel < inputs, sources.insert(channel).inserted else {
          throw reading.refuse(
            "'channel' is one of 0 to \(inputs - 1), each once",
            at: value["channel"]?.range ?? value.range, pointer: value.pointer)
        }
        let factor = try CamillaFilter.factor(of: source, &reading)
        if !isMute, try !source.bool("mute", &reading) { rows[destination][channel] = factor }
      }
    }
    try reading.add(.init(.mix(rows), at: definition.range), to: &chain)
    count = outputs
  }

  private mutating func addProcessor(
    _ step: CamillaGroup, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let name = replacingTokens(try step.text("name", &reading))
    guard let definition = definition(name, in: "processors") else {
      throw reading.refuse(
        "there is no processor '\(name)'", at: step.value.range, pointer: step.value.pointer)
    }
    let processor = try CamillaGroup(
      definition, "the processor '\(name)'", keys: ["type", "description", "parameters"], &reading)
    let type = try processor.text("type", &reading)
    guard let keys = Self.processorKeys[type] else {
      throw reading.refuse(
        "there is no processor of the type '\(type)'", at: definition.range,
        pointer: definition.pointer)
    }
    var parameters: [String: Double] = [:]
    if let value = definition["parameters"] {
      _ = try CamillaGroup(value, "'parameters'", keys: keys, &reading)
      for member in value.members ?? [] { parameters[member.key] = member.value.number }
    }
    try reading.add(.init(.processor(type, parameters), at: definition.range), to: &chain)
  }

  private static let processorKeys = [
    "Compressor": [
      "channels", "attack", "release", "threshold", "factor", "makeup_gain", "soft_clip",
      "clip_limit", "monitor_channels", "process_channels",
    ],
    "NoiseGate": [
      "channels", "attack", "release", "threshold", "attenuation", "monitor_channels",
      "process_channels",
    ],
    "RACE": [
      "channels", "channel_a", "channel_b", "delay", "subsample_delay", "delay_unit",
      "attenuation",
    ],
  ]
}

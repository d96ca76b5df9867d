import Diagnostics
import Glibc
import PatchSyntax

/// Reads the equalizers in presets of EasyEffects; other plugins are reported and left out.
struct EasyEffects {
  private var chain: FilterChain

  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    let root = try JSONConfig.read(&reading)
    guard let members = root.members,
      let side = members.first(where: { $0.key == "output" || $0.key == "input" })
    else {
      throw reading.refuse(
        "a preset of EasyEffects has a key 'output' or 'input'", at: root.range)
    }
    for other in members where other.key == "input" || other.key == "output" {
      if other.key != side.key {
        reading.report(
          ImportRules.unclear, "'\(other.key)' is not imported: '\(side.key)' is", at: other.range,
          pointer: other.value.pointer)
      }
    }
    var channels = reading.options.channels
    if channels.count != 2 { channels = ["L", "R"] }
    var reader = EasyEffects(
      chain: FilterChain(sampleRate: reading.options.sampleRate, channels: channels))
    guard let order = side.value["plugins_order"]?.list else {
      throw reading.refuse(
        "'plugins_order', the list of the plugins in their order, is missing", at: side.range,
        pointer: side.value.pointer)
    }
    for name in order {
      guard let text = name.text else { continue }
      try reader.addPlugin(text, name, side.value, &reading)
    }
    // Presets from before version 5 hold settings of plugins outside the list.
    let names = Set(order.compactMap(\.text))
    for member in side.value.members ?? []
    where member.value.members != nil && !names.contains(member.key) {
      reading.report(
        ImportRules.ignored, "'\(member.key)' is not in 'plugins_order', and not heard",
        at: member.range, pointer: member.value.pointer)
    }
    return reader.chain
  }

  private mutating func addPlugin(
    _ name: String, _ place: ConfigValue, _ side: ConfigValue, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let isEqualizer = name == "equalizer" || name.hasPrefix("equalizer#")
    guard let plugin = side[name] else {
      reading.report(
        ImportRules.ignored, "there are no settings of '\(name)'", at: place.range,
        pointer: place.pointer)
      return
    }
    guard isEqualizer else {
      reading.report(
        ImportRules.unsupported, "the plugin '\(name)' has no equivalent here, and is left out",
        at: place.range, pointer: plugin.pointer)
      return
    }
    if plugin["bypass"]?.bool == true {
      reading.report(
        ImportRules.disabled, "'\(name)' is bypassed", at: place.range, pointer: plugin.pointer)
      return
    }
    if let mode = plugin["mode"]?.text, mode != "IIR" {
      reading.report(
        ImportRules.approximated,
        "'\(name)' works in the mode \(mode), with another phase: the gains are the same",
        at: plugin["mode"]?.range ?? place.range, pointer: plugin.pointer + "/mode")
    }
    for key in ["balance", "pitch-left", "pitch-right"] {
      if let value = plugin[key], let number = value.number, number != 0 {
        reading.report(
          ImportRules.unsupported, "'\(key)' has no equivalent here, and is left out",
          at: value.range,
          pointer: value.pointer)
      }
    }
    try addGain(plugin["input-gain"], &reading)
    try addBands(of: plugin, place, &reading)
    try addGain(plugin["output-gain"], &reading)
  }

  private mutating func addGain(
    _ value: ConfigValue?, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    guard let value, let gain = value.number, gain != 0 else { return }
    try reading.add(.init(.gain(gain, isInverted: false), at: value.range), to: &chain)
  }

  private mutating func addBands(
    of plugin: ConfigValue, _ place: ConfigValue, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let count = min(max(plugin["num-bands"]?.integer ?? 32, 1), 32)
    let isSplit = plugin["split-channels"]?.bool ?? false
    let sides = isSplit ? ["left", "right"] : ["left"]
    for (index, key) in sides.enumerated() {
      guard let bands = plugin[key] else {
        throw reading.refuse(
          "the bands '\(key)' are missing", at: place.range, pointer: plugin.pointer)
      }
      var values: [ConfigValue] = []
      for number in 0..<count {
        guard let band = bands["band\(number)"], band.members != nil else {
          throw reading.refuse(
            "'num-bands' is \(count), and 'band\(number)' is missing", at: bands.range,
            pointer: bands.pointer)
        }
        values.append(band)
      }
      let hasSolo = values.contains { $0["solo"]?.bool == true }
      for (number, band) in values.enumerated() {
        if let why = Self.reasonForSilence(of: band, hasSolo: hasSolo) {
          reading.report(
            ImportRules.disabled, "'band\(number)' is not heard: \(why)", at: band.range,
            pointer: band.pointer)
          continue
        }
        switch EasyEffectsBand.section(
          of: band, number: number, sampleRate: chain.sampleRate)
        {
        case .section(let section):
          try reading.add(
            .init(.section(section), channels: isSplit ? [index] : nil, at: band.range), to: &chain)
        case .rejected(let why):
          reading.report(
            ImportRules.unsupported, "'band\(number)' is left out: \(why)", at: band.range,
            pointer: band.pointer)
        }
      }
    }
  }

  /// Why a band is not heard, in words; `nil` for a band that is heard.
  private static func reasonForSilence(of band: ConfigValue, hasSolo: Bool) -> String? {
    if band["type"]?.text == "Off" { return "its type is Off" }
    if band["mute"]?.bool == true { return "it is muted" }
    if hasSolo, band["solo"]?.bool != true { return "another band is solo" }
    return nil
  }
}

/// Reads a band of EasyEffects' equalizer, which is the one of LSP Plugins.
enum EasyEffectsBand {
  static func section(
    of band: ConfigValue, number: Int, sampleRate: Double
  ) -> SectionReading {
    let type = band["type"]?.text ?? "Bell"
    let mode = band["mode"]?.text ?? "RLC (BT)"
    let slope = band["slope"]?.text ?? "x1"
    let gain = band["gain"]?.number ?? 0
    let q = band["q"]?.number ?? 4.36
    let frequency = band["frequency"]?.number ?? defaultFrequency(ofBand: number)
    guard frequency > 0, frequency < sampleRate / 2 else {
      return .rejected(
        "\(Decimals.text(frequency, digits: 3)) Hz is not between 0 and half the rate")
    }
    guard let shape = shapes[type] else { return .rejected("the type '\(type)' is not known here") }
    let cookbookQ: Double
    switch mode {
    case "APO (DR)": cookbookQ = q
    case "RLC (BT)":
      guard slope == "x1" else { return .rejected("its slope is \(slope) in the mode RLC") }
      let factor = Decibels.factor(gain)
      switch type {
      case "Bell": cookbookQ = (q + 0.5) * (factor / (1 + factor * factor)).squareRoot()
      case "Resonance":
        cookbookQ = (1 + q) / 2 * ((1 + factor * factor) / factor).squareRoot()
      case "Bandpass": return .rejected("the bandpass of the mode RLC is not known here")
      default: cookbookQ = (1 + q) / 2
      }
    default: return .rejected("the mode '\(mode)' is not known here")
    }
    guard cookbookQ > 0 else { return .rejected("its Q is 0") }
    return .section(
      FilterSection(shape, frequency, gain: shape.hasGain ? gain : 0, q: cookbookQ))
  }

  private static let shapes: [String: FilterSection.Shape] = [
    "Bell": .peaking, "Resonance": .peaking, "Hi-pass": .highpass, "Lo-pass": .lowpass,
    "Hi-shelf": .highshelf, "Lo-shelf": .lowshelf, "Notch": .notch, "Allpass": .allpass,
    "Bandpass": .bandpass,
  ]

  /// The default frequency of a band in hertz: 32 equal steps of pitch from 22.4 Hz to 18,058 Hz.
  private static func defaultFrequency(ofBand number: Int) -> Double {
    22.4 * pow(18_058 / 22.4, Double(number) / 31)
  }
}

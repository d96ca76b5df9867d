import Diagnostics

/// Reads the keys of one group of a CamillaDSP document. Unknown keys are refused, as by
/// CamillaDSP.
struct CamillaGroup {
  let value: ConfigValue
  /// The group's name in messages.
  let name: String

  /// - Parameter keys: All keys that the group may have.
  init(
    _ value: ConfigValue, _ name: String, keys: [String], _ reading: inout ImportReading
  ) throws(ImportRefused) {
    guard let members = value.members else {
      throw reading.refuse(
        "\(name) is \(value.kind), not a group of keys", at: value.range, pointer: value.pointer)
    }
    self.value = value
    self.name = name
    for member in members where !keys.contains(member.key) {
      throw reading.refuse(
        "\(name) has no key '\(member.key)'", at: member.range, pointer: member.value.pointer,
        help: Self.oldKeys[member.key] ?? didYouMean(member.key, among: keys))
    }
  }

  /// Help for keys that only earlier versions of CamillaDSP have.
  private static let oldKeys = [
    "channel": "'channel' was renamed 'channels', a list, in version 3",
    "enable_resampling": "a 'resampler' takes its place since version 2",
  ]

  func has(_ key: String) -> Bool { value[key] != nil }

  private func refuse(
    _ key: String, _ wanted: String, _ reading: inout ImportReading
  ) -> ImportRefused {
    guard let found = value[key] else {
      return reading.refuse(
        "\(name) lacks '\(key)', \(wanted)", at: value.range, pointer: value.pointer)
    }
    return reading.refuse(
      "'\(key)' of \(name) is \(found.kind), not \(wanted)", at: found.range,
      pointer: found.pointer)
  }

  func number(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> Double {
    guard let number = value[key]?.number else { throw refuse(key, "a number", &reading) }
    return number
  }

  func number(
    _ key: String, default standard: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Double {
    has(key) ? try number(key, &reading) : standard
  }

  /// A number above 0.
  func positive(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> Double {
    let number = try number(key, &reading)
    guard number > 0 else {
      throw reading.refuse(
        "'\(key)' of \(name) is \(Decimals.text(number, digits: 6)), and must be above 0",
        at: value[key]?.range ?? value.range, pointer: value[key]?.pointer)
    }
    return number
  }

  /// A frequency in hertz, above 0 and below half the rate.
  func frequency(
    _ key: String, _ sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Double {
    let frequency = try positive(key, &reading)
    guard frequency < sampleRate / 2 else {
      throw reading.refuse(
        """
        '\(key)' of \(name) is \(Decimals.text(frequency, digits: 3)) Hz, and half the rate is \
        \(Decimals.text(sampleRate / 2, digits: 1)) Hz
        """, at: value[key]?.range ?? value.range, pointer: value[key]?.pointer)
    }
    return frequency
  }

  func text(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> String {
    guard let text = value[key]?.text else { throw refuse(key, "a text", &reading) }
    return text
  }

  func text(
    _ key: String, default standard: String, _ reading: inout ImportReading
  ) throws(ImportRefused) -> String {
    has(key) ? try text(key, &reading) : standard
  }

  func bool(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> Bool {
    guard has(key) else { return false }
    guard let bool = value[key]?.bool else { throw refuse(key, "true or false", &reading) }
    return bool
  }

  /// A whole number from 0 to 4,096.
  func count(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> Int {
    guard let count = value[key]?.integer, (0...4096).contains(count) else {
      throw refuse(key, "a whole number from 0 to 4,096", &reading)
    }
    return count
  }

  func numbers(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> [Double] {
    guard let list = value[key]?.list, list.allSatisfy({ $0.number != nil }) else {
      throw refuse(key, "a list of numbers", &reading)
    }
    return list.compactMap(\.number)
  }

  func list(_ key: String, _ reading: inout ImportReading) throws(ImportRefused) -> [ConfigValue] {
    guard let list = value[key]?.list else { throw refuse(key, "a list", &reading) }
    return list
  }
}

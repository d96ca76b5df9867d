import Diagnostics

/// The parts of a line such as `Filter n: ON PK Fc 100 Hz Gain 3 dB Q 1`. As in Equalizer APO, they
/// may be in any order behind the type.
struct FilterLine {
  enum State: Hashable { case on, off, unknown }

  var state: State = .unknown
  /// The letters behind the state.
  var type = ""
  /// All text between the state and the frequency, with one blank between words.
  var typeText = ""
  var typeRange: SourceRange
  /// In decibels per octave, directly behind the type.
  var slope: Double?
  /// In hertz.
  var frequency: Double?
  /// In decibels.
  var gain: Double?
  /// `nil` where none is written, and where it is not above 0.
  var q: Double?
  /// Whether a Q is written, even one of 0.
  var hasQ = false
  /// The bandwidth in octaves.
  var octaves: Double?
  /// The bandwidth in 60ths of an octave, as the Behringer DSP1124P has it.
  var sixtieths: Double?
  /// The frequency in hertz and the Q of a Linkwitz transform's target.
  var targetFrequency: Double?
  var targetQ: Double?

  /// - Parameter line: The part behind the colon.
  init(_ line: TextLine) {
    let line = line.withDecimalPoints
    typeRange = line.range
    let words = line.words
    guard let first = words.first else { return }
    if first.text == "ON" { state = .on } else if first.text == "OFF" { state = .off }
    guard state != .unknown, words.count > 1 else { return }
    let scalars = line.scalars
    // The type stands directly behind the state.
    var index = first.count
    while index < scalars.count, TextLine.isBlank(scalars[index]) { index += 1 }
    let start = index
    while index < scalars.count, Self.isLetter(scalars[index]) { index += 1 }
    type = String(String.UnicodeScalarView(scalars[start..<index]))
    typeRange = line.range(start..<max(index, start))
    slope = Self.number(in: scalars, from: index, unit: "dB")?.value
    typeText = words.dropFirst().prefix { $0.text != "Fc" }.map(\.text).joined(separator: " ")
    frequency = Self.frequency(in: scalars, from: index)
    gain = Self.value(behind: "Gain", in: scalars, from: index, unit: "dB")
    if let q = Self.value(behind: "Q", in: scalars, from: index) {
      hasQ = true
      self.q = q > 0 ? q : nil
    }
    octaves = Self.value(behind: "BW Oct", in: scalars, from: index)
    sixtieths = Self.value(behind: "BW/60", in: scalars, from: index)
    targetFrequency = Self.value(behind: "Fp", in: scalars, from: index)
    targetQ = Self.value(behind: "Qp", in: scalars, from: index)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  /// A number after blanks, followed by a unit where one is given, with blanks in between. `nil`
  /// where there is none.
  private static func number(
    in scalars: [Unicode.Scalar], from start: Int, unit: String? = nil
  ) -> (value: Double, text: [Unicode.Scalar])? {
    var index = start
    while index < scalars.count, TextLine.isBlank(scalars[index]) { index += 1 }
    let first = index
    // A no-break space may separate thousands.
    while index < scalars.count,
      NumberText.isDigit(scalars[index]) || "+-.eE\u{A0}".unicodeScalars.contains(scalars[index])
    {
      index += 1
    }
    let text = scalars[first..<index].filter { $0 != "\u{A0}" }
    guard let value = NumberText.prefix(of: text) else { return nil }
    if let unit {
      while index < scalars.count, TextLine.isBlank(scalars[index]) { index += 1 }
      guard scalars[index...].starts(with: Array(unit.unicodeScalars)) else { return nil }
    }
    return (value, Array(text))
  }

  /// The indices behind each occurrence of a word that follows a blank. A blank in the word matches
  /// any number of blanks.
  private static func places(
    behind word: String, in scalars: [Unicode.Scalar], from start: Int
  ) -> [Int] {
    let parts = word.split(separator: " ").map { Array($0.unicodeScalars) }
    return (max(start, 1)..<max(start, 1, scalars.count)).compactMap { index in
      guard TextLine.isBlank(scalars[index - 1]) else { return nil }
      var end = index
      for (number, part) in parts.enumerated() {
        if number > 0 {
          let blank = end
          while end < scalars.count, TextLine.isBlank(scalars[end]) { end += 1 }
          if end == blank { return nil }
        }
        guard scalars[end...].starts(with: part) else { return nil }
        end += part.count
      }
      // `Q` does not match in `Qp`.
      if end < scalars.count, isLetter(scalars[end]) { return nil }
      return end
    }
  }

  private static func value(
    behind word: String, in scalars: [Unicode.Scalar], from start: Int, unit: String? = nil
  ) -> Double? {
    for place in places(behind: word, in: scalars, from: start) {
      if let found = number(in: scalars, from: place, unit: unit) { return found.value }
    }
    return nil
  }

  /// The frequency in hertz. In a number of at least five characters, a point three digits before
  /// the end separates thousands: REW follows the language of the system.
  private static func frequency(in scalars: [Unicode.Scalar], from start: Int) -> Double? {
    for place in places(behind: "Fc", in: scalars, from: start) {
      guard let (value, text) = number(in: scalars, from: place, unit: "H") else { continue }
      let isThousands =
        text.count >= 5 && text[text.count - 4] == "." && !text.contains("e")
        && !text.contains("E")
      return isThousands ? value * 1000 : value
    }
    return nil
  }
}

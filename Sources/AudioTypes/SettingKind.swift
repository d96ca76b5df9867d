extension SettingInfo {
  /// The type and the range of the values of a setting.
  public enum Kind: Hashable, Sendable {
    /// A finite number. With `excludesLowerBound` it must be above the lower bound.
    case number(ClosedRange<Double>, excludesLowerBound: Bool = false)
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// True or false. With the unit `.boolean`, which parameters have, 1 or 0 too.
    case boolean
    /// One of a few names.
    case choice([Choice])
    /// The path of a file.
    case path
    /// Any text without a NUL.
    case text
    /// The name of a function in C.
    case symbol
    /// A formula of an `expression` callback.
    case expression
    /// Finite numbers by name.
    case numbers
    /// Finite numbers in an order; `nil` for any count of them.
    case list(most: Int? = nil)
    /// Whole numbers in an order, each in the range, any count of them.
    case integers(ClosedRange<Int>)
    /// Rows of equal length with finite numbers: up to `most` rows and columns of levels, and in
    /// addition one row and one column of volumes.
    case rows(most: Int)
    /// One of a unit's presets, or one of the user's own.
    case preset([Preset])
    /// A value that programs exchange with a unit, and no patch writes under "properties".
    case structure(Structure)

    /// One of a few names.
    public static func choice(_ names: [String]) -> Kind { .choice(names.map { Choice(nil, $0) }) }

    /// One of the words of a type, with their meanings.
    package static func choice<Word: SettingWord>(of words: Word.Type) -> Kind {
      .choice(words.allCases.map { Choice(nil, $0.rawValue, summary: $0.summary) })
    }

    /// The names of a choice or of presets; empty for any other kind.
    public var names: [String] {
      switch self {
      case .choice(let choices): choices.map(\.name)
      case .preset(let presets): presets.map(\.name)
      default: []
      }
    }

    /// Whether each of its choices is told what it means.
    package var hasMeanings: Bool {
      guard case .choice(let choices) = self else { return false }
      return choices.allSatisfy { !$0.summary.isEmpty }
    }

    /// Any finite number.
    public static let anyNumber = Kind.number(-.infinity ... .infinity)
  }

  /// A value of a setting that has only a few.
  public struct Choice: Hashable, Sendable {
    /// Its number in Core Audio; `nil` for none.
    public var value: UInt32?
    /// Its name in a patch: `mastering`.
    public var name: String
    /// Its name in Core Audio's headers; empty for none.
    public var constant: String
    /// What it means, in a sentence; empty where its name or its constant says so.
    public var summary: String

    public init(_ value: UInt32?, _ name: String, constant: String = "", summary: String = "") {
      self.value = value
      self.name = name
      self.constant = constant
      self.summary = summary
    }

    /// The number as a four-char code; `nil` where it is none, or not printable.
    public var code: String? {
      value.flatMap { $0 > 0xFFFF ? FourCharCode(rawValue: $0).text : nil }
    }

    /// Whether a text in a patch names this value: by its name, its constant or its four-char code.
    public func isCalled(_ text: String) -> Bool {
      text == name || !constant.isEmpty && text == constant || text == code
    }
  }

  /// The type of a value that only programs exchange with a unit.
  public enum Structure: Hashable, Sendable {
    case streamFormat, presets, doubles, ids, channelCounts, parameterInfo, status, strings
    /// The value answers a question: see `UnitInstance.property(_:_:_:asking:)`.
    case parameterText
    case classInfo, clipping, startTime
    /// A pointer in Core Audio, or a structure of pointers with `size` bytes.
    case object(noun: String, size: Int)

    /// A value of it in a message: `a stream format`.
    public var noun: String {
      switch self {
      case .streamFormat: "a stream format"
      case .presets: "presets"
      case .doubles: "numbers"
      case .ids: "whole numbers"
      case .channelCounts: "channel counts"
      case .parameterInfo: "a parameter info"
      case .status: "a status"
      case .strings: "texts"
      case .parameterText: "a parameter text"
      case .classInfo: "a state"
      case .clipping: "a clipping"
      case .startTime: "a time stamp"
      case .object(let noun, _): noun
      }
    }
  }
}

// MARK: - Numbers

extension SettingInfo.Kind {
  /// A number as a patch writes it: `true` for 1, the name of a choice.
  public func value(of number: Double) -> SettingValue {
    switch self {
    case .boolean where number == 0 || number == 1: .boolean(number == 1)
    case .choice(let choices):
      choices.first { $0.value.map(Double.init) == number }.map { .text($0.name) }
        ?? .number(number)
    default: .number(number)
    }
  }

  /// The number of a value: 1 for `true`, that of a choice; `nil` for a value without one.
  public func number(of value: SettingValue?) -> Double? {
    switch (self, value) {
    case (_, .number(let number)?): number
    case (_, .boolean(let flag)?): flag ? 1 : 0
    case (.choice(let choices), .text(let name)?):
      choices.first { $0.isCalled(name) }?.value.map(Double.init)
    default: nil
    }
  }
}

extension Float {
  /// The number that it prints: 0.1, and not 0.10000000149.
  public var decimal: Double { Double("\(self)") ?? Double(self) }
}

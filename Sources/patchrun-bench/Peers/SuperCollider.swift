import Foundation

/// A SynthDef of SuperCollider in file format version 2.
struct SynthDefinition {
  /// An input of a unit generator: a constant, or an output of another unit generator.
  enum Input {
    case constant(Float)
    case output(unit: Int, number: Int)
  }

  private struct Unit {
    var name: String
    var rate: UInt8
    var inputs: [(Int32, Int32)]
    var outputs: Int
    var operation: Int16
  }

  let name: String
  private var constants: [Float] = []
  private var places: [UInt32: Int] = [:]
  private var units: [Unit] = []
  private var parameters: [String] = []

  init(_ name: String) { self.name = name }

  /// Adds parameters that are set when a synth is created, 0 by default. Call this once, before
  /// adding units.
  mutating func parameters(_ names: String...) -> [Input] {
    parameters = names
    return add("Control", rate: 1, [], outputs: names.count)
  }

  /// Adds a unit generator at audio rate.
  mutating func unit(
    _ name: String, _ inputs: [Input], outputs: Int = 1, operation: Int16 = 0
  ) -> [Input] {
    add(name, rate: 2, inputs, outputs: outputs, operation: operation)
  }

  private mutating func add(
    _ name: String, rate: UInt8, _ inputs: [Input], outputs: Int, operation: Int16 = 0
  ) -> [Input] {
    let inputs = inputs.map { input -> (Int32, Int32) in
      switch input {
      case .output(let unit, let number): return (Int32(unit), Int32(number))
      case .constant(let value):
        let place = places[value.bitPattern] ?? constants.count
        if place == constants.count {
          constants.append(value)
          places[value.bitPattern] = place
        }
        return (-1, Int32(place))
      }
    }
    units.append(
      Unit(name: name, rate: rate, inputs: inputs, outputs: outputs, operation: operation))
    return (0..<outputs).map { .output(unit: units.count - 1, number: $0) }
  }

  // Operations of BinaryOpUGen.
  mutating func product(_ first: Input, _ second: Input) -> Input {
    unit("BinaryOpUGen", [first, second], operation: 2)[0]
  }

  mutating func sum(_ first: Input, _ second: Input) -> Input {
    unit("BinaryOpUGen", [first, second], operation: 0)[0]
  }

  /// Adds an equalizer of ten bands.
  mutating func equalized(_ signal: Input) -> Input {
    PeerEqualizer.bands.reduce(signal) { signal, band in
      let numbers = [band.frequency, 1 / 1.25, band.gain].map { Input.constant(Float($0)) }
      return unit("BPeakEQ", [signal] + numbers)[0]
    }
  }

  /// The bytes of a file with this definition.
  var data: Data {
    var data = Data("SCgf".utf8)
    data.append(big: Int32(2))
    data.append(big: Int16(1))
    data.append(pascal: name)
    data.append(big: Int32(constants.count))
    for constant in constants { data.append(big: constant.bitPattern) }
    data.append(big: Int32(parameters.count))
    for _ in parameters { data.append(big: UInt32(0)) }
    data.append(big: Int32(parameters.count))
    for (index, name) in parameters.enumerated() {
      data.append(pascal: name)
      data.append(big: Int32(index))
    }
    data.append(big: Int32(units.count))
    for unit in units {
      data.append(pascal: unit.name)
      data.append(unit.rate)
      data.append(big: Int32(unit.inputs.count))
      data.append(big: Int32(unit.outputs))
      data.append(big: unit.operation)
      for input in unit.inputs {
        data.append(big: input.0)
        data.append(big: input.1)
      }
      data.append(Data(repeating: unit.rate, count: unit.outputs))
    }
    // The number of variants.
    data.append(big: Int16(0))
    return data
  }
}

/// A score for `scsynth -N`: OSC commands with their times.
struct SynthScore {
  /// An argument of a command.
  enum Argument {
    case integer(Int)
    case number(Double)
    case text(String)
    case data(Data)
  }

  private(set) var data = Data()

  /// Adds simultaneous commands at a time in seconds. Times must not decrease.
  mutating func add(at time: Double, _ commands: [Data]) {
    var bundle = Data("#bundle\0".utf8)
    bundle.append(big: UInt64(time * 4_294_967_296))
    for command in commands {
      bundle.append(big: Int32(command.count))
      bundle.append(command)
    }
    data.append(big: Int32(bundle.count))
    data.append(bundle)
  }

  static func command(_ address: String, _ arguments: Argument...) -> Data {
    var types = ","
    var values = Data()
    for argument in arguments {
      switch argument {
      case .integer(let value):
        types += "i"
        values.append(big: Int32(value))
      case .number(let value):
        types += "f"
        values.append(big: Float(value).bitPattern)
      case .text(let text):
        types += "s"
        values.append(padded: Data(text.utf8) + [0])
      case .data(let data):
        types += "b"
        values.append(big: Int32(data.count))
        values.append(padded: data)
      }
    }
    var command = Data()
    command.append(padded: Data(address.utf8) + [0])
    command.append(padded: Data(types.utf8) + [0])
    return command + values
  }

  static func receive(_ definition: SynthDefinition) -> Data {
    command("/d_recv", .data(definition.data))
  }

  /// Commands that read a buffer from the beginning of a file and leave the file open for `DiskIn`.
  static func open(_ path: String, buffer: Int, channels: Int) -> [Data] {
    let frames = 65_536
    return [
      command("/b_alloc", .integer(buffer), .integer(frames), .integer(channels)),
      command(
        "/b_read", .integer(buffer), .text(path), .integer(0), .integer(frames), .integer(0),
        .integer(1)),
    ]
  }

  /// Ends the rendering at a time in seconds.
  mutating func end(at time: Double) {
    add(at: time, [Self.command("/c_set", .integer(0), .number(0))])
  }
}

extension Data {
  fileprivate mutating func append(big value: some FixedWidthInteger) {
    for byte in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> byte))
    }
  }

  fileprivate mutating func append(pascal text: String) {
    append(UInt8(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  /// Appends the data, padded with zeros to a multiple of four bytes.
  fileprivate mutating func append(padded data: Data) {
    append(data)
    append(Data(repeating: 0, count: (4 - data.count % 4) % 4))
  }
}

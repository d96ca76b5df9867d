import PatchSyntax
import TestSupport
import Testing

@testable import Control

@Suite struct OSCTests {
  private func bytes(_ text: String) -> [UInt8] {
    text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
  }

  @Test func `the examples of the specification are read and written as they stand there`() throws {
    // "OSC Message Examples" of the OSC 1.0 specification.
    let first = bytes(
      """
      2f 6f 73 63 69 6c 6c 61 74 6f 72 2f 34 2f 66 72 65 71 75 65 6e 63 79 00 2c 66 00 00
      43 dc 00 00
      """)
    let oscillator = OSCPacket.message(
      OSCMessage(address: "/oscillator/4/frequency", arguments: [.float32(440)]))
    #expect(try OSCReader.read(first) == oscillator)
    #expect(oscillator.bytes == first)
    let second = bytes(
      """
      2f 66 6f 6f 00 00 00 00 2c 69 69 73 66 66 00 00 00 00 03 e8 ff ff ff ff
      68 65 6c 6c 6f 00 00 00 3f 9d f3 b6 40 b5 b2 2d
      """)
    let foo = OSCPacket.message(
      OSCMessage(
        address: "/foo",
        arguments: [
          .int32(1000), .int32(-1), .string("hello"), .float32(1.234), .float32(5.678),
        ]))
    #expect(try OSCReader.read(second) == foo)
    #expect(foo.bytes == second)
  }

  @Test func `what python-osc has written is read, and written the same`() throws {
    let datagram = bytes(PythonOSC.bundle)
    let packet = try OSCReader.read(datagram)
    #expect(packet == PythonOSC.packet)
    #expect(packet.bytes == datagram)
  }

  @Test func `every type goes there and back`() throws {
    let arguments: [OSCArgument] = [
      .int32(.min), .float32(-0.5), .string(""), .string("abc"), .string("Grüße"), .blob([]),
      .blob([1, 2, 3]), .blob([1, 2, 3, 4]), .int64(.max), .timeTag(.immediately),
      .float64(.pi), .symbol("s"), .character(65), .color(0xFF00_00FF), .midi(0x0190_3C7F),
      .boolean(true), .boolean(false), .null, .infinitum,
      .array([.int32(1), .array([]), .string("x")]),
    ]
    let message = OSCPacket.message(OSCMessage(address: "/a", arguments: arguments))
    let bundle = OSCPacket.bundle(
      OSCTimeTag(unixTime: 1_000.5),
      [message, .bundle(.immediately, [message]), .bundle(.immediately, [])])
    for packet in [message, bundle] {
      #expect(packet.bytes.count % 4 == 0)
      #expect(try OSCReader.read(packet.bytes) == packet)
    }
    #expect(OSCTimeTag(unixTime: 1_000.5).unixTime == 1_000.5)
    #expect(OSCTimeTag(unixTime: 0).value == 2_208_988_800 << 32)
  }

  @Test func `datagrams that are cut or changed are refused, never more`() throws {
    let message = OSCPacket.message(
      OSCMessage(
        address: "/nodes/eq", arguments: [.string("abc"), .blob([1, 2, 3]), .array([.int32(1)])]))
    let datagram = OSCPacket.bundle(.immediately, [message, message]).bytes
    // A bundle may end after each of its elements.
    let wholes = [16, 20 + message.bytes.count]
    for length in 0..<datagram.count where !wholes.contains(length) {
      #expect(throws: OSCReader.Malformed.self, "\(length)") {
        try OSCReader.read(Array(datagram.prefix(length)))
      }
    }
    var generator = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      var bytes = datagram
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? OSCReader.read(bytes)
    }
    #expect(throws: OSCReader.Malformed.typeTag(UInt8(ascii: "q"))) {
      try OSCReader.read(Array("/a\0\0,q\0\0".utf8))
    }
    #expect(throws: OSCReader.Malformed.unclosedArray) {
      try OSCReader.read(Array("/a\0\0,[\0\0".utf8))
    }
    let deep = (0..<40).reduce(message) { packet, _ in .bundle(.immediately, [packet]) }
    #expect(throws: OSCReader.Malformed.tooDeep) { try OSCReader.read(deep.bytes) }
  }

  @Test(arguments: [
    ("/a/b", ["a", "b"], true), ("/a/b", ["a", "c"], false), ("/a", ["a", "b"], false),
    ("/?", ["a"], true), ("/?", [""], false), ("/?", ["ab"], false),
    ("/*", ["anything"], true), ("/*", [""], true), ("/*", ["a", "b"], false),
    ("/a*c", ["abbc"], true), ("/a*c", ["ac"], true), ("/a*c", ["abcd"], false),
    ("/*a*a*", ["banana"], true), ("/*a*a*a*a*", ["banana"], false),
    ("/[abc]", ["b"], true), ("/[abc]", ["d"], false), ("/[a-c]", ["b"], true),
    ("/[!a-c]", ["b"], false), ("/[!a-c]", ["d"], true), ("/[a-]", ["-"], true),
    ("/[a!]", ["!"], true), ("/[c-a]", ["b"], true), ("/[]", ["a"], false),
    ("/{foo,bar}", ["bar"], true), ("/{foo,bar}", ["baz"], false), ("/{a,ab}c", ["abc"], true),
    ("/x{1,2}y", ["x2y"], true), ("/{,a}b", ["b"], true),
    ("/in*/{0,1}/vol?me", ["inputs", "1", "volume"], true),
  ])
  func `patterns mean what the specification says`(
    pattern: String, address: [String], matches: Bool
  ) throws {
    #expect(try #require(OSCPattern(pattern)).matches(address) == matches)
  }

  @Test func `patterns that are not closed are none, and stars cost little`() {
    #expect(OSCPattern("/[a") == nil)
    #expect(OSCPattern("/{a") == nil)
    #expect(OSCPattern("a") == nil)
    let stars = OSCPattern("/" + String(repeating: "*a", count: 200) + "b")
    #expect(stars?.matches([String(repeating: "a", count: 2000)]) == false)
  }

  private func edits(_ address: String, _ arguments: OSCArgument...) throws -> [String] {
    let root = try #require(JSONReading.value(of: FakePatch.document))
    return OSCSettings.edits(
      of: OSCMessage(address: address, arguments: arguments), in: root
    ).map { "\($0.pointer) \($0.value ?? "")" }
  }

  @Test func `an address is a pointer, and a pattern all that it fits`() throws {
    let volume = "/nodes/mixer/inputs/0/parameters/volume"
    #expect(try edits(volume, .float32(0.1)) == ["\(volume) 0.1"])
    #expect(try edits(volume, .float64(0.1)) == ["\(volume) 0.1"])
    #expect(try edits(volume, .int32(1)) == ["\(volume) 1"])
    #expect(try edits(volume, .int64(-7)) == ["\(volume) -7"])
    #expect(try edits(volume, .boolean(true)) == ["\(volume) true"])
    #expect(
      try edits("/nodes/eq/properties/presentPreset", .string("Bass \"B\""))
        == [#"/nodes/eq/properties/presentPreset "Bass \"B\"""#])
    // One that the document does not have yet.
    #expect(
      try edits("/nodes/mixer/inputs/1/parameters/pan", .float32(0))
        == ["/nodes/mixer/inputs/1/parameters/pan 0"])
    #expect(try edits("/nodes/*/inputs/?/parameters/vol*", .float32(1)) == ["\(volume) 1"])
    #expect(
      try edits("/callbacks/tone/frequency", .float32(220)) == ["/callbacks/tone/frequency 220"])
  }

  @Test func `what no setting can be is not passed on`() throws {
    let volume = "/nodes/mixer/inputs/0/parameters/volume"
    #expect(try edits(volume).isEmpty)
    #expect(try edits(volume, .float32(1), .float32(1)).isEmpty)
    #expect(try edits(volume, .float32(.infinity)).isEmpty)
    #expect(try edits(volume, .blob([1])).isEmpty)
    #expect(try edits(volume, .null).isEmpty)
    // Neither the parts of a patch nor its files.
    #expect(try edits("/nodes/mixer", .float32(1)).isEmpty)
    #expect(try edits("/nodes/mixer/inputs/0/parameters", .float32(1)).isEmpty)
    #expect(try edits("/taps/rec/path", .string("/etc/passwd")).isEmpty)
    #expect(try edits("/callbacks/tone/kind", .string("native")).isEmpty)
    #expect(try edits("/nodes/mixer/component", .string("iPodEQ")).isEmpty)
    #expect(try edits("/*/*/*", .string("x")).isEmpty)
  }

  // MARK: Over UDP

  private func room() throws -> (Room, Int) {
    let room = try Room(osc: ControlServer.OSCOptions(port: 0))
    return (room, try #require(room.server.oscPort))
  }

  private func volume(_ value: Float) -> OSCPacket {
    .message(
      OSCMessage(
        address: "/nodes/mixer/inputs/0/parameters/volume", arguments: [.float32(value)]))
  }

  @Test func `a message changes the patch`() throws {
    let (room, port) = try room()
    RawConnection.send(volume(0.25).bytes, toPort: port)
    #expect(eventually { !room.patch.asked.isEmpty })
    #expect(
      room.patch.asked == [
        FakePatch.Asked(
          change: .set([
            SettingEdit(
              pointer: JSONPointer(["nodes", "mixer", "inputs", "0", "parameters", "volume"]),
              value: "0.25")
          ]), tag: "v1", origin: .osc)
      ])
  }

  @Test func `a bundle is one change, now or when its time comes`() throws {
    let (room, port) = try room()
    let preset = OSCPacket.message(
      OSCMessage(address: "/nodes/eq/properties/presentPreset", arguments: [.string("Rock")]))
    let time = OSCTimeTag(unixTime: WallClock.unixTime + 1)
    RawConnection.send(OSCPacket.bundle(time, [volume(1)]).bytes, toPort: port)
    RawConnection.send(OSCPacket.bundle(.immediately, [volume(0), preset]).bytes, toPort: port)
    #expect(eventually { room.patch.asked.count == 2 })
    #expect(WallClock.unixTime >= time.unixTime)
    let changes = room.patch.asked.map { "\($0.change)" }
    #expect(changes[0].contains("Rock") && changes[0].contains("volume"))
    #expect(!changes[1].contains("Rock"))
  }

  @Test func `a message has sounds begin again, behind what its bundle sets`() throws {
    let (room, port) = try room()
    let trigger = OSCPacket.message(
      OSCMessage(address: "/trigger", arguments: [.string("song"), .string("none"), .int32(1)]))
    RawConnection.send(OSCPacket.bundle(.immediately, [trigger, volume(0.5)]).bytes, toPort: port)
    #expect(eventually { room.patch.triggered == ["song"] })
    #expect(room.patch.asked.count == 1)
  }

  @Test func `a fader that is faster than changes loses nothing but what is on the way`() throws {
    let (room, port) = try room()
    room.patch.slow(by: .milliseconds(20))
    for step in 0...100 { RawConnection.send(volume(Float(step) / 100).bytes, toPort: port) }
    #expect(
      eventually {
        room.patch.asked.last.map { "\($0.change)" }?.contains("value: Optional(\"1\")") == true
      })
    #expect(room.patch.asked.count < 101)
  }

  @Test func `a wrong value keeps no other from being heard`() throws {
    let (room, port) = try room()
    room.patch.slow(by: .milliseconds(100))
    RawConnection.send(volume(0).bytes, toPort: port)
    #expect(eventually { !room.patch.asked.isEmpty })
    let wrong = OSCPacket.message(
      OSCMessage(address: "/nodes/eq/properties/wrong", arguments: [.int32(1)]))
    for packet in [volume(0.5), wrong] { RawConnection.send(packet.bytes, toPort: port) }
    #expect(
      eventually {
        room.patch.asked.contains {
          "\($0.change)".contains("0.5") && !"\($0.change)".contains("wrong")
        }
      })
  }

  @Test func `what cannot be read is counted, and what means nothing too`() throws {
    let (room, port) = try room()
    for text in ["", "x", "/abc", "#bundle\0", "/nodes/eq\0\0\0,f\0\0"] {
      RawConnection.send(Array(text.utf8), toPort: port)
    }
    RawConnection.send(
      OSCPacket.message(OSCMessage(address: "/1/fader1", arguments: [.float32(1)])).bytes,
      toPort: port)
    #expect(
      eventually {
        room.metrics?.contains(#"osc_datagrams_total{result="unmatched"} 1"#) == true
      })
    let text = try room.ask("GET /metrics").body
    #expect(text.contains(#"osc_datagrams_total{result="malformed"} 5"#))
    #expect(room.patch.asked.isEmpty)
  }
}

/// A bundle that python-osc 1.10.2 has written: a message of each of its types, and a bundle in it.
private enum PythonOSC {
  static let bundle = """
    23 62 75 6e 64 6c 65 00 00 00 00 00 00 00 00 01 00 00 00 78 2f 6e 6f 64 65 73 2f 6d 69 78 65 72
    2f 69 6e 70 75 74 73 2f 30 2f 70 61 72 61 6d 65 74 65 72 73 2f 76 6f 6c 75 6d 65 00 2c 66 69 68
    64 73 62 54 46 4e 5b 69 5b 73 5d 5d 6d 72 00 00 3f 00 00 00 ff ff ff fd 00 00 01 00 00 00 00 00
    3f b9 99 99 99 99 99 9a 47 72 c3 bc c3 9f 65 00 00 00 00 05 01 02 03 04 05 00 00 00 00 00 00 01
    78 00 00 00 01 90 3c 7f ff 00 00 ff 00 00 00 20 23 62 75 6e 64 6c 65 00 bf 45 48 80 40 00 00 00
    00 00 00 0c 2f 61 00 00 2c 73 00 00 61 62 63 00
    """

  static let packet = OSCPacket.bundle(
    .immediately,
    [
      .message(
        OSCMessage(
          address: "/nodes/mixer/inputs/0/parameters/volume",
          arguments: [
            .float32(0.5), .int32(-3), .int64(1 << 40), .float64(0.1), .string("Grüße"),
            .blob([1, 2, 3, 4, 5]), .boolean(true), .boolean(false), .null,
            .array([.int32(1), .array([.string("x")])]), .midi(0x0190_3C7F), .color(0xFF00_00FF),
          ])),
      .bundle(
        OSCTimeTag(unixTime: 1_000_000_000.25),
        [.message(OSCMessage(address: "/a", arguments: [.string("abc")]))]),
    ])
}

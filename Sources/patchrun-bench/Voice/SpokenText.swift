import Foundation

/// Generates speech with espeak-ng.
enum SpokenText {
  /// - Parameters:
  ///   - voice: A voice for `espeak-ng -v`.
  ///   - speed: Words a minute.
  ///   - pitch: 0 to 99.
  /// - Returns: The samples and their rate in hertz; `nil` if espeak-ng or the voice is missing.
  static func speak(
    _ text: String, voice: String, speed: Int, pitch: Int
  ) -> (samples: [Float], rate: Double)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "espeak-ng", "-v", voice, "-s", "\(speed)", "-p", "\(pitch)", "--stdout", text,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    // A WAV file of 16-bit samples with a header of 44 bytes.
    guard process.terminationStatus == 0, bytes.count > 44 else { return nil }
    let rate = Double(UInt32(bytes[24]) | UInt32(bytes[25]) << 8 | UInt32(bytes[26]) << 16)
    let samples = stride(from: 44, to: bytes.count - 1, by: 2).map {
      Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32768
    }
    return (samples, rate)
  }
}

import Foundation
import TestSupport
import Testing

/// The dependencies of programs that use the library. `.ci/products` does the same from a separate
/// package, where it also checks that no other package is resolved.
@Suite struct LibraryProductsTests {
  /// The path of a program of Tests/Products, which is built beside the tests like a user's
  /// program.
  private func program(_ name: String) -> String {
    URL(fileURLWithPath: CommandLineTool.path).deletingLastPathComponent()
      .appending(path: name).path
  }

  /// The shared objects that a program loads at its start.
  private func libraries(_ name: String) throws -> String {
    let place = try Workplace()
    let outcome = try place.shell("ldd '\(program(name))'").wait()
    try #require(outcome.status == 0 && place.exists(".output-1"), "\(outcome.errors)")
    return outcome.output
  }

  /// Whether a program contains the name of a library, which it may load later.
  private func named(_ product: String, _ library: String) throws -> Bool {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: program(product)))
    return bytes.range(of: Data(library.utf8)) != nil
  }

  @Test func `one import renders offline, and loads no window system and no sound server`() throws {
    let loaded = try libraries("OfflineProgram")
    for word in ["cairo", "X11", "xcb", "fontconfig", "pulse"] {
      #expect(!loaded.contains(word), "\(word)")
    }
    // Libraries that are loaded on first use.
    for library in ["libsndfile.so.1", "libsoxr.so.0", "libkissfft-float.so.131"] {
      #expect(!loaded.contains(library), "\(library)")
      #expect(try named("OfflineProgram", library), "\(library)")
    }
    for library in ["libcairo.so", "libpulse.so"] {
      #expect(try !named("OfflineProgram", library), "\(library)")
    }
    let place = try Workplace()
    let outcome = try place.shell("'\(program("OfflineProgram"))'").wait()
    #expect(place.exists(".output-1"))
    #expect(outcome.output == "48000 frames, peak -6.020599913279624 dBFS\n")
  }

  @Test func `pictures are a product of their own, without a sound server`() throws {
    let loaded = try libraries("PictureProgram")
    #expect(!loaded.contains("pulse"))
    // The drawing library is loaded on first use.
    #expect(try named("PictureProgram", "libcairo.so"))
    #expect(try !named("PictureProgram", "libpulse.so"))
    let place = try Workplace()
    let outcome = try place.shell("'\(program("PictureProgram"))' noise.svg").wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(String(decoding: try place.bytes("noise.svg"), as: UTF8.self).contains("<svg"))
  }

  @Test func `the sound server is a product of its own, without pictures`() throws {
    let loaded = try libraries("PulseProgram")
    #expect(!loaded.contains("cairo"))
    // The client library of the server is loaded on first use.
    #expect(try named("PulseProgram", "libpulse.so"))
    #expect(try !named("PulseProgram", "libcairo.so"))
  }
}

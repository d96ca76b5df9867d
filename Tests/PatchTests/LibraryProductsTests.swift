import Foundation
import Testing

/// What a program that takes the library takes along. `.ci/products` does the same from a package of
/// its own, where it also sees that no other package is resolved.
@Suite struct LibraryProductsTests {
  /// A program of Tests/Products, built as a user's programs are, beside the tests.
  private func program(_ name: String) -> String {
    URL(fileURLWithPath: CommandLineTool.path).deletingLastPathComponent()
      .appending(path: name).path
  }

  /// The shared objects that a program loads.
  private func libraries(_ name: String) throws -> String {
    let place = try Workplace()
    let outcome = try place.shell("ldd '\(program(name))'").wait()
    try #require(outcome.status == 0 && place.exists(".output-1"), "\(outcome.errors)")
    return outcome.output
  }

  /// Whether a program has the name of a library in it, which it may load later.
  private func named(_ product: String, _ library: String) throws -> Bool {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: program(product)))
    return bytes.range(of: Data(library.utf8)) != nil
  }

  @Test func `one import renders offline, and loads no window system and no sound server`() throws {
    let loaded = try libraries("OfflineProgram")
    for word in ["cairo", "X11", "xcb", "fontconfig", "pulse"] {
      #expect(!loaded.contains(word), "\(word)")
    }
    // What is loaded when it is first needed.
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
    // It loads what draws when it draws.
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
    // It loads what speaks to the server when it does.
    #expect(try named("PulseProgram", "libpulse.so"))
    #expect(try !named("PulseProgram", "libcairo.so"))
  }
}

import Foundation
import RenderCore
import TestSupport
import Testing

/// The kernel class of a render, with the program that was built.
@Suite struct KernelCommandTests {
  private static let patch = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "noise": { "kind": "noise", "amplitude": 0.2, "seed": 3 } },
      "nodes": {
        "eq": { "component": "iPodEQ", "properties": { "presentPreset": "Acoustic" } },
        "out": { "component": "GenericOutput" }
      },
      "connections": [{ "from": "noise", "to": "eq" }, { "from": "eq", "to": "out" }]
    }
    """

  @Test
  func `each kernel class that there is renders the same but for the last bits`() throws {
    let place = try Workplace()
    try place.write(Self.patch, to: "eq.json")
    var renders: [[Float]] = []
    for name in VectorMath.names {
      let outcome = try place.run(
        "render", "eq.json", "--duration", "1", "-o", "\(name).wav", "--kernel", name)
      #expect(outcome.status == 0, "\(outcome.errors)")
      renders.append(try place.samples("\(name).wav"))
      place.environment["PATCHRUN_KERNEL"] = name
      _ = try place.run("render", "eq.json", "--duration", "1", "-o", "same.wav")
      place.environment["PATCHRUN_KERNEL"] = nil
      #expect(try place.bytes("same.wav") == place.bytes("\(name).wav"))
    }
    for render in renders {
      #expect(render.count == 96_000)
      // -140 dBFS.
      #expect(zip(render, renders[0]).allSatisfy { abs($0 - $1) <= 1e-7 })
    }
    #expect(renders[0].contains { abs($0) > 0.1 })
  }

  @Test
  func `a class that is not there is refused`() throws {
    let place = try Workplace()
    try place.write(Self.patch, to: "eq.json")
    let render = ["render", "eq.json", "--duration", "1", "-o", "a.wav"]
    let option = try place.start(render + ["--kernel", "abacus"]).wait()
    #expect(option.status == 2 && option.errors.contains("baseline"), "\(option.errors)")
    place.environment["PATCHRUN_KERNEL"] = "abacus"
    let variable = try place.start(render).wait()
    #expect(variable.status == 2)
    #expect(
      variable.errors.contains("PATCHRUN_KERNEL: this processor has no kernel class 'abacus'"),
      "\(variable.errors)")
    #expect(!place.exists("a.wav"))
  }

  @Test
  func `the version says which one is used, and which there are`() throws {
    let place = try Workplace()
    let lines = try place.run("--version", "--verbose").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("patchrun "))
    #expect(
      lines[1]
        == "kernel class: \(VectorMath.names.last ?? ""), of \(VectorMath.names.joined(separator: ", "))"
    )
    place.environment["PATCHRUN_KERNEL"] = "baseline"
    let plain = try place.run("--version", "--verbose").output
    #expect(plain.contains("kernel class: baseline, of "))
    place.environment["PATCHRUN_KERNEL"] = nil
    let widest = try #require(VectorMath.names.last)
    for (arguments, name) in [
      (["--verbose", "--version"], widest), (["--verbose", "-V"], widest),
      (["--version", "--verbose", "--kernel", "baseline"], "baseline"),
      (["--kernel", "baseline", "--version", "--verbose"], "baseline"),
      (["--verbose", "--kernel=baseline", "-V"], "baseline"),
    ] {
      let outcome = try place.start(arguments).wait()
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      #expect(outcome.output.contains("\nkernel class: \(name), of "), "\(arguments)")
    }
    #expect(try place.run("--kernel", "baseline", "--version").output == "\(lines[0])\n")
  }

  @Test
  func `the version refuses what render refuses, and what means nothing beside it`() throws {
    let place = try Workplace()
    for (arguments, words) in [
      (["--version", "--verbos"], "did you mean '--verbose'?"),
      (["--verbos", "--version"], "did you mean '--verbose'?"),
      (["-V", "--kernle", "baseline"], "did you mean '--kernel'?"),
      (["--version", "--duration", "5"], "'--version' takes no option '--duration'"),
      (["--version", "mix.json"], "'--version' takes no 'mix.json'"),
      (["--version", "--kernel"], "'--kernel' has no value"),
      (["--version", "--kernel", "abacus"], "this processor has no kernel class 'abacus'"),
    ] {
      let outcome = try place.start(arguments).wait()
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(arguments)")
      #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
      #expect(outcome.errors.contains("= help: ") || words.contains("abacus"), "\(arguments)")
    }
    try place.write(Self.patch, to: "eq.json")
    place.environment["PATCHRUN_KERNEL"] = "abacus"
    let version = try place.run("--version", "--verbose")
    let render = try place.run("render", "eq.json", "--duration", "1", "-o", "a.wav")
    #expect(version.status == 2 && version.output.isEmpty)
    #expect(!version.errors.isEmpty && version.errors == render.errors)
    // Without the class, and with one by the option, the variable is not looked at.
    #expect(try place.run("--version").status == 0)
    #expect(try place.run("--version", "--verbose", "--kernel", "baseline").status == 0)
  }
}

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
  }
}

import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

@testable import RenderCallbacks

let mono48 = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
let stereo48 = StreamFormat(.float32, channels: 2, sampleRate: 48_000)

/// Renders a processing callback with an input: channels, frames.
func process(
  _ callback: some RenderCallback, _ input: [[Float]], sampleRate: Double = 48_000,
  slicing: Slicing = Slicing([1024])
) throws -> [[Float]] {
  let format = StreamFormat(.float32, channels: input.count, sampleRate: sampleRate)
  let source = try callback.makeSource(for: format, maximumFramesPerSlice: 4096)
  #expect(!source.writesBusWords)
  #expect(source.duration == callback.duration(for: format))
  return render(
    source.kernel, inputs: [input], outputChannelCounts: [input.count],
    frameCount: input[0].count, slicing: slicing)[0]
}

/// The largest difference, in dBFS.
func worst(_ found: [Float], _ expected: (Int) -> Double) -> Double {
  20 * log10(found.indices.map { abs(Double(found[$0]) - expected($0)) }.max() ?? 0)
}

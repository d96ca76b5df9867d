import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

/// Renders channels into a tap and returns the last reading.
func measure(
  _ tap: some RenderTap, _ channels: [[Float]], rate: Double = 48_000,
  sample: SampleType = .float32, slicing: Slicing = Slicing([4096])
) throws -> TapReading {
  let format = StreamFormat(sample, channels: channels.count, sampleRate: rate)
  #expect(tap.problems(for: format).isEmpty)
  let sink = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
  let slices = slicing.cut(channels[0].count)
  var slice = 0
  _ = render(
    sink.kernel, inputs: [channels], outputChannelCounts: [], frameCount: channels[0].count,
    slicing: slicing,
    before: { _ in
      if let service = sink.service {
        #expect(throws: Never.self) { try service.service(atLeast: slices[slice]) }
      }
      slice += 1
    })
  try sink.service?.finish()
  #expect(sink.service?.lostFrames ?? 0 == 0)
  return try #require(sink.reader).reading
}

extension TapReading {
  var meter: MeterReading? { if case .meter(let reading) = self { reading } else { nil } }
  var loudness: LoudnessReading? { if case .loudness(let reading) = self { reading } else { nil } }
  var spectrum: SpectrumReading? { if case .spectrum(let reading) = self { reading } else { nil } }
}

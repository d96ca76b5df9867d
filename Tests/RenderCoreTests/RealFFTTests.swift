import Glibc
import RenderCore
import TestSupport
import Testing

struct RealFFTTests {
  /// The definition of the transform, in double precision.
  private func transform(_ samples: [Float]) -> [(real: Double, imaginary: Double)] {
    (0...samples.count / 2).map { bin in
      var sum = (real: 0.0, imaginary: 0.0)
      for (n, sample) in samples.enumerated() {
        let angle = 2 * Double.pi * Double(bin * n % samples.count) / Double(samples.count)
        sum.real += Double(sample) * cos(angle)
        sum.imaginary -= Double(sample) * sin(angle)
      }
      return sum
    }
  }

  @Test(arguments: [4, 8, 60, 64, 128, 192, 256, 384, 480, 512, 768, 1024, 1536, 2048, 3072, 4096])
  func `a spectrum is the one of the definition`(length: Int) {
    var fft = RealFFT(length: length)
    let samples = noise(length, seed: UInt64(length))
    let input = SampleStorage(samples)
    let real = SampleStorage(repeating: 9, count: fft.binCount)
    let imaginary = SampleStorage(repeating: 9, count: fft.binCount)
    fft.forward(
      input.buffer(at: 0, count: length), real: real.buffer(at: 0, count: fft.binCount),
      imaginary: imaginary.buffer(at: 0, count: fft.binCount))
    var error = 0.0
    var power = 0.0
    for (bin, expected) in transform(samples).enumerated() {
      error += pow(Double(real[bin]) - expected.real, 2)
      error += pow(Double(imaginary[bin]) - expected.imaginary, 2)
      power += expected.real * expected.real + expected.imaginary * expected.imaginary
    }
    // The rounding of floats in up to twelve stages.
    #expect(10 * log10(error / power) < -135)
    #expect(imaginary[0] == 0 && imaginary[fft.binCount - 1] == 0)
    #expect(samples.indices.allSatisfy { input[$0] == samples[$0] })
  }

  @Test(arguments: [
    4, 16, 128, 256, 384, 768, 960, 1024, 2048, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 65_536,
  ])
  func `the inverse undoes it, without heap calls`(length: Int) {
    var fft = RealFFT(length: length)
    let samples = noise(length, seed: UInt64(length))
    let bins = fft.binCount
    let buffer = SampleStorage(samples)
    let real = SampleStorage(repeating: 0, count: bins)
    let imaginary = SampleStorage(repeating: 0, count: bins)
    let heapCalls = allocations {
      fft.forward(
        buffer.buffer(at: 0, count: length), real: real.buffer(at: 0, count: bins),
        imaginary: imaginary.buffer(at: 0, count: bins))
      buffer.buffer(at: 0, count: length).clear()
      fft.inverse(
        real: real.buffer(at: 0, count: bins), imaginary: imaginary.buffer(at: 0, count: bins),
        into: buffer.buffer(at: 0, count: length))
    }
    #expect(heapCalls == 0)
    let worst = samples.indices.map { abs(buffer[$0] - samples[$0]) }.max() ?? 1
    #expect(20 * log10(worst) < -110)
  }

  @Test func `the vectors take powers of two and three times those`() {
    let fast = stride(from: 2, through: 50_000, by: 2).filter { RealFFT.isFast($0) }
    #expect(
      fast == [
        128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384,
      ])
  }

  @Test
  func `an impulse is flat, to the bit`() {
    var fft = RealFFT(length: 64)
    let impulse = SampleStorage([1] + [Float](repeating: 0, count: 63))
    let real = SampleStorage(repeating: 0, count: 33)
    let imaginary = SampleStorage(repeating: 1, count: 33)
    fft.forward(
      impulse.buffer(at: 0, count: 64), real: real.buffer(at: 0, count: 33),
      imaginary: imaginary.buffer(at: 0, count: 33))
    #expect((0..<33).allSatisfy { real[$0] == 1 && imaginary[$0] == 0 })
  }
}

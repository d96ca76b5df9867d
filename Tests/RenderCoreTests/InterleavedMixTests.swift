import AudioTypes
import CVector
import TestSupport
import Testing

@testable import RenderCore

@Suite struct InterleavedMixTests {
  /// Which of the signals lie interleaved: none, all, and some among others.
  @Test(arguments: [1, 2, 3, 7, 8, 9, 21], [1, 15, 16, 33, 1500])
  func `interleaved signals are mixed to the bits of the same signals apart`(
    signals: Int, count: Int
  ) {
    let left = noise(signals * count, seed: 31)
    let right = noise(signals * count, seed: 32)
    let gains = noise(2 * signals, seed: 33)
    let frames = zip(left, right).flatMap { [$0, $1] }
    func mix(
      _ kernels: cvector_kernels, fresh: Bool, _ isInterleaved: (Int) -> Bool
    ) -> [[UInt32]] {
      var (leftSum, rightSum) = (noise(count, seed: 34), noise(count, seed: 35))
      unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
          unsafe frames.withUnsafeBufferPointer { frames in
            let all = unsafe (0..<signals).map { signal in
              let place = signal * count
              return unsafe cvector_signal(
                left: isInterleaved(signal)
                  ? frames.baseAddress! + 2 * place : left.baseAddress! + place,
                right: right.baseAddress! + place, left_gain: gains[2 * signal],
                right_gain: gains[2 * signal + 1], is_interleaved: isInterleaved(signal) ? 1 : 0)
            }
            var most: UInt32 = 0
            // Cut where no vector ends.
            for first in stride(from: 0, to: count, by: 700) {
              let length = min(700, count - first)
              most = unsafe max(
                most,
                leftSum.withUnsafeMutableBufferPointer { one in
                  unsafe rightSum.withUnsafeMutableBufferPointer { other in
                    unsafe kernels.mix(
                      all, signals, fresh ? 1 : 0, first, length, one.baseAddress!,
                      other.baseAddress!)
                  }
                })
            }
            #expect(most == (leftSum + rightSum).map(\.magnitude.bitPattern).max())
          }
        }
      }
      return [leftSum.map(\.bitPattern), rightSum.map(\.bitPattern)]
    }
    var index: Int32 = 0
    while let kind = unsafe cvector_kind(index) {
      let kernels = unsafe kind.pointee
      for fresh in [true, false] {
        let apart = unsafe mix(kernels, fresh: fresh) { _ in false }
        #expect(unsafe mix(kernels, fresh: fresh) { _ in true } == apart)
        #expect(unsafe mix(kernels, fresh: fresh) { $0 % 3 == 1 } == apart)
        #expect(unsafe mix(kernels, fresh: fresh) { $0 >= 5 } == apart)
      }
      index += 1
    }
  }

  @Test(arguments: [0, 1, 31, 32, 500])
  func `a copy tells the largest magnitude`(count: Int) {
    let samples = noise(count, seed: 36)
    var index: Int32 = 0
    while let kind = unsafe cvector_kind(index) {
      var output = [Float](repeating: 7, count: count + 1)
      let largest = unsafe samples.withUnsafeBufferPointer { samples in
        unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe kind.pointee.copy(
            samples.baseAddress ?? UnsafePointer(output.baseAddress!), count, output.baseAddress!)
        }
      }
      #expect(largest == samples.map(\.magnitude.bitPattern).max() ?? 0)
      #expect(output == samples + [7])
      index += 1
    }
  }
}

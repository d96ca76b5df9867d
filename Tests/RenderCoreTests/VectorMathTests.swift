import CVector
import Foundation
import RenderCore
import TestSupport
import Testing

private func noise(_ count: Int, seed: UInt64) -> [Float] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { _ in Float(Int32(truncatingIfNeeded: generator.next())) * 0x1p-31 }
}

/// How many kinds of vector this processor has.
private let kindCount: Int32 = {
  var count: Int32 = 0
  while unsafe cvector_kind(count) != nil { count += 1 }
  return count
}()

@Suite struct VectorMathTests {
  @Test func `there is a baseline, and the last kind is the one in use`() throws {
    let names = (0..<kindCount).map {
      unsafe String(cString: cvector_kind($0)!.pointee.name)
    }
    #expect(names.first == "baseline")
    #expect(names.last == VectorMath.name)
  }

  @Test(arguments: [16, 32, 48, 208])
  func `a sum of products is what doubles make of it, with every kind of vector`(count: Int) {
    let row = noise(count * 4, seed: 1)
    let samples = noise(count + 40, seed: 2)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for start in [0, 1, 7, 16, 33] {
        var exact = [Double](repeating: 0, count: 4)
        for index in 0..<4 {
          for k in 0..<count {
            exact[index] += Double(row[index * count + k]) * Double(samples[start + k])
          }
        }
        unsafe row.withUnsafeBufferPointer { row in
          unsafe samples.withUnsafeBufferPointer { samples in
            let r = row.baseAddress!
            let y = samples.baseAddress!
            let x = unsafe y + start
            let alone = unsafe kernels.dot(r, x, count)
            // The rounding of sums of up to 208 products below 1.
            #expect(abs(Double(alone) - exact[0]) < 1e-5)
            // Beside other rows and channels it is the same to the bit.
            for rows in 1...4 {
              var one = [Float](repeating: 0, count: 4)
              var (first, second) = (one, one)
              unsafe kernels.dot_block(r, rows, x, count, &one)
              unsafe kernels.dot_block_channels(r, rows, x, y, count, &first, &second)
              for index in 0..<rows {
                let single = unsafe kernels.dot(r + index * count, x, count)
                #expect(one[index] == single && first[index] == single)
                let other = unsafe kernels.dot(r + index * count, y, count)
                #expect(second[index] == other)
              }
            }
            var pair: [Float] = [0, 0]
            unsafe kernels.dot_rows(r, r + count, x, count, &pair)
            let second = unsafe kernels.dot(r + count, x, count)
            #expect(pair == [alone, second])
            unsafe kernels.dot_channels(r, x, y, count, &pair)
            let other = unsafe kernels.dot(r, y, count)
            #expect(pair == [alone, other])
          }
        }
      }
    }
  }

  @Test(arguments: [1, 5, 64, 77])
  func `a filter over time is the same however it is cut, with every kind of vector`(taps: Int) {
    let frames = 150
    let rows = noise(taps * 2, seed: 3)
    let samples = noise(frames + taps, seed: 4)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var whole = [Float](repeating: 0, count: frames)
      unsafe kernels.fir(rows, taps, samples, &whole, frames)
      for frame in 0..<frames {
        var exact = 0.0
        for k in 0..<taps { exact += Double(rows[k]) * Double(samples[frame + k]) }
        #expect(abs(Double(whole[frame]) - exact) < 1e-5)
      }
      for cut in [1, 15, 33, 64, 149] {
        var first: [Float] = []
        while first.count < frames {
          let length = min(cut, frames - first.count)
          var (left, right) = ([Float](repeating: 0, count: length), [Float]())
          right = left
          unsafe kernels.fir_rows(
            Array(rows[..<taps]), Array(rows[taps...]), taps, Array(samples[first.count...]), &left,
            &right, length)
          first += left
        }
        #expect(first == whole)
      }
    }
  }

  @Test func `rows are blended by their weights, with every kind of vector`() {
    let rows = noise(32 * 4, seed: 5)
    let weights: [Float] = [-0.0625, 0.5625, 0.5625, -0.0625]
    for kind in 0..<kindCount {
      var row = [Float](repeating: 0, count: 32)
      unsafe cvector_kind(kind)!.pointee.blend(rows, 32, weights, 32, &row)
      for k in 0..<32 {
        let exact = (0..<4).reduce(0.0) { $0 + Double(weights[$1]) * Double(rows[$1 * 32 + k]) }
        #expect(abs(Double(row[k]) - exact) < 1e-6)
      }
    }
  }

  @Test func `a walk takes each frame at its place, with every kind of vector`() {
    let (rowCount, width, frames) = (8, 32, 20)
    let rows = noise((rowCount + 1) * width, seed: 8)
    let first = noise(100, seed: 9)
    let second = noise(100, seed: 10)
    // A step of 1.75 and 2^-20, which grows by 2^-20 each time, in 2^-64 frames.
    var places = cvector_places(
      fraction: 1 << 63, step_high: 1, step_low: 3 << 62 + 1 << 44, increment_high: 0,
      increment_low: 1 << 44)
    for kind in 0..<kindCount {
      let kernel = unsafe cvector_kind(kind)!.pointee
      var left = [Float](repeating: 0, count: frames)
      var right = left
      var alone = left
      unsafe kernel.walk(
        rows, rowCount, width, &places, first, second, frames, &left, &right)
      unsafe kernel.walk(rows, rowCount, width, &places, second, nil, frames, &alone, nil)
      #expect(alone == right)
      for frame in 0..<frames {
        let n = Double(frame)
        let place = 0.5 + n * (1.75 + 0x1p-20) + n * (n - 1) / 2 * 0x1p-20
        let start = Int(place)
        let position = (place - Double(start)) * Double(rowCount)
        let row = Int(position)
        let t = position - Double(row)
        var exact = (0.0, 0.0)
        for k in 0..<width {
          let c =
            Double(rows[row * width + k]) * (1 - t) + Double(rows[(row + 1) * width + k]) * t
          exact.0 += c * Double(first[start + k])
          exact.1 += c * Double(second[start + k])
        }
        #expect(abs(Double(left[frame]) - exact.0) < 2e-6)
        #expect(abs(Double(right[frame]) - exact.1) < 2e-6)
      }
    }
  }

  @Test func `the doors take what the kernels take`() {
    let row = SampleStorage(noise(64, seed: 6))
    let samples = SampleStorage(noise(200, seed: 7))
    let out = SampleStorage(repeating: 0, count: 40)
    let (first, second) = (row.buffer(at: 0, count: 32), row.buffer(at: 32, count: 32))
    let all = samples.buffer(at: 0, count: 200)
    let both = VectorMath.dots(first, second, all)
    #expect(both == (VectorMath.dot(first, all), VectorMath.dot(second, all)))
    let (left, right) = (out.buffer(at: 0, count: 20), out.buffer(at: 20, count: 20))
    VectorMath.filter(first, second, all, into: left, right)
    let alone = SampleStorage(repeating: 0, count: 20)
    VectorMath.filter(second, all, into: alone.buffer(at: 0, count: 20))
    #expect((0..<20).allSatisfy { out[20 + $0] == alone[$0] })
    #expect(abs(left[0] - both.0) < 1e-5)
  }

  @Test func `what is not finite is copied as zero`() {
    let odd: [Float] = [1, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -3]
    var copy = [Float](repeating: 9, count: odd.count)
    unsafe cvector_copy_finite(odd, &copy, odd.count)
    #expect(copy == [1, 0, 0, 0, 0, .leastNonzeroMagnitude, -3])
    #expect(copy[1].sign == .minus)
  }
}

import CVector
import Foundation
import RenderCore
import TestSupport
import Testing

/// The number of kinds of vector that this processor has.
let kindCount: Int32 = {
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
            // Beside other rows and channels, the result is identical.
            for rows in 1...4 {
              var one = [Float](repeating: 0, count: 4)
              var (first, second) = (one, one)
              unsafe kernels.dot_block(r, rows, x, count, &one)
              unsafe kernels.dot_block_channels(r, rows, x, y, count, &first, &second)
              for index in 0..<rows {
                var (single, other): (Float, Float) = (0, 0)
                unsafe kernels.dot_block(r + index * count, 1, x, count, &single)
                unsafe kernels.dot_block(r + index * count, 1, y, count, &other)
                #expect(abs(Double(single) - exact[index]) < 1e-5)
                #expect(one[index] == single && first[index] == single && second[index] == other)
              }
            }
            for rows in 1...4 {
              // Three places, a sample apart, and their sums five apart.
              var (first, second) = (
                [Float](repeating: 0, count: 15), [Float](repeating: 0, count: 15)
              )
              var mono = first
              unsafe kernels.dot_block_repeated(r, rows, x, y, count, 1, &first, &second, 5)
              unsafe kernels.dot_block_repeated(r, rows, x, nil, count, 1, &mono, nil, 5)
              for place in 0..<3 {
                var (one, other) = (
                  [Float](repeating: 0, count: 5), [Float](repeating: 0, count: 5)
                )
                unsafe kernels.dot_block(r, rows, x + place, count, &one)
                unsafe kernels.dot_block(r, rows, y + place, count, &other)
                #expect(Array(first[place * 5..<place * 5 + 5]) == one)
                #expect(Array(mono[place * 5..<place * 5 + 5]) == one)
                #expect(Array(second[place * 5..<place * 5 + 5]) == other)
              }
            }
            var pair: [Float] = [0, 0]
            unsafe kernels.dot_rows(r, r + count, x, count, &pair)
            let second = unsafe kernels.dot(r + count, x, count)
            #expect(pair == [alone, second])
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
    // A step of 1.75 + 2^-20 that grows by 2^-20 each time, in units of 2^-64 frames.
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

  @Test func `the names are those of the kinds, and one that is not there changes nothing`() {
    #expect(VectorMath.names.count == Int(kindCount) && VectorMath.names.first == "baseline")
    let name = VectorMath.name
    #expect(!VectorMath.choose("abacus"))
    #expect(VectorMath.name == name)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 33, 500])
  func `samples on their way have the same bits with every kind of vector`(count: Int) {
    let samples = noise(3 * count + 3, seed: 11)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      let magnitudes = samples[..<count].map(\.magnitude.bitPattern)
      let largest = unsafe kernels.largest(samples, count)
      #expect(largest == magnitudes.max() ?? 0)
      for stride in 1...3 {
        let rest = Array(samples[(stride - 1)...])
        let picked = (0..<count).map { rest[$0 * stride] }
        var output = [Float](repeating: 7, count: count + 1)
        unsafe kernels.pick(rest, stride, count, &output)
        #expect(output == picked + [7])
        unsafe kernels.pick_scaled(rest, stride, 0.3, count, &output)
        #expect(output == picked.map { Float(Double($0) * 0.3) } + [7])
        let doubles = rest.map { Double($0) / 3 }
        unsafe kernels.pick_doubles(doubles, stride, 0.3, count, &output)
        #expect(output == (0..<count).map { Float(doubles[$0 * stride] * 0.3) } + [7])
      }
      let other = Array(samples[count...])
      var both = [Float](repeating: 7, count: 2 * count + 1)
      let loudest = unsafe kernels.interleave(samples, other, count, &both)
      let expected: [Float] = (0..<count).flatMap { [samples[$0], other[$0]] }
      #expect(both == expected + [7])
      #expect(loudest == expected.map(\.magnitude.bitPattern).max() ?? 0)
      var (one, two) = (
        [Float](repeating: 7, count: count + 1), [Float](repeating: 7, count: count + 1)
      )
      let most = unsafe kernels.deinterleave(both, count, &one, &two)
      #expect(most == both.prefix(2 * count).map(\.magnitude.bitPattern).max() ?? 0)
      #expect(one == samples[..<count] + [7] && two == other[..<count] + [7])
      // As one signal of a mix, whose zeros are all positive.
      var (left, right) = (samples, samples)
      unsafe kernels.amplify(samples, 0.3, other, -2, count, &left, &right)
      var amplified = samples
      for index in 0..<count { amplified[index] = 0 + samples[index] * 0.3 }
      #expect(left.map(\.bitPattern) == amplified.map(\.bitPattern))
      #expect((0..<count).allSatisfy { right[$0] == other[$0] * -2 })
      var scaled = Array(samples[...count])
      unsafe kernels.scale(&scaled, 0.3, count)
      let products: [Float] = samples[..<count].map { $0 * 0.3 }
      #expect(scaled == products + [samples[count]])
    }
  }

  @Test(arguments: [16, 24, 32])
  func `integers have the same bits with every kind of vector`(bits: Int) {
    let full = Double(Int64(1) << Int64(bits - 1))
    let samples = noise(1001, seed: 15).map(Double.init) + [1, -1, 0.5 / full, -1.5 / full, 0]
    let whole = samples.map { ($0 * full / 2).rounded() / full }
    let state: UInt64 = 0x5DEE_CE66_D1CE_4E5B
    var generator = SplitMix64(seed: state)
    func integer(_ value: Double) -> Int32 {
      Int32(min(full - 1, max(-full, value)).rounded(.toNearestOrEven))
    }
    let rounded = samples.map { integer($0 * full) }
    let dithered = samples.map { sample in
      let word = generator.next()
      let noise = Double((word & 0xFFFF_FFFF) + word >> 32) / 4_294_967_296 - 1
      return integer(sample * full + noise)
    }
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var words = [Int32](repeating: 0, count: samples.count)
      unsafe kernels.round(samples, samples.count, full, &words)
      #expect(words == rounded)
      unsafe kernels.dither(samples, samples.count, full, state, &words)
      #expect(words == dithered)
      for (place, value) in [(0, 1.0000001), (500, -.infinity), (1005, .nan)] {
        var others = samples
        others[place] = value
        #expect(unsafe kernels.within(samples, samples.count) != 0)
        #expect(unsafe kernels.within(others, samples.count) == 0)
      }
      #expect(unsafe kernels.inexact(whole, whole.count, full) == 0)
      for (place, value) in [(0, 0.25 / full), (700, 1), (1005, 0.25 / full)] {
        var others = whole
        others[place] = value
        #expect(unsafe kernels.inexact(others, whole.count, full) == place + 1)
      }
    }
  }

  @Test func `noise has the same bits with every kind of vector, from any number of it on`() {
    let state: UInt64 = 0x5DEE_CE66_D1CE_4E5B
    let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    for count in [1, 7, 64, 333] {
      let expected = (0..<count).map { frame -> Float in
        // The generator advances before it returns a number.
        var generator = SplitMix64(seed: state &+ UInt64(frame) &* step &- step)
        let bits = generator.next()
        return Float(0.3 * ((Double(bits >> 12) + 0.5) * 0x1p-51 - 1))
      }
      for kind in 0..<kindCount {
        var found = [Float](repeating: 7, count: count + 1)
        unsafe cvector_kind(kind)!.pointee.noise(state, 0.3, count, &found)
        #expect(found == expected + [7])
      }
    }
  }

  @Test(arguments: [0.25, 1, 7.3, 250.5])
  func `a turned spectrum is that of the delayed signal, with every kind of vector`(delay: Double) {
    let count = 512
    let real = noise(count, seed: 21)
    let imaginary = noise(count, seed: 22)
    let angle = -2 * Double.pi * delay / 1024
    for kind in 0..<kindCount {
      var (x, y) = (real, imaginary)
      unsafe cvector_kind(kind)!.pointee.turn(&x, &y, cos(angle), sin(angle), count)
      for bin in 0..<count {
        let (c, s) = (cos(angle * Double(bin)), sin(angle * Double(bin)))
        let (a, b) = (Double(real[bin]), Double(imaginary[bin]))
        // Half of the last bit of a float.
        #expect(abs(Double(x[bin]) - (a * c - b * s)) < 1e-7)
        #expect(abs(Double(y[bin]) - (a * s + b * c)) < 1e-7)
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 7, 8, 9, 21])
  func `a mix has the same bits with every kind of vector and however it is cut`(signals: Int) {
    let count = 100
    let samples = noise(count * signals, seed: 12)
    let gains = noise(2 * signals, seed: 13)
    // Each product and each sum is rounded.
    var exact = [[Float](repeating: 0, count: count), [Float](repeating: 0, count: count)]
    for side in 0..<2 {
      for frame in 0..<count {
        for signal in 0..<signals {
          let product: Float = gains[2 * signal + side] * samples[signal * count + frame]
          exact[side][frame] += product
        }
      }
    }
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var left = [Float](repeating: .nan, count: count)
      var right = left
      unsafe samples.withUnsafeBufferPointer { memory in
        let x = memory.baseAddress!
        for (first, length) in [(0, 1), (1, 33), (34, 66)] {
          var all = unsafe [cvector_signal]()
          for signal in 0..<signals {
            let place = unsafe x + (signal * count + first)
            unsafe all.append(
              cvector_signal(
                left: place, right: place, left_gain: gains[2 * signal],
                right_gain: gains[2 * signal + 1], is_interleaved: 0))
          }
          unsafe left.withUnsafeMutableBufferPointer { left in
            unsafe right.withUnsafeMutableBufferPointer { right in
              let (one, other) = unsafe (left.baseAddress! + first, right.baseAddress! + first)
              _ = unsafe kernels.mix(all, 1, 1, 0, length, one, other)
              let last = unsafe all.withUnsafeBufferPointer {
                unsafe kernels.mix(
                  $0.baseAddress! + 1, signals - 1, 0, 0, length, one, other)
              }
              // The returned magnitude is that of the sum in memory.
              let largest = unsafe max(
                kernels.largest(one, length), kernels.largest(other, length))
              #expect(last == (signals > 1 ? largest : 0))
            }
          }
        }
      }
      #expect([left, right] == exact)
    }
  }

  @Test func `a mix of many frames is the sum of its signals, and tells what is no number in it`() {
    let count = 5000
    var samples = noise(9 * count, seed: 21)
    samples[3 * count + 4321] = .nan
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var left = [Float](repeating: 0, count: count)
      var right = left
      let largest = unsafe samples.withUnsafeBufferPointer { memory in
        let all = unsafe (0..<9).map {
          unsafe cvector_signal(
            left: memory.baseAddress! + $0 * count, right: memory.baseAddress! + $0 * count,
            left_gain: 1, right_gain: $0 == 3 ? 0 : 1, is_interleaved: 0)
        }
        return unsafe left.withUnsafeMutableBufferPointer { left in
          unsafe right.withUnsafeMutableBufferPointer { right in
            unsafe kernels.mix(all, 9, 1, 0, count, left.baseAddress!, right.baseAddress!)
          }
        }
      }
      #expect(largest > Float.infinity.bitPattern)
      for frame in [0, 1023, 1024, 4320, 4999] {
        var exact: Float = 0
        for signal in 0..<9 { exact += samples[signal * count + frame] }
        #expect(left[frame] == exact)
      }
      #expect(left[4321].isNaN)
    }
  }

  /// Peaking filters one octave apart with alternating gains of 12 and -12 dB: `b0, b1, b2, a1, a2`
  /// of each.
  private func peaks(_ count: Int) -> [[Double]] {
    (0..<count).map { band in
      let amplitude = pow(10, (band % 2 == 0 ? 12.0 : -12) / 40)
      let w = 2 * Double.pi * 31.25 * pow(2, Double(band % 10)) / 48_000
      let alpha = sin(w) / 2.8
      let a0 = 1 + alpha / amplitude
      let b1 = -2 * cos(w) / a0
      return [
        (1 + alpha * amplitude) / a0, b1, (1 - alpha * amplitude) / a0, b1,
        (1 - alpha / amplitude) / a0,
      ]
    }
  }

  @Test(arguments: [1, 2], [1, 3, 10, 13, 64])
  func
    `filters filter alike with every kind of vector, however they are cut, and whichever run together`(
      channels: Int, number: Int
    )
  {
    let count = 1500
    let input = noise(channels * count, seed: 14).map(Double.init)
    let filters = peaks(number)
    // Five rows of coefficients, with one filter more than are used.
    let stride = (number + 1) * channels
    var coefficients = [Double](repeating: .nan, count: 5 * stride)
    for (band, filter) in filters.enumerated() {
      let (b0, a1, a2) = (filter[0], filter[3], filter[4])
      let row = [b0, filter[1] - b0 * a1, filter[2] - b0 * a2, -a1, -a2]
      for lane in 0..<channels {
        for (place, value) in row.enumerated() {
          coefficients[place * stride + band * channels + lane] = value
        }
      }
    }
    // One filter after the other, in another form.
    var exact = input
    for channel in 0..<channels {
      for filter in filters {
        var (s1, s2) = (0.0, 0.0)
        for frame in 0..<count {
          let x = exact[channels * frame + channel]
          let y = filter[0] * x + s1
          s1 = filter[1] * x - filter[3] * y + s2
          s2 = filter[2] * x - filter[4] * y
          exact[channels * frame + channel] = y
        }
      }
    }
    let peak = exact.map(abs).max()!
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      func run(_ cuts: [Int], _ groups: [Int]) -> [Double] {
        var output = input
        var memory = [Double](repeating: 0, count: 2 * stride)
        unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe memory.withUnsafeMutableBufferPointer { memory in
            unsafe coefficients.withUnsafeBufferPointer { coefficients in
              var first = 0
              var turn = 0
              while first < count {
                let length = min(count - first, cuts[turn % cuts.count])
                var begun = 0
                while begun < number {
                  let some = min(number - begun, groups[turn % groups.count])
                  unsafe kernels.filter(
                    coefficients.baseAddress! + begun * channels,
                    memory.baseAddress! + begun * channels, stride, some, Int32(channels),
                    output.baseAddress! + first * channels, length)
                  begun += some
                }
                turn += 1
                first += length
              }
            }
          }
        }
        // The unused filter has not changed.
        #expect(memory[number * channels] == 0 && memory.last == 0)
        return output
      }
      let whole = run([count], [number])
      #expect(run([1], [number]) == whole)
      #expect(run([1, 2, 8, 9, 10, 11, 64, 333], [1, 3, 4, 5, 11, 64]) == whole)
      for (found, exact) in zip(whole, exact) {
        // Some thousand roundings of 53 bits, amplified by 10^4 in the lowest filter.
        #expect(abs(found - exact) <= 1e-11 * peak)
      }
    }
  }

  @Test
  func `samples become doubles and floats again with every kind of vector, and a gain between`() {
    let count = 77
    let first = noise(count, seed: 3)
    let second = noise(count, seed: 4)
    func scaled(_ samples: [Float], _ gains: [Double]) -> [Float] {
      zip(samples, gains).map { sample, gain in Float(Double(sample) * gain) }
    }
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var samples = [Double](repeating: 0, count: 2 * count)
      var (left, right) = (first, second)
      unsafe kernels.widen(first, second, count, &samples)
      let interleaved: [Double] = zip(first, second).flatMap { [Double($0), Double($1)] }
      #expect(samples == interleaved)
      unsafe kernels.narrow(samples, count, 1, 0, 0, &left, &right)
      #expect(left == first && right == second)
      unsafe kernels.narrow(samples, count, 0.5, 0.01, 3, &left, &right)
      let gains: [Double] = (4..<count + 4).map { 0.5 + 0.01 * Double($0) }
      let (wantedLeft, wantedRight) = (scaled(first, gains), scaled(second, gains))
      #expect(left == wantedLeft)
      #expect(right == wantedRight)
      unsafe kernels.widen(second, nil, count, &samples)
      unsafe kernels.narrow(samples, count, 0.5, 0.01, 3, &left, nil)
      #expect(left == right)
    }
  }
}

import CVector
import RenderCore
import TestSupport
import Testing

/// The kernels of adaptive filters against the same in double precision, with every kind of vector: whole
/// vectors, what is behind them, and rows that are longer than what is taken of them.
@Suite struct AdaptiveKernelTests {
  private static let rows = 5

  @Test(arguments: [1, 16, 17, 31, 129])
  func `products of spectra are added row by row, however the rows are cut`(count: Int) {
    let width = count + 7
    let a = noise(2 * Self.rows * width, seed: 31)
    let b = noise(2 * Self.rows * width, seed: 32)
    let start = noise(2 * count, seed: 33)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var (re, im) = (Array(start[..<count]), Array(start[count...]))
      unsafe kernels.spectrum_rows(a, b, width, Self.rows, count, &re, &im)
      var (cutRe, cutIm) = (Array(start[..<count]), Array(start[count...]))
      unsafe kernels.spectrum_rows(a, b, width, 2, count, &cutRe, &cutIm)
      unsafe kernels.spectrum_rows(
        Array(a[(4 * width)...]), Array(b[(4 * width)...]), width, Self.rows - 2, count, &cutRe,
        &cutIm)
      #expect(cutRe == re && cutIm == im)
      for k in 0..<count {
        var (x, y) = (Double(start[k]), Double(start[count + k]))
        for row in 0..<Self.rows {
          let place = 2 * row * width + k
          let (ar, ai) = (Double(a[place]), Double(a[place + width]))
          let (br, bi) = (Double(b[place]), Double(b[place + width]))
          x += ar * br - ai * bi
          y += ar * bi + ai * br
        }
        #expect(abs(Double(re[k]) - x) < 3e-6 && abs(Double(im[k]) - y) < 3e-6)
      }
    }
  }

  @Test(arguments: [1, 16, 17, 31, 129])
  func `products and scaled rows are added row by row`(count: Int) {
    let width = count + 3
    let a = noise(Self.rows * width, seed: 34)
    let b = noise(Self.rows * width, seed: 35)
    let start = noise(count, seed: 36)
    let gains = noise(Self.rows, seed: 37)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var (products, scaled) = (start, start)
      unsafe kernels.product_rows(a, b, width, Self.rows, count, &products)
      unsafe kernels.scaled_rows(a, gains, width, Self.rows, count, &scaled)
      for k in 0..<count {
        var (x, y) = (Double(start[k]), Double(start[k]))
        for row in 0..<Self.rows {
          x += Double(a[row * width + k]) * Double(b[row * width + k])
          y += Double(a[row * width + k]) * Double(gains[row])
        }
        #expect(abs(Double(products[k]) - x) < 2e-6 && abs(Double(scaled[k]) - y) < 2e-6)
      }
    }
  }

  @Test(arguments: [1, 16, 17, 31, 64])
  func `a mean of conjugate products moves on by its share, and is coherent as far as it is`(
    count: Int
  ) {
    let (ar, ai) = (noise(count, seed: 41), noise(count, seed: 42))
    let (br, bi) = (noise(count, seed: 43), noise(count, seed: 44))
    let (re, im) = (noise(count, seed: 45), noise(count, seed: 46))
    let (first, second) = (ar.map { $0 * $0 }, br.map { $0 * $0 })
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var (x, y) = (re, im)
      unsafe kernels.spectrum_average(ar, ai, br, bi, 0.025, count, &x, &y)
      var coherence = 0.0
      for k in 0..<count {
        let real = Double(ar[k]) * Double(br[k]) + Double(ai[k]) * Double(bi[k])
        let imaginary = Double(ar[k]) * Double(bi[k]) - Double(ai[k]) * Double(br[k])
        #expect(abs(Double(x[k]) - (0.975 * Double(re[k]) + 0.025 * real)) < 5e-7)
        #expect(abs(Double(y[k]) - (0.975 * Double(im[k]) + 0.025 * imaginary)) < 5e-7)
        let power = Double(re[k]) * Double(re[k]) + Double(im[k]) * Double(im[k])
        coherence += power / (Double(first[k]) * Double(second[k]) + 0.01)
      }
      let found = unsafe kernels.coherence(re, im, first, second, 0.01, count)
      #expect(abs(Double(found) - coherence) < 1e-5 * coherence)
    }
  }

  @Test(arguments: [1, 16, 17, 31, 129])
  func `a step moves coefficients and their variance as the formulas say`(count: Int) {
    let (xr, xi) = (noise(count, seed: 51), noise(count, seed: 52))
    let (er, ei) = (noise(count, seed: 53), noise(count, seed: 54))
    let (cr, ci) = (noise(count, seed: 55), noise(count, seed: 56))
    let variance = noise(count, seed: 57).map(\.magnitude)
    let trust = noise(count, seed: 58).map(\.magnitude)
    let power: [Float] = zip(xr, xi).map { re, im in re * re + im * im }
    let (forgetting, rate, least) = (Float(0.99), Float(0.25), Float(0.1))
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      var (re, im, next) = (cr, ci, variance)
      var (approachedRe, approachedIm) = (cr, ci)
      unsafe xr.withUnsafeBufferPointer { xr in
        unsafe xi.withUnsafeBufferPointer { xi in
          unsafe er.withUnsafeBufferPointer { er in
            unsafe ei.withUnsafeBufferPointer { ei in
              unsafe power.withUnsafeBufferPointer { power in
                unsafe trust.withUnsafeBufferPointer { trust in
                  var step = unsafe cvector_adaptation(
                    far_re: xr.baseAddress, far_im: xi.baseAddress, power: power.baseAddress,
                    error_re: er.baseAddress, error_im: ei.baseAddress, trust: trust.baseAddress,
                    forgetting: forgetting, rate: rate, least: least)
                  unsafe kernels.adapt(&step, count, &next, &re, &im)
                  unsafe kernels.approach(
                    xr.baseAddress, xi.baseAddress, er.baseAddress, ei.baseAddress, rate, count,
                    variance, &approachedRe, &approachedIm)
                }
              }
            }
          }
        }
      }
      for k in 0..<count {
        let p = Double(variance[k])
        let real = Double(xr[k]) * Double(er[k]) + Double(xi[k]) * Double(ei[k])
        let imaginary = Double(xr[k]) * Double(ei[k]) - Double(xi[k]) * Double(er[k])
        let (x, y) = (
          (Double(cr[k]) + p * real) * Double(forgetting),
          (Double(ci[k]) + p * imaginary) * Double(forgetting)
        )
        #expect(abs(Double(re[k]) - x) < 1e-6 && abs(Double(im[k]) - y) < 1e-6)
        let kept = Double(forgetting) * Double(forgetting)
        let sure = Double(rate) * p * Double(trust[k]) * Double(power[k])
        let expected = max(Double(least), kept * (1 - sure) * p + (1 - kept) * (x * x + y * y))
        #expect(abs(Double(next[k]) - expected) < 1e-6)
        #expect(abs(Double(approachedRe[k]) - (Double(cr[k]) + Double(rate) * p * real)) < 1e-6)
        #expect(
          abs(Double(approachedIm[k]) - (Double(ci[k]) + Double(rate) * p * imaginary)) < 1e-6)
      }
    }
  }

  @Test func `rows of storage are added as the kernels add them, and keep to themselves`() {
    let count = 19
    let first = SpectrumStorage(rowCount: 4, binCount: count)
    let second = SpectrumStorage(rowCount: 4, binCount: count)
    let sum = SpectrumStorage(rowCount: 1, binCount: count)
    let values = noise(16 * count, seed: 61)
    for row in 0..<4 {
      for bin in 0..<count {
        first[row].real[bin] = values[(4 * row) * count + bin]
        first[row].imaginary[bin] = values[(4 * row + 1) * count + bin]
        second[row].real[bin] = values[(4 * row + 2) * count + bin]
        second[row].imaginary[bin] = values[(4 * row + 3) * count + bin]
      }
    }
    first.addProducts(2, from: 2, times: second, from: 1, to: sum[0])
    for bin in 0..<count {
      var (x, y) = (0.0, 0.0)
      for row in 0..<2 {
        let (a, b) = (first[row + 2], second[row + 1])
        x += Double(a.real[bin]) * Double(b.real[bin])
        x -= Double(a.imaginary[bin]) * Double(b.imaginary[bin])
        y += Double(a.real[bin]) * Double(b.imaginary[bin])
        y += Double(a.imaginary[bin]) * Double(b.real[bin])
      }
      #expect(abs(Double(sum[0].real[bin]) - x) < 1e-6)
      #expect(abs(Double(sum[0].imaginary[bin]) - y) < 1e-6)
    }
    let rows = RowStorage(rowCount: 3, count: count)
    let others = RowStorage(rowCount: 3, count: count)
    for row in 0..<3 {
      for index in 0..<count {
        rows[row][index] = values[row * count + index]
        others[row][index] = values[(3 + row) * count + index]
      }
    }
    let total = SampleStorage(repeating: 0, count: count)
    let scaled = SampleStorage(repeating: 0, count: count)
    rows.addProducts(2, from: 1, times: others, from: 0, to: total.buffer(at: 0, count: count))
    let gains = SampleStorage([1, 2, -3])
    rows.addRows(
      times: gains.buffer(at: 0, count: 3), to: scaled.buffer(at: 0, count: count))
    for index in 0..<count {
      let product = rows[1][index] * others[0][index] + rows[2][index] * others[1][index]
      #expect(abs(total[index] - product) < 1e-6)
      let sum = rows[0][index] + 2 * rows[1][index] - 3 * rows[2][index]
      #expect(abs(scaled[index] - sum) < 2e-6)
    }
  }
}

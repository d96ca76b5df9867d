import RenderCore

extension SplitMix64 {
  /// Uniformly distributed from -1 to 1.
  public mutating func even() -> Double { Double.random(in: -1...1, using: &self) }

  /// Normally distributed, with a standard deviation of 1.
  public mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &self) }
  }
}

/// A loudspeaker and a microphone in a room with flat walls: the image method (J. B. Allen and
/// D. A. Berkley, "Image method for efficiently simulating small-room acoustics", JASA 65, 1979).
public enum Room {
  /// The impulse response from the loudspeaker to a microphone at 1.4 m, with the largest value
  /// 0.5.
  ///
  /// - Parameters:
  ///   - reverberation: RT60 in seconds, by Sabine's formula.
  ///   - seed: Selects one of many rooms of about 4.7 by 3.8 by 2.6 m.
  ///   - isExact: Whether images are placed between samples (a sinc of 17 samples), not at the
  ///     nearest one.
  ///   - size: A factor of the room's length and width.
  public static func response(
    sampleRate: Double, reverberation: Double, seed: UInt64, isExact: Bool = true,
    size: Double = 1
  ) -> [Float] {
    var random = SplitMix64(seed: seed)
    let room: [Double] = [
      (4.7 + 0.5 * random.even()) * size, (3.8 + 0.5 * random.even()) * size,
      size > 1 ? 2.6 * size.squareRoot() : 2.6,
    ]
    let source: [Double] = [(1.7 + 0.4 * random.even()) * size, 1.1 * size, 1.0]
    var direction = [random.normal(), random.normal(), 0.3 * random.normal()]
    let norm = direction.reduce(0) { $0 + $1 * $1 }.squareRoot()
    direction = direction.map { $0 / norm }
    let microphone = (0..<3).map {
      min(max(source[$0] + 1.37 * direction[$0], 0.2), room[$0] - 0.2)
    }
    let volume = room[0] * room[1] * room[2]
    let surface = 2 * (room[0] * room[1] + room[0] * room[2] + room[1] * room[2])
    let reflection = max(0, 1 - 0.161 * volume / (surface * reverberation)).squareRoot()
    let speed = 343.0
    let length = Int(reverberation * 1.2 * sampleRate)
    let reach = reverberation * 1.2 * speed
    var response = [Double](repeating: 0, count: length + 32)
    let limits = room.map { Int((reach / (2 * $0)).rounded(.up)) + 1 }
    var powers = [1.0]
    for _ in 0..<400 { powers.append(powers[powers.count - 1] * reflection) }
    for flips in 0..<8 {
      let flip = [flips & 1, flips >> 1 & 1, flips >> 2 & 1]
      let base = (0..<3).map { (flip[$0] == 0 ? source[$0] : -source[$0]) - microphone[$0] }
      for x in -limits[0]...limits[0] {
        let dx = base[0] + 2 * Double(x) * room[0]
        if abs(dx) > reach { continue }
        for y in -limits[1]...limits[1] {
          let dy = base[1] + 2 * Double(y) * room[1]
          if dx * dx + dy * dy > reach * reach { continue }
          for z in -limits[2]...limits[2] {
            let dz = base[2] + 2 * Double(z) * room[2]
            let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
            if distance > reach { continue }
            let bounces =
              abs(x - flip[0]) + abs(x) + abs(y - flip[1]) + abs(y) + abs(z - flip[2]) + abs(z)
            let gain = powers[bounces] / (4 * Double.pi * max(distance, 0.1))
            let time = distance / speed * sampleRate
            if isExact {
              arrive(at: time, gain: gain, in: &response)
            } else {
              response[Int(time.rounded())] += gain
            }
          }
        }
      }
    }
    // A loudspeaker plays nothing below about 40 Hz.
    let pole = renderExp(-2 * Double.pi * 40 / sampleRate)
    var (last, filtered) = (0.0, 0.0)
    for index in response.indices {
      let sample = response[index]
      filtered = pole * filtered + (1 + pole) / 2 * (sample - last)
      last = sample
      response[index] = filtered
    }
    let largest = response.reduce(0) { max($0, abs($1)) }
    return response.map { Float($0 * 0.5 / largest) }
  }

  private static func arrive(at time: Double, gain: Double, in response: inout [Double]) {
    let nearest = Int(time.rounded(.down))
    for index in (nearest - 8)...(nearest + 8) where response.indices.contains(index) {
      let offset = time - Double(index)
      let window = 0.5 * (1 + renderCosine(Double.pi * min(max(offset / 9, -1), 1)))
      let sinc = offset == 0 ? 1 : renderSine(Double.pi * offset) / (Double.pi * offset)
      response[index] += gain * sinc * window
    }
  }

  /// The signal convolved with a response, as long as the signal.
  public static func convolve(_ signal: [Float], _ response: [Float]) -> [Float] {
    var size = 1024
    while size < 2 * response.count { size *= 2 }
    let block = size - response.count
    var fft = RealFFT(length: size)
    let frame = SampleStorage(repeating: 0, count: size)
    let spectra = SpectrumStorage(rowCount: 3, binCount: size / 2 + 1)
    for (index, sample) in response.enumerated() { frame[index] = sample }
    fft.forward(frame.buffer(at: 0, count: size), into: spectra[0])
    var output = [Float](repeating: 0, count: signal.count + size)
    var start = 0
    while start < signal.count {
      let end = min(start + block, signal.count)
      for index in 0..<size { frame[index] = start + index < end ? signal[start + index] : 0 }
      fft.forward(frame.buffer(at: 0, count: size), into: spectra[1])
      let (a, b, product) = (spectra[0], spectra[1], spectra[2])
      for bin in 0..<product.count {
        product.real[bin] = a.real[bin] * b.real[bin] - a.imaginary[bin] * b.imaginary[bin]
        product.imaginary[bin] = a.real[bin] * b.imaginary[bin] + a.imaginary[bin] * b.real[bin]
      }
      fft.inverse(spectra[2], into: frame.buffer(at: 0, count: size))
      for index in 0..<size { output[start + index] += frame[index] }
      start = end
    }
    return Array(output.prefix(signal.count))
  }
}

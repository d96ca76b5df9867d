public import RenderCore
public import SoundFiles

/// A sound file in place of a microphone: converted to the session's rate, with its channels mapped
/// to those of the bus, and silence after its end.
///
/// `@unchecked Sendable`: only the thread that pulls uses it.
public final class OfflineMicrophone: @unchecked Sendable {
  /// The number of frames of the file at the session's rate.
  public let frameCount: Int
  private let reader: SoundFileReader
  private let converter: RateConverter?
  private let mapping: ChannelMapping
  private var block: [Double]
  private var blockRange = 0..<0
  private var ready: [Double]
  private var readyRange = 0..<0
  private var isAtEnd = false
  private static let blockFrames = 4096

  /// - Parameter channelCount: The number of channels of the bus that hears it.
  public init(_ reader: SoundFileReader, sampleRate: Double, channelCount: Int)
    throws(SoundFileError)
  {
    self.reader = reader
    let count = reader.channelCount
    mapping = ChannelMapping(fileChannels: count, busChannels: channelCount)
    block = [Double](repeating: 0, count: Self.blockFrames * count)
    ready = block
    if reader.sampleRate == sampleRate {
      converter = nil
      frameCount = reader.frameCount
    } else {
      converter = try RateConverter(
        from: reader.sampleRate, to: sampleRate, channelCount: count)
      frameCount = RateConverter.outputLength(
        reader.frameCount, from: reader.sampleRate, to: sampleRate)
    }
  }

  /// Fills a buffer of interleaved frames with the next frames of the file, then with silence.
  ///
  /// - Throws: ``ServiceError`` where the file cannot be read.
  public func fill(_ buffer: ChannelBuffer) throws(ServiceError) {
    let channels = mapping.sources.count
    let total = buffer.count / channels
    for frame in 0..<total {
      if readyRange.isEmpty { try refill() }
      guard let place = readyRange.first else {
        for index in (frame * channels)..<buffer.count { buffer[index] = 0 }
        return
      }
      let base = place * reader.channelCount
      for (channel, source) in mapping.sources.enumerated() {
        buffer[frame * channels + channel] =
          switch source {
          case .channel(let index): Float(ready[base + index])
          case .mean: Float((ready[base] + ready[base + 1]) / 2)
          case .silence: 0
          }
      }
      readyRange = (place + 1)..<readyRange.upperBound
    }
  }

  private func read(into samples: inout [Double]) throws(ServiceError) -> Int {
    do throws(SoundFileError) { return try reader.read(into: &samples) } catch {
      let time = Double(reader.position) / reader.sampleRate
      throw ServiceError(
        "'\(reader.path)' cannot be read from \(ServiceEvent.clock(time)) on: \(error.message)")
    }
  }

  /// Puts the next converted frames of the file into `ready`; none at its end.
  private func refill() throws(ServiceError) {
    guard let converter else {
      readyRange = 0..<(try read(into: &ready))
      return
    }
    while true {
      if blockRange.isEmpty && !isAtEnd {
        blockRange = 0..<(try read(into: &block))
        isAtEnd = blockRange.isEmpty
      }
      if isAtEnd {
        readyRange = 0..<converter.flush(into: &ready)
        return
      }
      let (taken, given) = converter.convert(
        block, from: blockRange.lowerBound, frameCount: blockRange.count, into: &ready)
      blockRange = (blockRange.lowerBound + taken)..<blockRange.upperBound
      if given > 0 {
        readyRange = 0..<given
        return
      }
    }
  }
}

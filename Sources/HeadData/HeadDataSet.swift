import CMysofa
import Glibc

/// The head-related impulse responses of many directions for both ears, read from a SOFA file
/// (AES69) by libmysofa.
///
/// Control thread: reading opens a file and allocates.
public struct HeadDataSet: Sendable {
  /// The direction of a source relative to the head.
  public struct Direction: Hashable, Sendable {
    /// Degrees, -180 to 180: 0 is ahead and 90 to the right.
    public var azimuth: Double
    /// Degrees, -90 to 90: 90 is above.
    public var elevation: Double
  }

  /// The data set of the distribution's libmysofa: MIT's measurements of a KEMAR manikin (Gardner
  /// and Martin 1994), 710 directions at 44100 Hz.
  public static let defaultPath = "/usr/share/libmysofa/default.sofa"

  /// The rate of the responses in hertz.
  public let sampleRate: Double
  /// The rate of the measurement in hertz.
  public let measuredRate: Double
  public let directions: [Direction]
  /// The response of the left ear for each direction; all have the same length.
  public let left: [[Float]]
  /// The response of the right ear for each direction.
  public let right: [[Float]]

  public init(
    sampleRate: Double, measuredRate: Double, directions: [Direction], left: [[Float]],
    right: [[Float]]
  ) {
    precondition(
      directions.count == left.count && left.count == right.count && !left.isEmpty,
      "each direction has a response for each ear")
    self.sampleRate = sampleRate
    self.measuredRate = measuredRate
    self.directions = directions
    self.left = left
    self.right = right
  }

  /// Reads a file and converts its responses to a sample rate.
  ///
  /// - Parameter sampleRate: Hertz; `nil` for the rate of the file.
  /// - Throws: If libmysofa is missing, or the file cannot be read or has other dimensions.
  public init(
    path: String = HeadDataSet.defaultPath, sampleRate: Double? = nil
  ) throws(HeadDataError) {
    guard unsafe cmysofa_load() == nil else {
      throw HeadDataError(path: path, code: HeadDataError.noLibrary)
    }
    var status: Int32 = 0
    guard let set = unsafe mysofa_load(path, &status) else {
      throw HeadDataError(path: path, code: status)
    }
    defer { unsafe mysofa_free(set) }
    let check = unsafe mysofa_check(set)
    guard check == 0 else { throw HeadDataError(path: path, code: check) }
    guard unsafe set.pointee.R == 2, unsafe set.pointee.M > 0, unsafe set.pointee.N > 0,
      unsafe set.pointee.DataSamplingRate.elements > 0
    else { throw HeadDataError(path: path, code: Int32(MYSOFA_INVALID_DIMENSIONS)) }
    let measured = unsafe Double(set.pointee.DataSamplingRate.values[0])
    let count = unsafe Int(set.pointee.M)
    let rate = sampleRate ?? measured
    // libmysofa's own conversion truncates responses and scales them as signals, not as responses.
    // Therefore they are converted here.
    let taps = unsafe Int(set.pointee.N)
    guard unsafe set.pointee.DataIR.elements >= UInt32(count * 2 * taps) else {
      throw HeadDataError(path: path, code: Int32(MYSOFA_INVALID_DIMENSIONS))
    }
    // In SOFA the left ear has a positive y.
    unsafe mysofa_tocartesian(set)
    let isSwapped = unsafe set.pointee.ReceiverPosition.values[1] < 0
    unsafe mysofa_tospherical(set)
    var directions: [Direction] = []
    var ears: [[[Float]]] = [[], []]
    let delayCount = unsafe Int(set.pointee.DataDelay.elements)
    for index in 0..<count {
      // In SOFA azimuths increase to the left, from 0 to 360.
      let azimuth = unsafe -Double(set.pointee.SourcePosition.values[3 * index])
      let elevation = unsafe Double(set.pointee.SourcePosition.values[3 * index + 1])
      directions.append(
        Direction(
          azimuth: azimuth - 360 * ((azimuth + 180) / 360).rounded(.down), elevation: elevation))
      for ear in 0..<2 {
        let start = unsafe set.pointee.DataIR.values + (2 * index + ear) * taps
        // An initial delay in frames, for all directions or for each.
        var delay: Float = 0
        if delayCount >= 2 {
          delay = unsafe set.pointee.DataDelay.values[
            delayCount >= 2 * count ? 2 * index + ear : ear]
        }
        let response =
          unsafe [Float](repeating: 0, count: max(0, Int(delay.rounded())))
          + Array(UnsafeBufferPointer(start: start, count: taps))
        ears[isSwapped ? 1 - ear : ear].append(response)
      }
    }
    let longest = ears.joined().map(\.count).max() ?? 0
    for ear in 0..<2 {
      for index in ears[ear].indices {
        ears[ear][index] += [Float](repeating: 0, count: longest - ears[ear][index].count)
      }
    }
    self =
      HeadDataSet(
        sampleRate: measured, measuredRate: measured, directions: directions, left: ears[0],
        right: ears[1]
      ).converted(to: rate)
  }
}

extension HeadDataSet {
  /// The responses converted to another sample rate in hertz.
  public func converted(to rate: Double) -> HeadDataSet {
    guard rate != sampleRate else { return self }
    let converter = ResponseConverter(from: sampleRate, to: rate)
    return HeadDataSet(
      sampleRate: rate, measuredRate: measuredRate, directions: directions,
      left: left.map(converter.convert), right: right.map(converter.convert))
  }

  /// The number of frames of a response after conversion from rate `measured` to `rate`, in hertz.
  public static func length(of count: Int, from measured: Double, at rate: Double) -> Int {
    rate == measured ? count : ResponseConverter.length(of: count, from: measured, to: rate)
  }
}

/// A data set could not be read.
public struct HeadDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code for a missing libmysofa.
  public static let noLibrary: Int32 = -1

  public var path: String
  /// The code of libmysofa, or an `errno` if the file could not be opened.
  public var code: Int32

  public var description: String {
    let reason: String
    switch code {
    case Self.noLibrary:
      let failure = unsafe cmysofa_load().map { unsafe String(cString: $0) }
      reason = "libmysofa, which reads it, cannot be loaded (\(failure ?? "it can now"))"
    case Int32(MYSOFA_INVALID_FORMAT), Int32(MYSOFA_UNSUPPORTED_FORMAT):
      reason = "it is not a SOFA file that libmysofa reads"
    case Int32(MYSOFA_NO_MEMORY): reason = "there is no memory for it"
    case Int32(MYSOFA_READ_ERROR): reason = "it could not be read to its end"
    case 1..<4096: reason = unsafe String(cString: strerror(code))
    default: reason = "libmysofa refuses its contents (\(code))"
    }
    return "'\(path)': \(reason)"
  }
}

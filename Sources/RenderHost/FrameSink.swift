public import RenderCore

/// Takes what an `OfflineDevice` renders.
public protocol FrameSink: AnyObject, Sendable {
  /// Takes the next frames. Calls follow each other, in order. They come from the thread that runs
  /// the device or, where several threads render, from any of them.
  ///
  /// - Parameters:
  ///   - bytes: Interleaved frames of the device's format.
  ///   - peak: The largest magnitude in them, where 1 is full scale and NaN is above any number, where the
  ///     rendering has found it; `nil` where it has not. It has where floats are copied from a bus of
  ///     floats to a device of two channels.
  /// - Throws: Ends the run.
  func take(_ bytes: Span<UInt8>, peak: Float?) throws(ServiceError)
}

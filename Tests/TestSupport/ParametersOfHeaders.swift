public import AudioTypes

extension ParameterInfo {
  /// Whether Core Audio's headers have it. The constant of one that is patchrun's own is four
  /// characters, as `ceil` of the PeakLimiter.
  public var isOfHeaders: Bool { constant.hasPrefix("k") }
}

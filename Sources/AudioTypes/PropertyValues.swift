/// Core Audio's `AudioUnitMeterClipping`: the levels of a mix since the last read.
public struct MeterClipping: Hashable, Sendable {
  /// The largest finite magnitude, where 1 is full scale.
  public var peakValueSinceLastCall: Float
  /// Whether there was an infinity.
  public var sawInfinity: Bool
  /// Whether there was a NaN.
  public var sawNotANumber: Bool

  public init(peakValueSinceLastCall: Float, sawInfinity: Bool, sawNotANumber: Bool) {
    self.peakValueSinceLastCall = peakValueSinceLastCall
    self.sawInfinity = sawInfinity
    self.sawNotANumber = sawNotANumber
  }
}

/// When an output unit begins after its next start: Core Audio's
/// `AudioOutputUnitStartAtTimeParams`.
public struct StartTime: Hashable, Sendable {
  /// If its host time is valid, that is the time of the monotonic clock at which the first frame is
  /// due. Otherwise its sample time is the number of device frames before the first frame.
  public var timeStamp: TimeStamp
  /// Always 0: no flag is defined.
  public var flags: UInt32

  public init(timeStamp: TimeStamp, flags: UInt32 = 0) {
    self.timeStamp = timeStamp
    self.flags = flags
  }
}

/// A question to, or an answer of, the properties that convert a parameter's value to text and
/// back: Core Audio's `AudioUnitParameterStringFromValue`, `…ValueFromString` and `…NameInfo` in
/// one.
public struct ParameterText: Hashable, Sendable {
  /// The parameter's number; in a question about the name of a clump the clump's number.
  public var parameter: UInt32
  /// In a question the value to convert, `nil` for the current one; in an answer the value of the
  /// text.
  public var value: Float?
  /// In a question the text to convert; in an answer the text of the value.
  public var text: String?
  /// The most characters of a name; `nil` for no limit.
  public var length: Int?

  public init(_ parameter: UInt32, value: Float? = nil, text: String? = nil, length: Int? = nil) {
    self.parameter = parameter
    self.value = value
    self.text = text
    self.length = length
  }
}

/// The saved state of a unit: the value of `kAudioUnitProperty_ClassInfo`, and an `.aupreset` file.
public struct ClassInfo: Hashable, Sendable {
  /// The value of a parameter.
  public struct ParameterSetting: Hashable, Sendable {
    /// The parameter's number.
    public var parameter: UInt32
    /// The scope that has the parameter.
    public var scope: Scope
    /// The element of the scope, from 0.
    public var element: Int
    /// The value, in the parameter's unit.
    public var value: Float

    public init(_ parameter: UInt32, _ scope: Scope, _ element: Int, _ value: Float) {
      self.parameter = parameter
      self.scope = scope
      self.element = element
      self.value = value
    }
  }

  /// The value of a property.
  public struct PropertySetting: Hashable, Sendable {
    /// The property's number.
    public var property: PropertyID
    /// The scope that has the property.
    public var scope: Scope
    /// The element of the scope, from 0.
    public var element: Int
    /// The value.
    public var value: PropertyValue

    public init(_ property: PropertyID, _ scope: Scope, _ element: Int, _ value: PropertyValue) {
      self.property = property
      self.scope = scope
      self.element = element
      self.value = value
    }
  }

  /// Always 0.
  public var version: UInt32
  /// The kind of unit. Other kinds refuse the state.
  public var component: ComponentDescription
  /// The present preset.
  public var preset: Preset
  /// Every settable parameter of every element.
  public var parameters: [ParameterSetting]
  /// Every property that affects the sound and was set, and the names of elements.
  public var properties: [PropertySetting]

  public init(
    component: ComponentDescription, preset: Preset, parameters: [ParameterSetting] = [],
    properties: [PropertySetting] = [], version: UInt32 = 0
  ) {
    self.version = version
    self.component = component
    self.preset = preset
    self.parameters = parameters
    self.properties = properties
  }
}

/// An object as the value of a property where Core Audio has a pointer: a callback, a unit. Two
/// values are equal if they hold the same object.
public struct PropertyObject: Hashable, Sendable {
  /// `nil` removes a callback or a connection.
  public let object: (any AnyObject & Sendable)?

  public init(_ object: (any AnyObject & Sendable)?) { self.object = object }

  /// No object: removes a callback or a connection.
  public static let none = PropertyObject(nil)

  public static func == (left: PropertyObject, right: PropertyObject) -> Bool {
    left.object === right.object
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(object.map { ObjectIdentifier($0) })
  }
}

/// A host's musical time for units: Core Audio's `HostCallbackInfo`. No unit of patchrun reads it.
public final class HostCallbacks: Sendable {
  /// The current beat, and the tempo in beats per minute; `nil` for none.
  public let beatAndTempo: (@Sendable () -> (beat: Double, tempo: Double)?)?
  /// Frames to the next beat, the time signature, and the beat on which the bar begins; `nil` for
  /// none.
  public let musicalTimeLocation:
    (
      @Sendable () -> (
        framesToNextBeat: UInt32, numerator: Float, denominator: UInt32, downBeat: Double
      )?
    )?
  /// Whether the host plays, whether that has just changed, and its frame; `nil` for none.
  public let transportState: (@Sendable () -> (isPlaying: Bool, hasChanged: Bool, frame: Double)?)?

  public init(
    beatAndTempo: (@Sendable () -> (beat: Double, tempo: Double)?)? = nil,
    musicalTimeLocation: (
      @Sendable () -> (
        framesToNextBeat: UInt32, numerator: Float, denominator: UInt32, downBeat: Double
      )?
    )? = nil,
    transportState: (@Sendable () -> (isPlaying: Bool, hasChanged: Bool, frame: Double)?)? = nil
  ) {
    self.beatAndTempo = beatAndTempo
    self.musicalTimeLocation = musicalTimeLocation
    self.transportState = transportState
  }
}

extension PropertyID {
  public static let parameterValueStrings = PropertyID(rawValue: 16)
  public static let contextName = PropertyID(rawValue: 25)
  public static let hostCallbacks = PropertyID(rawValue: 27)
  public static let parameterStringFromValue = PropertyID(rawValue: 33)
  public static let parameterIDName = PropertyID(rawValue: 34)
  public static let parameterClumpName = PropertyID(rawValue: 35)
  public static let parameterValueFromString = PropertyID(rawValue: 38)
  public static let presentationLatency = PropertyID(rawValue: 40)
  public static let classInfoFromDocument = PropertyID(rawValue: 50)
  public static let shouldAllocateBuffer = PropertyID(rawValue: 51)
  public static let startTime = PropertyID(rawValue: 2004)
  public static let setInputCallback = PropertyID(rawValue: 2005)
  public static let matrixLevels = PropertyID(rawValue: 3006)
  public static let matrixDimensions = PropertyID(rawValue: 3009)
  public static let meterClipping = PropertyID(rawValue: 3011)
}

/// Core Audio's `AudioUnitMeterClipping`: what a mix has come to since it was last asked.
public struct MeterClipping: Hashable, Sendable {
  /// The largest finite magnitude, full scale being 1.
  public var peakValueSinceLastCall: Float
  /// Whether there has been an infinity.
  public var sawInfinity: Bool
  /// Whether there has been something that is not a number.
  public var sawNotANumber: Bool

  public init(peakValueSinceLastCall: Float, sawInfinity: Bool, sawNotANumber: Bool) {
    self.peakValueSinceLastCall = peakValueSinceLastCall
    self.sawInfinity = sawInfinity
    self.sawNotANumber = sawNotANumber
  }
}

/// When an output unit begins at its next start: Core Audio's `AudioOutputUnitStartAtTimeParams`.
public struct StartTime: Hashable, Sendable {
  /// Where its host time is valid, the clock's time at which the first frame is due; otherwise the
  /// sample time is the number of frames of the device that pass before it.
  public var timeStamp: TimeStamp
  /// 0: none is defined here.
  public var flags: UInt32

  public init(timeStamp: TimeStamp, flags: UInt32 = 0) {
    self.timeStamp = timeStamp
    self.flags = flags
  }
}

/// What a property that turns a parameter's value into text, or back, is asked and what it answers:
/// Core Audio's `AudioUnitParameterStringFromValue`, `…ValueFromString` and `…NameInfo` in one.
public struct ParameterText: Hashable, Sendable {
  /// The parameter; for a clump's name, the clump.
  public var parameter: UInt32
  /// In a question, the value in question, `nil` for the present one; in an answer, what a text means.
  public var value: Float?
  /// In a question, the text in question; in an answer, what a value is called.
  public var text: String?
  /// The most characters that a name may have; `nil` for any number.
  public var length: Int?

  public init(_ parameter: UInt32, value: Float? = nil, text: String? = nil, length: Int? = nil) {
    self.parameter = parameter
    self.value = value
    self.text = text
    self.length = length
  }
}

/// The state of a unit, to be kept and put back: what `kAudioUnitProperty_ClassInfo` carries, and an
/// `.aupreset` file.
public struct ClassInfo: Hashable, Sendable {
  /// A parameter of an element, as it was set.
  public struct ParameterSetting: Hashable, Sendable {
    /// The parameter's number.
    public var parameter: UInt32
    /// The scope that has the parameter.
    public var scope: Scope
    /// The element of the scope, from 0.
    public var element: Int
    /// In the parameter's unit.
    public var value: Float

    public init(_ parameter: UInt32, _ scope: Scope, _ element: Int, _ value: Float) {
      self.parameter = parameter
      self.scope = scope
      self.element = element
      self.value = value
    }
  }

  /// A property of an element, as it was set.
  public struct PropertySetting: Hashable, Sendable {
    /// The property's number.
    public var property: PropertyID
    /// The scope that has the property.
    public var scope: Scope
    /// The element of the scope, from 0.
    public var element: Int
    /// What it was set to.
    public var value: PropertyValue

    public init(_ property: PropertyID, _ scope: Scope, _ element: Int, _ value: PropertyValue) {
      self.property = property
      self.scope = scope
      self.element = element
      self.value = value
    }
  }

  /// 0: the only version there is.
  public var version: UInt32
  /// Whose state it is. Another kind of unit does not take it.
  public var component: ComponentDescription
  /// The preset in use.
  public var preset: Preset
  /// Every parameter that can be set, of every element.
  public var parameters: [ParameterSetting]
  /// Every property that has been set and that belongs to the sound, and the names of elements.
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

/// Something that a property hands over where Core Audio hands over a pointer: a callback, a unit.
/// Two are equal where they are the same object.
public struct PropertyObject: Hashable, Sendable {
  /// `nil` where there is nothing: a callback that is taken away.
  public let object: (any AnyObject & Sendable)?

  public init(_ object: (any AnyObject & Sendable)?) { self.object = object }

  /// Nothing: what takes away a callback or a connection.
  public static let none = PropertyObject(nil)

  public static func == (left: PropertyObject, right: PropertyObject) -> Bool {
    left.object === right.object
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(object.map { ObjectIdentifier($0) })
  }
}

/// What a host tells a unit about the music: Core Audio's `HostCallbackInfo`. None of the units here
/// asks.
public final class HostCallbacks: Sendable {
  /// The current beat and the tempo in beats a minute; `nil` where the host has none.
  public let beatAndTempo: (@Sendable () -> (beat: Double, tempo: Double)?)?
  /// Frames to the next beat, the time signature, and the beat at which the bar begins.
  public let musicalTimeLocation:
    (
      @Sendable () -> (
        framesToNextBeat: UInt32, numerator: Float, denominator: UInt32, downBeat: Double
      )?
    )?
  /// Whether the host plays, whether that has just changed, and the frame of its time line.
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

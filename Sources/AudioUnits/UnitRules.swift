public import AudioTypes

/// The rules that units keep by themselves. Those that concern a graph are beside the graph.
public enum UnitRules {
  public static let formatConsistent = Rule(
    "PR0401", "format/consistent", "The fields of a stream format agree with each other.")
  public static let formatSupported = Rule(
    "PR0402", "format/supported", "A bus is given a stream format that its unit takes.")
  public static let formatWritable = Rule(
    "PR0403", "format/writable",
    "A stream format is set only where a client may set it: not on a hardware side, nor on an "
      + "input that takes it from its connection.")
  public static let formatGiven = Rule(
    "PR0404", "format/given",
    "A bus whose stream format nothing else decides has been given one.")
  public static let mixerRates = Rule(
    "PR0405", "format/mixer-rates",
    "All used inputs of a MultichannelMixer run at its output's rate.")
  public static let mixerOutputRate = Rule(
    "PR0406", "format/mixer-output-rate", "The output of a mixer is given its rate.")
  public static let effectFormats = Rule(
    "PR0407", "format/effect-sides", "An effect has the same stream format on both sides.")
  public static let equalizerRate = Rule(
    "PR0408", "format/equalizer-rate",
    "An iPodEQ runs at 44100 or 48000 Hz, as the original does.")
  public static let equalizerPreset = Rule(
    "PR0411", "equalizer/preset", "An iPodEQ that is used has a preset that does something.")
  public static let converterStep = Rule(
    "PR0421", "format/converter-step",
    "A FormatConverter takes a rate down to a 256th at most.")
  public static let channelMap = Rule(
    "PR0422", "format/channel-map",
    "A channel map has an entry for each channel of its output, and names channels there are.")
  public static let converterChannels = Rule(
    "PR0423", "format/converter-channels",
    "A FormatConverter between different numbers of channels has a channel map.")
  public static let dither = Rule(
    "PR0425", "format/dither", "Dither is asked of a bus on which samples become integers.")
  public static let spatialChannels = Rule(
    "PR0431", "format/spatial-channels",
    "An input of a 3DMixer is mono, unless it passes as it is.")
  public static let headData = Rule(
    "PR0432", "spatial/head-data",
    "An input with HRTF has a head's measured responses to hear with.")
  public static let spatialDistance = Rule(
    "PR0433", "spatial/distance", "A source that is given a direction is given a distance.")

  public static let propertyKnown = Rule(
    "PR0501", "property/known", "A property is one that the unit has.")
  public static let propertyScope = Rule(
    "PR0502", "property/scope", "A property is set on a scope that it exists on.")
  public static let element = Rule(
    "PR0503", "unit/element", "A bus that is named exists.")
  public static let propertyValue = Rule(
    "PR0504", "property/value", "A property is given a value of its type and range.")
  public static let propertyWritable = Rule(
    "PR0505", "property/writable", "A property that is set is not read-only.")
  public static let propertyInitialized = Rule(
    "PR0506", "property/initialized",
    "A property that shapes a unit is set before the unit is initialized.")
  public static let propertyInUse = Rule(
    "PR0507", "property/in-use", "A property that is read has a value.")
  public static let propertyFits = Rule(
    "PR0509", "property/fits", "A property fits the stream formats of its unit.")
  public static let propertyReadable = Rule(
    "PR0510", "property/readable", "A property that is read is not write-only.")
  public static let unitInGraph = Rule(
    "PR0511", "unit/in-graph",
    "Units that are connected are in one graph, or both in none.")
  public static let unitConnection = Rule(
    "PR0512", "unit/connection",
    "Outside of a graph, too, an output feeds one input, and no unit feeds itself.")
  public static let unitInitialized = Rule(
    "PR0513", "unit/initialized", "A unit that renders is initialized, and so is all that feeds it."
  )
  public static let unitRender = Rule(
    "PR0514", "unit/render", "A unit is asked to render what it can, into buffers of its format.")
  public static let unitDevice = Rule(
    "PR0515", "unit/device",
    "An I/O unit outside of a graph is given a device before it is initialized."
  )
  public static let elementCount = Rule(
    "PR0508", "unit/element-count", "The number of buses is one that the unit can have.")

  public static let parameterKnown = Rule(
    "PR0551", "parameter/known", "A parameter is one that the scope of the unit has.")
  public static let parameterRange = Rule(
    "PR0552", "parameter/range", "A parameter's value lies in its described range.")
  public static let parameterReadOnly = Rule(
    "PR0553", "parameter/read-only", "A meter is read, not set.")
  public static let parameterReplaces = Rule(
    "PR0555", "parameter/replaces",
    "A parameter is not set where a property is that it takes the place of.")
  public static let parameterUsualRange = Rule(
    "PR0554", "parameter/usual-range", "A parameter's value lies in its usual range.")

  public static let parameterRamps = Rule(
    "PR0556", "parameter/ramps", "A ramp moves a parameter that can be anywhere in between.")

  public static let inputElementEnabled = Rule(
    "PR0601", "io/input-enabled", "The input element of an I/O unit is used only when it is on.")
  public static let outputElementEnabled = Rule(
    "PR0602", "io/output-enabled", "The output element of an I/O unit is fed only when it is on.")
  public static let hardwareInput = Rule(
    "PR0603", "io/hardware-input", "An input element that is on has a device to hear with.")
  public static let hardwareOutput = Rule(
    "PR0604", "io/hardware-output", "An output element that is on has a device to play on.")
  public static let ioEnabled = Rule(
    "PR0605", "io/enabled", "An I/O unit has its input, its output, or both on.")

  public static let deviceRate = Rule(
    "PR0608", "io/rate",
    "A graph runs at its device's rate, or knows that the output unit converts it.")

  public static let all: [Rule] = [
    formatConsistent, formatSupported, formatWritable, formatGiven, mixerRates, mixerOutputRate,
    effectFormats, equalizerRate, equalizerPreset, converterStep, channelMap, converterChannels,
    dither,
    spatialChannels,
    headData, spatialDistance, propertyKnown, propertyScope, element, propertyValue,
    propertyWritable, propertyInitialized, propertyInUse, elementCount, propertyFits,
    propertyReadable, unitInGraph, unitConnection, unitInitialized, unitRender, unitDevice,
    parameterKnown, parameterRange, parameterReadOnly,
    parameterUsualRange, parameterReplaces, parameterRamps, inputElementEnabled,
    outputElementEnabled, hardwareInput, hardwareOutput, ioEnabled, deviceRate,
  ]
}

import Diagnostics

/// Names that other programs and everyday language have for things in a patch. They are not valid
/// in a patch; diagnostics use them to propose the valid names.
public enum Synonyms {
  /// Each synonym, in lower case without blanks, hyphens and underscores, with the names that it
  /// may mean, the likeliest first.
  public typealias Table = [String: [String]]

  /// "did you mean 'gain'?" for the candidates that are spelt like a name, or else for those that
  /// the table has for it; `nil` where there are none. Where a name is the end of all candidates
  /// that are spelt like it, as "mixer" of '3DMixer', the table comes first.
  public static func didYouMean(
    _ name: String, among candidates: [String], knownAs table: Table
  ) -> String? {
    let plain = name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
    let near = nearMisses(to: name, among: candidates)
    let isEnd = near.allSatisfy { $0.lowercased().hasSuffix(plain) }
    guard near.isEmpty || (isEnd && table[plain] != nil) else {
      return Diagnostics.didYouMean(name, among: candidates)
    }
    let known = (table[plain] ?? []).filter(candidates.contains)
    let meant = known + near.filter { !known.contains($0) }
    guard let last = meant.last else { return nil }
    let rest = meant.dropLast().map(quoted)
    return rest.isEmpty
      ? "did you mean \(quoted(last))?"
      : "did you mean \(rest.joined(separator: ", ")) or \(quoted(last))?"
  }

  /// Keys of a patch and of its objects.
  public static let keys: Table = [
    "type": ["component", "kind"], "unit": ["component"], "class": ["component", "kind"],
    "kind": ["component"], "plugin": ["component"],
    "src": ["from", "path"], "source": ["from"], "input": ["from"], "dest": ["to"],
    "destination": ["to"], "dst": ["to"], "target": ["to"], "output": ["to"], "sink": ["to"],
    "edges": ["connections"], "wires": ["connections"], "links": ["connections"],
    "routing": ["connections"], "routes": ["connections"],
    "units": ["nodes"], "effects": ["nodes"], "modules": ["nodes"], "blocks": ["nodes"],
    "sources": ["callbacks"], "files": ["callbacks"], "generators": ["callbacks"],
    "automation": ["timeline"], "events": ["timeline"], "format": ["streamFormat"],
    "samplerate": ["streamFormat", "sampleRate"], "rate": ["sampleRate"],
    "channelcount": ["channels"], "variables": ["constants"], "meters": ["taps"],
    "recordings": ["taps"], "name": ["title"], "description": ["comment"], "notes": ["comment"],
  ]

  /// Audio units.
  public static let components: Table = [
    "limiter": ["PeakLimiter"], "compressor": ["DynamicsProcessor"], "gate": ["DynamicsProcessor"],
    "noisegate": ["DynamicsProcessor"], "expander": ["DynamicsProcessor"],
    "dynamics": ["DynamicsProcessor"], "ducker": ["DynamicsProcessor"],
    "equalizer": ["NBandEQ", "ParametricEQ", "iPodEQ"],
    "equaliser": ["NBandEQ", "ParametricEQ", "iPodEQ"],
    "eq": ["NBandEQ", "ParametricEQ", "iPodEQ"],
    "graphiceq": ["NBandEQ"], "parametricequalizer": ["ParametricEQ"],
    "filter": ["LowPassFilter", "HighPassFilter", "BandPassFilter"],
    "lowpass": ["LowPassFilter"], "highpass": ["HighPassFilter"], "lpf": ["LowPassFilter"],
    "hpf": ["HighPassFilter"], "mixer": ["MultichannelMixer"], "gain": ["MultichannelMixer"],
    "fader": ["MultichannelMixer"], "volume": ["MultichannelMixer"],
    "output": ["remoteIO"], "out": ["remoteIO"], "speaker": ["remoteIO"],
    "speakers": ["remoteIO"], "device": ["remoteIO"], "io": ["remoteIO"],
    "microphone": ["remoteIO"], "mic": ["remoteIO"], "input": ["remoteIO"],
    "echo": ["Delay"], "overdrive": ["Distortion"], "pitch": ["Varispeed"],
    "timepitch": ["Varispeed"], "newtimepitch": ["Varispeed"], "speed": ["Varispeed"],
    "resampler": ["FormatConverter"], "converter": ["FormatConverter"],
    "panner": ["3DMixer", "MultichannelMixer"], "spatial": ["3DMixer"], "hrtf": ["3DMixer"],
  ]

  /// Kinds of callback.
  public static let callbacks: Table = [
    "wav": ["file"], "sound": ["file"], "audio": ["file"], "sample": ["file"], "player": ["file"],
    "music": ["file"], "sine": ["tone"], "oscillator": ["tone"], "osc": ["tone"],
    "square": ["tone"], "sawtooth": ["tone"], "triangle": ["tone"], "whitenoise": ["noise"],
    "pinknoise": ["noise"], "chirp": ["sweep"], "click": ["impulse"], "formula": ["expression"],
    "function": ["expression"], "delay": ["echo"], "reverb": ["convolution"],
    "impulseresponse": ["convolution"], "volume": ["gain"], "vibrato": ["tremolo"],
    "plugin": ["native"],
  ]

  /// Parameters of units.
  public static let parameters: Table = [
    "gain": ["volume"], "level": ["volume"], "amplitude": ["volume"], "mute": ["enable"],
    "muted": ["enable"], "on": ["enable"], "balance": ["pan"], "panning": ["pan"],
    "frequency": ["cutoffFrequency", "centerFrequency"],
    "freq": ["cutoffFrequency", "centerFrequency"], "cutoff": ["cutoffFrequency"],
    "mix": ["wetDryMix", "dryWetMix"], "wet": ["wetDryMix", "dryWetMix"], "time": ["delayTime"],
    "speed": ["playbackRate"], "rate": ["playbackRate"], "makeup": ["masterGain"],
    "angle": ["azimuth"], "direction": ["azimuth"],
  ]

  /// Whether people call a microphone by a name.
  public static func isMicrophone(_ name: String) -> Bool {
    ["mic", "microphone", "input", "in", "capture", "source"].contains(name.lowercased())
  }

  /// Whether people call the loudspeaker, or the last output, by a name.
  public static func isLoudspeaker(_ name: String) -> Bool {
    [
      "speaker", "speakers", "loudspeaker", "loudspeakers", "headphones", "out", "output", "master",
      "sink", "device",
    ].contains(name.lowercased())
  }
}

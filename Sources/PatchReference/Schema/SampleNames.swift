import AudioGraphs
import AudioTypes
import AudioUnits
import Glibc
import PatchGraph
import PatchSyntax
import RenderCallbacks
import RenderTaps

extension SampleType {
  /// Its description for editors.
  var schemaSummary: String {
    switch self {
    case .float32: "Floating point, 32 bits: what most graphs use."
    case .int16: "Signed integer, 16 bits."
    case .int24: "Signed integer, 24 bits."
    case .int32: "Signed integer, 32 bits."
    case .fixed824: "Fixed point, 8.24 bits: the iPhone's canonical audio unit sample."
    }
  }
}

// An import of this module brings these as well: graphs, units, callbacks, taps, hosts, sound
// files.
@_exported public import AudioTypes
@_exported public import AudioUnits
@_exported public import FileAccess
@_exported public import RenderCallbacks
@_exported public import RenderCore
@_exported public import RenderHost
@_exported public import RenderTaps
@_exported public import SoundFiles

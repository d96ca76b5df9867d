/// A file is not imported; the reason has been reported.
struct ImportRefused: Error {}

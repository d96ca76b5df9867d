/// A file is not imported; why has been said.
struct ImportRefused: Error {}

/// The severity of a finding: an error stops a patch from running, a warning or a note does not.
public enum Severity: String, Hashable, Sendable, CaseIterable { case error, warning, note }

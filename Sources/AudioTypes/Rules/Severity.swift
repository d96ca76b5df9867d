/// How bad a finding is: an error stops a patch from running, a warning and a note do not.
public enum Severity: String, Hashable, Sendable, CaseIterable { case error, warning, note }

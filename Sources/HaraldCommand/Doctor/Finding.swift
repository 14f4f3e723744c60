/// One result of the diagnosis.
struct Finding: Hashable, Sendable {
    enum Level: String, Hashable, Sendable {
        case good = "ok"
        /// Informational: a scan works nevertheless, or another finding explains why not.
        case note
        /// Prevents a scan from working.
        case problem
    }

    /// The subject of a finding: "kernel", "rfkill", ...; scripts rely on these values.
    enum Subject: String, Hashable, Sendable {
        case system, kernel, hardware, rfkill, firmware, bluetoothd, dbus, policy, adapter, permission, holder,
            environment, wait
    }

    var subject: Subject
    var level: Level
    var text: String
    /// The remedy, in one line.
    var cure: String?

    init(_ subject: Subject, _ level: Level, _ text: String, cure: String? = nil) {
        self.subject = subject
        self.level = level
        self.text = text
        self.cure = cure
    }
}

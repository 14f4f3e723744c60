/// One thing that the doctor looked at.
struct Finding: Hashable, Sendable {
    /// How bad it is.
    enum Level: String, Hashable, Sendable {
        case good = "ok"
        /// Worth knowing; a scan works all the same, or another finding says why not.
        case note
        /// It keeps a scan from working.
        case problem
    }

    /// What was looked at: "kernel", "rfkill", ...; scripts rely on these.
    enum Subject: String, Hashable, Sendable {
        case system, kernel, hardware, rfkill, firmware, bluetoothd, dbus, policy, adapter, permission, holder,
            environment
    }

    var subject: Subject
    var level: Level
    var text: String
    /// What to do, in one line.
    var cure: String?

    init(_ subject: Subject, _ level: Level, _ text: String, cure: String? = nil) {
        self.subject = subject
        self.level = level
        self.text = text
        self.cure = cure
    }
}

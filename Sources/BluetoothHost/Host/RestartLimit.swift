import BluetoothRuntime

/// Limits restarts after hardware errors to three per minute; a controller that exceeds this counts as broken.
struct RestartLimit {
    private var instants: [RadioInstant] = []

    /// Returns true if another restart is permitted, and counts it.
    mutating func allows(at now: RadioInstant) -> Bool {
        instants.removeAll { now - $0 > .seconds(60) }
        guard instants.count < 3 else { return false }
        instants.append(now)
        return true
    }
}

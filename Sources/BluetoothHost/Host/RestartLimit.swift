import BluetoothRuntime

/// How often a controller may report a hardware error before it counts as broken: three times a minute.
struct RestartLimit {
    private var instants: [RadioInstant] = []

    /// Whether one more restart is worth it; counts it if so.
    mutating func allows(at now: RadioInstant) -> Bool {
        instants.removeAll { now - $0 > .seconds(60) }
        guard instants.count < 3 else { return false }
        instants.append(now)
        return true
    }
}

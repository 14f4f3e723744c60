import BluetoothProfiles
import Harald

extension Peripheral {
    /// Sets the clock of a connected device that has one which may be set: by its Current Time (2A2B), else by its Date
    /// Time (2A08).
    /// - Returns: whether there was such a clock.
    @discardableResult
    public func setClock(_ time: DateTime) async throws(BluetoothError) -> Bool {
        let clocks: [(BluetoothUUID, any GATTValue)] = [
            (
                CurrentTime.uuid,
                CurrentTime {
                    $0.time = time
                    $0.dayOfWeek = Weekday(of: time)
                    $0.adjustReason = .externalReference
                }
            ),
            (DateTimeValue.uuid, DateTimeValue { $0.time = time }),
        ]
        for (uuid, value) in clocks {
            for service in services {
                guard let clock = service.characteristics.first(where: { $0.uuid == uuid }),
                    !clock.properties.isDisjoint(with: [.write, .writeWithoutResponse])
                else { continue }
                try await clock.write(value)
                return true
            }
        }
        return false
    }
}

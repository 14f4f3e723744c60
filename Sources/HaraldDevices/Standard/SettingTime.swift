import BluetoothProfiles
import Harald

extension Peripheral {
    /// Sets the clock of a connected device through the first writable characteristic that was discovered: Current Time
    /// (0x2A2B), else Date Time (0x2A08).
    /// - Returns: True if there was such a characteristic.
    /// - Throws: ``BluetoothError`` of the write.
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

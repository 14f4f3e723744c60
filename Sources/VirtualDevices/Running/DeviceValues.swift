import BluetoothRuntime
import Harald
import Synchronization

/// The values of a running device: what they are at any time, and the published characteristics that send them.
final class DeviceValues: Sendable {
    /// A characteristic by its places: of its service in the device, and its own in the service.
    struct Place: Hashable, Sendable {
        var service: Int
        var characteristic: Int
    }

    private struct Value: Sendable {
        var player: ValuePlayer
        /// What a central wrote; it stays until the next write.
        var written: [UInt8]?
        var published: PublishedCharacteristic?
    }

    private let values = Mutex<[Place: Value]>([:])
    private let clock: RadioClock
    private let start: RadioInstant

    init(_ device: DeviceFile, clock: RadioClock) {
        self.clock = clock
        start = clock.now
        var all: [Place: Value] = [:]
        for (index, service) in device.services.enumerated() {
            for (number, characteristic) in service.characteristics.enumerated() {
                let seed = UInt64(index) * 104_729 + UInt64(number) + 1
                all[Place(service: index, characteristic: number)] = Value(
                    player: ValuePlayer(characteristic.value, seed: seed))
            }
        }
        values.withLock { $0 = all }
    }

    /// The value now: what was written, else what the file says.
    func bytes(at place: Place) -> [UInt8] {
        let elapsed = clock.now - start
        return values.withLock { $0[place]?.written ?? $0[place]?.player.bytes(at: elapsed) ?? [] }
    }

    func store(_ bytes: [UInt8], at place: Place) { values.withLock { $0[place]?.written = bytes } }

    func publish(_ characteristic: PublishedCharacteristic, at place: Place) {
        values.withLock { $0[place]?.published = characteristic }
    }

    func published(at place: Place) -> PublishedCharacteristic? { values.withLock { $0[place]?.published } }

    /// The first published characteristic with this UUID.
    func published(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
        values.withLock { values in
            values.values.compactMap(\.published).filter { $0.uuid == uuid }.min {
                $0.attribute.rawValue < $1.attribute.rawValue
            }
        }
    }

    /// The place of the characteristic with this attribute.
    func place(of attribute: AttributeID) -> Place? {
        values.withLock { $0.first { $0.value.published?.attribute == attribute }?.key }
    }

    /// What the characteristic with this attribute is.
    func uuid(of attribute: AttributeID) -> BluetoothUUID? {
        values.withLock { $0.values.lazy.compactMap(\.published).first { $0.attribute == attribute }?.uuid }
    }

    /// Lets the published characteristics go, which keep the device.
    func end() {
        let all = values.withLock { values in
            defer { values = [:] }
            return values
        }
        withExtendedLifetime(all) {}
    }
}

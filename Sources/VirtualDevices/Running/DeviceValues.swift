import BluetoothRuntime
import Harald
import Synchronization

/// The current values of a running device, and the published characteristics that send them.
final class DeviceValues: Sendable {
    /// The position of a characteristic: the index of its service in the device, and its index in the service.
    struct Place: Hashable, Sendable {
        var service: Int
        var characteristic: Int
    }

    private struct Value: Sendable {
        var player: ValuePlayer
        /// The value that a central wrote last; nil before the first write.
        var written: [UInt8]?
        var published: PublishedCharacteristic?
        /// The value set by ``setOverride(_:at:)``; it takes precedence over the others.
        var override: [UInt8]?
        /// The error code that all reads and writes are refused with; nil to perform them.
        var refusal: ATTErrorCode?
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

    /// Returns the current value: the one set from outside, else the written one, else that of the file.
    func bytes(at place: Place) -> [UInt8] {
        let elapsed = clock.now - start
        return values.withLock {
            $0[place]?.override ?? $0[place]?.written ?? $0[place]?.player.bytes(at: elapsed) ?? []
        }
    }

    func store(_ bytes: [UInt8], at place: Place) {
        values.withLock { values in
            values[place]?.written = bytes
            values[place]?.override = nil
        }
    }

    /// Returns the value set from outside; nil if none is set.
    func override(at place: Place) -> [UInt8]? { values.withLock { $0[place]?.override } }

    /// Sets the value that takes precedence until a central writes another one; nil removes it.
    func setOverride(_ bytes: [UInt8]?, at place: Place) { values.withLock { $0[place]?.override = bytes } }

    /// Checks that reads and writes are not refused.
    /// - Throws: the ``ATTErrorCode`` of ``setRefusal(_:at:)``.
    func checkRefusal(at place: Place) throws(ATTErrorCode) {
        if let refusal = values.withLock({ $0[place]?.refusal }) { throw refusal }
    }

    func setRefusal(_ code: ATTErrorCode?, at place: Place) { values.withLock { $0[place]?.refusal = code } }

    /// All published characteristics with their places.
    var allPublished: [(place: Place, characteristic: PublishedCharacteristic)] {
        values.withLock { values in
            values.compactMap { place, value in value.published.map { (place, $0) } }
        }
    }

    func publish(_ characteristic: PublishedCharacteristic, at place: Place) {
        values.withLock { $0[place]?.published = characteristic }
    }

    func published(at place: Place) -> PublishedCharacteristic? { values.withLock { $0[place]?.published } }

    /// Returns the published characteristic with this UUID that has the lowest handle.
    func published(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
        values.withLock { values in
            values.values.compactMap(\.published).filter { $0.uuid == uuid }.min {
                $0.attribute.rawValue < $1.attribute.rawValue
            }
        }
    }

    /// Returns the position of the characteristic with this attribute.
    func place(of attribute: AttributeID) -> Place? {
        values.withLock { $0.first { $0.value.published?.attribute == attribute }?.key }
    }

    /// Returns the UUID of the characteristic with this attribute.
    func uuid(of attribute: AttributeID) -> BluetoothUUID? {
        values.withLock { $0.values.lazy.compactMap(\.published).first { $0.attribute == attribute }?.uuid }
    }

    /// Releases the published characteristics, which retain the device.
    func end() {
        let all = values.withLock { values in
            defer { values = [:] }
            return values
        }
        withExtendedLifetime(all) {}
    }
}

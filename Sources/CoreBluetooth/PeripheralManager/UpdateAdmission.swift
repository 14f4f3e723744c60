import BluetoothBackend
import BluetoothModel
import Synchronization

/// The back pressure of a peripheral manager's updates: refuses updates while they would not fit into the queue of a
/// subscriber, and tells when there is room again.
///
/// Used on the loop, except for ``admit()``, which accesses atomic state only.
final class UpdateAdmission {
    /// Limit of updates enqueued on the loop: half of each subscriber's queue there, so that accepted updates fit into
    /// it.
    private static let limit = 32

    /// Updates enqueued on the loop and not yet executed.
    private let outstanding = Atomic<Int>(0)
    /// True while the queue of a subscriber that delays updates is full, or nearly full.
    private let isFull = Atomic<Bool>(false)
    /// True after a caller was refused an update for lack of room.
    private let waitsForRoom = Atomic<Bool>(false)
    /// The characteristic and the receivers of an update; nil for all subscribers.
    private struct Place: Hashable {
        var attribute: AttributeID
        var receivers: [PeripheralID]?
    }

    /// The places of updates after which the queue of a subscriber was full. Accessed on the loop.
    private var fullPlaces: Set<Place> = []

    /// Returns true if one more update may be enqueued; callable from any thread. After a refusal the caller has to
    /// call ``hasRoomAgain(on:)`` on the loop, because the room may have become available meanwhile.
    func admit() -> Bool {
        let count = outstanding.add(1, ordering: .sequentiallyConsistent).newValue
        if count <= Self.limit, !isFull.load(ordering: .sequentiallyConsistent) { return true }
        waitsForRoom.store(true, ordering: .sequentiallyConsistent)
        outstanding.subtract(1, ordering: .sequentiallyConsistent)
        return false
    }

    /// Passes an admitted update to the device. Each subscriber has its own queue. A stalled subscriber drops its
    /// oldest values and delays no live one; a live one whose queue is full, or a stalled one without a live one beside
    /// it, makes ``admit()`` return false.
    /// - Parameter device: nil if the device was closed since.
    func send(_ bytes: [UInt8], of place: AttributeID, for receivers: [PeripheralID]?, on device: (any LocalDevice)?) {
        if let device {
            device.update(bytes, of: place, for: receivers) { _ in }
            let place = Place(attribute: place, receivers: receivers)
            if !hasRoom(device, place) {
                fullPlaces.insert(place)
                isFull.store(true, ordering: .sequentiallyConsistent)
            }
        }
        outstanding.subtract(1, ordering: .sequentiallyConsistent)
    }

    private func hasRoom(_ device: any LocalDevice, _ place: Place) -> Bool {
        let room = device.updateRoom(
            of: place.attribute, for: place.receivers, wanted: Self.limit, waitsForStalled: true)
        return room >= Self.limit
    }

    /// Returns true once there is room after a refused update.
    func hasRoomAgain(on device: (any LocalDevice)?) -> Bool {
        if !fullPlaces.isEmpty {
            fullPlaces = fullPlaces.filter { place in
                guard let device else { return false }
                return !hasRoom(device, place)
            }
            guard fullPlaces.isEmpty else { return false }
            isFull.store(false, ordering: .sequentiallyConsistent)
        }
        // Updates on their way to the device may fill its queues again.
        guard outstanding.load(ordering: .sequentiallyConsistent) == 0 else { return false }
        return waitsForRoom.exchange(false, ordering: .sequentiallyConsistent)
    }
}

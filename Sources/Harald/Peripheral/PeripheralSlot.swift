import Synchronization

/// What a central has of a device: what is known of it, and the object for it. That is the object itself while nothing
/// connects it, so that a scan does not make it anew with each report; afterwards only where it is, because a peripheral
/// that nobody holds is disconnected.
final class PeripheralSlot: Sendable {
    private struct Reference {
        var unused: Peripheral?
        weak var inUse: Peripheral?
    }

    /// It outlives the object that a program may hold.
    let store: PeripheralStore
    private let reference = Mutex(Reference())

    init(store: PeripheralStore) { self.store = store }

    /// The object, where there is one.
    var peripheral: Peripheral? { reference.withLock { $0.unused ?? $0.inUse } }

    /// The object, or a new one.
    func peripheral(on radio: Radio) -> Peripheral {
        reference.withLock { reference in
            if let peripheral = reference.unused ?? reference.inUse { return peripheral }
            let peripheral = Peripheral(radio: radio, slot: self)
            // A weak reference makes each count of references slower from then on, so there is none before it is needed.
            reference.unused = peripheral
            return peripheral
        }
    }

    /// The object is in use, or the central ends: whoever holds it decides how long it lives.
    func letGo() {
        // Released outside the lock: the end of a peripheral is its own affair.
        let released = reference.withLock { reference in
            guard let unused = reference.unused else { return nil as Peripheral? }
            reference = Reference(unused: nil, inUse: unused)
            return unused
        }
        _ = released
    }
}

import Synchronization

/// A central's entry for a device: the data known of it, and its object. The reference to the object is strong until
/// the object is used to connect, so that a scan does not create it again for each report. It is weak afterwards,
/// because a peripheral is disconnected when the program releases it.
final class PeripheralSlot: Sendable {
    private struct Reference {
        var unused: Peripheral?
        weak var inUse: Peripheral?
    }

    /// The data of the device, which outlives the object that a program may hold.
    let store: PeripheralStore
    private let reference = Mutex(Reference())

    init(store: PeripheralStore) { self.store = store }

    /// The object, if it exists.
    var peripheral: Peripheral? { reference.withLock { $0.unused ?? $0.inUse } }

    /// Returns the object, and creates it if it does not exist.
    func peripheral(on radio: AdapterSession) -> Peripheral {
        reference.withLock { reference in
            if let peripheral = reference.unused ?? reference.inUse { return peripheral }
            let peripheral = Peripheral(radio: radio, slot: self)
            // A weak reference makes every later retain and release slower, so none is made before it is needed.
            reference.unused = peripheral
            return peripheral
        }
    }

    /// Makes the reference weak, when the object is used or the central closes: from then on its other owners decide
    /// its lifetime.
    func weaken() {
        // Released outside the lock: the deinitializer of a peripheral must not run under it.
        let released = reference.withLock { reference in
            guard let unused = reference.unused else { return nil as Peripheral? }
            reference = Reference(unused: nil, inUse: unused)
            return unused
        }
        _ = released
    }
}

import Synchronization

/// What a central has of the object for a device: the object itself while nothing connects it, so that a scan does not
/// make it anew with each report; afterwards only where it is, because a peripheral that nobody holds is disconnected.
final class PeripheralSlot: Sendable {
    private struct Reference {
        var unused: Peripheral?
        weak var inUse: Peripheral?
    }

    private let reference = Mutex(Reference())

    /// The object, where there is one.
    var peripheral: Peripheral? { reference.withLock { $0.unused ?? $0.inUse } }

    /// The object, or a new one.
    func peripheral(orMake make: () -> Peripheral) -> Peripheral {
        reference.withLock { reference in
            if let peripheral = reference.unused ?? reference.inUse { return peripheral }
            let peripheral = make()
            reference = Reference(unused: peripheral, inUse: peripheral)
            return peripheral
        }
    }

    /// The object is in use, or the central ends: whoever holds it decides how long it lives.
    func letGo() {
        // Released outside the lock: the end of a peripheral is its own affair.
        let released = reference.withLock { reference in
            defer { reference.unused = nil }
            return reference.unused
        }
        _ = released
    }
}

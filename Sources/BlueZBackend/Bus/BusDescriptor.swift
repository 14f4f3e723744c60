import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file that came in a message, or goes out with one; closed with the last reference unless somebody took it.
final class BusDescriptor: Sendable {
    private let number: Mutex<Int32?>

    /// Owns `descriptor` from now on.
    init(owning descriptor: Int32) { number = Mutex(descriptor) }

    deinit {
        if let descriptor = number.withLock({ $0 }) { _ = close(descriptor) }
    }

    /// The descriptor, still owned here; nil once it was taken.
    var peeked: Int32? { number.withLock { $0 } }

    /// The descriptor, which the caller closes; nil the second time.
    func take() -> Int32? {
        number.withLock { number in
            defer { number = nil }
            return number
        }
    }
}

extension BusDescriptor: Hashable {
    /// Whether both are the same object.
    static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// Feeds the object's identity.
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

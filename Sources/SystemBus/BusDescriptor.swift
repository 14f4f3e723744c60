import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file descriptor received or sent in a message; closed with the last reference unless it was taken.
package final class BusDescriptor: Sendable {
    private let number: Mutex<Int32?>

    /// Takes ownership of `descriptor`.
    package init(owning descriptor: Int32) { number = Mutex(descriptor) }

    deinit {
        if let descriptor = number.withLock({ $0 }) { _ = close(descriptor) }
    }

    /// The descriptor, without transfer of ownership; nil once it was taken.
    package var peeked: Int32? { number.withLock { $0 } }

    /// Transfers ownership of the descriptor to the caller, which closes it; nil the second time.
    package func take() -> Int32? {
        number.withLock { number in
            defer { number = nil }
            return number
        }
    }
}

extension BusDescriptor: Hashable {
    /// Returns true if both are the same object.
    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

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

    /// Transfers ownership of the descriptor to the caller, which closes it; nil the second time, and if it is no
    /// socket: another program may send a file, which no loop can watch.
    package func takeSocket() -> Int32? {
        number.withLock { number in
            var (type, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            guard let socket = number, getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return nil }
            number = nil
            return socket
        }
    }
}

extension BusDescriptor: Hashable {
    /// Returns true if both are the same object.
    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

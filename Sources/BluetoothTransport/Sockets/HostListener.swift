import BluetoothRuntime

/// A socket that hosts in other programs connect to: each connection is a channel, with the controller on this side.
/// Confined to its loop, which retains it until ``close()``.
package final class HostListener {
    /// The address, with the port that the system chose.
    package var address: ListenAddress { listener.address }

    private let listener: Listener

    private init(_ listener: Listener) { self.listener = listener }

    /// Listens on `address`, and calls `completion` on the loop, never inside this call.
    ///
    /// - Parameter accepted: called with each connection, which is closed when it is released, and with the address
    ///   that the host connected to.
    package static func open(
        _ address: ListenAddress, on loop: RadioLoop, accepted: @escaping (any HCIChannel, ListenAddress) -> Void,
        completion: @escaping (Result<HostListener, TransportError>) -> Void
    ) {
        // The actual port, which differs from a requested port 0.
        var actual = address
        Listener.open(address, on: loop) { descriptor in
            accepted(channel(on: descriptor, of: actual, loop), actual)
        } completion: { result in
            completion(
                result.map { listener in
                    actual = listener.address
                    return HostListener(listener)
                })
        }
    }

    private static func channel(
        on descriptor: Int32, of address: ListenAddress, _ loop: RadioLoop
    ) -> any HCIChannel {
        let name = "host at \(address)"
        return switch address {
        case .tcp: StreamChannel(.tcp, descriptor: descriptor, name: name, loop: loop)
        case .unix: StreamChannel(.unix, descriptor: descriptor, name: name, loop: loop)
        case .seq: PacketChannel(descriptor: descriptor, name: name, loop: loop)
        }
    }

    /// Stops listening, and removes the socket's file; accepted connections stay open.
    package func close() { listener.close() }
}

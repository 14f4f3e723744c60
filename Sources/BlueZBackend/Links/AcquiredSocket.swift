import BluetoothModel
import BluetoothRuntime
import SystemBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket of BlueZ for one characteristic: each packet is a value, without a D-Bus message around it. Confined to the
/// loop.
final class AcquiredSocket {
    private var descriptor: Int32?
    private var watch: FileWatch?
    private var outgoing: [(bytes: [UInt8], completion: (Result<Void, RadioError>) -> Void)] = []
    private let receive: (ByteView) -> Void
    private let ended: () -> Void
    /// Limit of values that wait for room.
    static let limit = 64

    /// - Parameters:
    ///   - receive: called with each value.
    ///   - ended: called when the peer closed the socket; not after ``close()``.
    init?(
        _ descriptor: BusDescriptor, loop: RadioLoop, receive: @escaping (ByteView) -> Void,
        ended: @escaping () -> Void
    ) {
        guard let descriptor = descriptor.takeSocket() else { return nil }
        self.receive = receive
        self.ended = ended
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        watch = loop.watch(descriptor, for: .readable) { [weak self] events in self?.happened(events) }
    }

    deinit { close() }

    private func happened(_ events: FileEvents) {
        if events.contains(.writable) { flush() }
        // A bounded number per turn, so that other sockets are served if BlueZ fills this one as fast as it is read.
        if !events.isDisjoint(with: [.readable, .failed]) { drain(64) }
    }

    /// Reads at most `limit` values; the watch reports the others.
    func drain(_ limit: Int = .max) {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            var left = limit
            while let descriptor, left > 0 {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 || count == 0 && !isHungUp(descriptor) {
                    left -= 1
                    receive(ByteView(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    return
                } else {
                    close()
                    return ended()
                }
            }
        }
    }

    var hasRoom: Bool { descriptor != nil && outgoing.count < Self.limit }

    /// Sends a value, now or when there is room.
    func send(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard descriptor != nil else { return completion(.failure(.notConnected)) }
        outgoing.append((bytes, completion))
        flush()
    }

    private func flush() {
        while let descriptor, let next = outgoing.first {
            let count = next.bytes.withUnsafeBytes {
                systemSend(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                watch?.interest = [.readable, .writable]
                return
            }
            outgoing.removeFirst()
            next.completion(count < 0 ? .failure(.notConnected) : .success(()))
        }
        watch?.interest = .readable
    }

    /// Closes the socket; values not sent fail.
    func close() {
        guard let descriptor else { return }
        self.descriptor = nil
        watch?.cancel()
        watch = nil
        closeDescriptor(descriptor)
        let unsent = outgoing
        outgoing = []
        for value in unsent { value.completion(.failure(.notConnected)) }
    }
}

// The system's function, whose name a method above reuses.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

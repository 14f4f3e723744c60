import BluetoothModel
import BluetoothRuntime
import SystemBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One end of a pair of sockets whose other end a client has (`AcquireNotify`, `AcquireWrite`): each packet is a value.
/// Confined to the loop.
final class ValueSocket {
    private var descriptor: Int32?
    private var watch: FileWatch?
    /// Called with a value of the client; the next one is read after ``resume()``.
    var onValue: (([UInt8]) -> Void)?
    /// Called when the client closed its end; not after ``close()``.
    var onEnd: (() -> Void)?

    /// Creates a pair, and returns it with the descriptor for the client.
    /// - Throws: `Failed` if the system has no more descriptors.
    static func makePair(on loop: RadioLoop) throws(BusError) -> (ValueSocket, BusDescriptor) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .failed(String(cString: strerror(errno))) }
        return (ValueSocket(ends[0], loop), BusDescriptor(owning: ends[1]))
    }

    /// Takes ownership of a descriptor.
    init(_ descriptor: Int32, _ loop: RadioLoop) {
        self.descriptor = descriptor
        watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.read() }
    }

    deinit { close() }

    private func read() {
        guard let descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // A packet without bytes is the end of the socket: values without bytes cannot be told from it.
        guard count > 0 else { return end() }
        watch?.interest = []
        onValue?(Array(buffer[..<count]))
    }

    /// Continues to read.
    func resume() { watch?.interest = .readable }

    private func end() {
        close()
        onEnd?()
        onEnd = nil
    }

    /// Sends a value, which is dropped if the client is too slow. A socket that cannot send ends.
    /// - Returns: true if the value was sent.
    @discardableResult
    func send(_ value: ByteView) -> Bool {
        guard let descriptor else { return false }
        let bytes = value.unsafeBytes
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        if systemSend(descriptor, bytes.baseAddress, bytes.count, flags) >= 0 { return true }
        if errno != EAGAIN { end() }
        return false
    }

    func send(_ value: [UInt8]) -> Bool { value.withUnsafeBytes { send(ByteView($0)) } }

    func close() {
        guard let descriptor else { return }
        self.descriptor = nil
        watch?.cancel()
        watch = nil
        systemClose(descriptor)
    }
}

// The system's functions, whose names methods above reuse.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

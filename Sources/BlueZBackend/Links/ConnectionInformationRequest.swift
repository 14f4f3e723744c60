import BluetoothModel
import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Requests the RSSI of a link from the kernel, over its management interface, because BlueZ does not report it. The
/// kernel answers programs with CAP_NET_ADMIN. Confined to the loop.
final class ConnectionInformationRequest {
    enum Answer: Equatable {
        /// The RSSI, in dBm.
        case strength(Int)
        /// The kernel has no such link.
        case notConnected
        /// This process lacks the permission.
        case denied
        /// The kernel cannot determine it.
        case none
    }

    private static let opcode: UInt16 = 0x0031  // Get Connection Information
    private let adapter: UInt16
    private let peer: BluetoothAddress
    private let loop: RadioLoop
    private var completion: ((Answer) -> Void)?
    private var descriptor: Int32?
    private var watch: FileWatch?

    init(adapter: UInt16, peer: BluetoothAddress, loop: RadioLoop, completion: @escaping (Answer) -> Void) {
        self.adapter = adapter
        self.peer = peer
        self.loop = loop
        self.completion = completion
    }

    deinit { close() }

    /// Sends the request; the answer may arrive at once.
    func start() {
        #if canImport(Glibc)
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC
        #endif
        let descriptor = socket(31, type, 1)  // AF_BLUETOOTH, BTPROTO_HCI
        guard descriptor >= 0 else { return finish(.none) }
        self.descriptor = descriptor
        // `struct sockaddr_hci`: family, no adapter, HCI_CHANNEL_CONTROL.
        let address: [UInt16] = [31, 0xFFFF, 3]
        let isBound = address.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            } ?? false
        }
        guard isBound else { return finish(.denied) }
        let question = Self.question(adapter: adapter, peer: peer)
        guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
            return finish(errno == EPERM ? .denied : .none)
        }
        watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.read() }
    }

    /// Cancels the request without an answer.
    func cancel() {
        completion = nil
        close()
    }

    private func read() {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            while let descriptor {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return }
                guard count > 0 else { return finish(.none) }
                let event = ByteView(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if let answer = Self.answer(event, adapter: adapter, peer: peer) { return finish(answer) }
            }
        }
    }

    private func finish(_ answer: Answer) {
        close()
        let completion = completion
        self.completion = nil
        completion?(answer)
    }

    private func close() {
        watch?.cancel()
        watch = nil
        if let descriptor { closeDescriptor(descriptor) }
        descriptor = nil
    }

    // MARK: Packets of the kernel

    /// Returns the request: opcode, adapter, length; address and address type.
    static func question(adapter: UInt16, peer: BluetoothAddress) -> [UInt8] {
        var writer = ByteWriter(capacity: 13)
        writer.uint16(opcode)
        writer.uint16(adapter)
        writer.uint16(7)
        peer.write(to: &writer)
        writer.uint8(peer.kind == .public ? 1 : 2)
        return writer.withByteView { $0.array }
    }

    /// Parses an event of the kernel; nil if it belongs to another request.
    static func answer(_ event: ByteView, adapter: UInt16, peer: BluetoothAddress) -> Answer? {
        guard event.count >= 9, event.uint16(at: 2) == adapter, event.uint16(at: 6) == opcode else { return nil }
        let bytes = event.unsafeBytes
        // Command Complete, or Command Status, which is a failure.
        guard [1, 2].contains(event.uint16(at: 0)) else { return nil }
        switch bytes[8] {
        case 0x00 where event.uint16(at: 0) == 1 && event.count >= 17:
            guard BluetoothAddress(littleEndian: event.dropFirst(9).prefix(6), kind: peer.kind) == peer else {
                return nil
            }
            // 127 means an unknown RSSI.
            let strength = Int8(bitPattern: bytes[16])
            return strength == 127 ? Answer.none : .strength(Int(strength))
        case 0x02: return .notConnected
        case 0x14: return .denied
        default: return Answer.none
        }
    }
}

import BluetoothModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The kernel's sockets for LE credit-based L2CAP channels. BlueZ offers these channels as sockets, not over D-Bus, and
/// any program may open them.
///
/// The constants and the address are those of the kernel; the C library's headers do not have them.
enum L2CAPSocket {
    private static let family: Int32 = 31  // AF_BLUETOOTH
    private static let l2cap: Int32 = 0  // BTPROTO_L2CAP
    private static let optionLevel: Int32 = 274  // SOL_BLUETOOTH
    private static let securityOption: Int32 = 4  // BT_SECURITY
    private static let sendMTUOption: Int32 = 12  // BT_SNDMTU
    private static let receiveMTUOption: Int32 = 13  // BT_RCVMTU
    private static let encrypted: UInt8 = 2  // BT_SECURITY_MEDIUM
    /// The maximum length of a received message, in bytes; the kernel's default is 672.
    static let receiveMTU: UInt16 = 2048

    /// An `errno`.
    struct Failure: Error {
        var code: Int32
    }

    /// True if this process can create such sockets: a kernel without Bluetooth has none, nor a container without the
    /// host's network.
    static let isAvailable: Bool = {
        guard let descriptor = try? make() else { return false }
        closeDescriptor(descriptor)
        return true
    }()

    private static func make() throws(Failure) -> Int32 {
        #if canImport(Glibc)
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC
        #endif
        let descriptor = socket(family, type, l2cap)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        return descriptor
    }

    /// Returns a socket bound to the adapter with this address; with `psm` 0 the system chooses one.
    private static func bound(to adapter: BluetoothAddress, psm: UInt16) throws(Failure) -> Int32 {
        let descriptor = try make()
        var mtu = receiveMTU
        guard with(address(adapter, psm: psm), { bind(descriptor, $0, $1) }) == 0,
            setsockopt(descriptor, optionLevel, receiveMTUOption, &mtu, 2) == 0
        else {
            let failure = Failure(code: errno)
            closeDescriptor(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Starts to open a channel on the link between two addresses. The socket becomes writable at the end, and
    /// ``pendingError(_:)`` returns the outcome.
    static func connect(
        from adapter: BluetoothAddress, to peer: BluetoothAddress, psm: UInt16
    ) throws(Failure) -> Int32 {
        let descriptor = try bound(to: adapter, psm: 0)
        let status = with(address(peer, psm: psm)) { systemConnect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            let failure = Failure(code: errno)
            closeDescriptor(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Listens for channels to `psm`, or to a free one, and returns the PSM.
    static func listen(
        on adapter: BluetoothAddress, psm: UInt16?, requiresEncryption: Bool
    ) throws(Failure) -> (descriptor: Int32, psm: UInt16) {
        let descriptor = try bound(to: adapter, psm: psm ?? 0)
        // `struct bt_security`: the level, and the key size, which the kernel sets.
        let security: [UInt8] = [encrypted, 0]
        let isSecured =
            !requiresEncryption || setsockopt(descriptor, optionLevel, securityOption, security, 2) == 0
        guard isSecured, systemListen(descriptor, 8) == 0, let number = name(of: descriptor, getsockname)?.psm else {
            let failure = Failure(code: errno)
            closeDescriptor(descriptor)
            throw failure
        }
        return (descriptor, number)
    }

    /// Returns the next channel that a peer opened, and the peer; nil if there is none.
    static func accept(_ listener: Int32) -> (descriptor: Int32, peer: BluetoothAddress)? {
        let descriptor = systemAccept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard let peer = name(of: descriptor, getpeername)?.address else {
            closeDescriptor(descriptor)
            return nil
        }
        return (descriptor, peer)
    }

    /// Returns the maximum length of a message that the peer accepts, in bytes.
    static func peerMTU(_ descriptor: Int32) -> Int {
        var mtu: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        // The minimum that is allowed (Core 6.0, Vol 3, Part A, 4.22).
        return getsockopt(descriptor, optionLevel, sendMTUOption, &mtu, &length) == 0 ? Int(mtu) : 23
    }

    /// Returns the pending error of a socket; 0 if there is none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    // MARK: Addresses

    /// Returns a `struct sockaddr_l2`: family, PSM, address, channel, address type. The numbers are little-endian,
    /// except the family, which is in native byte order.
    static func address(_ address: BluetoothAddress, psm: UInt16) -> [UInt8] {
        var writer = ByteWriter(capacity: 14)
        writer.append(withUnsafeBytes(of: UInt16(family)) { [UInt8]($0) })
        writer.uint16(psm)
        address.write(to: &writer)
        writer.uint16(0)
        // BDADDR_LE_PUBLIC and BDADDR_LE_RANDOM.
        writer.uint8(address.kind == .public ? 1 : 2)
        // Padding of the structure.
        writer.uint8(0)
        return writer.withByteView { $0.array }
    }

    /// Parses an address of the kernel; nil if it is too short.
    static func parse(_ bytes: ByteView) -> (psm: UInt16, address: BluetoothAddress)? {
        guard bytes.count >= 13 else { return nil }
        return BluetoothAddress(
            littleEndian: bytes.dropFirst(4).prefix(6), kind: bytes.unsafeBytes[12] == 2 ? .random : .public
        ).map { (bytes.uint16(at: 2), $0) }
    }

    private static func with(_ address: [UInt8], _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        address.withUnsafeBytes { bytes in
            // The base address is never nil, because an address is not empty.
            bytes.baseAddress.map { call($0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) } ?? -1
        }
    }

    private static func name(
        of descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (psm: UInt16, address: BluetoothAddress)? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var length = socklen_t(bytes.count)
            guard call(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0 else { return nil }
            return parse(ByteView(UnsafeRawBufferPointer(rebasing: bytes[..<min(Int(length), bytes.count)])))
        }
    }

    // MARK: Errors

    /// Returns the error for an `errno` of a channel.
    static func meaning(of code: Int32, psm: UInt16) -> RadioError {
        switch code {
        // The kernel reports only that the device refused; usually the PSM is not in use there.
        case ECONNREFUSED: .channelRefused(2)
        case EACCES: .channelRefused(5)
        case EHOSTDOWN, ENOTCONN, EHOSTUNREACH, ECONNABORTED: .notConnected
        case ECONNRESET, EPIPE: .disconnected(.remoteUserTerminated)
        case ETIMEDOUT: .disconnected(.connectionTimeout)
        case EPERM:
            .invalidArgument("PSM \(psm): a PSM below 128 requires CAP_NET_BIND_SERVICE; let the system choose one")
        case EADDRINUSE: .invalidArgument("PSM \(psm) is already published, possibly by another program")
        case EADDRNOTAVAIL, ENODEV: .radio(.poweredOff, reason: "the adapter is switched off or was removed")
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            .unsupported(
                "Bluetooth sockets, which L2CAP channels over BlueZ require, are not available; a container "
                    + "needs the host's network ('--net=host')")
        case EMFILE, ENFILE: .limit("too many open files; 'ulimit -n' raises the limit")
        default: .limit("L2CAP channel \(psm): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")")
        }
    }
}

// The system's functions, whose names the methods here reuse.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemAccept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 { accept(descriptor, address, length) }

/// Returns true if the peer of a packet socket has closed it. Packets may be empty, and then read like the end.
func isHungUp(_ descriptor: Int32) -> Bool {
    let hangUp: Int16 = 0x2000  // POLLRDHUP
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN) | hangUp, revents: 0)
    return poll(&entry, 1, 0) < 0 || entry.revents & (hangUp | Int16(POLLHUP) | Int16(POLLERR)) != 0
}

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

import BluetoothModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The outcome of a system call that transfers bytes.
enum TransferOutcome {
    /// The number of transferred bytes; 0 at the end of a stream that is read.
    case moved(Int)
    /// Nothing to read, or no room to write; the loop reports when that changes.
    case wouldBlock
    /// The call failed with this `errno`.
    case failed(Int32)
}

/// The system calls of this module, in one place because each platform names them differently.
enum SystemCall {
    #if canImport(Glibc)
    static let streamSocket = Int32(SOCK_STREAM.rawValue)
    static let packetSocket = Int32(SOCK_SEQPACKET.rawValue)
    static let rawSocket = Int32(SOCK_RAW.rawValue)
    #else
    static let streamSocket = SOCK_STREAM
    static let packetSocket = SOCK_SEQPACKET
    static let rawSocket = SOCK_RAW
    #endif

    #if canImport(Darwin)
    private static let receiveFlags: Int32 = 0
    private static let sendFlags: Int32 = 0
    #else
    /// A socket that a loop reads may block.
    private static let receiveFlags = Int32(MSG_DONTWAIT)
    /// A closed peer is an error, not a signal that ends the program.
    private static let sendFlags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    #endif

    /// Returns a non-blocking socket that is not inherited; nil with `errno` set.
    static func socket(family: Int32, type: Int32, protocol number: Int32 = 0) -> Int32? {
        #if canImport(Glibc)
        let descriptor = Glibc.socket(
            family, type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), number)
        return descriptor < 0 ? nil : descriptor
        #elseif canImport(Musl)
        let descriptor = Musl.socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, number)
        return descriptor < 0 ? nil : descriptor
        #else
        let descriptor = Darwin.socket(family, type, number)
        guard descriptor >= 0 else { return nil }
        configure(descriptor)
        return descriptor
        #endif
    }

    /// Returns the next connection of a listening socket; nil with `errno` set.
    static func accept(_ descriptor: Int32) -> Int32? {
        #if canImport(Glibc)
        let accepted = Glibc.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
        let accepted = Musl.accept(descriptor, nil, nil)
        #else
        let accepted = Darwin.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { return nil }
        configure(accepted)
        return accepted
    }

    /// Makes a descriptor non-blocking, not inherited and without SIGPIPE.
    private static func configure(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, value: 1)
        #endif
    }

    static func setOption(_ descriptor: Int32, level: Int32, name: Int32, value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns the pending error of a socket; 0 if there is none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }

    /// Disables Nagle's algorithm, so that small packets are sent at once (TCP).
    static func disableNagle(_ descriptor: Int32) {
        setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
    }

    /// Disables delayed acknowledgements for a while (TCP, on Linux; elsewhere does nothing).
    static func acknowledgeQuickly(_ descriptor: Int32) {
        #if os(Linux) || os(Android)
        setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_QUICKACK, value: 1)
        #endif
    }

    // MARK: Bytes

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> TransferOutcome {
        repeating { recv(descriptor, buffer.baseAddress, buffer.count, receiveFlags) }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferOutcome {
        #if canImport(Glibc)
        repeating { Glibc.send(descriptor, bytes.baseAddress, bytes.count, sendFlags) }
        #elseif canImport(Musl)
        repeating { Musl.send(descriptor, bytes.baseAddress, bytes.count, sendFlags) }
        #else
        repeating { Darwin.send(descriptor, bytes.baseAddress, bytes.count, sendFlags) }
        #endif
    }

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> TransferOutcome {
        #if canImport(Glibc)
        repeating { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
        #elseif canImport(Musl)
        repeating { Musl.read(descriptor, buffer.baseAddress, buffer.count) }
        #else
        repeating { Darwin.read(descriptor, buffer.baseAddress, buffer.count) }
        #endif
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferOutcome {
        #if canImport(Glibc)
        repeating { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
        #elseif canImport(Musl)
        repeating { Musl.write(descriptor, bytes.baseAddress, bytes.count) }
        #else
        repeating { Darwin.write(descriptor, bytes.baseAddress, bytes.count) }
        #endif
    }

    /// Returns true if an `errno` means that there is nothing to read, or no room to write.
    static func isWouldBlock(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK }

    @inline(__always)
    private static func repeating(_ call: () -> Int) -> TransferOutcome {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case let code: return isWouldBlock(code) ? .wouldBlock : .failed(code)
            }
        }
    }

    /// Returns the system's text for an `errno`.
    static func text(of code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}

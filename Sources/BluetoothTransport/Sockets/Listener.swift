import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A listening socket. Confined to its loop, which retains it until ``close()``.
final class Listener {
    /// The address, with the port that the system chose.
    let address: ListenAddress

    private let loop: RadioLoop
    private let descriptor: Int32
    private let file: UnixSocketFile?
    private let accepted: (Int32) -> Void
    private var watch: FileWatch?
    private var pause: QueuedTimer?

    private static let backlog: Int32 = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)

    /// Listens on one address.
    ///
    /// - Parameter accepted: called with each connection, whose descriptor the receiver owns.
    static func open(
        _ address: ListenAddress, resolved: SocketAddress, on loop: RadioLoop, accepted: @escaping (Int32) -> Void
    ) throws(TransportError) -> Listener {
        let type: Int32
        let path: String?
        switch address {
        case .tcp: (type, path) = (SystemCall.streamSocket, nil)
        case .unix(let text): (type, path) = (SystemCall.streamSocket, text)
        case .seq(let text): (type, path) = (SystemCall.packetSocket, text)
        }
        if let path { try UnixSocketFile.removeStale(at: path, type: type) }
        guard let descriptor = SystemCall.socket(family: resolved.family, type: type) else {
            throw .listening(on: address, code: errno)
        }
        // A port whose last connections are in TIME_WAIT can be used again at once.
        if path == nil { SystemCall.setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, value: 1) }
        var code = resolved.bind(descriptor)
        let file = code == 0 ? path.flatMap { UnixSocketFile(boundAt: $0) } : nil
        if code == 0, listen(descriptor, backlog) != 0 { code = errno }
        guard code == 0 else {
            SystemCall.close(descriptor)
            file?.remove()
            throw .listening(on: address, code: code)
        }
        var actual = address
        if case .tcp(let host, 0) = address, let port = SocketAddress.port(of: descriptor) {
            actual = .tcp(host: host, port: port)
        }
        return Listener(actual, descriptor: descriptor, file: file, loop: loop, accepted: accepted)
    }

    /// Resolves the host, listens, and calls `completion` on the loop, never inside this call.
    static func open(
        _ address: ListenAddress, on loop: RadioLoop, accepted: @escaping (Int32) -> Void,
        completion: @escaping (Result<Listener, TransportError>) -> Void
    ) {
        func open(_ resolved: SocketAddress) {
            do throws(TransportError) {
                completion(.success(try Self.open(address, resolved: resolved, on: loop, accepted: accepted)))
            } catch {
                completion(.failure(error))
            }
        }
        switch address {
        case .tcp(let host, let port):
            NameLookup.addresses(of: host ?? "127.0.0.1", port: port, on: loop) { outcome in
                switch outcome {
                case .success(let addresses): if let first = addresses.first { open(first) }
                case .failure(let error): completion(.failure(error))
                }
            }
        case .unix(let path), .seq(let path):
            loop.executeNext {
                do throws(TransportError) {
                    open(try SocketAddress(path: path))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    private init(
        _ address: ListenAddress, descriptor: Int32, file: UnixSocketFile?, loop: RadioLoop,
        accepted: @escaping (Int32) -> Void
    ) {
        self.address = address
        self.descriptor = descriptor
        self.file = file
        self.loop = loop
        self.accepted = accepted
        watch = loop.watch(descriptor, for: .readable) { [self] _ in acceptAll() }
    }

    /// Stops listening, and removes the socket's file; accepted connections stay open.
    func close() {
        guard let watch else { return }
        watch.cancel()
        self.watch = nil
        pause?.disarm()
        pause = nil
        file?.remove()
        SystemCall.close(descriptor)
    }

    private func acceptAll() {
        // The handler may close the listener with any connection.
        while watch != nil {
            if let connection = SystemCall.accept(descriptor) {
                accepted(connection)
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: rest()
            default: break
            }
            return
        }
    }

    /// Pauses accepting: without a free descriptor the connection stays in the queue and `poll` would report it
    /// endlessly.
    private func rest() {
        watch?.interest = []
        if pause == nil { pause = loop.makeTimer { [self] in watch?.interest = .readable } }
        pause?.arm(at: loop.now + Self.pauseWithoutDescriptors)
    }
}

extension TransportError {
    /// Returns the error for an `errno` of `bind` or `listen`.
    static func listening(on address: ListenAddress, code: Int32) -> TransportError {
        let name = address.description
        return switch code {
        case EADDRINUSE: .addressInUse(name)
        case EADDRNOTAVAIL: .unreachable(name, reason: "this machine does not have that address")
        case EACCES, EPERM:
            .permissionDenied(name, cure: "choose a port above 1023, or a folder that is writable for you")
        case ENOENT, ENOTDIR: .notFound(name, cure: "create the folder of the socket first, or check the path")
        default: .system(operation: "listen", target: name, code: code, reason: SystemCall.text(of: code))
        }
    }
}

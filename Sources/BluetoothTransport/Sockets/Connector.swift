import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Connects a socket to the first of several addresses that accepts. Confined to its loop.
///
/// The loop retains it while it runs.
final class Connector {
    private enum State {
        case idle
        case connecting(Int32, FileWatch)
        /// The listener's queue is full (Unix sockets): tried again soon.
        case waiting
        case ended
    }

    private let loop: RadioLoop
    private let name: String
    private let type: Int32
    private var addresses: ArraySlice<SocketAddress>
    private var completion: ((Result<Int32, TransportError>) -> Void)?
    private var state = State.idle
    private var deadline: RadioInstant
    private var timer: QueuedTimer?
    private var lastError = TransportError.cancelled("")

    /// The timeout of one address.
    private static let patience = Duration.seconds(10)
    private static let retryPause = Duration.milliseconds(10)

    /// - Parameter completion: called once on the loop with a connected socket, which the receiver owns; possibly
    ///   inside ``start()``, and not after ``cancel()``.
    init(
        name: String, addresses: [SocketAddress], type: Int32, loop: RadioLoop,
        completion: @escaping (Result<Int32, TransportError>) -> Void
    ) {
        self.name = name
        self.addresses = addresses[...]
        self.type = type
        self.loop = loop
        self.completion = completion
        deadline = loop.now
    }

    func start() {
        timer = loop.makeTimer { [self] in timerFired() }
        tryNext()
    }

    func cancel() {
        completion = nil
        end()
    }

    private func tryNext() {
        guard let address = addresses.first else {
            finish(.failure(lastError))
            return
        }
        deadline = loop.now + Self.patience
        attempt(address)
    }

    private func attempt(_ address: SocketAddress) {
        guard let descriptor = SystemCall.socket(family: address.family, type: type) else {
            failed(errno)
            return
        }
        switch address.connect(descriptor) {
        case 0:
            finish(.success(descriptor))
        case EINPROGRESS:
            let watch = loop.watch(descriptor, for: .writable) { [self] _ in connectionEnded() }
            state = .connecting(descriptor, watch)
            timer?.arm(at: deadline)
        case EAGAIN:
            SystemCall.close(descriptor)
            state = .waiting
            timer?.arm(at: min(loop.now + Self.retryPause, deadline))
        case let code:
            SystemCall.close(descriptor)
            failed(code)
        }
    }

    private func connectionEnded() {
        guard case .connecting(let descriptor, let watch) = state else { return }
        watch.cancel()
        timer?.disarm()
        state = .idle
        let code = SystemCall.pendingError(descriptor)
        if code == 0 {
            finish(.success(descriptor))
        } else {
            SystemCall.close(descriptor)
            failed(code)
        }
    }

    private func timerFired() {
        switch state {
        case .waiting where loop.now < deadline:
            if let address = addresses.first { attempt(address) }
        case .waiting, .connecting:
            if case .connecting(let descriptor, let watch) = state {
                watch.cancel()
                SystemCall.close(descriptor)
            }
            state = .idle
            failed(ETIMEDOUT)
        case .idle, .ended: break
        }
    }

    private func failed(_ code: Int32) {
        lastError = .connecting(to: name, code: code)
        addresses = addresses.dropFirst()
        tryNext()
    }

    private func finish(_ result: Result<Int32, TransportError>) {
        let completion = completion
        self.completion = nil
        end()
        completion?(result)
    }

    private func end() {
        if case .connecting(let descriptor, let watch) = state {
            watch.cancel()
            SystemCall.close(descriptor)
        }
        state = .ended
        // The timer retains the connector.
        timer?.disarm()
        timer = nil
    }
}

extension TransportError {
    /// Returns the error for an `errno` of `connect` to `name`.
    static func connecting(to name: String, code: Int32) -> TransportError {
        switch code {
        case ECONNREFUSED: .refused(name)
        case ENOENT, ENOTDIR:
            .notFound(name, cure: "start the controller that serves this socket first, or check the path")
        case EACCES, EPERM: .permissionDenied(name, cure: "check the permissions of the socket and of its folder")
        case EPROTOTYPE:
            .unsupported(
                adapter: name,
                reason: "the socket has the other type; use 'unix:' for a stream socket and 'seq:' for a packet socket")
        case ETIMEDOUT: .unreachable(name, reason: "no response")
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN:
            .unreachable(name, reason: SystemCall.text(of: code))
        default: .system(operation: "connect", target: name, code: code, reason: SystemCall.text(of: code))
        }
    }
}

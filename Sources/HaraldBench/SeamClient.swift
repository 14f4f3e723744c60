import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The measurements of a client, with the handles that the server printed.
struct ClientPlan: Sendable {
    /// A measurement, with the size of its values.
    enum Measurement: Hashable, Sendable {
        case read
        case notify(Int)
        case write(Int)
        case channel

        /// The name in the results.
        var name: String {
            switch self {
            case .read: "read20"
            case .notify(let size): "notify\(size)"
            case .write(let size): "wwr\(size)"
            case .channel: "channel\(BenchService.transferSize)"
            }
        }

        /// The octets that an operation sends without a response; nil for other operations.
        var unacknowledgedSize: Int? {
            switch self {
            case .read, .notify: nil
            case .write(let size): size
            case .channel: BenchService.transferSize
            }
        }

        /// All measurements, in order.
        static let all: [Measurement] = [.read, .notify(20), .notify(244), .write(20), .write(244), .channel]
    }

    var measurements: [Measurement]
    var label: String
    var reads: Int
    var operations: Int
    var read: AttributeID, notify: AttributeID, sink: AttributeID, control: AttributeID, stats: AttributeID
}

extension ClientPlan {
    /// The number of transfers through the channel.
    var transfers: Int { (operations + 199) / 200 }

    /// Prints a line with which the comparison fails, if the server has received less than was sent.
    func reportLoss(expected: UInt64, received: UInt64) {
        if received != expected { print("\(label) LOST \(Int64(expected) - Int64(received)) octets") }
    }
}

/// The client of a measurement, on the internal backend API: callbacks without tasks. Confined to the loop.
final class SeamClient {
    private let link: any PeripheralLink
    private let plan: ClientPlan
    private let loop: RadioLoop
    fileprivate let done: (RadioError?) -> Void
    private var started = ContinuousClock.now
    private var mark = Usage.now
    private var left = 0
    private var channel: (any BackendChannel)?
    /// The messages that the channel has not sent yet.
    private var queued = 0
    private var bytes: UInt64 = 0
    private var rest: ArraySlice<ClientPlan.Measurement>
    private var current = ClientPlan.Measurement.read
    private var payload: [UInt8] = []
    private lazy var observer = SeamClientObserver(client: self)
    /// One closure for all reads; it retains the client while they are measured.
    private var valueWasRead: (Result<ByteView, RadioError>) -> Void = { _ in }

    init(link: any PeripheralLink, plan: ClientPlan, loop: RadioLoop, done: @escaping (RadioError?) -> Void) {
        self.link = link
        self.plan = plan
        rest = plan.measurements[...]
        self.loop = loop
        self.done = done
        link.observer = observer
    }

    func run() {
        // The handles are known. The services are discovered nevertheless, because subscribing needs the descriptor.
        link.discoverServices([0xFFF0], timeout: nil) { [self] result in
            guard case .success(let services) = result, let service = services.first else { return fail(result) }
            link.discoverCharacteristics(of: service.id, nil, timeout: nil) { [self] result in
                guard case .success = result else { return fail(result) }
                link.subscribe(
                    plan.notify, kind: .notifications, timeout: nil, receive: { [self] in notified($0) },
                    completion: { [self] result in
                        guard case .success = result else { return fail(result) }
                        measureNext()
                    })
            }
        }
    }

    private func fail<Value>(_ result: Result<Value, RadioError>) {
        if case .failure(let error) = result { done(error) } else { done(.invalidResponse("no bench service")) }
    }

    private func measureNext() {
        guard let next = rest.popFirst() else { return quit() }
        current = next
        begin { [self] in
            switch next {
            case .read: measureReads()
            case .notify(let size): measureNotifications(of: size)
            case .write(let size): measureWrites(of: size)
            case .channel: measureTransfers()
            }
        }
    }

    /// Resets the statistics of both sides.
    private func begin(_ next: @escaping () -> Void) {
        link.write(BenchService.command(.mark), to: plan.control, timeout: nil) { [self] result in
            guard case .success = result else { return fail(result) }
            mark = Usage.now
            bytes = 0
            started = .now
            next()
        }
    }

    /// Reads the server's statistics and prints the result.
    private func finish(count: Int) {
        let name = current.name
        var seconds = (ContinuousClock.now - started).seconds
        var client = Statistics()
        client.usage = Usage.now - mark
        link.read(plan.stats, timeout: nil) { [self] result in
            guard case .success(let view) = result, let server = Statistics(view) else { return fail(result) }
            // Unacknowledged writes are complete when the server has received them.
            if let size = current.unacknowledgedSize {
                seconds = (ContinuousClock.now - started).seconds
                bytes = server.sinkBytes
                plan.reportLoss(expected: UInt64(count * size), received: bytes)
            }
            printResult(
                plan.label, name, count: count, seconds: seconds, client: client, server: server, bytes: bytes)
            measureNext()
        }
    }

    private func measureReads() {
        left = plan.reads
        valueWasRead = { [self] result in
            guard case .success = result else { return fail(result) }
            readNext()
        }
        readNext()
    }

    private func readNext() {
        guard left > 0 else {
            bytes = UInt64(plan.reads * 20)
            valueWasRead = { _ in }
            return finish(count: plan.reads)
        }
        left -= 1
        link.read(plan.read, timeout: nil, completion: valueWasRead)
    }

    private func measureNotifications(of size: Int) {
        left = plan.operations
        link.write(
            BenchService.command(.notify, size: size, count: plan.operations), to: plan.control, timeout: nil
        ) { _ in }
    }

    private func notified(_ value: ByteView) {
        guard left > 0 else { return }
        bytes += UInt64(value.count)
        left -= 1
        guard left == 0 else { return }
        finish(count: plan.operations)
    }

    private func measureWrites(of size: Int) {
        payload = [UInt8](repeating: 0x55, count: size)
        left = plan.operations
        writeNext()
    }

    fileprivate func writeNext() {
        while left > 0, link.canWriteWithoutResponse {
            left -= 1
            link.writeWithoutResponse(payload, to: plan.sink, timeout: nil) { _ in }
        }
        guard left == 0, !payload.isEmpty else { return }
        payload = []
        finish(count: plan.operations)
    }

    /// Sends messages of the peer's MTU through an L2CAP channel. Each one that the radio has taken starts another.
    private func measureTransfers() {
        link.openChannel(psm: BenchService.psm, timeout: nil) { [self] result in
            guard case .success(let channel) = result else { return fail(result) }
            channel.attach(receive: { _ in }, closed: { [self] error in if left > 0 { done(error ?? .notConnected) } })
            payload = [UInt8](repeating: 0x55, count: channel.peerMTU)
            left = plan.transfers * (BenchService.transferSize / channel.peerMTU)
            self.channel = channel
            started = .now
            writeMessages()
        }
    }

    private func writeMessages() {
        while left > 0, queued < 8, let channel {
            left -= 1
            queued += 1
            channel.write(payload) { [self] result in
                guard case .success = result else { return fail(result) }
                queued -= 1
                if left > 0 { return writeMessages() }
                if queued == 0 { finish(count: plan.transfers) }
            }
        }
    }

    private func quit() {
        link.write(BenchService.command(.quit), to: plan.control, timeout: .seconds(2)) { [self] _ in done(nil) }
    }
}

/// Observes the link for the client. A separate object, because the link's weak reference makes counting the references
/// of its observer slow, and a read counts those of the client.
private final class SeamClientObserver: LinkObserver {
    /// Proof of `unowned`: the client retains its observer, to which the link has a weak reference.
    private unowned let client: SeamClient

    init(client: SeamClient) { self.client = client }

    func linkDisconnected(_ error: RadioError) { client.done(error) }
    func linkMTUChanged(_ mtu: Int) {}
    func linkParametersChanged(_ parameters: ConnectionParameters) {}
    func linkSecurityChanged(_ security: LinkSecurity) {}
    func linkServicesChanged(_ services: [AttributeID]) {}
    func linkIsReadyToWriteWithoutResponse() { client.writeNext() }
    func linkNameChanged(_ name: String) {}
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// A loop that the test drives: everything happens inside ``run(_:)`` and ``advance(_:)``.
struct KernelLoop {
    let clock = RadioClock.manual()
    let loop: RadioLoop

    init() { loop = RadioLoop.driven(clock: clock) }

    /// Runs `body` as the loop, and then everything that it enqueued.
    func run(_ body: () -> Void) {
        let isEntered = loop.enter(body)
        #expect(isEntered)
        settle()
    }

    /// Advances the clock, and runs what is due.
    func advance(_ duration: Duration) {
        clock.step(to: clock.now + duration)
        settle()
    }

    private func settle() {
        for _ in 0..<100 where loop.hasWork { loop.drive() }
        #expect(!loop.hasWork)
    }
}

/// The results that a caller got: it is to get one.
final class Outcome<Value> {
    private(set) var results: [Result<Value, RadioError>] = []

    var completion: (Result<Value, RadioError>) -> Void { { [self] in results.append($0) } }
    /// The errors of the results; nil for a success.
    var errors: [RadioError?] {
        results.map { if case .failure(let error) = $0 { error } else { nil } }
    }
}

/// A link that can do nothing but be shared.
final class FakeLink: CountedShare {
    let user: RadioUser?
    weak var observer: (any LinkObserver)?
    var peripheral: PeripheralID { fakeDevice }
    var isConnected: Bool { true }
    var mtu: Int { 23 }
    var parameters: ConnectionParameters? { nil }
    var security: LinkSecurity { LinkSecurity() }
    var canWriteWithoutResponse: Bool { false }

    init(_ user: RadioUser? = nil) { self.user = user }

    private func refuse<Value>(_ completion: (Result<Value, RadioError>) -> Void) -> OperationID {
        completion(.failure(.unsupported("a fake link")))
        return OperationID(rawValue: 0)
    }

    func maximumWriteLength(withResponse: Bool) -> Int { 20 }
    func release(completion: @escaping () -> Void) { completion() }
    func cancel(_ operation: OperationID) {}
    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID {
        refuse(completion)
    }
    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func unsubscribe(
        _ subscription: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) { completion(.success(())) }
    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID {
        refuse(completion)
    }
    func readPHY(timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void) -> OperationID {
        refuse(completion)
    }
    func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID { refuse(completion) }
}

/// The device that fake backends connect to.
let fakeDevice = PeripheralID(high: 0, low: 1)

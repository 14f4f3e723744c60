import BluetoothModel
import BluetoothRuntime

/// What one can ask the GATT server on the other side of a link (Core 6.0, Vol 3, Part G, 4).
///
/// Operations are sent in the order in which they are asked for; each ends once: with its result, an error, its
/// timeout (``RadioError/timeout``), ``cancel(_:)`` (``RadioError/cancelled``) or the end of the link. Without a
/// timeout the protocol's own holds, 30 s for each packet. Views in completions are valid during the call only. A
/// completion may run before the call that starts the operation returns.
public final class GATTClient {
    let bearer: ATTBearer
    private(set) lazy var subscriptions = GATTSubscriptionTable(client: self)
    let values = GATTValueRouter()
    var cache = GATTClientCache()
    var follower: GATTServiceFollower?
    var isReadingHash = false
    /// Operations that wait for the link to be protected better, and how to end them.
    var raising: [ATTOperationID: RaisedOperation] = [:]

    /// The server's attributes changed: what was discovered before may be wrong, and the cache is empty.
    public var onDatabaseChange: ((GATTDatabaseChange) -> Void)?
    /// The MTU changed.
    public var onMTUChange: ((Int) -> Void)?
    /// The server refused a read, a write or a subscription because the link is not protected enough. The answer says
    /// that it is better now, and the operation is done again, once; or what the operation ends with. The second
    /// argument is the ``caller`` of the operation.
    public var onSecurityDemand: ((RadioError, UInt16, @escaping (Result<Void, RadioError>) -> Void) -> Void)?
    /// Told when an operation that ``onSecurityDemand`` was called for was given up.
    public var onSecurityDemandAbandoned: (() -> Void)?
    /// A write command would go out at once again.
    public var onReadyToWriteCommand: (() -> Void)?

    init(bearer: ATTBearer) {
        self.bearer = bearer
        bearer.client = self
    }

    deinit { bearer.client = nil }

    /// Whether the link is up and answers.
    public var isOpen: Bool { bearer.isOpen }

    /// A number for whoever asks for the operations that begin from now on, 0 to 32767.
    public var caller: UInt16 {
        get { ATTOperationID(rawValue: bearer.caller).caller }
        set { bearer.caller = ATTOperationID(caller: newValue).rawValue }
    }

    // MARK: MTU

    /// The ATT MTU, 23 to 517.
    public var mtu: Int { bearer.mtu }
    /// The most octets of one write command: what fits a packet, and an attribute.
    public var maximumWriteCommandLength: Int { min(bearer.mtu - 3, maximumWriteLength) }
    /// The most octets of one write that is acknowledged, in as many packets as it takes.
    public let maximumWriteLength = LongRead.maximumLength

    /// Agrees on the MTU with the server; it happens once on a link, and later calls answer with what was agreed on.
    @discardableResult
    public func exchangeMTU(
        timeout: Duration? = nil, completion: @escaping (Result<Int, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        bearer.exchangeMTU(for: operation, completion: completion)
        return operation.id
    }

    // MARK: Values

    /// Reads a value, of whatever length (Core 6.0, Vol 3, Part G, 4.8.1 and 4.8.3).
    @discardableResult
    public func read(
        _ handle: UInt16, timeout: Duration? = nil, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        bearer.readValue(handle, for: operation, completion: completion)
        return operation.id
    }

    /// Writes a value of up to 512 octets and waits for the acknowledgement; one that does not fit a packet goes in
    /// parts (Core 6.0, Vol 3, Part G, 4.9.3 and 4.9.4).
    @discardableResult
    public func write(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        guard bytes.count > maximumWriteCommandLength else {
            let operation = bearer.makeOperation(timeout: timeout)
            write(handle, bytes, for: operation, completion: completion)
            return operation.id
        }
        return writeReliably([(handle, bytes)], timeout: timeout, completion: completion)
    }

    /// Writes several values, all of them or none (Core 6.0, Vol 3, Part G, 4.9.5).
    @discardableResult
    public func writeReliably(
        _ values: [(handle: UInt16, bytes: [UInt8])], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if let long = values.first(where: { $0.bytes.count > maximumWriteLength }) {
            completion(.failure(.invalidArgument("\(long.bytes.count) octets; a value has 512 at most")))
        } else {
            writeReliably(values, for: operation, completion: completion)
        }
        return operation.id
    }

    /// Whether a write command would go out at once.
    public var canWriteCommand: Bool { bearer.canSendAtOnce() }

    /// Writes a value that nobody acknowledges, of up to ``maximumWriteCommandLength`` octets; completes when the link
    /// has taken it (Core 6.0, Vol 3, Part G, 4.9.1).
    @discardableResult
    public func writeCommand(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if bytes.count > maximumWriteCommandLength {
            let limit = "\(bytes.count) octets; a write without response has \(maximumWriteCommandLength) at most"
            completion(.failure(.invalidArgument(limit)))
        } else {
            bytes.withByteView {
                bearer.send(.writeCommand, handle: handle, $0, for: operation, completion: completion)
            }
        }
        return operation.id
    }

    // MARK: Giving up

    /// Gives up an operation; its completion has run with ``RadioError/cancelled`` when this returns. What is on the
    /// air stays there: the response is discarded, and a long write is undone.
    public func cancel(_ operation: ATTOperationID) {
        abandon(operation, .cancelled)
    }

    private func abandon(_ operation: ATTOperationID, _ error: RadioError) {
        if abandonRaising(operation, error) { return }
        if !bearer.abandon(operation, error) { subscriptions.abandon(operation, error) }
    }

    /// Ends every operation of a caller with an error.
    public func abandonAll(of caller: UInt16, _ error: RadioError) {
        let operations = Array(raising.keys) + bearer.waitingOperations + subscriptions.waitingOperations
        for operation in operations where operation.caller == caller { abandon(operation, error) }
    }

    // MARK: From below

    func received(_ value: ByteView, of handle: UInt16) {
        if !values.deliver(value, of: handle) { bearer.faults.add(.unhandledValue) }
    }

    /// Holds back the confirmation of the indication whose value is being handed over.
    /// - Returns: the action that lets it go, to be called once; nil where the value is no indication.
    public func holdConfirmation() -> (() -> Void)? { bearer.holdConfirmation() }

    func mtuChanged(_ mtu: Int) { onMTUChange?(mtu) }

    func bearerHasRoom() { onReadyToWriteCommand?() }

    func securityChanged() { follower?.securityChanged() }

    func close(_ error: RadioError) {
        let ended = raising
        raising = [:]
        for operation in ended.values { operation.fail(error) }
        subscriptions.close(error)
        values.removeAll()
        follower = nil
        onDatabaseChange = nil
        onMTUChange = nil
        onSecurityDemand = nil
        onSecurityDemandAbandoned = nil
        onReadyToWriteCommand = nil
    }
}

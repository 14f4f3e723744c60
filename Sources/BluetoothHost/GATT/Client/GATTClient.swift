import BluetoothModel
import BluetoothRuntime

/// A client of the GATT server at the other end of a link (Core 6.0, Vol 3, Part G, 4).
///
/// Operations are sent in the order of the calls. Each ends once: with its result, an error, its timeout
/// (``RadioError/timeout``), ``cancel(_:)`` (``RadioError/cancelled``) or the disconnection. Without a timeout the
/// protocol's own of 30 s per packet applies. Views passed to completions are valid only during the call. A completion
/// may run before the call that starts the operation returns.
package final class GATTClient {
    let bearer: ATTBearer
    var cache = GATTClientCache()
    var follower: GATTServiceFollower?
    /// The value handle of the Service Changed characteristic that ``follower`` is subscribed to; 0 if there is none.
    var changedHandle: UInt16 = 0
    var isReadingHash = false
    /// The time at which the hash was read, or at which the latest discovery after that began.
    var hashTime = RadioInstant.start
    /// True if the database has changed and the server has not announced the range yet.
    var awaitsAnnouncement = false
    /// The number of values received in notifications and indications.
    package var valuesReceived: Int { valueCount }
    /// Not public, so that the compiler knows all accesses and can omit the checks for overlapping access.
    private var valueCount = 0
    /// The operations that wait for a higher security level, and the closures that end them.
    var raising: [LinkOperationID: RaisedOperation] = [:]
    /// The operation whose request was in flight when the security level of the link last changed.
    var operationDuringSecurityChange: LinkOperationID?

    /// Called with each value of a notification or an indication, and its handle. Returns false if the value has no
    /// receiver.
    package var onValue: ((ByteView, UInt16) -> Bool)?
    /// Called when the server's attributes have changed. The cache was cleared, and earlier results may be invalid.
    package var onDatabaseChange: ((GATTDatabaseChange) -> Void)?
    /// Called with the new MTU when it has changed.
    package var onMTUChange: ((Int) -> Void)?
    /// Called when the server refused a read, a write or a subscription for lack of security. The second argument is
    /// the ``caller`` of the operation. Call the closure with success once the link has the required security, and the
    /// operation is repeated once; a failure ends the operation with that error.
    package var onSecurityDemand: ((RadioError, UInt16, @escaping (Result<Void, RadioError>) -> Void) -> Void)?
    /// Called when an operation for which ``onSecurityDemand`` was called has been abandoned.
    package var onSecurityDemandAbandoned: (() -> Void)?
    /// Called when a write command can be sent immediately again, after ``canWriteCommand`` was false.
    package var onReadyToWriteCommand: (() -> Void)?

    init(bearer: ATTBearer) {
        self.bearer = bearer
        bearer.client = self
    }

    deinit { bearer.client = nil }

    /// True while the link is up and the server answers.
    package var isOpen: Bool { bearer.isOpen }

    /// The caller number of the operations that begin from now on, 0 to 32767.
    package var caller: UInt16 {
        get { LinkOperationID(rawValue: bearer.caller).caller }
        set { bearer.caller = LinkOperationID(caller: newValue).rawValue }
    }

    // MARK: MTU

    /// The ATT MTU, 23 to 517 octets.
    package var mtu: Int { bearer.mtu }
    /// The maximum length of a write command in octets, limited by the MTU and the maximum attribute length.
    package var maximumWriteCommandLength: Int { min(bearer.mtu - 3, maximumWriteLength) }
    /// The maximum length of an acknowledged write in octets, in as many packets as necessary.
    package let maximumWriteLength = LongRead.maximumLength

    /// Exchanges the MTU with the server. This happens once per link; later calls complete with the agreed value.
    @discardableResult
    package func exchangeMTU(
        timeout: Duration? = nil, completion: @escaping (Result<Int, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        bearer.exchangeMTU(for: operation, completion: completion)
        return operation.id
    }

    // MARK: Values

    /// Reads a whole value (Core 6.0, Vol 3, Part G, 4.8.1 and 4.8.3).
    @discardableResult
    package func read(
        _ handle: UInt16, timeout: Duration? = nil, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        bearer.readValue(handle, for: operation, completion: completion)
        return operation.id
    }

    /// Writes a value of up to 512 octets and waits for the response. A value that does not fit into one packet is
    /// written in parts (Core 6.0, Vol 3, Part G, 4.9.3 and 4.9.4).
    @discardableResult
    package func write(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        guard bytes.count > maximumWriteCommandLength else {
            let operation = bearer.makeOperation(timeout: timeout)
            write(handle, bytes, for: operation, completion: completion)
            return operation.id
        }
        return writeReliably([(handle, bytes)], timeout: timeout, completion: completion)
    }

    /// Writes a part of a value, from `offset` on, with the prepare queue (Core 6.0, Vol 3, Part G, 4.9.4). The part
    /// ends at most at position 65535; the device decides what it accepts.
    @discardableResult
    package func write(
        _ handle: UInt16, _ bytes: [UInt8], at offset: Int, timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if (0...Int(UInt16.max)).contains(offset), offset + bytes.count <= UInt16.max {
            writeReliably([(handle, bytes)], from: offset, for: operation, completion: completion)
        } else {
            completion(.failure(.invalidArgument("\(bytes.count) octets at offset \(offset) end after 65535")))
        }
        return operation.id
    }

    /// Writes several values atomically: all or none (Core 6.0, Vol 3, Part G, 4.9.5).
    @discardableResult
    package func writeReliably(
        _ values: [(handle: UInt16, bytes: [UInt8])], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if let long = values.first(where: { $0.bytes.count > maximumWriteLength }) {
            completion(.failure(.invalidArgument("\(long.bytes.count) octets exceed the maximum of a value (512)")))
        } else {
            writeReliably(values, for: operation, completion: completion)
        }
        return operation.id
    }

    /// True if a write command would be sent immediately. After false, ``onReadyToWriteCommand`` is called once it
    /// would.
    package var canWriteCommand: Bool { bearer.canSendAtOnce() }

    /// Writes a value of up to ``maximumWriteCommandLength`` octets without a response; completes when the link has
    /// accepted it (Core 6.0, Vol 3, Part G, 4.9.1).
    @discardableResult
    package func writeCommand(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if bytes.count > maximumWriteCommandLength {
            let limit =
                "\(bytes.count) octets exceed the maximum of a write without response (\(maximumWriteCommandLength))"
            completion(.failure(.invalidArgument(limit)))
        } else {
            bytes.withByteView {
                bearer.send(.writeCommand, handle: handle, $0, for: operation, completion: completion)
            }
        }
        return operation.id
    }

    // MARK: Cancellation

    /// Cancels an operation; its completion has run with ``RadioError/cancelled`` when this returns. A request in
    /// flight cannot be withdrawn: its response is discarded, and a long write is undone.
    package func cancel(_ operation: LinkOperationID) {
        abandon(operation, .cancelled)
    }

    private func abandon(_ operation: LinkOperationID, _ error: RadioError) {
        if abandonRaising(operation, error) || follower?.abandon(operation, error) == true { return }
        bearer.abandon(operation, error)
    }

    /// Ends all operations of a caller with an error, in the order in which they began.
    package func abandonAll(of caller: UInt16, _ error: RadioError) {
        let following = follower?.waiting.map(\.operation.id) ?? []
        let operations = raising.keys + bearer.waitingOperations + following
        let own = operations.filter { $0.caller == caller }
        for operation in own.sorted(by: { $0.rawValue < $1.rawValue }) { abandon(operation, error) }
    }

    // MARK: Events of the bearer

    func received(_ value: ByteView, of handle: UInt16) {
        valueCount &+= 1
        let isReceived = onValue?(value, handle) ?? false
        if handle == changedHandle {
            follower?.changed(value)
        } else if !isReceived, follower?.keep(value, of: handle) != true {
            bearer.faults.add(.unhandledValue)
        }
    }

    /// Holds back the confirmation of the indication whose value is being delivered.
    /// - Returns: A closure that releases the confirmation, to be called once; nil if the value is not an indication.
    package func holdConfirmation() -> (() -> Void)? { bearer.holdConfirmation() }

    func mtuChanged(_ mtu: Int) { onMTUChange?(mtu) }

    func bearerHasRoom() { onReadyToWriteCommand?() }

    func close(_ error: RadioError) {
        let ended = raising
        raising = [:]
        for operation in ended.values { operation.fail(error) }
        follower = nil
        onValue = nil
        onDatabaseChange = nil
        onMTUChange = nil
        onSecurityDemand = nil
        onSecurityDemandAbandoned = nil
        onReadyToWriteCommand = nil
    }
}

import BluetoothBackend
import BluetoothRuntime

extension Peripheral {
    /// Connects, and returns once the link is up. Does nothing if it is up already: the reconnect policy of the first
    /// call stays. A call while a connection or reconnection is in progress waits for it.
    ///
    /// A connection that fails to be established (0x3E) is attempted again a few times. Cancelling the task cancels the
    /// attempt; the call then returns once the adapter has stopped connecting.
    ///
    /// A bonded device has to prove its identity: the link is encrypted before this returns. A device that cannot is
    /// not connected: the error has the code `bondLost`, and ``forgetBond()`` is the remedy.
    /// - Parameters:
    ///   - timeout: the timeout of all steps to a usable link: establishing it, encryption with the key of a bond, and
    ///     the check of the attributes discovered before. nil waits until the device is in range.
    ///   - parameters: the initial connection parameters.
    ///   - reconnect: the policy when the link is lost later.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` for parameters out of range, `timeout`,
    ///   `cancelled`, `bondLost` or another code of pairing, `radio` if the adapter is not ready or the central was
    ///   closed, `disconnected`, or `controller`.
    public func connect(
        timeout: Duration? = .seconds(10), parameters: ConnectionParametersRequest = .standard,
        reconnect: ReconnectPolicy = .never
    ) async throws(BluetoothError) {
        guard parameters.isValid else {
            throw BluetoothError(
                .invalidArgument, operation: "connect to \(store.label)",
                reason:
                    "the connection parameters are out of range, or the supervision timeout is too short for them",
                advice: "interval 7.5 ms to 4 s, latency 0 to 499, supervision timeout 100 ms to 32 s")
        }
        try await connect(ConnectRequest(timeout: timeout, parameters: parameters), reconnect)
    }

    private func connect(_ request: ConnectRequest, _ reconnect: ReconnectPolicy) async throws(BluetoothError) {
        let (session, radio) = (session, radio)
        let result: Result<Void, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            guard !radio.isClosing else {
                return operation.complete(.failure(.radio(.unsupported, reason: "the central was closed")))
            }
            let attempt = session.value.connect(request, reconnect) { operation.complete($0) }
            operation.onCancel { attempt.cancel() }
        }
        if case .failure(let error) = result {
            throw BluetoothError(error, "connect to \(store.label)", timeout: request.timeout)
        }
    }

    /// Connects without a client of the attribute protocol, and returns the frames of the link. The operations of the
    /// link itself and pairing can be used; those on attributes get no answer.
    /// - Throws: ``BluetoothError`` as ``connect(timeout:parameters:reconnect:)``; with the code `unsupported` if the
    ///   adapter has no raw frames, or the device is connected already.
    package func connectRaw(
        timeout: Duration?, parameters: ConnectionParametersRequest = .standard
    ) async throws(BluetoothError) -> RawLink {
        guard radio.capabilities.contains(.rawFrames) else {
            throw BluetoothError(
                .unsupported, operation: "connect to \(store.label)",
                reason: "this adapter gives no access to the frames of a link")
        }
        var request = ConnectRequest(timeout: timeout, parameters: parameters)
        request.isRaw = true
        try await connect(request, .never)
        let loop = radio.loop
        let frames: LoopBound<any RawFrames> = try await perform("open the frames", timeout: nil) { link, operation in
            operation.complete(
                link.rawFrames.map { .success(LoopBound(confined: $0, loop: loop)) }
                    ?? .failure(.unsupported("the device is connected already")))
            return OperationID(rawValue: 0)
        }
        return await RawLink(frames)
    }

    /// Ends this central's use of the link. Subscriptions are ended first, and acknowledged by the device. Pending
    /// operations and L2CAP channels end with the error `disconnected`. Another program's or central's use of the link
    /// is not affected. Returns once that is done; does nothing if there is no link.
    public func disconnect() async {
        let session = session
        _ = await LoopOperation<Void>.runToTheEnd(on: radio.loop) { operation in
            session.value.disconnect { operation.complete(.success(())) }
        }
    }

    /// Connects, runs `body` and disconnects, also when `body` throws or its task is cancelled.
    /// - Throws: the error of `body`, or of ``connect(timeout:parameters:reconnect:)``.
    public func withConnection<Result: Sendable>(
        timeout: Duration? = .seconds(10), reconnect: ReconnectPolicy = .never, _ body: () async throws -> Result
    ) async throws -> Result {
        try await connect(timeout: timeout, reconnect: reconnect)
        do {
            let result = try await body()
            await disconnect()
            return result
        } catch {
            await disconnect()
            throw error
        }
    }

    /// Reads the RSSI, in dBm.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `controller`,
    ///   `unsupported` or `cancelled`.
    @discardableResult
    public func readRSSI(timeout: Duration? = .seconds(5)) async throws(BluetoothError) -> Int {
        let rssi = try await perform("read signal strength", timeout: timeout) { link, operation in
            link.readRSSI(timeout: timeout, completion: operation.complete)
        }
        store.values.withLock { $0.rssi = rssi }
        return rssi
    }

    /// Reads the physical layers (PHY) of both directions.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `controller`,
    ///   `unsupported` or `cancelled`.
    public func phy(timeout: Duration? = .seconds(5)) async throws(BluetoothError) -> LinkPHY {
        try await perform("read PHY", timeout: timeout) { link, operation in
            link.readPHY(timeout: timeout, completion: operation.complete)
        }
    }

    /// Requests physical layers and returns those that the two sides agreed on.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `controller`,
    ///   `unsupported` or `cancelled`.
    @discardableResult
    public func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) -> LinkPHY {
        try await perform("set PHY", timeout: timeout) { link, operation in
            link.setPHY(transmit: transmit, receive: receive, timeout: timeout, completion: operation.complete)
        }
    }

    /// Requests connection parameters and returns those that are in use afterwards.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument`, `notConnected`, `disconnected`, `timeout`,
    ///   `controller`, `unsupported` or `cancelled`.
    @discardableResult
    public func updateConnectionParameters(
        _ request: ConnectionParametersRequest, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> ConnectionParameters {
        try await perform("update connection parameters", timeout: timeout) { link, operation in
            link.updateParameters(request, timeout: timeout, completion: operation.complete)
        }
    }

    /// Returns the maximum data length of the link's packets; nil if the platform does not report it.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected` or `cancelled`.
    package func dataLength() async throws(BluetoothError) -> LinkDataLength? {
        try await perform("read the data length", timeout: nil) { link, operation in
            operation.complete(.success(link.dataLength))
            return OperationID(rawValue: 0)
        }
    }

    /// Requests packets of up to `octets` octets, 27 to 251, for the link. The device may limit them.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `controller`,
    ///   `unsupported` or `cancelled`.
    package func setDataLength(
        _ octets: UInt16, timeout: Duration? = .seconds(5)
    ) async throws(BluetoothError) {
        try await perform("set the data length", timeout: timeout) { link, operation in
            link.setDataLength(octets, timeout: timeout, completion: operation.complete)
        }
    }

    /// Opens an LE credit-based L2CAP channel.
    /// - Parameters:
    ///   - psm: the PSM that the device's service listens on, 0x01 to 0xFF.
    ///   - timeout: the limit of the whole call; nil for none.
    /// - Throws: ``BluetoothError`` with the code `channelRefused` with the device's result, `notConnected`,
    ///   `disconnected`, `limitReached`, `timeout`, `unsupported` or `cancelled`.
    public func openL2CAPChannel(
        psm: UInt16, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) -> L2CAPChannel {
        let loop = radio.loop
        let peripheral = self
        return try await perform("open L2CAP channel \(psm)", timeout: timeout) { link, operation in
            link.openChannel(psm: psm, timeout: timeout) { result in
                operation.complete(result.map { L2CAPChannel($0, loop: loop, owner: peripheral) })
            }
        }
    }

    /// Forgets the discovered attributes, here and in the adapter's cache; the next discovery asks the device.
    public func forgetCache() async {
        store.values.withLock { $0.tree = AttributeTree() }
        let (backend, id) = (radio.backend, id)
        await radio.loop.run { backend.value.forgetCache(id) }
    }
}

import BluetoothHCI
import BluetoothModel

extension LEHost {
    /// Handles LE Connection Complete or LE Enhanced Connection Complete.
    func connectionCompleted(_ parameters: ByteView, isEnhanced: Bool) -> Bool {
        guard let event = LEConnectionComplete(parameters, isEnhanced: isEnhanced) else { return false }
        switch event {
        case .failed(.advertisingTimeout, _): advertising.directedAdvertisingTimedOut()
        case .failed(let status, let peer): initiator.failed(status, peer: peer)
        case .established(let connection):
            // A handle that is still in use was assigned again, so the old link no longer exists.
            if links[connection.handle] != nil { linkEnded(connection.handle, reason: .unspecified) }
            switch connection.role {
            case .central: initiator.established(connection)
            case .peripheral: binder.established(connection)
            }
        }
        settle()
        return true
    }

    /// Creates a link, notifies the delegate, and starts the procedures of every new link.
    func open(
        _ connection: LEConnection, ownAddress: BluetoothAddress, ownAirAddress: BluetoothAddress? = nil,
        identity: LocalIdentity?
    ) -> LELink {
        let link = LELink(
            connection, ownAddress: ownAddress, ownAirAddress: ownAirAddress ?? ownAddress, identity: identity,
            host: self)
        links.insert(link)
        acl.add(link)
        traceAnomalies(of: link)
        link.begin()
        delegate?.host(self, connected: link)
        securityManager?.started(link)
        if configuration.requestsDataLength, let controller, controller.features.contains(.dataPacketLengthExtension),
            let octets = controller.maximumTransmitOctets, octets > 27, link.isOpen
        {
            link.setDataLength(octets: octets, time: controller.maximumTransmitTime ?? 2120) { _ in }
        }
        return link
    }

    /// Disconnects a connection that was cancelled before it was established.
    func reject(_ handle: UInt16) {
        note(.unwantedConnection)
        commands.run(
            .disconnect,
            write: {
                $0.uint16(handle)
                $0.uint8(HCIStatus.remoteUserTerminated.rawValue)
            }
        ) { _ in }
    }

    /// Closes a link that the controller no longer has.
    func linkEnded(_ handle: UInt16, reason: HCIStatus) {
        guard let link = links.remove(handle) else { return }
        closed(link, reason: reason, error: .disconnected(reason))
        settle()
    }

    /// Handles Disconnection Complete (7.7.5).
    func disconnected(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16(), let reason = reader.uint8() else {
            return false
        }
        // After a failed disconnection the link stays up.
        guard status == 0 else {
            links[handle]?.disconnectionFailed()
            return true
        }
        let why = HCIStatus(rawValue: reason)
        binder.forget(handle)
        initiator.disconnected(handle)
        linkEnded(handle, reason: why)
        settle()
        return true
    }

    /// Handles LE Advertising Set Terminated (7.7.65.18).
    func advertisingSetTerminated(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let set = reader.uint8(), let handle = reader.uint16() else { return false }
        if status == 0 {
            binder.terminated(set: set, connection: handle)
        } else {
            advertising.ended(set: set, HCIStatus(rawValue: status))
        }
        settle()
        return true
    }

    /// Handles LE Connection Update Complete (7.7.65.3).
    func connectionUpdated(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16() else { return false }
        guard let link = links[handle] else { return true }
        guard status == 0 else {
            link.procedures.parameters.finish(.failure(.controller(HCIStatus(rawValue: status))))
            return true
        }
        guard let interval = reader.uint16(), let latency = reader.uint16(), let timeout = reader.uint16() else {
            return false
        }
        let values = ConnectionParameters(intervalUnits: interval, latency: latency, timeoutUnits: timeout)
        link.change(parameters: values)
        link.procedures.parameters.finish(.success(values))
        return true
    }

    /// Handles LE Remote Connection Parameter Request (7.7.65.6).
    func parametersRequested(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let handle = reader.uint16(), let low = reader.uint16(), let high = reader.uint16(),
            let latency = reader.uint16(), let timeout = reader.uint16()
        else { return false }
        if low <= high, links[handle] != nil,
            accepts(
                ConnectionParametersRequest(intervalUnits: low...high, latency: latency, timeoutUnits: timeout))
        {
            commands.run(
                .leRemoteConnectionParameterRequestReply, .dispensable,
                write: {
                    for value in [handle, low, high, latency, timeout, 0, 0] { $0.uint16(value) }
                }
            ) { _ in }
        } else {
            commands.run(
                .leRemoteConnectionParameterRequestNegativeReply, .dispensable,
                write: {
                    $0.uint16(handle)
                    $0.uint8(HCIStatus.unacceptableParameters.rawValue)
                }
            ) { _ in }
        }
        return true
    }

    /// Returns true if the connection parameters that a peer requests are accepted.
    func accepts(_ request: ConnectionParametersRequest) -> Bool {
        request.isValid && configuration.acceptsParameters(request)
    }
}

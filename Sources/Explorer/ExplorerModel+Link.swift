import Harald

/// Operations on the link to a connected device: signal strength, PHYs, connection parameters, pairing.
extension ExplorerModel {
    /// Reads the signal strength over the link, in dBm.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of the read.
    package func readRSSI(_ id: PeripheralID) async throws(BluetoothError) -> Int {
        let session = try await session(id)
        let rssi = try await session.peripheral.readRSSI()
        records[id]?.note(rssi: rssi, at: settings.now())
        changed(id)
        return rssi
    }

    /// Requests PHYs for the link.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of the procedure.
    @discardableResult
    package func setPHY(
        _ id: PeripheralID, transmit: Set<PHY>, receive: Set<PHY>
    ) async throws(BluetoothError) -> ConnectionReport {
        try await changeLink(id) { session throws(BluetoothError) in
            let phy = try await session.peripheral.setPHY(transmit: transmit, receive: receive)
            session.phy = phy
            return "PHY \(phy.transmit.jsonText) to the device, \(phy.receive.jsonText) from it"
        }
    }

    /// Requests connection parameters.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of the procedure.
    @discardableResult
    package func setParameters(
        _ id: PeripheralID, _ request: ConnectionParametersRequest
    ) async throws(BluetoothError) -> ConnectionReport {
        try await changeLink(id) { session throws(BluetoothError) in
            let parameters = try await session.peripheral.updateConnectionParameters(request)
            return "connection interval \(parameters.interval / .milliseconds(1)) ms, latency \(parameters.latency), "
                + "supervision timeout \(Int(parameters.supervisionTimeout / .milliseconds(1))) ms"
        }
    }

    /// Runs a procedure that changes the link to a device, and logs the text that it returns, or its error.
    private func changeLink(
        _ id: PeripheralID, _ procedure: (DeviceSession) async throws(BluetoothError) -> String
    ) async throws(BluetoothError) -> ConnectionReport {
        let session = try await session(id)
        do throws(BluetoothError) {
            note(.connection, try await procedure(session), device: id)
        } catch {
            note(.connection, error, device: id)
            throw error
        }
        notifyConnectionChanged(session)
        return report(session)
    }

    /// Pairs with a connected device, or encrypts the link with the keys of an existing bond. The viewer answers
    /// pairing requests.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of pairing.
    @discardableResult
    package func pair(
        _ id: PeripheralID, for viewer: ViewerID, to level: LinkSecurity.Level = .encrypted
    ) async throws(BluetoothError) -> LinkSecurity {
        let session = try await session(id)
        let peripheral = session.peripheral
        do throws(BluetoothError) {
            let security = try await run(session, for: viewer, isPairing: true) { () async throws(BluetoothError) in
                try await peripheral.pair(to: level)
            }
            session.isBonded = await peripheral.isBonded
            note(.pairing, "paired: \(SecurityText.text(security))", device: id)
            act(.pair(level), session)
            notifyConnectionChanged(session)
            return security
        } catch {
            note(.pairing, error, device: id)
            act(.pair(level), session, error: error)
            throw error
        }
    }
}

import BluetoothBackend
import BluetoothRuntime
import Foundation
import Harald

/// Links to devices, counted per viewer.
extension ExplorerModel {
    /// Returns the state of the link to a device; disconnected if there never was one.
    /// - Throws: `notFound` if the device is unknown.
    package func connection(_ id: PeripheralID) async throws(BluetoothError) -> ConnectionReport {
        report(try await session(id))
    }

    /// Connects on behalf of a viewer, or adds the viewer to the holders of an existing link.
    /// - Parameters:
    ///   - timeout: the timeout of the attempt; nil waits until the device appears.
    ///   - reconnects: true to reconnect after the loss of the link.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, `unsupported` for one that is not connectable,
    ///   `cancelled` after the model was closed or if the viewer disconnected meanwhile, or an error of the attempt.
    @discardableResult
    package func connect(
        _ id: PeripheralID, for viewer: ViewerID, timeout: Duration? = .seconds(10), reconnects: Bool = false
    ) async throws(BluetoothError) -> ConnectionReport {
        let session = try await session(id)
        try checkOpen()
        if let record = records[id], !record.isConnectable, session.phase == .disconnected {
            throw BluetoothError(
                .unsupported, operation: "connect to \(session.peripheral)", reason: "it is not connectable",
                advice: "its advertisements contain all of its data")
        }
        let acquisition = session.holders.acquire(by: viewer)
        if reconnects { session.reconnecting.insert(viewer) } else { session.reconnecting.remove(viewer) }
        let peripheral = session.peripheral
        note(.connection, "connecting", device: id)
        do throws(BluetoothError) {
            try await run(session, for: viewer) { () async throws(BluetoothError) in
                try await peripheral.connect(
                    timeout: timeout, reconnect: session.reconnecting.isEmpty ? .never : .always)
            }
        } catch {
            session.holders.release(acquisition)
            if !session.holders.isHeld(by: viewer) { session.reconnecting.remove(viewer) }
            note(.connection, error, device: id)
            act(.connect, session, error: error)
            throw error
        }
        guard session.holders.establish(acquisition) else {
            // Another viewer may hold the link, which otherwise ends.
            if session.holders.isEmpty { await peripheral.disconnect() }
            throw BluetoothError(.cancelled, operation: "connect to \(peripheral)", reason: "the viewer disconnected")
        }
        act(.connect, session)
        await settle(session)
        await learn(session)
        return report(session)
    }

    /// Removes a viewer from the holders of the link, and ends its subscriptions. The link ends with its last holder.
    /// - Throws: `notFound` if the device is unknown.
    @discardableResult
    package func disconnect(_ id: PeripheralID, for viewer: ViewerID) async throws(BluetoothError) -> ConnectionReport {
        let session = try await session(id)
        if session.holders.holders == [viewer] { act(.disconnect, session) }
        for handle in session.subscriptions.keys { unsubscribe(session, handle, viewer) }
        await release(session, viewer)
        return report(session)
    }

    func release(_ session: DeviceSession, _ viewer: ViewerID) async {
        guard session.holders.releaseAll(of: viewer) else { return }
        session.reconnecting.remove(viewer)
        guard session.holders.isEmpty else { return notifyConnectionChanged(session) }
        note(.connection, "disconnecting", device: session.id)
        await session.peripheral.disconnect()
        await settle(session)
    }

    /// Waits until the latest state of the link has been processed, so that a report contains it.
    private func settle(_ session: DeviceSession) async {
        func isSettled() -> Bool {
            session.watchers.isEmpty || session.phase == session.peripheral.state.phase
        }
        while !isSettled() {
            await withCheckedContinuation { continuation in
                // The task may be suspended on the way into this call, so the state is checked again.
                if isSettled() { continuation.resume() } else { session.settling.append(continuation) }
            }
        }
    }

    func close(_ session: DeviceSession) async {
        session.holders = Acquisitions()
        endSubscriptions(of: session)
        for watcher in session.watchers { watcher.cancel() }
        session.watchers = []
        session.strength?.cancel()
        takeSettled(session)
        await session.peripheral.disconnect()
    }

    // MARK: Sessions

    /// Returns the session with a known device; creates it if necessary.
    func session(_ id: PeripheralID) async throws(BluetoothError) -> DeviceSession {
        if let session = sessions[id] { return session }
        var known = records[id]?.peripheral
        if known == nil { known = await central.peripheral(id: id) }
        // Another task may have created the session meanwhile.
        if let session = sessions[id] { return session }
        guard let peripheral = known else {
            throw BluetoothError(
                .notFound, operation: "find device \(id)", reason: "no such device is known",
                advice: "the list of devices contains the known devices")
        }
        let session = DeviceSession(peripheral, at: settings.now())
        sessions[id] = session
        watch(session)
        return session
    }

    func checkOpen() throws(BluetoothError) {
        if isClosed { throw BluetoothError(.cancelled, operation: "use the adapter", reason: "the program is ending") }
    }

    /// Runs an operation on behalf of a viewer, which answers pairing requests during it.
    func run<Result: Sendable>(
        _ session: DeviceSession, for viewer: ViewerID, isPairing: Bool = false, isQuiet: Bool = false,
        _ body: () async throws(BluetoothError) -> Result
    ) async throws(BluetoothError) -> Result {
        session.nextOperation += 1
        let operation = DeviceSession.Operation(
            number: session.nextOperation, viewer: viewer, isPairing: isPairing, isQuiet: isQuiet)
        session.operations.append(operation)
        defer { session.operations.removeAll { $0 == operation } }
        return try await body()
    }

    private func watch(_ session: DeviceSession) {
        let (id, peripheral) = (session.id, session.peripheral)
        let (states, securities, changes) = (peripheral.states, peripheral.securityChanges, peripheral.serviceChanges)
        session.watchers = [
            Task { [weak self] in
                do { for try await state in states { await self?.stateChanged(id, state) } } catch {}
            },
            Task { [weak self] in
                do { for try await _ in securities { await self?.securityChanged(id) } } catch {}
            },
            Task { [weak self] in
                do { for try await _ in changes { await self?.servicesChanged(id) } } catch {}
            },
        ]
    }

    private func stateChanged(_ id: PeripheralID, _ state: ConnectionState) {
        guard let session = sessions[id] else { return }
        stateChanged(session, state)
    }

    private func takeSettled(_ session: DeviceSession) {
        let waiting = session.settling
        session.settling = []
        for continuation in waiting { continuation.resume() }
    }

    private func stateChanged(_ session: DeviceSession, _ state: ConnectionState) {
        defer { takeSettled(session) }
        let phase = state.phase
        let (error, attempt): (BluetoothError?, Int?) =
            switch state {
            case .disconnected(let error): (error, nil)
            case .reconnecting(let attempt, let error): (error, attempt)
            case .connecting, .connected, .disconnecting: (nil, nil)
            }
        guard phase != session.phase || attempt != session.attempt || (error != nil && error != session.reason) else {
            return
        }
        let before = session.phase
        (session.phase, session.attempt, session.reason) = (phase, attempt, error)
        session.since = settings.now()
        switch phase {
        case .connected:
            note(.connection, "connected", device: session.id)
            followStrength(of: session)
        case .disconnected:
            // A new attempt may already be in progress; its state must be kept.
            if case .disconnected = session.peripheral.state { linkEnded(session) }
            if let error {
                note(.connection, error, device: session.id)
            } else if before != .disconnected {
                note(.connection, "disconnected", device: session.id)
            }
        case .reconnecting:
            if let error { note(.connection, error, device: session.id) }
        case .connecting, .disconnecting: break
        }
        notifyConnectionChanged(session)
    }

    private func linkEnded(_ session: DeviceSession) {
        session.holders.releaseEstablished()
        session.reconnecting.formIntersection(session.holders.holders)
        session.phy = nil
        session.tag = nil
        session.strength?.cancel()
        session.strength = nil
        endSubscriptions(of: session)
        session.discovery?.cancel()
        session.discovery = nil
    }

    private func securityChanged(_ id: PeripheralID) async {
        guard let session = sessions[id] else { return }
        let (security, isBonded) = (session.peripheral.security, await session.peripheral.isBonded)
        guard security != session.reportedSecurity || isBonded != session.isBonded else { return }
        session.isBonded = isBonded
        // The first value is the initial state, not a change.
        let isNew = session.reportedSecurity != nil || session.phase != .disconnected
        session.reportedSecurity = security
        if isNew { notifyConnectionChanged(session) }
    }

    private func servicesChanged(_ id: PeripheralID) {
        guard let session = sessions[id] else { return }
        session.isDiscovered = false
        session.formats = [:]
        note(.connection, "the device changed its attributes", device: id)
        notifyConnectionChanged(session)
    }

    /// Reads the signal strength periodically while the device is connected, because it no longer advertises.
    private func followStrength(of session: DeviceSession) {
        let (id, peripheral, interval) = (session.id, session.peripheral, settings.rssiInterval)
        session.strength?.cancel()
        session.strength = Task { [weak self] in
            while !Task.isCancelled, peripheral.isConnected {
                guard let model = self else { return }
                do throws(BluetoothError) {
                    _ = try await model.readRSSI(id)
                } catch {
                    // Some platforms do not support it.
                    if error.code == .unsupported { return }
                }
                do { try await peripheral.clock.sleep(for: interval) } catch { return }
            }
        }
    }

    /// Queries properties of the link that are not reported.
    private func learn(_ session: DeviceSession) async {
        session.phy = try? await session.peripheral.phy()
        session.isBonded = await session.peripheral.isBonded
        records[session.id]?.learn(name: session.peripheral.name)
        notifyConnectionChanged(session)
    }

    /// Notifies the observers of the state of the link.
    func notifyConnectionChanged(_ session: DeviceSession) {
        emit(.connection(report(session)))
        changed(session.id)
    }

    private static let silence =
        "waiting for an advertisement of the device; after a link that was not ended, as when a program was killed, it "
        + "advertises again when its supervision timeout is over"

    /// True for a device that is being connected and does not advertise.
    private func isSilent(_ session: DeviceSession) -> Bool {
        guard session.phase == .connecting else { return false }
        return records[session.id].map { settings.now().timeIntervalSince($0.lastSeen) > 2 } ?? true
    }

    func report(_ session: DeviceSession) -> ConnectionReport {
        let peripheral = session.peripheral
        return ConnectionReport(
            id: session.id, name: records[session.id]?.name ?? peripheral.name, phase: session.phase,
            since: session.since, reason: session.reason.map(\.reasonText),
            advice: session.reason?.advice ?? (isSilent(session) ? Self.silence : ""),
            attempt: session.attempt, reconnects: !session.reconnecting.isEmpty, mtu: peripheral.mtu,
            phy: session.phy, parameters: session.phase == .connected ? peripheral.connectionParameters : nil,
            rssi: peripheral.rssi, security: peripheral.security, isBonded: session.isBonded,
            viewerCount: session.holders.holders.count, maximumWrite: peripheral.maximumWriteLength(for: .withResponse),
            maximumWriteWithoutResponse: peripheral.maximumWriteLength(for: .withoutResponse))
    }
}

extension ConnectionState {
    /// The connection phase of the state.
    fileprivate var phase: ConnectionPhase {
        switch self {
        case .disconnected: .disconnected
        case .connecting: .connecting
        case .connected: .connected
        case .reconnecting: .reconnecting
        case .disconnecting: .disconnecting
        }
    }
}

extension BluetoothError {
    /// The reason for display beside a device.
    var reasonText: String { reason.isEmpty ? "it ended" : reason }
}

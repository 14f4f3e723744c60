import BluetoothRuntime
import Foundation
import Harald

/// Attributes of connected devices: the tree, reading and writing.
extension ExplorerModel {
    /// Returns the attributes of a device. Discovers them if necessary, which requires a link. No value is read.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of discovery.
    package func tree(_ id: PeripheralID, for viewer: ViewerID) async throws(BluetoothError) -> TreeReport {
        let session = try await session(id)
        try await discover(session, for: viewer)
        return treeReport(session, viewer)
    }

    /// The maximum number of values that ``readAll(_:for:pairing:)`` reads without pairing.
    private static let quietLimit = 64

    /// Reads every readable characteristic and descriptor. Values that the device refuses are omitted; after a failed
    /// or refused pairing, so are all following ones.
    /// - Parameter pairing: false to start no pairing: only characteristics that are not known yet are read, and what
    ///   requires a pairing is marked. Where the platform pairs by itself, nothing is read then.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device, or an error of discovery or of the link.
    package func readAll(
        _ id: PeripheralID, for viewer: ViewerID, pairing: Bool = true
    ) async throws(BluetoothError) -> TreeReport {
        let session = try await session(id)
        try await discover(session, for: viewer)
        guard pairing else { return try await readQuietly(session, for: viewer) }
        for attribute in attributes(of: session) where attribute.isReadable {
            do throws(BluetoothError) {
                _ = try await read(attribute, session, for: viewer)
            } catch {
                switch error.code {
                case .att: continue
                case .pairingRefused, .pairingFailed, .wrongPasskey, .security: return treeReport(session, viewer)
                default: throw error
                }
            }
        }
        return treeReport(session, viewer)
    }

    private func readQuietly(
        _ session: DeviceSession, for viewer: ViewerID
    ) async throws(BluetoothError) -> TreeReport {
        guard central.capabilities.contains(.rawFrames) else { return treeReport(session, viewer) }
        let wanted = attributes(of: session).filter {
            $0.descriptor == nil && $0.isReadable && session.values[$0.handle] == nil
        }
        for attribute in wanted.prefix(Self.quietLimit) {
            do throws(BluetoothError) {
                let bytes = try await run(session, for: viewer, isQuiet: true) { () async throws(BluetoothError) in
                    try await attribute.read()
                }
                session.locked.remove(attribute.handle)
                keep(bytes, of: attribute, in: session, .read)
            } catch {
                guard case .att(let code) = error.code else { throw error }
                if code.asksForSecurity { session.locked.insert(attribute.handle) }
            }
        }
        return treeReport(session, viewer)
    }

    /// Reads a characteristic or a descriptor.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device or handle, or an error of discovery or of the
    ///   read.
    @discardableResult
    package func read(
        _ id: PeripheralID, handle: UInt32, for viewer: ViewerID
    ) async throws(BluetoothError) -> ValueReport {
        let session = try await session(id)
        let attribute = try await attribute(handle, of: session, for: viewer)
        return try await read(attribute, session, for: viewer)
    }

    /// Writes a characteristic or a descriptor.
    /// - Parameter type: by default the type that the characteristic supports, with response if it supports both.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device or handle, or an error of discovery or of the
    ///   write.
    @discardableResult
    package func write(
        _ id: PeripheralID, handle: UInt32, _ bytes: [UInt8], type: WriteType? = nil, for viewer: ViewerID
    ) async throws(BluetoothError) -> ValueReport {
        let session = try await session(id)
        let attribute = try await attribute(handle, of: session, for: viewer)
        do throws(BluetoothError) {
            try await run(session, for: viewer) { () async throws(BluetoothError) in
                try await attribute.write(bytes, type: type)
            }
        } catch {
            note(.write, error, device: id, handle: handle, uuid: attribute.uuid)
            act(.write(bytes, type), session, attribute, error: error)
            throw error
        }
        act(.write(bytes, type), session, attribute)
        let isAcknowledged = attribute.acknowledges(type)
        let report = keep(bytes, of: attribute, in: session, .write, isAcknowledged: isAcknowledged)
        note(
            .write, "wrote \(report.value.hex)" + (isAcknowledged ? "" : ", without response"), device: id,
            handle: handle,
            uuid: attribute.uuid, bytes: bytes)
        return report
    }

    /// Returns the latest values of an attribute, oldest first, and the number of older values that were dropped.
    /// Discovers the attributes if there is no value.
    /// - Throws: `notFound` for an unknown device or handle, or an error of discovery.
    package func values(
        _ id: PeripheralID, handle: UInt32, for viewer: ViewerID
    ) async throws(BluetoothError) -> (values: [ValueReport], dropped: Int) {
        let session = try await session(id)
        if session.values[handle] == nil { _ = try await attribute(handle, of: session, for: viewer) }
        let recent = session.values[handle]?.recent
        return (recent?.elements ?? [], recent?.droppedCount ?? 0)
    }

    // MARK: Finding

    /// Discovers all attributes. Concurrent callers share one discovery.
    func discover(_ session: DeviceSession, for viewer: ViewerID) async throws(BluetoothError) {
        if session.isDiscovered { return }
        let discovery =
            session.discovery
            ?? Task {
                try await self.run(session, for: viewer) { () async throws(BluetoothError) in
                    _ = try await session.peripheral.discoverAll()
                }
            }
        session.discovery = discovery
        do {
            try await discovery.value
            session.isDiscovered = true
            session.discovery = nil
            records[session.id]?.learn(name: session.peripheral.name)
        } catch {
            session.discovery = nil
            let error = error as? BluetoothError ?? .cancelled
            note(.connection, error, device: session.id)
            throw error
        }
    }

    /// Returns the attribute with this handle.
    func attribute(
        _ handle: UInt32, of session: DeviceSession, for viewer: ViewerID
    ) async throws(BluetoothError) -> SessionAttribute {
        try await discover(session, for: viewer)
        if let found = attributes(of: session).first(where: { $0.handle == handle }) { return found }
        throw noAttribute(handle, of: session)
    }

    private func noAttribute(_ handle: UInt32, of session: DeviceSession) -> BluetoothError {
        BluetoothError(
            .notFound, operation: "find attribute #\(HandleText.text(handle)) of \(session.peripheral)",
            reason: "the device has no characteristic or descriptor with this handle",
            advice: "the device's attribute tree lists the handles")
    }

    func attributes(of session: DeviceSession) -> [SessionAttribute] {
        session.peripheral.services.flatMap(\.characteristics).flatMap { characteristic in
            [.characteristic(characteristic)] + characteristic.descriptors.map { .descriptor($0) }
        }
    }

    private func read(
        _ attribute: SessionAttribute, _ session: DeviceSession, for viewer: ViewerID
    ) async throws(BluetoothError) -> ValueReport {
        let bytes: [UInt8]
        do throws(BluetoothError) {
            bytes = try await run(session, for: viewer) { () async throws(BluetoothError) in try await attribute.read()
            }
        } catch {
            note(.read, error, device: session.id, handle: attribute.handle, uuid: attribute.uuid)
            act(.read, session, attribute, error: error)
            throw error
        }
        session.locked.remove(attribute.handle)
        if case .characteristic(let characteristic) = attribute, session.formats[attribute.handle] == nil {
            session.formats[attribute.handle] = .some(await characteristic.presentationFormat(timeout: .seconds(10)))
        }
        act(.read, session, attribute, bytes: bytes)
        let report = keep(bytes, of: attribute, in: session, .read)
        note(
            .read, "read \(report.line)", device: session.id, handle: attribute.handle, uuid: attribute.uuid,
            bytes: bytes)
        return report
    }

    /// Stores a value and notifies the observers.
    @discardableResult
    func keep(
        _ bytes: [UInt8], of attribute: SessionAttribute, in session: DeviceSession, _ cause: ValueCause,
        isAcknowledged: Bool? = nil
    ) -> ValueReport {
        valueCount += 1
        let peripheral = session.peripheral
        var report = ValueReport(
            device: session.id, deviceName: peripheral.name, service: attribute.characteristic.service.uuid,
            characteristic: attribute.characteristic.uuid, name: attribute.name, descriptor: attribute.descriptor,
            handle: attribute.handle, time: settings.now(), cause: cause,
            value: ValueText(bytes, of: attribute.uuid, format: session.formats[attribute.handle] ?? nil),
            isAcknowledged: isAcknowledged)
        if cause != .write { report.reading = session.tag?.reading(of: attribute.characteristic.uuid, bytes) }
        session.values[attribute.handle, default: .init(recent: RingBuffer(limit: settings.valueLimit))]
            .recent.append(report)
        if let reading = report.reading { session.tag?.note(reading, at: report.time) }
        emit(.value(report))
        return report
    }

    // MARK: The tree

    func treeReport(_ session: DeviceSession, _ viewer: ViewerID) -> TreeReport {
        let peripheral = session.peripheral
        var tree = DeviceTree(
            id: session.id, name: peripheral.name, address: peripheral.address?.text, mtu: peripheral.mtu)
        var uses: [UInt32: TreeReport.Use] = [:]
        func newest(_ handle: UInt32) -> ValueReport? { session.values[handle]?.recent.last }
        for service in peripheral.services {
            var entry = DeviceTree.Service(
                uuid: service.uuid, name: service.name, handle: service.handle.rawValue, isPrimary: service.isPrimary
            )
            for characteristic in service.characteristics {
                let handle = characteristic.valueHandle.rawValue
                var node = DeviceTree.Characteristic(
                    uuid: characteristic.uuid, name: characteristic.name, handle: handle,
                    properties: characteristic.properties.names)
                node.value = newest(handle)?.value
                node.descriptors = characteristic.descriptors.map { descriptor in
                    DeviceTree.Descriptor(
                        uuid: descriptor.uuid, name: descriptor.name, handle: descriptor.handle.rawValue,
                        value: newest(descriptor.handle.rawValue)?.value)
                }
                let subscribers = session.subscriptions[handle]?.viewers.holders ?? []
                uses[handle] = TreeReport.Use(
                    subscriberCount: subscribers.count, isOwn: subscribers.contains(viewer),
                    updated: newest(handle)?.time, isLocked: session.locked.contains(handle))
                entry.characteristics.append(node)
            }
            tree.services.append(entry)
        }
        return TreeReport(tree: tree, uses: uses)
    }
}

import Harald

/// An action of a viewer on a device, and its result.
package struct ExplorerAct: Sendable {
    /// The kind of action.
    package enum Action: Hashable, Sendable {
        case connect, disconnect, read, subscribe, unsubscribe
        case write([UInt8], WriteType?)
        case pair(LinkSecurity.Level)
        /// A question of pairing was answered with yes, or with a passkey, which is not part of the act.
        case answerPairing(entersPasskey: Bool)
        /// A value that the device sent by itself.
        case receive
    }

    package var action: Action
    /// The device.
    package var device: PeripheralID
    /// The name of the device, or its address if it has none.
    package var name: String
    /// The address of the device; nil if it is not known.
    package var address: String?
    /// The path of the attribute: `180F/2A19`, or its handle if the path is not unique; nil for the device itself.
    package var path: String?
    /// The bytes that were read or received.
    package var bytes: [UInt8]?
    /// The error with which the action ended; nil if it succeeded.
    package var error: BluetoothError?
}

extension ExplorerModel {
    /// Reports an action to ``ExplorerSettings/onAct``.
    func act(
        _ action: ExplorerAct.Action, _ session: DeviceSession, _ attribute: SessionAttribute? = nil,
        bytes: [UInt8]? = nil, error: BluetoothError? = nil
    ) {
        guard let onAct = settings.onAct else { return }
        let peripheral = session.peripheral
        let name = records[session.id]?.name ?? peripheral.name ?? peripheral.address?.text ?? "\(session.id)"
        onAct(
            ExplorerAct(
                action: action, device: session.id, name: name, address: peripheral.address?.text,
                path: attribute.map { path(of: $0, in: session) },
                bytes: bytes, error: error))
    }

    private func path(of attribute: SessionAttribute, in session: DeviceSession) -> String {
        func path(_ attribute: SessionAttribute) -> String {
            let characteristic = attribute.characteristic
            let parts = [characteristic.service.uuid, characteristic.uuid] + (attribute.descriptor.map { [$0] } ?? [])
            return parts.map(\.description).joined(separator: "/")
        }
        let own = path(attribute)
        let isUnique = attributes(of: session).count { path($0) == own } <= 1
        return isUnique ? own : "#" + HandleText.text(attribute.handle)
    }
}

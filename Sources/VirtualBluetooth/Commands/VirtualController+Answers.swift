import BluetoothHCI
import BluetoothModel

extension VirtualController {
    /// Carries out one command and answers it exactly once.
    func answer(_ opcode: HCIOpcode, parameters: ByteView) {
        guard let command = CommandTable.all[opcode], configuration.features.isSuperset(of: command.features) else {
            return sendStatus(.unknownCommand, of: opcode)
        }
        guard command.lengths.contains(parameters.count) else {
            return refuse(command, .invalidParameters, parameters)
        }
        if let family = command.family {
            guard settings.family ?? family == family else { return refuse(command, .commandDisallowed, parameters) }
            settings.family = family
        }
        var reader = ByteReader(parameters)
        switch command.body(self, &reader) {
        case nil: refuse(command, .invalidParameters, parameters)
        case .complete(let status): refuse(command, status, parameters)
        case .status(let status): sendStatus(status, of: opcode)
        case .values(let write, let then):
            sendComplete(.success, of: opcode, write)
            then?()
        case .accepted(let then):
            sendStatus(.success, of: opcode)
            then()
        case .completed(let then):
            sendComplete(.success, of: opcode) { _ in }
            then()
        case .some(.none): break
        }
    }

    /// Answers with a status, followed by zeros up to the length that hosts expect.
    private func refuse(_ command: Command, _ status: HCIStatus, _ parameters: ByteView) {
        switch command.form {
        case .status: sendStatus(status, of: command.opcode)
        case .silence: break
        case .complete(let length):
            sendComplete(status, of: command.opcode) { buffer in
                let echo = parameters.prefix(min(command.echo, length))
                buffer.append(echo)
                buffer.zeros(length - echo.count)
            }
        }
    }

    private func sendComplete(_ status: HCIStatus, of opcode: HCIOpcode, _ write: (ControllerPacketBuffer) -> Void) {
        send(.commandComplete) { buffer in
            buffer.uint8(1)
            buffer.uint16(opcode.rawValue)
            buffer.uint8(status.rawValue)
            write(buffer)
        }
    }

    private func sendStatus(_ status: HCIStatus, of opcode: HCIOpcode) {
        send(.commandStatus) { buffer in
            buffer.uint8(status.rawValue)
            buffer.uint8(1)
            buffer.uint16(opcode.rawValue)
        }
    }
}

extension ByteReader {
    /// Reads an address type of HCI, 0 to 3, and six bytes of address; nil for other types.
    mutating func addressWithKind() -> BluetoothAddress? {
        guard let kind = uint8(), kind <= 3, let bytes = bytes(6) else { return nil }
        return BluetoothAddress(littleEndian: bytes, kind: kind & 1 == 0 ? .public : .random)
    }

    /// Reads one byte as a Boolean value; nil unless it is 0 or 1.
    mutating func bool() -> Bool? {
        guard let value = uint8(), value <= 1 else { return nil }
        return value == 1
    }
}

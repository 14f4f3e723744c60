import BluetoothHCI
import BluetoothModel

extension Command {
    /// Reset, event masks, controller to host flow control, and other setup commands.
    static let control: [Command] = [
        .complete(.reset, 0) { controller, _ in
            controller.reset()
            return .complete(.success)
        },
        .complete(.setEventMask, 8) { controller, reader in
            guard let mask = reader.uint64() else { return nil }
            controller.settings.eventMask = HCIEventMask(rawValue: mask)
            return .complete(.success)
        },
        .complete(.setEventMaskPage2, 8) { controller, reader in
            guard let mask = reader.uint64() else { return nil }
            controller.settings.eventMaskPage2 = HCIEventMaskPage2(rawValue: mask)
            return .complete(.success)
        },
        .complete(.leSetEventMask, 8) { controller, reader in
            guard let mask = reader.uint64() else { return nil }
            controller.settings.leEventMask = LEEventMask(rawValue: mask)
            return .complete(.success)
        },
        .complete(.writeLocalName, 248) { controller, reader in
            controller.settings.localName = reader.rest.array
            return .complete(.success)
        },
        .complete(.readLocalName, 0, returns: 248) { controller, _ in
            .values { buffer in
                buffer.append(controller.settings.localName)
                buffer.zeros(248 - controller.settings.localName.count)
            }
        },
        .complete(.readLEHostSupport, 0, returns: 2) { controller, _ in
            .values { buffer in
                buffer.uint8(controller.settings.supportsLEHost ? 1 : 0)
                buffer.uint8(0)
            }
        },
        .complete(.writeLEHostSupport, 2) { controller, reader in
            guard let isOn = reader.bool() else { return nil }
            controller.settings.supportsLEHost = isOn
            return .complete(.success)
        },
        .complete(.setControllerToHostFlowControl, 1) { $0.setHostFlowControl(&$1) },
        .complete(.hostBufferSize, 7) { $0.setHostBufferSize(&$1) },
        .silent(.hostNumberOfCompletedPackets, 1...255) { $0.returnHostPackets(&$1) },
    ]
}

extension VirtualController {
    fileprivate func setHostFlowControl(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let value = reader.uint8(), value <= 3 else { return nil }
        guard linkTable.ends.isEmpty else { return .complete(.commandDisallowed) }
        // Synchronous data, the other bit, is not supported.
        let isOn = value & 1 != 0
        if isOn, flow.packetCount == 0 { return .complete(.commandDisallowed) }
        flow.isOn = isOn
        return .complete(.success)
    }

    fileprivate func setHostBufferSize(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let length = reader.uint16(), reader.uint8() != nil, let count = reader.uint16(), length >= 27, count > 0
        else { return nil }
        flow.packetLength = Int(length)
        flow.packetCount = Int(count)
        return .complete(.success)
    }

    fileprivate func returnHostPackets(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let count = reader.uint8() else { return CommandAnswer.none }
        for _ in 0..<count {
            guard let handle = reader.uint16(), let packets = reader.uint16() else { break }
            guard let end = linkTable[handle] else { continue }
            // A host cannot return more packets than it holds.
            let returned = min(Int(packets), end.unreturned)
            end.unreturned -= returned
            flow.outstanding -= returned
        }
        for end in linkTable.ends { end.link.roomReturned() }
        return CommandAnswer.none
    }
}

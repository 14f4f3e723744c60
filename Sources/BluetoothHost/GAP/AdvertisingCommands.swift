import BluetoothHCI
import BluetoothModel

/// The HCI commands that configure advertising (Core 6.0, Vol 4, Part E, 7.8.5 to 7.8.9 and 7.8.52 to 7.8.56).
struct AdvertisingCommands {
    /// One command, and a handler for its return parameters.
    struct Step {
        let opcode: HCIOpcode
        let write: (inout ByteWriter) -> Void
        var learn: ((ByteView) -> Void)?
        /// True if the remaining steps run even when the controller refuses this one.
        var isOptional = false
    }

    var isExtended: Bool
    var set: AdvertisingSet
    var running: AdvertisingSet.Running

    private var content: AdvertisingSet.Content { running.content }
    private var parameters: AdvertisingParameters { running.content.parameters }

    /// All commands from idle to advertising, without those whose values the controller already has.
    var configuration: [Step] {
        let enable = isExtended ? extendedEnable : legacyEnable
        if set.configured == running { return [enable] }
        guard isExtended else { return [legacyParameters] + data + [enable] }
        var steps: [Step] = []
        // Data set for another kind of advertisement, or for one that was refused, could prevent the set from becoming
        // one that takes less data, or none.
        if set.configured?.content.isOfOtherKind(than: content) ?? set.isKnownToController {
            steps.append(Step(opcode: .leRemoveAdvertisingSet, write: handleOnly, isOptional: true))
        }
        steps.append(extendedParameters)
        if running.address.kind == .random { steps.append(randomAddress) }
        return steps + data + [enable]
    }

    /// The commands that set the advertising data and the scan response data.
    var data: [Step] {
        guard isExtended else {
            guard parameters.directedTo == nil else { return [] }
            return [
                legacyData(.leSetAdvertisingData, content.data),
                legacyData(.leSetScanResponseData, content.scanResponse),
            ]
        }
        guard parameters.directedTo == nil || !content.usesLegacyPackets else { return [] }
        var steps: [Step] = []
        // Empty data is sent only to replace existing data.
        let before = set.configured.flatMap { $0.content.isOfOtherKind(than: content) ? nil : $0.content }
        if !content.data.isEmpty || before?.data.isEmpty == false, takesData {
            steps += fragments(.leSetExtendedAdvertisingData, content.data)
        }
        if !content.scanResponse.isEmpty || before?.scanResponse.isEmpty == false, takesScanResponse {
            steps += fragments(.leSetExtendedScanResponseData, content.scanResponse)
        }
        return steps
    }

    private var takesData: Bool { content.usesLegacyPackets || content.scanResponse.isEmpty }

    private var takesScanResponse: Bool {
        guard content.usesLegacyPackets else { return !content.scanResponse.isEmpty }
        return parameters.isConnectable || parameters.isScannable
    }

    private func handleOnly(_ writer: inout ByteWriter) { writer.uint8(set.handle) }

    // MARK: Extended

    private var extendedParameters: Step {
        let (set, parameters, running) = (set, parameters, running)
        let properties = properties
        return Step(
            opcode: .leSetExtendedAdvertisingParameters,
            write: {
                $0.uint8(set.handle)
                $0.uint16(properties)
                $0.uint24(UInt32(parameters.intervalRange.lowerBound))
                $0.uint24(UInt32(parameters.intervalRange.upperBound))
                // All three channels.
                $0.uint8(7)
                $0.uint8(running.address.kind.rawValue)
                $0.peer(parameters.directedTo)
                // Filter policy: scan and connection requests from every device.
                $0.uint8(0)
                $0.uint8(UInt8(bitPattern: parameters.txPower ?? 127))
                $0.uint8((running.content.usesLegacyPackets ? .le1M : parameters.primaryPHY).rawValue)
                $0.uint8(0)
                $0.uint8((running.content.usesLegacyPackets ? .le1M : parameters.secondaryPHY).rawValue)
                // The advertising SID distinguishes sets that share an address.
                $0.uint8(set.handle & 0x0F)
                $0.uint8(0)
            },
            learn: { answer in
                guard !answer.isEmpty else { return }
                let power = Int8(bitPattern: answer[0])
                set.selectedTxPower = power == 127 ? nil : power
            })
    }

    /// Advertising event properties: bit 0 connectable, 1 scannable, 2 directed, 3 high duty cycle, 4 legacy PDUs.
    private var properties: UInt16 {
        if content.usesLegacyPackets {
            if parameters.directedTo != nil { return parameters.isHighDuty ? 0x1D : 0x15 }
            if parameters.isConnectable { return 0x13 }
            return parameters.isScannable ? 0x12 : 0x10
        }
        var properties: UInt16 = parameters.isConnectable ? 1 : 0
        if !content.scanResponse.isEmpty { properties |= 2 }
        if parameters.directedTo != nil { properties |= 4 }
        return properties
    }

    private var randomAddress: Step {
        let (set, address) = (set, running.address)
        return Step(
            opcode: .leSetAdvertisingSetRandomAddress,
            write: {
                $0.uint8(set.handle)
                address.write(to: &$0)
            })
    }

    private func fragments(_ opcode: HCIOpcode, _ bytes: [UInt8]) -> [Step] {
        let handle = set.handle
        let starts = bytes.isEmpty ? [0] : Array(stride(from: 0, to: bytes.count, by: 251))
        return starts.enumerated().map { index, start in
            let fragment = bytes[start..<min(start + 251, bytes.count)]
            // Operation: 0 intermediate fragment, 1 first, 2 last, 3 complete data.
            let isFirst = index == 0
            let isLast = index == starts.count - 1
            let operation: UInt8 = isFirst ? (isLast ? 3 : 1) : (isLast ? 2 : 0)
            return Step(
                opcode: opcode,
                write: {
                    $0.uint8(handle)
                    $0.uint8(operation)
                    // Fragment preference 1: the controller should not fragment the data further.
                    $0.uint8(1)
                    $0.uint8(UInt8(fragment.count))
                    $0.append(fragment)
                })
        }
    }

    private var extendedEnable: Step {
        let (handle, duration) = (set.handle, parameters.duration)
        return Step(
            opcode: .leSetExtendedAdvertisingEnable,
            write: {
                $0.append([1, 1, handle])
                $0.uint16(UInt16(clamping: (duration?.wholeNanoseconds ?? 0) / 10_000_000))
                $0.uint8(0)
            })
    }

    // MARK: Legacy

    private var legacyParameters: Step {
        let (parameters, running) = (parameters, running)
        let type: UInt8 =
            if parameters.directedTo != nil {
                parameters.isHighDuty ? 1 : 4
            } else if parameters.isConnectable {
                0
            } else {
                parameters.isScannable ? 2 : 3
            }
        return Step(
            opcode: .leSetAdvertisingParameters,
            write: {
                $0.uint16(parameters.intervalRange.lowerBound)
                $0.uint16(parameters.intervalRange.upperBound)
                $0.uint8(type)
                $0.uint8(running.address.kind.rawValue)
                $0.peer(parameters.directedTo)
                $0.uint8(7)
                $0.uint8(0)
            })
    }

    private func legacyData(_ opcode: HCIOpcode, _ bytes: [UInt8]) -> Step {
        Step(
            opcode: opcode,
            write: {
                $0.uint8(UInt8(bytes.count))
                $0.append(bytes)
                $0.append(repeatElement(0, count: 31 - bytes.count))
            })
    }

    private var legacyEnable: Step { Step(opcode: .leSetAdvertisingEnable, write: { $0.uint8(1) }) }

    /// Returns the command that disables one advertising set.
    static func disable(isExtended: Bool, handle: UInt8) -> Step {
        guard isExtended else { return Step(opcode: .leSetAdvertisingEnable, write: { $0.uint8(0) }) }
        return Step(
            opcode: .leSetExtendedAdvertisingEnable, write: { $0.append([0, 1, handle, 0, 0, 0]) })
    }
}

extension ByteWriter {
    /// Appends an address type and an address; zeros if there is none.
    fileprivate mutating func peer(_ address: BluetoothAddress?) {
        uint8(address?.kind.rawValue ?? 0)
        (address ?? BluetoothAddress(value: 0, kind: .public)).write(to: &self)
    }
}

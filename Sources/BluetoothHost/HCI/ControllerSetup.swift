import BluetoothHCI
import BluetoothModel

/// Resets a controller and reads its properties (Core 6.0, Vol 6, Part D, 2.1).
///
/// Steps are skipped if earlier results show that the controller does not support them. An error ends the setup only if
/// nothing works without the step.
final class ControllerSetup {
    private enum Step: CaseIterable {
        case reset, version, commands, features, leFeatures, hostSupport, eventMask, secondEventMask, leEventMask
        case bufferSize, sharedBufferSize, address, random, acceptListSize, acceptListClear, resolvingListSize
        case dataLength, defaultDataLength, advertisingSets, advertisingDataLength
    }

    /// Proof of `unowned`: only the commands in the host's queue retain this object.
    private unowned let host: LEHost
    private var info = ControllerInfo()
    private var steps = Step.allCases[...]
    private var completion: ((Result<ControllerInfo, RadioError>) -> Void)?

    init(host: LEHost) { self.host = host }

    /// Runs all steps; the completions of the commands retain the setup.
    func run(_ completion: @escaping (Result<ControllerInfo, RadioError>) -> Void) {
        self.completion = completion
        next()
    }

    private func next() {
        while let step = steps.popFirst() {
            guard let (opcode, write) = command(for: step) else { continue }
            host.commands.run(opcode, need(of: step), write: write) { result in self.ended(step, result) }
            return
        }
        guard info.aclPacketCount > 0 else {
            return finish(.failure(.radio(.unsupported, reason: "the controller has no buffer for data")))
        }
        // No packet can be sent without an address.
        if info.publicAddress == nil, info.madeUpAddress == nil { makeUpAddress(from: .random(in: 0...UInt64.max)) }
        finish(.success(info))
    }

    private func makeUpAddress(from number: UInt64) {
        info.madeUpAddress = BluetoothAddress(value: number | 0b11 << 46, kind: .random)
    }

    private func ended(_ step: Step, _ result: Result<ByteView, RadioError>) {
        switch result {
        case .success(let parameters):
            var reader = ByteReader(parameters)
            if let error = learn(step, &reader) { return finish(.failure(error)) }
        case .failure(.controller(let status)):
            if isEssential(step) {
                let reason = "the controller refused an initialization command: \(status)"
                return finish(.failure(.radio(.unsupported, reason: reason)))
            }
        case .failure(.timeout), .failure(.unsupported):
            if isEssential(step) {
                return finish(.failure(.radio(.unsupported, reason: "the controller's responses are malformed")))
            }
        case .failure(.radio(.unknown, let reason)):
            if isEssential(step) { return finish(.failure(.radio(.unsupported, reason: reason))) }
        // The host was closed and has already reported the error.
        case .failure: return
        }
        next()
    }

    private func finish(_ result: Result<ControllerInfo, RadioError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private func isEssential(_ step: Step) -> Bool { step == .reset || step == .leEventMask }

    private func need(of step: Step) -> CommandQueue.Need { isEssential(step) ? .essential : .dispensable }

    private typealias Command = (HCIOpcode, (inout ByteWriter) -> Void)

    /// Returns the command of a step; nil if it is unnecessary or unsupported.
    private func command(for step: Step) -> Command? {
        switch step {
        case .reset: return plain(.reset)
        case .version: return plain(.readLocalVersion)
        case .commands: return plain(.readLocalSupportedCommands)
        case .features: return plain(.readLocalSupportedFeatures)
        case .leFeatures: return plain(.leReadLocalSupportedFeatures)
        case .hostSupport:
            guard info.speaksClassic, info.knows(.writeLEHostSupport) else { return nil }
            return (.writeLEHostSupport, { $0.append([1, 0]) })
        case .eventMask:
            let mask = Self.eventMask
            return (.setEventMask, { $0.uint64(mask.rawValue) })
        case .secondEventMask:
            guard info.commands?.contains(.setEventMaskPage2) ?? false else { return nil }
            return (.setEventMaskPage2, { $0.uint64(HCIEventMaskPage2.encryptionChangeV2.rawValue) })
        case .leEventMask:
            let mask = leEventMask
            return (.leSetEventMask, { $0.uint64(mask.rawValue) })
        case .bufferSize: return plain(.leReadBufferSize)
        case .sharedBufferSize: return info.aclPacketCount == 0 ? plain(.readBufferSize) : nil
        case .address: return plain(.readBDADDR)
        case .random: return info.publicAddress == nil ? (.leRand, { _ in }) : nil
        case .acceptListSize: return plain(.leReadAcceptListSize)
        case .acceptListClear: return info.acceptListSize > 0 ? plain(.leClearAcceptList) : nil
        case .resolvingListSize: return resolvesAddresses ? plain(.leReadResolvingListSize) : nil
        case .dataLength: return wantsDataLength ? plain(.leReadMaximumDataLength) : nil
        case .defaultDataLength:
            guard wantsDataLength, let octets = info.maximumTransmitOctets, let time = info.maximumTransmitTime
            else { return nil }
            return (
                .leWriteSuggestedDefaultDataLength,
                {
                    $0.uint16(octets)
                    $0.uint16(time)
                }
            )
        case .advertisingSets:
            return info.usesExtendedAdvertising ? plain(.leReadNumberOfSupportedAdvertisingSets) : nil
        case .advertisingDataLength:
            return info.usesExtendedAdvertising ? plain(.leReadMaximumAdvertisingDataLength) : nil
        }
    }

    private func plain(_ opcode: HCIOpcode) -> Command? {
        // Commands that read the supported commands, and mandatory ones, are sent in any case.
        guard opcode.rawValue < 0x200B || info.knows(opcode) else { return nil }
        return (opcode, { _ in })
    }

    private var wantsDataLength: Bool {
        host.configuration.requestsDataLength && info.features.contains(.dataPacketLengthExtension)
    }

    private var resolvesAddresses: Bool {
        let commands: [HCIOpcode] = [
            .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leSetAddressResolutionEnable,
        ]
        return info.features.contains(.privacy) && commands.allSatisfy(info.knows)
    }

    private static let eventMask: HCIEventMask = [
        .disconnectionComplete, .encryptionChange, .readRemoteVersionComplete, .hardwareError, .dataBufferOverflow,
        .encryptionKeyRefreshComplete, .leMeta,
    ]

    /// The events that the controller can send. Old controllers refuse unknown bits.
    private var leEventMask: LEEventMask {
        var mask = LEEventMask.standard
        if info.features.contains(.connectionParametersRequest) { mask.insert(.remoteConnectionParameterRequest) }
        if info.features.contains(.dataPacketLengthExtension) { mask.insert(.dataLengthChange) }
        if info.features.contains(.privacy) {
            mask.formUnion([.enhancedConnectionComplete, .directedAdvertisingReport])
        }
        if !info.features.isDisjoint(with: [.le2M, .leCoded]) { mask.insert(.phyUpdateComplete) }
        if info.usesExtendedAdvertising {
            mask.formUnion([.extendedAdvertisingReport, .advertisingSetTerminated, .scanTimeout])
        }
        return mask
    }

    /// Stores the result of a step. A result that is too short is ignored.
    private func learn(_ step: Step, _ reader: inout ByteReader) -> RadioError? {
        switch step {
        case .reset, .hostSupport, .eventMask, .secondEventMask, .leEventMask, .acceptListClear,
            .defaultDataLength:
            break
        case .version: learnVersion(&reader)
        case .commands: info.commands = HCISupportedCommands(reader.rest)
        case .features: return learnFeatures(&reader)
        case .leFeatures:
            info.features = LEFeatures(rawValue: reader.uint64() ?? 0)
            info.usesExtendedAdvertising =
                host.configuration.usesExtendedAdvertising && info.canUseExtendedAdvertising
        case .bufferSize: learnBufferSize(length: reader.uint16(), count: reader.uint8().map(UInt16.init))
        case .sharedBufferSize:
            let length = reader.uint16()
            _ = reader.uint8()
            learnBufferSize(length: length, count: reader.uint16())
        case .address:
            let address = reader.bytes(6).flatMap { BluetoothAddress(littleEndian: $0, kind: .public) }
            if let address, address.value != 0, address.value != 0xFFFF_FFFF_FFFF { info.publicAddress = address }
        case .random:
            if let number = reader.uint64() { makeUpAddress(from: number) }
        case .acceptListSize: info.acceptListSize = Int(reader.uint8() ?? 0)
        case .resolvingListSize: info.resolvingListSize = Int(reader.uint8() ?? 0)
        case .dataLength:
            if let octets = reader.uint16(), let time = reader.uint16() {
                info.maximumTransmitOctets = max(27, min(251, octets))
                info.maximumTransmitTime = max(328, min(17040, time))
            }
        case .advertisingSets: info.advertisingSetCount = Int(reader.uint8() ?? 1)
        case .advertisingDataLength:
            info.maximumAdvertisingDataLength = max(31, min(1650, Int(reader.uint16() ?? 31)))
        }
        return nil
    }

    private func learnVersion(_ reader: inout ByteReader) {
        guard let version = reader.uint8(), reader.bytes(3) != nil, let company = reader.uint16(),
            let subversion = reader.uint16()
        else { return }
        info.version = version
        info.company = CompanyIdentifier(rawValue: company)
        info.subversion = subversion
    }

    private func learnFeatures(_ reader: inout ByteReader) -> RadioError? {
        guard let features = reader.uint64() else { return nil }
        info.speaksClassic = features & 1 << 37 == 0
        guard features & 1 << 38 != 0 else {
            return .radio(.unsupported, reason: "the controller does not support Bluetooth Low Energy")
        }
        return nil
    }

    private func learnBufferSize(length: UInt16?, count: UInt16?) {
        guard let length, let count, length >= 27, count > 0 else { return info.aclPacketCount = 0 }
        info.aclPacketLength = Int(length)
        info.aclPacketCount = Int(count)
    }
}

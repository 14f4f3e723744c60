import BluetoothModel

@testable import Workbench

extension StandardService {
    /// A service with the mandatory characteristics of its specification, and values of zeros.
    fileprivate func service(
        only: [BluetoothUUID]? = nil, properties: [BluetoothUUID: UInt8] = [:], value: [UInt8] = [0]
    ) -> RawService {
        RawService(
            uuid: uuid,
            characteristics: items.filter { only?.contains($0.uuid) ?? true }
                .map { c($0.uuid, properties[$0.uuid] ?? $0.must, value) })
    }
}

extension Faulty {
    static let serviceTable: [Faulty] = StandardService.all.flatMap(faults) + particularTable

    private static func faults(of service: StandardService) -> [Faulty] {
        var faults: [Faulty] = []
        let hasMandatory = service.items.contains(where: \.isMandatory) || !service.oneOf.isEmpty
        if hasMandatory {
            faults.append(services("\(service.prefix)-mandatory", services: [service.service(only: [])]))
        }
        let first = service.items[0]
        // The first characteristic can be broadcast, and lacks a mandatory property.
        faults.append(
            services("\(service.prefix)-properties", services: [service.service(properties: [first.uuid: 0x40])]))
        if service.isSingle {
            faults.append(services("\(service.prefix)-once", services: [service.service(), service.service()]))
        }
        if service.hasValues {
            // Every value is too long for any type, or no UTF-8, and is sent at once.
            let bytes: [UInt8] = [0xFF] + [UInt8](repeating: 0xC3, count: 40)
            faults.append(
                Faulty(["\(service.prefix)-values", "cccd-write"]) {
                    let all = service.service(value: bytes)
                    $0.server = RawServer(RawDefinition.generic + [all])
                    $0.answer = sending(bytes)
                }.except("cccd-write"))
        }
        return faults
    }

    /// Sends a value after each subscription.
    static func sending(
        _ bytes: [UInt8]
    ) -> @Sendable (_ pdu: [UInt8], _ right: [UInt8]?, _ server: inout RawServer) -> [[UInt8]] {
        { pdu, right, server in
            guard let right else { return [] }
            guard right == [0x13], pdu.count == 5, pdu[3] & 3 != 0,
                let place = server.index(UInt16(pdu[1]) | UInt16(pdu[2]) << 8), server.attributes[place].type == 0x2902
            else { return [right] }
            return [right, [pdu[3] & 1 != 0 ? 0x1B : 0x1D] + le(server.attributes[place - 1].handle) + bytes]
        }
    }

    /// A rule that another one requires.
    private func except(_ rule: String) -> Faulty {
        var copy = self
        copy.rules.removeAll { $0 == rule }
        copy.helpers = [rule]
        return copy
    }

    /// A device with one service, one characteristic of which has this value.
    private static func value(
        _ rule: String, _ service: BluetoothUUID, _ uuid: BluetoothUUID, _ bytes: [UInt8], properties: UInt8 = 2
    ) -> Faulty {
        services(rule, services: [RawService(uuid: service, characteristics: [c(uuid, properties, bytes)])])
    }

    /// A device that sends this value of a characteristic.
    private static func sent(
        _ rule: String, _ service: BluetoothUUID, _ items: [RawCharacteristic], _ bytes: [UInt8]
    ) -> Faulty {
        Faulty([rule, "cccd-write"]) {
            $0.server = RawServer(RawDefinition.generic + [RawService(uuid: service, characteristics: items)])
            $0.answer = sending(bytes)
        }.except("cccd-write")
    }

    private static let particularTable: [Faulty] = [
        value("bas-level-range", 0x180F, 0x2A19, [130]),
        value("hrs-location-range", 0x180D, 0x2A38, [0x20]),
        sent("hrs-contact-flags", 0x180D, [c(0x2A37, 0x10, [])], [0x02, 70]),
        sent("hrs-flags-reserved", 0x180D, [c(0x2A37, 0x10, [])], [0x80, 70]),
        sent("hrs-rate-range", 0x180D, [c(0x2A37, 0x10, [])], [0x01, 0x00, 70]),
        sent("hrs-control-point", 0x180D, [c(0x2A37, 0x10, [])], [0x08, 70, 1, 0]),
        value("dis-system-length", 0x180A, 0x2A23, [1, 2, 3, 4, 5, 6]),
        value("dis-pnp-length", 0x180A, 0x2A50, [1, 2, 3]),
        value("dis-pnp-source", 0x180A, 0x2A50, [0, 1, 0, 1, 0, 1, 0]),
        value("dis-strings", 0x180A, 0x2A29, []),
        value("hts-type-range", 0x1809, 0x2A1D, [0]),
        value("cscs-feature-reserved", 0x1816, 0x2A5C, [0, 0x80]),
        value("rscs-feature-reserved", 0x1814, 0x2A54, [0, 0x80]),
        value("ias-level-range", 0x1803, 0x2A06, [3]),
        value("hids-security", 0x1812, 0x2A4B, [5, 1, 9, 2]),
        value("cscs-control-point", 0x1816, 0x2A5C, [1, 0]),
        value("rscs-control-point", 0x1814, 0x2A54, [2, 0]),
        value("cscs-location", 0x1816, 0x2A5C, [4, 0]),
        sent("cscs-measurement", 0x1816, [c(0x2A5B, 0x10, []), c(0x2A5C, 2, [1, 0])], [2, 0, 0, 0, 0]),
        sent("rscs-measurement", 0x1814, [c(0x2A53, 0x10, []), c(0x2A54, 2, [0, 0])], [1, 0, 1, 60, 0, 0]),
        services(
            "bas-format",
            services: [
                RawService(uuid: 0x180F, characteristics: [c(0x2A19, 2, [50])]),
                RawService(uuid: 0x180F, characteristics: [c(0x2A19, 2, [60])]),
            ]),
        value("tps-level-range", 0x1804, 0x2A07, [40]),
    ]

    static let controlTable: [Faulty] = [
        // Every procedure succeeds, also one that does not exist, and without a subscription.
        control(
            ["racp-count", "racp-opcode", "racp-operator", "racp-operator-unknown", "racp-abort", "racp-unconfigured"],
            0x1808, 0x2A52, [0x77, 0x00]),
        control(["sc-opcode", "sc-unconfigured"], 0x1816, 0x2A55, [0x10, 0x7F, 0x01]),
        control(["cgms-opcode"], 0x181F, 0x2AAC, [0x1C, 0x7F, 0x01]),
        services("hrs-control-point-value", services: [RawService(uuid: 0x180D, characteristics: [c(0x2A39, 8, [])])]),
        value("lls-level-value", 0x1803, 0x2A06, [0], properties: 0x0A),
        value("cts-value", 0x1805, 0x2A2B, [0xEA, 7, 1, 1, 1, 1, 1, 1, 0, 0], properties: 0x0A),
    ]

    /// A device with a control point that answers everything with the same indication.
    private static func control(
        _ rules: [String], _ service: BluetoothUUID, _ uuid: BluetoothUUID, _ indication: [UInt8]
    ) -> Faulty {
        Faulty(rules) {
            $0.server = RawServer(
                RawDefinition.generic + [RawService(uuid: service, characteristics: [c(uuid, 0x28, [])])])
            $0.answer = { pdu, right, server in
                guard let right else { return [] }
                let handle = server.handle(uuid)
                guard right == [0x13], pdu[1...2].elementsEqual(le(handle)) else { return [right] }
                return [right, [0x1D] + le(handle) + indication]
            }
        }
    }
}

import BluetoothHost
import BluetoothModel

@testable import Workbench

/// A device with a fault, and the rules that must find it.
struct Faulty: Sendable, CustomStringConvertible {
    var name: String
    var rules: [String]
    /// Rules that also run, because `rules` judge their requests.
    var helpers: [String] = []
    var definition: RawDefinition
    /// The patience of the check; short for devices that do not answer.
    var patience = Duration.seconds(30)
    /// The shortest key that the central accepts.
    var keySize: UInt8 = 16
    /// The time to connect; short for devices that cannot encrypt the link.
    var connectTimeout = Duration.seconds(60)
    var isHeardLater = false
    /// The number of packets to receive; nil for the default of the program.
    var packets: Int?

    var description: String { name }

    init(_ rules: String..., name: String? = nil, _ change: (inout RawDefinition) -> Void) {
        self.init(rules, name: name, change)
    }

    init(_ rules: [String], name: String? = nil, _ change: (inout RawDefinition) -> Void) {
        self.rules = rules
        self.name = name ?? rules.first ?? ""
        var definition = RawDefinition()
        change(&definition)
        self.definition = definition
    }

    /// A device whose advertising packet is this, after the Flags unless it begins with its own.
    static func advertising(_ rule: String, _ packet: [UInt8], response: [UInt8] = []) -> Faulty {
        Faulty(rule) {
            $0.advertisement = packet
            $0.response = response
        }
    }

    /// A device with these services in place of the default ones.
    static func services(_ rules: String..., services: [RawService]) -> Faulty {
        Faulty(rules) { $0.server = RawServer(RawDefinition.generic + services) }
    }

    /// A device with a changed Generic Access service.
    static func access(_ rules: String..., items: [RawCharacteristic]) -> Faulty {
        Faulty(rules) {
            $0.server = RawServer(
                [RawService(uuid: 0x1800, characteristics: items)] + RawDefinition.services.dropFirst())
        }
    }

    /// A device with a changed Generic Attribute service.
    static func attribute(_ rules: String..., items: [RawCharacteristic]) -> Faulty {
        Faulty(rules) {
            $0.server = RawServer(
                [RawDefinition.services[0], RawService(uuid: 0x1801, characteristics: items)]
                    + RawDefinition.services.dropFirst(2))
        }
    }

    /// A device with a changed table of attributes.
    static func table(_ rules: String..., change: (inout RawServer) -> Void) -> Faulty {
        Faulty(rules) { change(&$0.server) }
    }

    /// A device with a characteristic of a vendor and these descriptors.
    static func descriptors(
        _ rules: String..., properties: UInt8 = 2, hasConfiguration: Bool = true,
        descriptors: [(BluetoothUUID, [UInt8])]
    ) -> Faulty {
        Faulty(rules) {
            $0.server = RawServer(
                RawDefinition.services + [
                    RawService(
                        uuid: 0xFFE0,
                        characteristics: [
                            c(0xFFE1, properties, [1], security: nil, descriptors, hasConfiguration: hasConfiguration)
                        ])
                ])
        }
    }

    /// A device with other answers to requests with these opcodes.
    static func answers(
        _ rules: String..., to opcodes: Set<UInt8> = [], patience: Duration = .seconds(30),
        with answer: @escaping @Sendable ([UInt8], [UInt8]?, inout RawServer) -> [[UInt8]]
    ) -> Faulty {
        var faulty = Faulty(rules) {
            $0.answer = { pdu, right, server in
                guard opcodes.isEmpty || opcodes.contains(pdu.first ?? 0) else { return right.map { [$0] } ?? [] }
                return answer(pdu, right, &server)
            }
        }
        faulty.patience = patience
        return faulty
    }

    /// A device that refuses requests with these opcodes with Unlikely Error in place of the correct code.
    static func wrongCode(_ rules: [String], _ opcodes: UInt8...) -> Faulty {
        Faulty(rules) {
            $0.answer = { pdu, right, _ in
                guard let right, right.first == 0x01, opcodes.contains(pdu.first ?? 0) else {
                    return right.map { [$0] } ?? []
                }
                return [Array(right.prefix(4)) + [0x0E]]
            }
        }
    }

    /// A device that answers a Pairing Request with this.
    static func pairing(_ rules: String..., response: [UInt8]) -> Faulty {
        Faulty(rules) { $0.security = { $0.first == 0x01 ? [response] : [] } }
    }

    static let all: [Faulty] =
        advertisingTable + genericTable + structureTable + requestTable + writeTable + exchangeTable
        + writeEffectTable + prepareEffectTable + configurationEffectTable + repairTable + configurationTable
        + linkTable + serviceTable + controlTable + pairingTable + hostileTable + logTable
}

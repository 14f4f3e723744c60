import BluetoothBackend
import BluetoothModel
import SystemBus
import Testing

@testable import BlueZService

/// The objects of a client's application, and its answers, without an adapter.
@Suite struct ApplicationTests {
    typealias Objects = [String: ClientObjects.Interfaces]

    static let service = ApplicationDefinition.serviceInterface
    static let characteristic = ApplicationDefinition.characteristicInterface
    static let descriptor = ApplicationDefinition.descriptorInterface

    /// One service with a characteristic and a descriptor.
    private static var objects: Objects {
        [
            "/app/service0": [service: ["UUID": .string("fff0"), "Primary": .bool(true)]],
            "/app/service0/char0": [
                characteristic: [
                    "UUID": .string("fff1"), "Service": .path("/app/service0"), "Handle": .uint16(0x20),
                    "Flags": .strings(["read", "encrypt-write", "notify", "reliable-write"]),
                ]
            ],
            "/app/service0/char0/desc0": [
                descriptor: [
                    "UUID": .string("2901"), "Characteristic": .path("/app/service0/char0"),
                    "Flags": .strings(["read"]),
                ]
            ],
        ]
    }

    @Test func objectsBecomeServices() throws {
        let services = try ApplicationDefinition(Self.objects).services
        let service = try #require(services.first)
        #expect(services.count == 1 && service.local.uuid == 0xFFF0 && service.local.isPrimary)
        let local = try #require(service.local.characteristics.first)
        #expect(local.uuid == 0xFFF1 && local.handle == 0x20 && local.value == nil)
        #expect(local.properties == [.read, .write, .notify, .extendedProperties])
        #expect(local.permissions == [.readable, .writeable, .writeEncryptionRequired])
        // The Characteristic Extended Properties descriptor precedes those of the client.
        #expect(local.descriptors.map(\.uuid) == [0x2900, 0x2901])
        #expect(local.descriptors.map(\.isAnswered) == [false, true])
        #expect(service.characteristics.first?.descriptors == [1: "/app/service0/char0/desc0"])
    }

    @Test func attributesAreInTheOrderOfTheirNumbers() throws {
        var objects = Self.objects
        for number in 2...11 {
            objects["/app/service0/char\(number)"] = [
                Self.characteristic: [
                    "UUID": .string("fff\(String(number, radix: 16))"), "Service": .path("/app/service0"),
                    "Flags": .strings(["read"]),
                ]
            ]
        }
        let uuids = try ApplicationDefinition(objects).services.first?.local.characteristics.map(\.uuid)
        #expect(uuids == [0xFFF1] + (2...11).map { BluetoothUUID(UInt16(0xFFF0 + $0)) })
    }

    private func error(_ change: (inout Objects) -> Void) -> String? {
        var objects = Self.objects
        change(&objects)
        do throws(BusError) { _ = try ApplicationDefinition(objects) } catch { return error.text }
        return nil
    }

    @Test func wrongObjectsAreRefused() {
        let path = "/app/service0/char0"
        let (invalid, unplaced) = ("No valid service object found", "Failed to create entry in database")
        #expect(error { $0 = [:] } == "No object received")
        #expect(error { $0["/app/service0"] = nil } == invalid)
        #expect(error { $0[path]?[Self.characteristic]?["Flags"] = .strings(["fly"]) } == invalid)
        #expect(error { $0[path]?[Self.characteristic]?["Flags"] = nil } == invalid)
        #expect(error { $0[path] = nil } == invalid)
        #expect(error { $0["/app/service0"]?[Self.service]?["Primary"] = nil } == unplaced)
        #expect(error { $0[path]?[Self.characteristic]?["UUID"] = .string("x") } == unplaced)
    }

    @Test(arguments: [
        ("Failed", "0x81", 0x81), ("Failed", "150", 0x96), ("Failed", "0x10", 0x0E), ("Failed", "broken", 0x80),
        ("NotSupported", "", 0x06), ("NotAuthorized", "", 0x08), ("InvalidValueLength", "", 0x0D),
        ("InvalidOffset", "", 0x07), ("InProgress", "", 0xFE), ("NotPermitted", "", 0x02), ("Other", "", 0x0E),
    ])
    func errorsOfClientsAreCodes(_ name: String, _ text: String, _ code: UInt8) {
        let error = BusError("org.bluez.Error." + name, text)
        #expect(ATTErrorCode(error, refused: .readNotPermitted).rawValue == code)
    }

    @Test func aClientThatDoesNotAnswerIsAnUnlikelyError() {
        #expect(ATTErrorCode(BusError(BusError.timeout), refused: .readNotPermitted) == .unlikelyError)
    }

    @Test func thePiecesOfALongValueAreJoined() {
        func part(_ attribute: UInt32, _ offset: Int, _ value: [UInt8]) -> LocalWriteRequest.Part {
            LocalWriteRequest.Part(attribute: AttributeID(rawValue: attribute), offset: offset, value: value)
        }
        #expect(LocalWriteRequest.joined([part(1, 0, [1, 2]), part(1, 2, [3])]) == [part(1, 0, [1, 2, 3])])
        let apart = [part(1, 0, [1]), part(2, 1, [2]), part(2, 3, [3])]
        #expect(LocalWriteRequest.joined(apart) == apart)
    }
}

import BluetoothRuntime
import Explorer
import Harald
import Testing
import VirtualBluetooth

@testable import VirtualDevices
@testable import Workbench

@Suite("Clones of devices")
struct CloneTests {
    /// A device with the properties that a clone must reproduce: handles, security, descriptors, includes, intervals.
    static let yaml = """
        name: Locky
        address: C0:12:34:56:78:9A
        appearance: 0x0341
        advertise: {interval: 50 ms, txPower: 3}
        services:
          - uuid: FFF0
            characteristics:
              - {uuid: FFF1, properties: [read, write], security: encrypted, value: {hex: "01"}}
              - {uuid: FFF2, properties: [notify], security: encrypted, value: {hex: "02"}}
              - {uuid: FFF3, properties: [read], permissions: [], value: {hex: "03"}}
              - {uuid: FFF4, properties: [read, indicate], cccd: false, value: {hex: "04"}, description: Hello}
          - uuid: 180F
            handle: 0x0100
            includes: [FFF0]
            characteristics:
              - uuid: 2A19
                properties: [read, notify]
                handle: 0x0110
                value: {u8: 5}
                notifyEvery: 200 ms
                descriptors:
                  - {uuid: 2904, value: {hex: "04 00 AD 27 01 00 00"}, handle: 0x0120}
                  - {uuid: 2902, handle: 0x0121}
        """

    private static func device(_ yaml: String) throws -> DeviceFile {
        guard case .device(let file) = try DeviceDocument(yaml: yaml, file: "test") else { throw NoDevice() }
        return file
    }

    private struct NoDevice: Error {}

    /// A clone of a device on an air of its own.
    private func clone(
        _ file: DeviceFile, _ set: (inout DeviceCloner) -> Void
    ) async throws -> DeviceCloner.Result {
        let scene = try await VirtualScene(SceneFile(name: "clone", devices: [SceneDevice(file)]))
        let central = try await Central(
            adapter: scene.radio.adapter(named: "central"), options: AdapterOptions(storage: .none))
        var cloner = DeviceCloner()
        cloner.consents = { _ in true }
        cloner.observation = .milliseconds(1500)
        set(&cloner)
        var heard = HeardAdvertising()
        var found: ScanResult?
        for try await discovery in central.scan(duplicates: true, duration: .seconds(60)) {
            heard.note(discovery, at: RadioClock.real.now)
            found = discovery
            if heard.isEnough { break }
        }
        let peripheral = try #require(found).peripheral
        try await peripheral.connect(timeout: .seconds(30))
        let result = try await cloner.clone(peripheral, heard: heard)
        await peripheral.disconnect()
        await central.close()
        await scene.close()
        return result
    }

    @Test("A clone equals its device, and its file parses to the same device", .timeLimit(.minutes(2)))
    func whole() async throws {
        let original = try Self.device(Self.yaml)
        // The observation ends when the interval of the values is known.
        let result = try await clone(original) { $0.observation = .seconds(60) }
        let file = result.file
        #expect(try Self.device(file.yaml) == file)
        #expect(file.name == "Locky" && file.appearance.rawValue == 0x0341)
        #expect(file.address == original.address)
        #expect(file.services.map(\.uuid) == [0x1800, 0x1801, 0xFFF0, 0x180F])
        let vendor = file.services[2].characteristics
        #expect(vendor[0].permissions?.contains(.readEncryptionRequired) == true)
        #expect(vendor[0].value.fixedBytes == [])
        #expect(vendor[1].properties.contains(.notifyEncryptionRequired))
        #expect(vendor[2].permissions == [])
        #expect(vendor[3].hasConfiguration == false && vendor[3].descriptors.map(\.value) == [Array("Hello".utf8)])
        let battery = file.services[3]
        #expect(battery.handle == 0x0100 && battery.includes == [.uuid(0xFFF0)])
        #expect(battery.characteristics[0].handle == 0x0110 && battery.characteristics[0].value.fixedBytes == [5])
        #expect(battery.characteristics[0].descriptors.map(\.handle) == [0x0120, 0x0121])
        #expect(battery.characteristics[0].notifyEvery != nil)
        #expect(file.advertising.raw?.isEmpty == false)
        #expect(result.notes.contains { $0.contains("FFF1") })
    }

    @Test("The structure of a clone's clone is identical", .timeLimit(.minutes(2)))
    func again() async throws {
        let first = try await clone(try Self.device(Self.yaml)) { $0.isStructure = true }
        let whole = try await clone(try Self.device(Self.yaml)) { _ in }
        let second = try await clone(try Self.device(whole.file.yaml)) { $0.isStructure = true }
        #expect(first.file.yaml == second.file.yaml)
        #expect(!first.file.yaml.contains("notifyEvery"))
        #expect(try Self.device(first.file.yaml) == first.file)
    }

    @Test("Vendor values are read only with consent, and not if excluded", .timeLimit(.minutes(2)))
    func consent() async throws {
        let yaml = """
            name: Vendor
            services:
              - uuid: FFF0
                characteristics:
                  - {uuid: FFF1, properties: [read], value: {hex: "11"}}
                  - {uuid: FFF2, properties: [read], value: {hex: "22"}}
                  - {uuid: 2A19, properties: [read], value: {hex: "33"}}
            """
        func values(_ set: (inout DeviceCloner) -> Void) async throws -> [[UInt8]?] {
            let result = try await clone(try Self.device(yaml)) {
                $0.observation = .zero
                set(&$0)
            }
            return try #require(result.file.services.last).characteristics.map(\.value.fixedBytes)
        }
        #expect(try await values { _ in } == [[0x11], [0x22], [0x33]])
        #expect(try await values { $0.skipped = [0xFFF2] } == [[0x11], [], [0x33]])
        #expect(try await values { $0.consents = { _ in false } } == [[], [], [0x33]])
    }

    @Test("Every advertising interval survives a round trip")
    func intervals() throws {
        for steps in stride(from: Int64(32), through: 16_384, by: 7) {
            let text = "\(Double(steps * 625) / 1000) ms"
            let file = try Self.device("name: Locky\nadvertise: {interval: \(text)}\n")
            #expect(file.advertising.interval == .microseconds(steps * 625))
        }
    }

    @Test("Notification intervals are measured")
    func periods() {
        func times(_ milliseconds: [Int]) -> [RadioInstant] {
            milliseconds.map { RadioInstant.start + .milliseconds($0) }
        }
        #expect(DeviceCloner.period(times([0, 1003, 1998, 3001])) == .seconds(1))
        #expect(DeviceCloner.period(times([0, 30, 60, 90])) == .milliseconds(30))
        #expect(DeviceCloner.period(times([0, 1000])) == nil)
        #expect(DeviceCloner.period(times([0, 1, 2, 3, 4, 1000])) == nil)
        #expect(DeviceCloner.period(times([0, 0, 0])) == nil)
    }
}

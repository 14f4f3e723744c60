import Foundation
import Harald
import Testing
import VirtualTransport

@Suite(.closesRigs, .serialized, .timeLimit(.minutes(5))) struct ManyLinksTests {
    private func makeDevices(_ count: Int, on radio: VirtualRadio) async throws -> [LocalPeripheral] {
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = count
        configuration.linkCount = count
        let adapter = radio.adapter(named: "devices", configuration: configuration)
        var devices: [LocalPeripheral] = []
        for number in 0..<count {
            let device = try await LocalPeripheral(adapter: adapter, name: "device \(number)")
            try await device.publish(
                ServiceDefinition(
                    "180F", [CharacteristicDefinition("2A19", [.read, .notify], value: [UInt8(number)])]))
            try await device.advertise()
            devices.append(device)
        }
        return devices
    }

    @Test(arguments: RigStack.centrals) func aHundredLinksAtOnce(_ stack: RigStack) async throws {
        let radio = VirtualRadio()
        let devices = try await makeDevices(100, on: radio)
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 100
        let central = try await Central(
            adapter: stack.central(on: radio, named: "central", configuration: configuration))
        var peripherals: [Peripheral] = []
        for device in devices {
            let address = try #require(await device.address)
            peripherals.append(try #require(await central.device(at: address)))
        }
        let levels = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (number, peripheral) in peripherals.enumerated() {
                group.addTask {
                    try await peripheral.connect(timeout: .seconds(60))
                    let level = try await peripheral.characteristic("180F", "2A19")
                    return (number, try await level.read(timeout: .seconds(60)))
                }
            }
            var levels: [Int: [UInt8]] = [:]
            for try await (number, level) in group { levels[number] = level }
            return levels
        }
        #expect(levels == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, [UInt8($0)]) }))
        #expect(!peripherals.contains { !$0.isConnected })
        #expect(await radio.linkCount == 100)
        await central.close()
        for device in devices { await device.close() }
        #expect(await radio.linkCount == 0)
    }

    /// Runs in a separate process, so that resources of other tests are not counted.
    @Test func aThousandCyclesLeakNothing() async throws {
        await #expect(processExitsWith: .success) { try await ClosesRigs.perform { try await Self.thousandCycles() } }
    }

    private static func thousandCycles() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.find()
        func cycle() async throws {
            try await peripheral.connect()
            let level = try await peripheral.characteristic("180F", "2A19")
            let values = level.notifications()
            #expect(try await level.read() == [87])
            await peripheral.disconnect()
            for try await _ in values {}
        }
        for _ in 0..<50 { try await cycle() }
        let before = Resources.now
        for _ in 0..<1000 { try await cycle() }
        let after = Resources.now
        #expect(await rig.radio.linkCount == 0)
        #expect(await rig.device.centrals.isEmpty)
        #expect(after.descriptors == before.descriptors)
        #expect(after.residentMegabytes < before.residentMegabytes + 5)
    }
}

/// The resources of this process.
private struct Resources {
    var descriptors: Int
    var residentMegabytes: Int

    static var now: Resources {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return Resources(
            descriptors: descriptors, residentMegabytes: (pages.flatMap { Int($0[1]) } ?? 0) * 4096 / 1_000_000)
    }
}

import Harald
import Synchronization
import Testing
import VirtualDevices
import VirtualTransport

@testable import HaraldCommand

@Suite(.timeLimit(.minutes(1))) struct DeviceFinderTests {
    /// A user with prepared answers.
    private final class Person: AskedPerson {
        let isThere = true
        private let answers: Mutex<[String]>
        init(_ answers: [String]) { self.answers = Mutex(answers) }
        func line(_ question: String) async -> String? {
            answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    private func find(_ answers: [String]) async throws -> ScanResult {
        let scene = try await VirtualScene(try SceneLoader.scene("default"))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"))
        do {
            let found = try await DeviceFinder(
                central: central, selector: .any, pick: .ask, timeout: .seconds(5), person: Person(answers)
            ).find()
            await central.close()
            await scene.close()
            return found
        } catch {
            await central.close()
            await scene.close()
            throw error
        }
    }

    /// The strongest device is the first; devices that accept no connections are omitted.
    @Test func aNumberSelectsADevice() async throws {
        #expect(try await find(["1"]).name == "Polar H7 4C1A2B")
        #expect(try await find(["three", "3", "2"]).name == "Gadget FFF0")
    }

    /// A device that advertises two names in turn is selected by the later one.
    @Test func aNameThatAppearsLaterSelectsADevice() async throws {
        let radio = VirtualRadio()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "s")
        try await device.advertise()
        let finding = Task {
            try await DeviceFinder(central: central, selector: .name("SensorPush"), timeout: .seconds(50)).find()
        }
        for try await found in central.scan() where found.name == "s" { break }
        try await device.advertise(AdvertisingData(localName: "SensorPush HT.w"))
        #expect(try await finding.value.advertisement.localName == "SensorPush HT.w")
        await central.close()
        await device.close()
    }

    /// Without `harald simulate`, the devices of a scene replace those that the user expects.
    @Test func aMissingDeviceOfAnAirOfThisProcessNamesTheUsersAir() async throws {
        let central = try await Central(adapter: VirtualRadio().adapter(named: "central"))
        let error = await #expect(throws: ProgramError.self) {
            _ = try await DeviceFinder(central: central, selector: .name("soil"), timeout: .milliseconds(1)).find()
        }
        #expect(error?.message.contains("harald simulate") == true)
        await central.close()
    }

    @Test func noAnswerSelectsNoDevice() async throws {
        let error = await #expect(throws: ProgramError.self) { _ = try await find([]) }
        #expect(error?.status == .notFound)
    }
}

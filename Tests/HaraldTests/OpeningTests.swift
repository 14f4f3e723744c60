import BluetoothBackend
import Harald
import TestSupport
import Testing
import VirtualTransport

@Suite(.timeLimit(.minutes(2))) struct OpeningTests {
    /// No controller ever connects to the port.
    private static let waiting: Adapter = "tcp-server:127.0.0.1:0"

    @Test func aCancelledCallerDoesNotWaitForTheController() async throws {
        let opening = opener()
        try await Task.pause()
        opening.cancel()
        #expect(await opening.value == .cancelled)
    }

    @Test func otherCallersContinueToWait() async throws {
        let (first, second) = (opener(), opener())
        try await Task.pause()
        first.cancel()
        #expect(await first.value == .cancelled)
        let third = opener()
        second.cancel()
        third.cancel()
        #expect(await second.value == .cancelled)
        #expect(await third.value == .cancelled)
    }

    @Test func unnamedAdaptersOfAnAirAreNumbered() {
        let radio = VirtualRadio()
        #expect(radio.adapter().description == "virtual:adapter-1")
        #expect(radio.adapter(named: "bench").description == "virtual:bench")
        #expect(radio.adapter().description == "virtual:adapter-3")
        #expect(radio.adapter() != radio.adapter())
    }

    @Test func everyCapabilityHasItsName() {
        let all: [(BackendCapabilities, String)] = [
            (.addresses, "addresses"), (.phy, "phy"), (.connectionParameters, "connectionParameters"),
            (.subscriptionKind, "subscriptionKind"), (.handles, "handles"), (.channels, "channels"),
            (.peripheralRole, "peripheralRole"), (.severalIdentities, "severalIdentities"), (.pairing, "pairing"),
            (.securityLevels, "securityLevels"), (.power, "power"), (.rawFrames, "rawFrames"),
        ]
        for (capability, name) in all { #expect(capability.names == [name]) }
        #expect(BackendCapabilities(all.map(\.0)).names == all.map(\.1))
    }

    private func opener() -> Task<BluetoothError.Code?, Never> {
        Task {
            do throws(BluetoothError) {
                try await Central(adapter: Self.waiting, options: .init(storage: .none)).close()
                return nil
            } catch {
                return error.code
            }
        }
    }
}

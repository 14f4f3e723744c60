import Adapters
import Testing

@testable import HaraldCommand

@Suite struct AdapterChoiceTests {
    @Test func theOptionOverridesTheVariable() throws {
        #expect(try AdapterChoice(nil, environment: [:]) == .auto)
        #expect(try AdapterChoice(nil, environment: ["HARALD_ADAPTER": ""]) == .auto)
        #expect(try AdapterChoice(nil, environment: ["HARALD_ADAPTER": "hci:0"]) == .uri("hci:0"))
        #expect(try AdapterChoice("virtual:", environment: ["HARALD_ADAPTER": "hci:0"]) == .userAir)
        #expect(try AdapterChoice("virtual:clinic", environment: [:]) == .scene("clinic"))
        #expect(try AdapterChoice("virtual:./a.yaml", environment: [:]) == .scene("./a.yaml"))
    }

    @Test func invalidURIsAreUsageErrors() throws {
        let error = try #require(throws: ProgramError.self) { try AdapterChoice("usb:0", environment: [:]) }
        #expect(error.status == .usage)
        #expect(error.message.contains("virtual:"))
        let variable = try #require(throws: ProgramError.self) {
            try AdapterChoice(nil, environment: ["HARALD_ADAPTER": "usb:0"])
        }
        #expect(variable.message.contains("HARALD_ADAPTER"))
    }

    @Test func theSocketIsInTheUsersDirectory() {
        #expect(UserAir.socketPath(environment: ["XDG_RUNTIME_DIR": "/run/user/7"]) == "/run/user/7/harald/air.sock")
        #expect(UserAir.socketPath(environment: [:]).hasPrefix("/tmp/harald-"))
        #expect(!UserAir.isAlive("/nonexistent/harald/air.sock"))
    }

    @Test func scenesAreFoundByName() throws {
        #expect(try SceneLoader.scene("clinic").devices.count == 11)
        let error = try #require(throws: ProgramError.self) { try SceneLoader.scene("clinc") }
        #expect(error.status == .notFound)
        #expect(error.message.contains("did you mean 'clinic'"))
        #expect(throws: (any Error).self) { try SceneLoader.scene("./no-such-file.yaml") }
        #expect(try SceneLoader.sceneOrDevice("polar-h7").devices.count == 1)
    }
}

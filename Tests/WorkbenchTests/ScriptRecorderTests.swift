import BluetoothModel
import Foundation
import Harald
import Testing

@testable import Explorer
@testable import Workbench

/// The actions of a person become a script that can be read.
@Suite struct ScriptRecorderTests {
    private let device: PeripheralID
    private let recorder = ScriptRecorder(path: "/dev/null")

    init() throws { device = try #require(PeripheralID("48415241-4C44-8000-8000-024841000001")) }

    private func act(
        _ action: ExplorerAct.Action, _ path: String? = nil, bytes: [UInt8]? = nil, error: BluetoothError.Code? = nil,
        name: String = "Strap", address: String? = nil
    ) {
        recorder.note(
            ExplorerAct(
                action: action, device: device, name: name, address: address, path: path, bytes: bytes,
                error: error.map { BluetoothError($0, operation: "", reason: "") }))
    }

    private func steps() throws -> [String] {
        let script = try ScriptReader(checkPath: { _ in }).script(yaml: recorder.text, file: "r.yaml")
        #expect(!script.steps.isEmpty)
        let lines = recorder.text.split(separator: "\n").drop { $0 != "steps:" }
        return lines.filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
    }

    @Test func valuesThatStayAreExpectedAndOthersAreNot() throws {
        act(.connect)
        act(.read, "180F/2A19", bytes: [85])
        act(.read, "FFE0/FFE1", bytes: [1])
        act(.read, "FFE0/FFE1", bytes: [2])
        act(.write([0xAA], .withoutResponse), "FFE0/FFE2")
        act(.read, "180F/2A19", bytes: [84])
        #expect(
            try steps() == [
                "{connect: \"${device}\", as: device}", "{read: \"180F/2A19\", expect: \"55\"}  # U",
                "{read: \"FFE0/FFE1\"}", "{read: \"FFE0/FFE1\"}",
                "{write: \"FFE0/FFE2\", value: \"AA\", response: false}", "{read: \"180F/2A19\", expect: \"54\"}  # T",
            ])
    }

    @Test func onlyTheFirstValueAfterASubscriptionIsAStep() throws {
        act(.connect)
        act(.subscribe, "180D/2A37")
        for value in 0..<5 { act(.receive, "180D/2A37", bytes: [UInt8(value)]) }
        act(.write([1], nil), "180D/2A39", error: .att(ATTErrorCode(rawValue: 0x80)))
        act(.receive, "180D/2A37", bytes: [9])
        act(.unsubscribe, "180D/2A37")
        act(.disconnect)
        #expect(
            try steps().dropFirst() == [
                "{subscribe: \"180D/2A37\"}", "{wait: \"180D/2A37\"}",
                "{write: \"180D/2A39\", value: \"01\", expect: {error: 0x80}}", "{wait: \"180D/2A37\"}",
                "{unsubscribe: \"180D/2A37\"}", "{disconnect: device}",
            ])
    }

    @Test func pairingIsAStepWithoutItsPasskey() throws {
        act(.connect)
        act(.answerPairing(entersPasskey: true))
        act(.pair(.authenticated))
        act(.read, "FFE0/FFE1", bytes: [])
        #expect(try steps()[1] == "{pair: {passkey: \"${passkey}\"}}")
        #expect(recorder.text.contains("passkey: \"000000\""))
    }

    /// Devices of the air are in the script; what a slider sends on its way is not.
    @Test func changesOfTheAirAreDevicesAndCommands() throws {
        func air(_ action: AirAct.Action, _ address: String = "02:48:41:00:00:07") {
            recorder.note(AirAct(action: action, name: "Clone", address: address), on: "virtual:sensortags")
        }
        air(.add(.builtIn("polar-h7"), distance: 3))
        air(.add(.file("---\nname: \"Own ${x}\"\nservices:\n  - uuid: FFF0\n"), distance: 0.5))
        act(.connect, address: "02:48:41:00:00:08")
        for place in 1...4 { air(.move(distance: Double(place))) }
        air(.faults(AirFaults(isSilent: true, loss: 0.25)))
        air(.faults(AirFaults(isOutOfRange: false, delay: .milliseconds(500), failedConnects: 2)))
        for action in [AirAct.Action.walk(true), .cut, .remove] { air(action) }
        let one = "02:48:41:00:00:07"
        #expect(
            try steps().map { $0.replacing("  # Clone", with: "") } == [
                "{connect: \"${device}\", as: device}", "{simulate: \"move \(one) 4.0\"}",
                "{simulate: \"fault \(one) silent on\"}", "{simulate: \"fault \(one) loss 0.25\"}",
                "{simulate: \"fault \(one) away off\"}", "{simulate: \"fault \(one) delay 0.5\"}",
                "{simulate: \"fault \(one) failing 2\"}", "{simulate: \"walk \(one) on\"}",
                "{simulate: \"cut \(one)\"}", "{simulate: \"remove \(one)\"}",
            ])
        let script = try ScriptReader(checkPath: { _ in }).script(yaml: recorder.text, file: "r.yaml")
        #expect(script.adapter == "virtual:sensortags")
        #expect(script.devices.map(\.scenery.device.name) == ["Polar H7 4C1A2B", "Own ${x}"])
        #expect(script.devices.map(\.scenery.position.x) == [3, 0.5])
        #expect(script.variables["device"] == "02:48:41:00:00:08")
    }

    @Test func hostileNamesAreText() throws {
        act(.connect, name: "\"${x}\u{1B}\n: *")
        act(.read, "FFE0/FFE1", bytes: Array("a\u{202E}b".utf8))
        #expect(try steps().count == 2)
        let script = try ScriptReader(checkPath: { _ in }).script(yaml: recorder.text, file: "r.yaml")
        #expect(script.variables["device"] == "\"${x}\u{1B}\n: *")
    }
}

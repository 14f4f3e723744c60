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
        name: String = "Strap"
    ) {
        recorder.note(
            ExplorerAct(
                action: action, device: device, name: name, path: path, bytes: bytes,
                error: error.map { BluetoothError($0, operation: "", reason: "") }))
    }

    private func steps() throws -> [String] {
        let script = try ScriptReader(checkPath: { _ in }).script(yaml: recorder.text, file: "r.yaml")
        #expect(!script.steps.isEmpty)
        return recorder.text.split(separator: "\n").filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
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

    @Test func hostileNamesAreText() throws {
        act(.connect, name: "\"${x}\u{1B}\n: *")
        act(.read, "FFE0/FFE1", bytes: Array("a\u{202E}b".utf8))
        #expect(try steps().count == 2)
        let script = try ScriptReader(checkPath: { _ in }).script(yaml: recorder.text, file: "r.yaml")
        #expect(script.variables["device"] == "\"${x}\u{1B}\n: *")
    }
}

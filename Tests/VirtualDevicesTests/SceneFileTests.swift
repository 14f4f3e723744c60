import Foundation
import Harald
import Testing

@testable import VirtualDevices

@Suite struct SceneFileTests {
    @Test func positionsAndFaultsAreParsed() throws {
        let scene = try SceneFile(
            yaml: """
                name: room
                devices:
                  - {device: polar-h7, distance: 2.5 m, name: Left}
                  - {device: polar-h7, position: [1, -2, 0.5], name: Right, address: C0:00:00:00:00:01}
                  - device: {name: Lamp}
                    rssi: -75
                    faults: {loss: 0.25, delay: 20 ms, silentAfter: 3 s, silentFor: 1 s, failedConnects: 2}
                """)
        #expect(scene.name == "room")
        #expect(scene.devices.map(\.device.name) == ["Left", "Right", "Lamp"])
        #expect(scene.devices[0].position == ScenePosition(x: 2.5))
        #expect(scene.devices[1].position == ScenePosition(x: 1, y: -2, z: 0.5))
        // 25 dB beyond the 50 of the first metre, at 25 dB for each power of ten.
        #expect(abs(scene.devices[2].position.x - 10) < 1e-9)
        let faults = scene.devices[2].faults
        #expect(faults.loss == 0.25)
        #expect(faults.delay == .milliseconds(20))
        #expect(faults.silentAfter == .seconds(3))
        #expect(faults.silentFor == .seconds(1))
        #expect(faults.failedConnects == 2)
    }

    @Test func aCharacteristicCanBeMadeWritable() throws {
        let scene = try SceneFile(yaml: "devices: [{device: polar-h7, writable: [2A38]}, {device: polar-h7}]")
        let isWritable = scene.devices.map { placed in
            placed.device.services.flatMap(\.characteristics).first { $0.uuid == "2A38" }?.isWriteable
        }
        #expect(isWritable == [true, false])
        let error = #expect(throws: DeviceFileError.self) {
            try SceneFile(yaml: "devices: [{device: polar-h7, writable: 2A1C}]")
        }
        #expect(error?.description.contains("2A1C") == true)
    }

    @Test func transposedLettersAreSuggested() {
        #expect(Spelling.nearest(to: "scna", among: ["simulate", "scan", "air"]) == "scan")
        #expect(Spelling.nearest(to: "xyzzy", among: ["simulate", "scan", "air"]) == nil)
    }

    /// A scene is no device, so that none is read for another one, and none for itself.
    @Test func aSceneThatIncludesItselfIsAnError() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("scene-\(UUID().uuidString).yaml").path
        try Data("devices: [{file: \(path)}]".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: DeviceFileError.self) { try SceneFile(path: path) }
        #expect(error?.description.contains("this is a scene, not a device") == true)
    }

    /// A few kilobytes that stand for millions of attributes.
    @Test(.timeLimit(.minutes(5))) func aliasesOfAliasesAreAnError() throws {
        let characteristic = "      - &c {uuid: 2A37, properties: [read], value: {hex: \"00\"}}\n"
        let text =
            "name: X\nservices:\n  - &s\n    uuid: 180D\n    characteristics:\n" + characteristic
            + String(repeating: "      - *c\n", count: 1500) + String(repeating: "  - *s\n", count: 1500)
        let error = #expect(throws: DeviceFileError.self) { try DeviceFile(yaml: text) }
        #expect(error?.description.contains("aliases") == true)
    }

    @Test func filesAreFoundBesideTheScene() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("scene-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (scene, lamp) = (
            directory.appendingPathComponent("room.yaml"), directory.appendingPathComponent("lamp.yaml")
        )
        try Data("devices: [{file: lamp.yaml}]".utf8).write(to: scene)
        try Data("name: Lamp".utf8).write(to: lamp)
        #expect(try SceneFile(path: scene.path).devices.map(\.device.name) == ["Lamp"])
        // A mistake is reported where it is.
        try Data("nam: Lamp".utf8).write(to: lamp)
        let error = #expect(throws: DeviceFileError.self) { try SceneFile(path: scene.path) }
        #expect(error?.file == lamp.path)
        #expect(error?.line == 1)
    }

    @Test func aDeviceFileIsASceneOfOneDevice() throws {
        #expect(try SceneFile(yaml: "name: Lamp").devices.map(\.device.name) == ["Lamp"])
    }

    @Test(arguments: [
        ("devices:\n  - {device: polar-h8}", 2, "did you mean 'polar-h7'"),
        ("devices:\n  - {distance: 1 m}", 2, "either 'device' or 'file'"),
        ("devices:\n  - {device: polar-h7, distance: 1 m, rssi: -60}", 2, "one of"),
        ("devices:\n  - {device: polar-h7, distance: far}", 2, "metres"),
        ("devices:\n  - {device: polar-h7, faults: {loss: 2}}", 2, "from 0.0 to 1.0"),
        ("devices:\n  - {device: polar-h7, faults: {silentFor: 2 s}}", 2, "silentAfter"),
        ("devices: []\nspeed: 3", 2, "unknown key 'speed'"),
    ])
    func errorsNameTheLine(_ yaml: String, _ line: Int, _ part: String) throws {
        let error = try #require(throws: DeviceFileError.self) { try SceneFile(yaml: yaml) }
        #expect(error.line == line)
        #expect(error.message.contains(part), "\(error)")
    }
}

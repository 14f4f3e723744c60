import Foundation
import Testing
import VirtualDevices

@testable import Gateway

@Suite("The configuration of a gateway")
struct GatewayFileTests {
    @Test("All keys")
    func complete() throws {
        let settings = try GatewayFile.settings(
            """
            name: cellar
            adapters: ['bluez:hci0', 'bluez:hci1']
            passive: yes
            formats: own.yaml
            sensors:
              interval: 10 s
              silence: 5 min
              minRssi: -90
              formats: [bthome, ruuvi-5]
              only: [Kitchen, 'A4:C1:38:00:00:01']
              except: Attic
              limit: 100
            presence: {away: 2 min}
            connect:
              - SensorTag
              - {device: Polar, interval: 5 s}
            mqtt: {url: 'mqtt://127.0.0.1:1884', discovery: ha, queue: 5}
            webhook: {url: 'https://example.org/hook', queue: 6}
            prometheus: {listen: '127.0.0.1:9469'}
            """, file: "/etc/harald/gateway.yaml")
        #expect(settings.name == "cellar" && settings.adapters == ["bluez:hci0", "bluez:hci1"])
        #expect(settings.isPassive)
        #expect(settings.formats == "/etc/harald/own.yaml")
        #expect(settings.sensors.interval == .seconds(10) && settings.sensors.silence == .seconds(300))
        #expect(settings.sensors.minimumRSSI == -90 && settings.sensors.formats == ["bthome", "ruuvi-5"])
        #expect(settings.sensors.only == ["kitchen", "a4:c1:38:00:00:01"] && settings.sensors.except == ["attic"])
        #expect(settings.sensors.limit == 100 && settings.absence == .seconds(120))
        #expect(
            settings.connections
                == [.init(device: "SensorTag"), .init(device: "Polar", interval: .seconds(5))])
        #expect(settings.mqtt?.broker.url == "mqtt://127.0.0.1:1884" && settings.mqtt?.discovery == "ha")
        #expect(settings.mqtt?.queue.limit == 5 && settings.webhook?.queue.limit == 6)
        #expect(settings.metrics?.port == 9469)
    }

    @Test("Presence and discovery can be switched off")
    func off() throws {
        let settings = try GatewayFile.settings(
            "presence: false\nmqtt: {url: 'mqtt://localhost', discovery: off}", file: "g.yaml")
        #expect(settings.absence == nil && settings.mqtt?.discovery == nil)
    }

    @Test(
        "Errors have line, column and advice",
        arguments: [
            ("", "g.yaml:1:1: the file is empty; a gateway requires 'mqtt', 'webhook' or 'prometheus'"),
            ("name: cellar", "g.yaml:1:1: a gateway requires 'mqtt', 'webhook' or 'prometheus'"),
            (
                "mqqt: {}",
                "g.yaml:1:1: unknown key 'mqqt' in a gateway; did you mean 'mqtt'? Allowed: name, adapters, "
                    + "passive, formats, sensors, presence, connect, mqtt, webhook, prometheus"
            ),
            (
                "name: Käse\nmqtt: {url: 'mqtt://localhost'}",
                "g.yaml:1:7: name must have lower case letters, digits, '_' and '-', 64 at most; it is part of topics"
            ),
            (
                "sensors:\n  interval: 10",
                "g.yaml:2:13: interval must be a duration with a unit, such as '250 ms', '1 s', '2 min', but this is "
                    + "'10'"
            ),
            (
                "sensors:\n  minRssi: strong",
                "g.yaml:2:12: minRssi must be a number from -127 to 20, but this is 'strong'"
            ),
            (
                "mqtt:\n  url: http://localhost",
                "g.yaml:2:8: url must be mqtt:// or mqtts:// and a host, but this is 'http://localhost'"
            ),
            (
                "mqtt:\n  url: mqtt://broker.lan",
                "g.yaml:2:8: url would send readings unencrypted; use mqtts://, or allow it with 'plain: true'"
            ),
            ("mqtt:\n  queue: 5", "g.yaml:2:3: mqtt requires the key 'url'"),
            (
                "mqtt:\n  url: mqtts://broker\n  passwordFile: /nowhere",
                "g.yaml:3:17: /nowhere does not exist or cannot be read"
            ),
            (
                "mqtt:\n  url: mqtts://broker\n  discovery: a/#",
                "g.yaml:3:14: discovery must be the prefix of topics, such as homeassistant, or off"
            ),
            ("webhook:\n  url: https://user@host/", "g.yaml:2:8: url must not contain a password; use tokenFile"),
            ("prometheus: {listen: 9469}", "g.yaml:1:22: listen must be ADDRESS:PORT, such as 127.0.0.1:9469"),
            (
                "prometheus: {listen: '0.0.0.0:9469'}",
                "g.yaml:1:22: listen must be an address of this machine, such as 127.0.0.1:9469: metrics are served "
                    + "without encryption"
            ),
            ("adapters: [hci:0, foo:bar]\nmqtt: {url: 'mqtt://localhost'}", "g.yaml:1:19: unknown form"),
            ("mqtt: {url: 'mqtt://localhost'}\nmqtt: {}", "g.yaml:1:1: the key 'mqtt' is repeated in this mapping"),
        ])
    func errors(text: String, message: String) {
        let error = #expect(throws: DeviceFileError.self) {
            try GatewayFile.settings(text, file: "g.yaml") { uri in
                struct Unknown: Error, CustomStringConvertible { var description = "unknown form" }
                if !uri.hasPrefix("hci:") { throw Unknown() }
            }
        }
        #expect(error.map { "\($0)" } == message)
    }

    @Test("Secrets are read from files that only their owner may read, relative to the configuration")
    func secrets() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "g.yaml").path
        let password = directory.appending(path: "password").path
        try "mqtt: {url: 'mqtts://harald@broker', passwordFile: password}".write(
            toFile: file, atomically: true, encoding: .utf8)
        FileManager.default.createFile(
            atPath: password, contents: Data("se cret\n".utf8), attributes: [.posixPermissions: 0o644])
        #expect(throws: DeviceFileError.self) { try GatewayFile.read(file) }
        chmod(password, 0o600)
        #expect(try GatewayFile.read(file).mqtt?.broker.password == "se cret")
        // A password without a user would not be sent.
        try "mqtt: {url: 'mqtts://broker', passwordFile: password}".write(
            toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: DeviceFileError.self) { try GatewayFile.read(file) }
    }

    @Test("An unknown format is an error with its place")
    func formats() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "g-\(UUID().uuidString).yaml").path
        defer { unlink(file) }
        try "sensors:\n  formats: [bthome, ruvi-5]\n".write(toFile: file, atomically: true, encoding: .utf8)
        do {
            try GatewayFile.checkFormats(file)
            Issue.record("no error")
        } catch {
            #expect(
                "\(error)" == "\(file):2:21: no format is named 'ruvi-5'; did you mean 'ruuvi-5'? "
                    + "'harald decode --advertisement --list' lists them")
        }
    }
}

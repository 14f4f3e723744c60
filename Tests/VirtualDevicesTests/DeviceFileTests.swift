import Harald
import Testing

@testable import VirtualDevices

@Suite struct DeviceFileTests {
    private func problem(_ yaml: String) -> DeviceFileError? {
        do {
            _ = try DeviceDocument(yaml: yaml, file: "test.yaml")
            return nil
        } catch {
            return error
        }
    }

    @Test func aCompleteDeviceIsParsed() throws {
        let device = try DeviceFile(
            yaml: """
                name: Sensor
                address: C0:12:34:56:78:9A
                appearance: Heart Rate Belt
                disconnectAfter: 2 min
                advertise:
                  interval: 250 ms
                  connectable: true
                  appearance: true
                  services: [180F, battery]
                  txPower: -4
                  manufacturerData: {company: 0x006B, data: [{u8: 1}, {u16: 2}]}
                  serviceData: [{service: FEAA, data: {hex: "01"}}]
                services:
                  - uuid: battery
                    handle: 0x0020
                    characteristics:
                      - uuid: battery level
                        handle: 0x0022
                        properties: [read, notify]
                        security: encrypted
                        description: Charge
                        value: {u8: {wave: ramp, min: 20, max: 90, period: 1 h, falling: true}}
                        notifyEvery: 1.5 s
                        descriptors:
                          - {uuid: 2904, value: {hex: "04 00 AD 27 01 00 00"}}
                  - uuid: FFF0
                    primary: false
                    includes: [180F]
                    characteristics:
                      - uuid: FFF1
                        properties: write, 
                """.replacing("properties: write, ", with: "properties: write"))
        #expect(device.name == "Sensor")
        #expect(device.address == .randomStatic(try #require(BluetoothAddress("C0:12:34:56:78:9A", kind: .random))))
        #expect(device.appearance == .heartRateBelt)
        #expect(device.disconnectAfter == .seconds(120))
        #expect(device.advertising.interval == .milliseconds(250))
        #expect(device.advertising.txPower == -4)
        #expect(device.advertising.manufacturerData == [ManufacturerData(company: 0x006B, data: [1, 2, 0])])
        #expect(device.advertising.serviceData == ["FEAA": [1]])
        let battery = try #require(device.services.first)
        #expect(battery.uuid == "180F")
        #expect(battery.handle == 0x20)
        let level = try #require(battery.characteristics.first)
        #expect(level.uuid == "2A19")
        #expect(level.handle == 0x22)
        #expect(level.properties == [.read, .notify, .notifyEncryptionRequired])
        #expect(level.permissions == [.readable, .readEncryptionRequired, .writeEncryptionRequired])
        #expect(level.notifyEvery == .milliseconds(1500))
        #expect(
            level.value.parts == [
                .number(NumberFormat(.u8), .ramp(20...90, period: .seconds(3600), falls: true), digits: 1)
            ])
        #expect(level.descriptors == [DeviceDescriptor("2904", value: [4, 0, 0xAD, 0x27, 1, 0, 0])])
        #expect(device.services[1].isPrimary == false)
        #expect(device.services[1].includes == [.uuid("180F")])
    }

    @Test func anUnknownKeyIsAnErrorWithItsPlaceAndTheNearestKey() throws {
        let error = try #require(
            problem(
                """
                name: X
                services:
                  - uuid: 180F
                    characteristics:
                      - uuid: 2A19
                        propertys: [read]
                """))
        #expect(error.line == 6)
        #expect(error.column == 9)
        #expect(error.message.contains("'propertys'"))
        #expect(error.message.contains("did you mean 'properties'"))
        #expect(error.message.contains("notifyEvery"))
        #expect(error.description.hasPrefix("test.yaml:6:9: "))
    }

    @Test(
        arguments: [
            ("name: X\naddress: 12:34:56:78:9A:BC", 2, "C0 to FF"),
            ("name: X\nservices:\n  - uuid: batery", 3, "assigned name"),
            ("services: []", 1, "requires the key 'name'"),
            ("name: X\nservices: 5", 2, "must be a list"),
            ("name: X\nadvertise:\n  interval: 100", 3, "with a unit"),
            ("name: X\nadvertise:\n  interval: 5 ms", 3, "at least"),
            ("name: X\nadvertise:\n  raw: 'XY'", 3, "hexadecimal"),
            ("name: X\nadvertise:\n  raw: '020106'\n  name: true", 4, "remove 'name'"),
            ("name: X\nappearance: Hart Rate Sensor", 2, "did you mean"),
            ("name: X\nname: Y", 1, "repeated"),
            ("name: [X", 2, "invalid YAML"),
            ("name: X\nservices:\n  - uuid: 180F\n    includes: [FFF0]", 4, "no such service"),
            ("- a", 1, "must be a mapping"),
            ("", 1, "empty"),
        ] as [(String, Int?, String)])
    func errorsNameTheLine(_ yaml: String, _ line: Int?, _ part: String) throws {
        let error = try #require(problem(yaml))
        #expect(error.line == line, "\(error)")
        #expect(error.message.contains(part), "\(error)")
    }

    @Test(arguments: [
        ("value: {u8: 300}", 1, "from 0 to 255"), ("value: {u9: 3}", 1, "did you mean 'u8'"),
        ("value: 5", 1, "a value is"),
        ("value: {u8: {wave: sine, min: 5, max: 1, period: 1 s}}", 1, "min is greater"),
        ("value: {u8: {wave: sin, min: 5, max: 9, period: 1 s}}", 1, "did you mean 'sine'"),
        ("value: {u8: {wave: sine, min: 5, max: 9, every: 1 s}}", 1, "unknown key 'every'"),
        ("notifyEvery: 1 s", 1, "notify or indicate"), ("onWrite: {echo: true}", 1, "requires the property"),
        ("security: high", 1, "Allowed: none"), ("permissions: [redable]", 1, "did you mean 'readable'"),
        ("descriptors: [{uuid: 2902, value: {hex: '00'}}]", 1, "takes no 'value'"),
    ])
    func errorsOfCharacteristicsNameTheLine(_ entry: String, _ line: Int, _ part: String) throws {
        let yaml =
            "name: X\nservices:\n  - uuid: FFF0\n    characteristics:\n      - uuid: FFF1\n        properties: [read]\n"
        let error = try #require(problem(yaml + "        " + entry))
        #expect(error.line == 6 + line, "\(error)")
        #expect(error.message.contains(part), "\(error)")
    }

    @Test func writeBehaviourIsParsed() throws {
        let device = try DeviceFile(
            yaml: """
                name: X
                services:
                  - uuid: FFF0
                    characteristics:
                      - uuid: FFF1
                        properties: [write, writeWithoutResponse]
                        onWrite:
                          store: false
                          echo: true
                          reply:
                            - {when: "01 *", notify: {text: ok}}
                            - {when: "02", error: valueNotAllowed}
                            - {when: "*", error: 0x80, disconnect: true}
                      - {uuid: FFF2, properties: notify}
                """)
        let behaviour = device.services[0].characteristics[0].onWrite
        #expect(!behaviour.stores)
        #expect(behaviour.echoes)
        #expect(behaviour.replies.map(\.refusal) == [nil, .valueNotAllowed, ATTErrorCode(rawValue: 0x80)])
        #expect(behaviour.replies[0].notify == ValueTemplate(Array("ok".utf8)))
        #expect(behaviour.replies[2].disconnects)
        #expect(device.services[0].characteristic(answering: device.services[0].characteristics[0]) == 1)
    }

    @Test func repliesRequireACharacteristicThatNotifies() throws {
        let yaml =
            "name: X\nservices:\n  - uuid: FFF0\n    characteristics:\n      - {uuid: FFF1, properties: write, onWrite: {echo: true}}"
        let error = try #require(problem(yaml))
        #expect(error.line == 5)
        #expect(error.message.contains("no characteristic of its service notifies"))
    }

    @Test func allBuiltInFilesAreValid() throws {
        for (name, text) in BuiltIn.devices {
            let device = try DeviceFile(yaml: text, file: name)
            #expect(!device.name.isEmpty)
            // Fits in the packets of every adapter without cutting anything: a list of services is incomplete only
            // where the file names some of them.
            let data = try device.advertising.data(for: device)
            #expect(data.isServiceListComplete || device.advertising.services != nil)
            #expect(data.localName == nil || data.isNameComplete)
        }
        for (name, text) in BuiltIn.scenes {
            let count = try SceneFile(yaml: text, file: name).devices.count
            #expect(name == "empty" ? count == 0 : count >= 2, "\(name)")
        }
    }

    @Test func theStrapHasTheAttributesOfTheDemo() throws {
        let strap = try #require(try BuiltIn.device(named: "polar-h7"))
        #expect(strap.services.map(\.uuid) == ["180D", "180F", "180A"])
        #expect(strap.services[0].characteristics.map(\.uuid) == ["2A37", "2A38", "2A39"])
        #expect(strap.services[1].characteristics[0].value.fixedBytes == [85])
    }
}

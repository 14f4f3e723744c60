#if os(Linux)
import Foundation
import Testing

@testable import HaraldCommand

/// The interface for scripts: output, exit status, the end by a signal.
@Suite(.serialized, .timeLimit(.minutes(2))) final class ProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func run(_ arguments: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run(arguments, runtime: runtime)
    }

    private func objects(_ lines: [String]) throws -> [[String: Any]] {
        try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    @Test func scanPrintsAnObjectPerDevice() async throws {
        let (status, lines, _) = try await run("scan --adapter virtual: --timeout 1 --json")
        #expect(status == 0)
        let found = try objects(lines)
        #expect(found.count == 4)
        for key in ["id", "name", "rssi", "services", "connectable"] {
            #expect(found.allSatisfy { $0.keys.contains(key) }, "\(key)")
        }
        let strap = try #require(found.first { $0["name"] as? String == "Polar H7 4C1A2B" })
        #expect(strap["services"] as? [String] == ["180D"])
        #expect(strap["connectable"] as? Bool == true)
        #expect(Set(found.compactMap { $0["id"] as? String }).count == 4)
    }

    @Test func readAndNotifyPrintAnObjectPerValue() async throws {
        let read = try await run("read polar 180F/2A19 --adapter virtual: --json")
        #expect(read.status == 0)
        let value = try objects(read.lines)
        #expect(value.map { $0["hex"] as? String } == ["55"])
        #expect(value.map { $0["value"] as? Int } == [85])
        let notify = try await run("notify polar 180D/2A37 --count 3 --adapter virtual: --json")
        #expect(notify.status == 0)
        let rates = try objects(notify.lines)
        #expect(rates.count == 3)
        let fields = rates.compactMap { $0["fields"] as? [String: [String: Any]] }
        #expect(fields.allSatisfy { $0["heartRateMeasurementValue"]?["value"] is Int })
        #expect(fields.allSatisfy { $0["heartRateMeasurementValue"]?["unit"] as? String == "bpm" })
    }

    @Test func bytesAreDecodedOffline() async throws {
        let text = try await run("decode 2A37 0648")
        #expect(text.lines == ["heart rate             72 bpm", "sensor contact status  detected"])
        let json = try await run("decode 2A35 01A0F0FF070008 --json")
        #expect(
            json.lines == [
                #"{"diastolic":{"special":"NaN","unit":"kPa","value":null},"#
                    + #""meanArterialPressure":{"special":"NRes","unit":"kPa","value":null},"#
                    + #""systolic":{"unit":"kPa","value":16.0}}"#
            ])
        let short = try await run("decode 2A35 0178")
        #expect(short.status == 65)
        #expect(short.errors.contains("systolic: 2 bytes needed, 1 left"))
        #expect(try await run("decode FFF1 00").status == 66)
        #expect(try await run("decode 2A37").status == 64)
    }

    @Test func writesReachTheDevice() async throws {
        let wrote = try await run("write gadget FFF0/FFF1 AA BB --adapter virtual: --json")
        #expect(wrote.status == 0)
        #expect(try objects(wrote.lines).first?["acknowledged"] as? Bool == true)
        let silent = try await run("write gadget FFF0/FFF1 u16:500 --without-response --adapter virtual: --json")
        #expect(try objects(silent.lines).first?["acknowledged"] as? Bool == false)
        #expect(try objects(silent.lines).first?["hex"] as? String == "F401")
    }

    @Test(
        arguments: [
            ("read nobody 180F/2A19 --adapter virtual: --timeout 8", 66, "found: Gadget FFF0, Polar H7"),
            ("read h7 180F/2A19 --adapter virtual: --timeout 8", 66, "did you mean 'Polar H7 4C1A2B'?"),
            ("read polar FFF0/FFF1 --adapter virtual:", 66, "180D"),
            ("write polar 180F/2A19 00 --adapter virtual:", 1, "its properties are read"),
            ("read polar 2A37 --adapter virtual:", 1, "its properties are notify; 'harald notify polar 180D/2A37'"),
            ("read polar 180F/2A19 --adapter virtual: --timeout 0", 64, "above 0"),
            ("write polar 180D/2A39 02 --adapter virtual:", 1, "0x80"), ("scan --adapter usb:1", 64, "the forms are"),
            ("scan --adapter virtual:nowhere", 66, "no scene"),
            ("scan --adapter unix:/nonexistent/socket", 69, "/nonexistent/socket"),
            ("simulate", 64, "a device or a scene is missing"), ("run", 64, "a script is missing"),
            ("read polar", 64, "PATH"), ("simulate --check /nonexistent.yaml", 66, "does not exist"),
            ("frames x --protocol /nonexistent.yaml --adapter virtual:", 66, "does not exist"),
            ("uuid 2A37 --names /nonexistent.yaml", 66, "does not exist"),
            ("notify polar battery/ --adapter virtual: --timeout 8", 75, "no value arrived"),
            ("uuid xyzzy", 66, "xyzzy"),
            ("scan --service 1809 --adapter virtual: --timeout 8", 66, "the filter hid 4 devices"),
        ] as [(String, Int32, String)])
    func failuresHaveTheirExitStatus(_ arguments: String, _ status: Int32, _ part: String) async throws {
        let result = try await run(arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(part), "\(result.errors)")
    }

    @Test(
        arguments: [
            ("name: X\nservices:\n  - uuid: 180F\n    handle: 3\n", ":4:13: handles 3 to 3 overlap"),
            ("name: \(String(repeating: "n", count: 200))\n", ":1:7: the name has 200 bytes"),
            ("name: \(String(repeating: "\u{1F600}", count: 62))\n", ":1:7: the name has 248 bytes"),
        ])
    func checkRefusesFilesThatCannotRun(_ yaml: String, _ message: String) async throws {
        try await check(yaml, isRefusedWith: message)
    }

    @Test func checkRefusesTwoThousandServices() async throws {
        let services = String(repeating: "  - uuid: FFF0\n", count: 2000)
        try await check(
            "name: X\nservices:\n" + services, isRefusedWith: ":1003:5: a device may have at most 1000 services")
    }

    private func check(_ yaml: String, isRefusedWith message: String) async throws {
        let file = runtime.appendingPathComponent("wrong.yaml")
        try Data(yaml.utf8).write(to: file)
        let result = try await run("simulate --check \(file.path)")
        #expect(result.status == 65 && result.lines.isEmpty)
        #expect(result.errors.contains("\(file.path)\(message)"), "\(result.errors)")
    }

    @Test func treeReportsSkippedAttributes() async throws {
        let scene = runtime.appendingPathComponent("faulty.yaml")
        let text = """
            devices:
              - device:
                  name: Faulty
                  services:
                    - uuid: 180F
                      handle: 0x0020
                      includes: [maker]
                      characteristics:
                        - uuid: 2A19
                          properties: [read]
                          value: {u8: 85}
                          descriptors: [{uuid: 2803, value: {hex: "02 31 00 38 2A"}}]
                    - {uuid: 180A, name: maker, primary: false, handle: 0x0030}
                    - {uuid: FFF0, primary: false, handle: 0x0040}
            """
        try Data(text.utf8).write(to: scene)
        let tree = try await run("tree faulty --values --adapter virtual:\(scene.path)")
        #expect(tree.status == 0)
        #expect(tree.errors.contains("skipped 1 attribute that violates the specification: characteristic at 0x0024"))
        #expect(tree.lines.contains { $0.contains("180F Battery Service includes 180A #0x0030") })
        #expect(tree.lines.contains { $0.contains("2A19 Battery Level [read] #0x0023 = 85") })
        #expect(tree.lines.contains { $0.contains("180A Device Information (secondary)") })
        #expect(tree.lines.contains { $0.contains("FFF0 (secondary)") })
        let printed = try await run("tree faulty --json --adapter virtual:\(scene.path)")
        let json = try #require(try objects(printed.lines).first)
        #expect(json["skippedCount"] as? Int == 1)
        let skipped = try #require((json["skipped"] as? [[String: Any]])?.first)
        #expect(skipped["kind"] as? String == "characteristic" && skipped["handle"] as? Int == 0x24)
        let services = try #require(json["services"] as? [[String: Any]])
        #expect(services.compactMap { $0["primary"] as? Bool } == [true, true, true, false, false])
    }

    @Test func severalMatchingDevicesAreListed() async throws {
        let scene = runtime.appendingPathComponent("twins.yaml")
        try Data("devices: [{device: polar-h7}, {device: polar-h7, name: Polar H9}]".utf8).write(to: scene)
        let result = try await run("read polar 180F/2A19 --adapter virtual:\(scene.path)")
        #expect(result.status == 66)
        #expect(result.errors.contains("Polar H7 4C1A2B"))
        #expect(result.errors.contains("Polar H9"))
        #expect(try await run("read --pick first 180F/2A19 --adapter virtual:\(scene.path)").status == 0)
    }

    @Test(arguments: ["", "--reconnect"])
    func twoProcessesShareAnAirAndControlCDisconnects(_ option: String) async throws {
        let simulate = try ProgramProcess("simulate polar-h7 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let notify = try ProgramProcess("notify polar 180D/2A37 --adapter virtual: \(option)", runtime: runtime)
        defer { notify.signal(SIGKILL) }
        var values = notify.lines.makeAsyncIterator()
        #expect(await values.next()?.contains("bpm") == true)
        notify.signal(SIGINT)
        #expect(await notify.end.status == 130)
        var told: [String] = []
        while let event = await events.next() {
            told.append(event)
            if event.contains("disconnected") { break }
        }
        // The device received the events in order: unsubscribed first, then disconnected by its user.
        let place = try #require(told.firstIndex { $0.contains("unsubscribed") })
        #expect(place < told.count - 1)
        #expect(try #require(told.last).contains("0x13"))
        simulate.signal(SIGTERM)
        #expect(await simulate.end.status == 143)
        // The socket was removed.
        #expect(!FileManager.default.fileExists(atPath: runtime.appendingPathComponent("harald/air.sock").path))
    }

    @Test(arguments: ["", "--json"]) func scanPrintsDevicesWhenFound(_ option: String) async throws {
        let scan = try ProgramProcess("scan --adapter virtual: --timeout 0 \(option)", runtime: runtime)
        defer { scan.signal(SIGKILL) }
        var lines = scan.lines.makeAsyncIterator()
        if option.isEmpty { #expect(await lines.next() == DeviceList.title) }
        // With the data of the scan response, although the scan continues. Another device may be heard before.
        var strap: String?
        while strap == nil, let line = await lines.next() { strap = line.contains("Polar H7 4C1A2B") ? line : nil }
        #expect(strap?.contains("Polar Electro OY") == true, "\(strap ?? "the scan ended")")
        scan.signal(SIGINT)
        #expect(await scan.end.status == 130)
    }

    @Test func aRestartedDeviceHasTheSameIdentity() async throws {
        let air = try ProgramProcess("air empty", runtime: runtime)
        defer { air.signal(SIGKILL) }
        var offers = air.lines.makeAsyncIterator()
        #expect(await offers.next()?.contains("serving") == true)
        func simulate() async throws -> (ProgramProcess, address: String) {
            let device = try ProgramProcess("simulate polar-h7 --json --adapter virtual:", runtime: runtime)
            var lines = device.lines.makeAsyncIterator()
            let object = try objects([try #require(await lines.next())])[0]
            return (device, try #require(object["address"] as? String))
        }
        let (first, address) = try await simulate()
        defer { first.signal(SIGKILL) }
        // A concurrent device with the same name is a different device.
        let (second, other) = try await simulate()
        defer { second.signal(SIGKILL) }
        #expect(address != other)
        first.signal(SIGKILL)
        _ = await first.end
        let (again, same) = try await simulate()
        defer { again.signal(SIGKILL) }
        #expect(same == address)
    }

    @Test(arguments: ["", "--reconnect"]) func aRemovedAdapterIsTheReportedReason(_ option: String) async throws {
        let simulate = try ProgramProcess("simulate polar-h7 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let notify = try ProgramProcess("notify polar 180D/2A37 --adapter virtual: \(option)", runtime: runtime)
        defer { notify.signal(SIGKILL) }
        var values = notify.lines.makeAsyncIterator()
        #expect(await values.next()?.contains("bpm") == true)
        simulate.signal(SIGKILL)
        let end = await notify.end
        #expect(end.status == 69)
        #expect(end.errors.contains("the adapter is no longer available"))
        // The message is printed once, and without log messages of a library.
        #expect(end.errors.components(separatedBy: "closed the connection").count == 2, "\(end.errors)")
    }

    @Test func theEndOfALinkIsNoFailedSubscription() async throws {
        let scene = runtime.appendingPathComponent("dies.yaml")
        try Data("devices: [{device: polar-h7, faults: {silentAfter: 10 s}}]\n".utf8).write(to: scene)
        let result = try await run("notify polar 2A37 --adapter virtual:\(scene.path)")
        #expect(result.status == 1 && !result.lines.isEmpty, "\(result.errors)")
        let message = try #require(result.errors.split(separator: "\n").last)
        #expect(message.contains("receive values of 2A37") && message.contains("connection timeout"), "\(message)")
    }

    @Test func closedOutputEndsQuietly() async throws {
        let notify = try ProgramProcess("notify polar 180D/2A37 --adapter virtual:clinic", runtime: runtime)
        defer { notify.signal(SIGKILL) }
        var values = notify.lines.makeAsyncIterator()
        #expect(await values.next() != nil)
        notify.closeOutput()
        #expect(await notify.end.status == 0)
        #expect(await notify.end.errors.split(separator: "\n").allSatisfy { $0.contains("without limit") })
    }

    @Test func dashboardPrintsReadingsInAPipe() async throws {
        let result = try await run(
            "deanna --adapter virtual:sensortags --sensors temperature,barometer --period 0.2 --count 8 --json")
        #expect(result.status == 0, "\(result.errors)")
        let readings = try objects(result.lines)
        #expect(readings.count == 8)
        #expect(Set(readings.compactMap { $0["sensor"] as? String }).isSubset(of: ["temperature", "barometer"]))
        for reading in readings where reading["sensor"] as? String == "temperature" {
            let ambient = (reading["fields"] as? [String: [String: Any]])?["ambient"]
            #expect(ambient?["unit"] as? String == "°C")
            #expect((19...25).contains(ambient?["value"] as? Double ?? 0))
        }
        #expect(try await run("deanna --sensors warmth").status == 64)
    }

    @Test func monitorCollectsReadingsOfEveryDevice() async throws {
        let process = try ProgramProcess("monitor --adapter virtual:clinic --yes --json", runtime: runtime)
        defer { process.signal(SIGKILL) }
        // The measurements of each device of the clinic; those with records send twelve and more.
        var wanted: Set<String> = [
            "Heart Rate Measurement", "Temperature Measurement", "Blood Pressure Measurement", "Glucose Measurement",
            "Glucose Measurement Context", "CGM Measurement", "Weight Measurement", "Body Composition Measurement",
            "PLX Continuous Measurement Characteristic", "Weight", "Blood Pressure",
        ]
        for await line in process.lines {
            let reading = try #require(try objects([line]).first)
            #expect(reading["fields"] is [String: Any])
            wanted.remove(reading["measurement"] as? String ?? "")
            if wanted.isEmpty { break }
        }
        #expect(wanted.isEmpty)
        process.signal(SIGINT)
        #expect(await process.end.status == 130)
        let csv = try await run("monitor glucose --adapter virtual:clinic --csv --count 2")
        #expect(csv.status == 0)
        #expect(csv.lines.first == "time,reading,device,name,measurement,stored,field,value,unit,special")
        #expect(csv.lines.contains { $0.hasSuffix(",Glucose Measurement,yes,sequenceNumber,1,,") })
    }

    @Test func monitorKeepsTheOrderOfRecords() async throws {
        let result = try await run("monitor glucose --adapter virtual:clinic --json --count 18")
        #expect(result.status == 0, "\(result.errors)")
        let readings = try objects(result.lines)
        #expect(readings.allSatisfy { $0["stored"] as? Bool == true })
        let records = readings.map { reading in
            let number = (reading["fields"] as? [String: Any])?["sequenceNumber"] as? Int ?? 0
            return "\(number)" + ((reading["measurement"] as? String)?.hasSuffix("Context") == true ? "c" : "")
        }
        // Every second measurement has a context, which follows it.
        #expect(records == (1...12).flatMap { $0 % 2 == 0 ? ["\($0)", "\($0)c"] : ["\($0)"] })
    }

    @Test func continuousGlucoseMonitorsHaveTheirFields() async throws {
        let result = try await run("monitor cgm --adapter virtual:clinic --csv --count 2")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.contains { $0.hasSuffix(",CGM Measurement,yes,cgmGlucoseConcentration,125,mg/dL,") })
        #expect(result.lines.contains { $0.hasSuffix(",CGM Measurement,yes,timeOffset,5,min,") })
    }

    @Test func missingSensorsOfATagAreReported() async throws {
        let none = try await run("deanna SensorTag --adapter virtual:sensortags --sensors light --timeout 1")
        #expect(none.status == 66)
        #expect(none.errors.contains("SensorTag (CC2541) has no light sensor; it has temperature, humidity"))
        // If another tag has the sensor, the command continues.
        let other = try await run("deanna --adapter virtual:sensortags --sensors light --count 1 --json")
        #expect(other.status == 0, "\(other.errors)")
        #expect(other.lines.count == 1)
    }

    @Test func scanEstimatesDistances() async throws {
        let json = try await run("scan --distance --timeout 2 --adapter virtual: --json")
        let strap = try #require(try objects(json.lines).first { ($0["name"] as? String)?.hasPrefix("Polar") == true })
        let distance = try #require(strap["distance"] as? [String: Any])
        #expect(distance["metres"] as? Double == 1)
        #expect(distance["exponent"] as? Double == 2)
        let table = try await run("scan --distance --timeout 2 --adapter virtual:")
        #expect(table.lines.first?.contains("DISTANCE") == true)
    }

    @Test func demoShowsEveryStep() async throws {
        let (status, lines, errors) = try await run("demo --for 5")
        #expect(status == 0, "\(errors)")
        for part in [
            "Polar H7", "2A37 Heart Rate Measurement", "85 %", "chest", "bpm", "without response", "reconnected",
            "--adapter virtual:",
        ] {
            #expect(lines.contains { $0.contains(part) }, "\(part)")
        }
    }

    @Test func demoWithoutItsDevicesIsAnError() async throws {
        let scene = runtime.appendingPathComponent("empty.yaml")
        try Data("devices: [{device: ibeacon}]".utf8).write(to: scene)
        let result = try await run("demo --adapter virtual:\(scene.path)")
        #expect(result.status == 66)
        #expect(result.errors.contains("harald simulate default"))
    }
}
#endif

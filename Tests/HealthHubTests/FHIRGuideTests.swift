#if os(Linux)
import Foundation
import JSON
import PeerSupport
import Testing

@testable import HealthHub

/// Bundles of the hub, judged by `Tests/Peers/phd.py`.
@Suite("HL7's Personal Health Device guide", .timeLimit(.minutes(2)))
struct FHIRGuideTests {
    private func judge(_ bundle: String, in directory: URL) async throws -> (lines: [String], exit: PeerExit) {
        let path = directory.appending(path: "bundle.json").path
        try Data(bundle.utf8).write(to: URL(fileURLWithPath: path))
        let process = try PeerProcess(Peers.python, [Peers.file("phd.py"), path])
        var lines: [String] = []
        for await line in process.lines { lines.append(line.text) }
        return (lines, await process.exit())
    }

    @Test(
        "Every kind of reading keeps the rules, and a fault is found",
        .enabled(if: Peers.areAvailable, Comment(rawValue: Peers.howToGetThem)))
    func kinds() async throws {
        let temporary = try TemporaryStore()
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.assign("D-1", to: anna.id)
        let fields = [
            #"{"weight":{"value":"70.50","unit":"kg"},"bmi":24.1}"#, #"{"temperature":{"value":"36.60","unit":"°C"}}"#,
            #"{"spO2":97,"pulseRate":60}"#, #"{"heartRate":61}"#, #"{"bodyFat":{"value":22.1,"unit":"%"}}"#,
            #"{"glucose":{"value":"5.5","unit":"mmol/L"},"type":1}"#,
            #"{"glucose":{"value":99,"unit":"mg/dL"},"type":10}"#, #"{"systolic":{"special":"NaN"},"diastolic":88}"#,
            #"{"spO2":{"special":"+INF"},"pulseRate":60}"#,
        ]
        var readings = try fields.enumerated().map {
            try SubmittedReading.ofOneDevice(json: $1, time: "2026-11-10T10:00:0\($0)")
        }
        var cuff = try SubmittedReading.ofOneDevice("2A35", hex: "1E8E0058006900EA070B140800004800010000", time: nil)
        cuff.device = .init(serial: "D-1", systemID: "0011223344556677", address: "02:48:41:00:00:06")
        (cuff.clockOffset, cuff.simulated) = (3600, true)
        readings.append(cuff)
        let stored = try temporary.store.store(readings, gateway: "kitchen")
        #expect(stored.results.allSatisfy { $0.status == .stored })
        let bundle = try #require(try temporary.store.fhirBundle(of: anna.id)).text
        let found = try await judge(bundle, in: temporary.directory)
        #expect(found.exit == .status(0) && found.lines.count == 1, "\(found.lines)")
        let summary = try JSONValue(parsing: Array((found.lines.last ?? "").utf8))
        #expect(summary["profiles"]?["PhdCoincidentTimeStampObservation"]?.integer == 1)
        #expect(summary["profiles"]?["PhdNumericObservation"]?.integer ?? 0 >= 6)
        #expect(summary["profiles"]?["PhdCompoundNumericObservation"]?.integer ?? 0 >= 2)
        for (text, other) in [
            (#""code":"phd""#, #""code":"phx""#), (#""code":"mm[Hg]","#, ""), (#""status":"final","#, ""),
        ] {
            let faulty = try await judge(bundle.replacing(text, with: other), in: temporary.directory)
            #expect(faulty.exit == .status(1), "\(text)")
        }
    }
}
#endif

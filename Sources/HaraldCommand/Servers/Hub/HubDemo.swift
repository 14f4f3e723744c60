import Foundation
import HealthHub

/// A demonstration hub: a month of simulated history, a simulated clinic, and a monitor that sends to the hub.
final class HubDemo: Sendable {
    private let directory: URL
    private let monitor: HubMonitor

    var store: String { directory.appending(path: "hub.sqlite").path }

    /// Creates the store.
    /// - Throws: ``HubProblem``, or an error of the file system.
    init(json: Bool) throws {
        monitor = HubMonitor(adapter: "virtual:clinic", pairing: ["--yes"], json: json)
        directory = FileManager.default.temporaryDirectory.appending(
            path: "hub-demo-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            let store = try HubStore(path: store, assessor: Assessor())
            defer { try? store.close() }
            try Self.fill(store, now: Date())
            let token = try store.addToken(name: "clinic", role: .gateway)
            try token.write(to: directory.appending(path: "token"), atomically: true, encoding: .utf8)
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
    }

    /// Adds the people, their devices and their month: one is overdue, one has an urgent value that nobody has seen,
    /// and one has an urgent value that somebody has.
    static func fill(_ store: HubStore, now: Date, zone: TimeZone = .current) throws {
        func person(
            _ name: String, _ born: String, height: PersonChange.Height, devices: [String],
            _ change: (inout PersonChange) -> Void = { _ in }
        ) throws -> Int64 {
            var new = PersonChange(name: "\(name) (simulated)", born: born)
            new.height = height
            change(&new)
            let id = try store.addPerson(new).id
            for device in devices { _ = try store.assign(device, to: id) }
            return id
        }
        let anna = try person(
            "Anna", "1961-04-30", height: "1.68 m",
            devices: ["BP0001", "HS0001", "4C1A2B0017", "PO0001", "Ear Thermometer"]
        ) { ($0.targets, $0.every) = (["systolic=120..129 mmHg"], ["bloodPressure=1", "weight=7"]) }
        _ = try person(
            "Ben", "1974-11-02", height: "1.82 m",
            devices: ["GM0001", "CG0001", "BP0002", "eBlood-Pressure", "eBody-Scale"]
        ) { ($0.diabetes, $0.targets, $0.every) = (true, ["glucose=4.4..7.8 mmol/L"], ["glucose=1"]) }
        let clara = try person("Clara", "1989-07-16", height: "1.71 m", devices: [])
        // Two people use the scale.
        _ = try store.assign("HS0001", to: clara, user: 2)
        _ = try person("David", "1952-01-19", height: "1.76 m", devices: ["BP0003"]) { $0.every = ["bloodPressure=2"] }
        _ = try person("Emma", "1994-09-08", height: "1.65 m", devices: ["BP0004"]) { $0.pregnant = true }
        let history = DemoHistory(now: now, zone: zone).readings
        for start in stride(from: 0, to: history.count, by: HubStore.largestBatch) {
            let end = min(start + HubStore.largestBatch, history.count)
            _ = try store.store(Array(history[start..<end]), gateway: "history")
        }
        let doctor = "Dr. Weber (simulated)"
        try store.addNote(
            "New medicine in the morning; pressure twice a day until the next visit.", about: anna, by: doctor)
        if let notice = try store.state(of: anna)?.notices.first(where: \.urgent) {
            try store.acknowledge(notice.code, measured: notice.time, of: anna, by: doctor)
        }
    }

    /// Starts the clinic and the monitor.
    func start(url: String) {
        let (token, queue) = (directory.appending(path: "token").path, directory.appending(path: "queue").path)
        monitor.use { HubMonitor.Target(url: url, tokenFile: token, queue: queue) }
        monitor.start()
    }

    /// Ends the clinic and the monitor.
    func stop() async { await monitor.stop() }

    func remove() { try? FileManager.default.removeItem(at: directory) }
}

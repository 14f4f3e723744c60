import Foundation
import HealthHub

/// A demonstration hub: a month of simulated history, a simulated clinic, and a monitor that sends to the hub.
final class HubDemo: Sendable {
    private let directory: URL
    private let monitor: HubMonitor

    /// The path of the store.
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
            let anna = try store.addPerson(name: "Anna (simulated)", born: "1961-04-30").id
            let ben = try store.addPerson(
                name: "Ben (simulated)", born: "1974-11-02", guideline: .accAHA, height: Decimal(string: "1.82")
            ).id
            for device in ["BP0001", "HS0001", "4C1A2B0017", "PO0001", "Ear Thermometer"] {
                _ = try store.assign(device, to: anna)
            }
            for device in ["GM0001", "CG0001", "BP0002", "eBlood-Pressure", "eBody-Scale"] {
                _ = try store.assign(device, to: ben)
            }
            _ = try store.changePerson(ben) { $0.settings.diabetes = true }
            // Two people use the scale.
            let clara = try store.addPerson(name: "Clara (simulated)", born: "1989-07-16").id
            _ = try store.assign("HS0001", to: clara, user: 2)
            _ = try store.changePerson(anna) { person in
                try person.settings.change(
                    targets: ["systolic=120..129 mmHg"], withoutTargets: [], every: ["bloodPressure=1", "weight=7"])
            }
            let history = DemoHistory(now: Date()).readings
            for start in stride(from: 0, to: history.count, by: HubStore.largestBatch) {
                let end = min(start + HubStore.largestBatch, history.count)
                _ = try store.store(Array(history[start..<end]), gateway: "history")
            }
            let token = try store.addToken(name: "clinic", role: .gateway)
            try token.write(to: directory.appending(path: "token"), atomically: true, encoding: .utf8)
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw error
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

    /// Removes the store.
    func remove() { try? FileManager.default.removeItem(at: directory) }
}

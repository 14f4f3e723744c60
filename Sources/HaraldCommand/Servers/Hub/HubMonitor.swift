import ArgumentParser
import Foundation
import Harald
import HealthHub
import HealthHubWeb
import Synchronization

/// A monitor in the process of the hub. It collects from the devices near, and sends to the hub with its own token.
final class HubMonitor: HubMonitoring {
    struct Target: Sendable {
        let url, tokenFile: String
        let queue: String
        /// The certificate that the hub has signed itself; nil without one.
        var certificates: String?
    }

    private struct State {
        var target: (@Sendable () async throws -> Target)?
        var task: Task<Void, Never>?
        var problem: String?
        /// True while answers of the hub are not printed, because somebody answers questions.
        var isQuiet = false
        var devices: [String: MonitorStatus.Device] = [:]
        /// The devices of nobody whose first reading was printed.
        var ofNobody: Set<String> = []
    }

    /// The address of the adapter; nil for that of the machine.
    private let adapter: String?
    private let pairing: [String]
    private let form: MonitorForm
    private let state = Mutex(State())

    /// - Parameter pairing: the options for pairing, as of `harald monitor`.
    init(adapter: String?, pairing: [String] = [], json: Bool) {
        (self.adapter, self.pairing, form) = (adapter, pairing, json ? .json : .text)
    }

    /// Sets the target, before ``start()``, which calls `make`.
    func use(_ make: @escaping @Sendable () async throws -> Target) { state.withLock { $0.target = make } }

    /// Prints the answers of the hub, or not.
    func setQuiet(_ isQuiet: Bool) { state.withLock { $0.isQuiet = isQuiet } }

    var status: MonitorStatus {
        state.withLock { state in
            MonitorStatus(
                isRunning: state.task != nil, problem: state.problem,
                devices: state.devices.values.sorted { ($0.name, $0.address) < ($1.name, $1.address) })
        }
    }

    func start() {
        state.withLock { state in
            guard state.task == nil, let target = state.target else { return }
            state.problem = nil
            state.task = Task {
                do {
                    try await self.run(target())
                } catch {
                    guard !Task.isCancelled else { return }
                    let problem = ProgramError(error).message
                    Console.message("the monitor of the hub ended: \(problem)")
                    self.state.withLock { ($0.task, $0.problem) = (nil, problem) }
                }
            }
        }
    }

    /// Waits until the monitor has ended by itself; returns at once if it does not run.
    func waitUntilEnded() async { await state.withLock { $0.task }?.value }

    /// Tells the monitor to end. What is queued is sent after the next start.
    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Ends the monitor, and waits for it.
    func stop() async {
        cancel()
        await waitUntilEnded()
    }

    private func run(_ target: Target) async throws {
        let queue = try SendQueue(directory: target.queue)
        let (form, refused, printed) = (form, queue.refusedFile, PrintedReading())
        let sender = try ReadingSender(
            queue: queue, address: HubAddress(target.url), tokenFile: target.tokenFile,
            certificates: target.certificates,
            onEvent: { event in
                guard self.isShown(event) else { return }
                MonitorOutbox.report(event, refusedFile: refused, form: form, printed: printed)
            })
        let outbox = MonitorOutbox(queue: queue, sender: sender, form: form)
        let shared = try SharedOptions.parse(adapter.map { ["--adapter", $0] } ?? [])
        let delegate = try PairingOptions.parse(pairing).delegate
        try await closing {
            // Simulated readings would be stored as those of people.
            try await OpenedAdapter.run(shared, pairing: delegate, limit: .opening, replacesMissing: false) { opened in
                let monitor = HealthMonitor(
                    central: opened.central, patience: shared.patience, note: { _ in }, found: { self.note($0) },
                    report: { Console.message($0) }, emit: { try await outbox.keep($0) },
                    gateway: ProcessInfo.processInfo.hostName, isSimulated: opened.isSimulated,
                    clocks: try ClockHistory(directory: target.queue))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await monitor.run() }
                    group.addTask { await sender.run() }
                    try await group.next()
                    group.cancelAll()
                }
            }
        } with: {
            await sender.close()
        }
    }

    /// Returns false while somebody answers questions, and for further readings of a device that belongs to nobody,
    /// which would hide those of the people.
    private func isShown(_ event: ReadingSender.Event) -> Bool {
        state.withLock { state in
            guard !state.isQuiet else { return false }
            guard form == .text, case .answered(let answer) = event, answer.person == nil, answer.problem == nil else {
                return true
            }
            return state.ofNobody.insert(answer.device ?? "").inserted
        }
    }

    private func note(_ found: ScanResult) {
        let address = found.peripheral.address?.description ?? found.id.description
        let device = MonitorStatus.Device(name: found.name ?? "", address: address)
        // A clinic has hundreds.
        state.withLock { if $0.devices.count < 500 { $0.devices[address] = device } }
    }
}

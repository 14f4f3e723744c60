import Adapters
import BluetoothBackend
import BluetoothHost
import BluetoothRuntime
import CSimulation
import Foundation
import Harald
import Synchronization
import VirtualTransport

/// A running program: hosts on one air, and the model that checks them.
///
/// Proof of `@unchecked Sendable`: a single thread drives the world and runs all of its tasks (``Scheduler``).
final class World: @unchecked Sendable {
    let program: Program
    let scheduler: Scheduler
    let trace: Trace
    let radio: VirtualRadio
    let hosts: [SimulatedHost]
    /// The directory of the hosts' files; nil if they store none.
    private let files: String?
    var operations: [Operation] = []
    /// The operations in progress.
    var running: [Operation] = []
    /// The number of steps that have begun.
    private(set) var stepCount = 0
    private(set) var failure: Failure?
    /// The number of effective steps of each verb.
    var tally: [Verb: Int] = [:]
    /// The number of the last written value, over all hosts and characteristics.
    var writeCount = 0
    /// Objects of the public API, which must be released in the end.
    var objects: [WeakObject] = []
    /// True if the program drops packets between hosts and controllers.
    let losesPackets: Bool
    /// The time of the next check for violations of the protocol.
    var nextProtocolCheck = RadioInstant.start
    /// The time of the last one.
    var lastProtocolCheck = RadioInstant.start
    /// When the program last cancelled an operation.
    var lastCancellation: RadioInstant?
    /// True since the end of the program.
    var isRecovering = false
    /// True while every operation must succeed.
    var allIsWell = false
    /// True while everything is being closed.
    var isOver = false
    /// The number of adapters that an earlier world left open.
    let openBefore = AdapterRegistry.shared.openCount

    struct WeakObject {
        let name: String
        weak var object: AnyObject?
    }

    init(_ program: Program, keepsLines: Bool = false) {
        self.program = program
        losesPackets = program.steps.contains { $0.verb == .lose }
        let scheduler = Scheduler(seed: program.seed, isLate: program.isLate)
        let trace = Trace(keepsLines: keepsLines)
        self.scheduler = scheduler
        self.trace = trace
        let lines = (0..<program.hosts).map { index in
            HostLine(host: index, trace: trace, clock: scheduler.clock, program: program)
        }
        let bound = UncheckedLines(lines: lines)
        let radio = VirtualRadio(
            loop: scheduler.loop, pace: program.isPaced ? .connectionInterval : .unpaced, seed: program.seed
        ) { channel, name in
            SimulatedChannel(channel, bound.lines[Int(name.prefix { $0 != "." }) ?? 0])
        }
        self.radio = radio
        let files = program.keepsFiles ? Self.emptyDirectory() : nil
        self.files = files
        hosts = lines.map { line in
            SimulatedHost(
                line.host, radio: radio, line: line, log: DeviceLog(host: line.host, clock: scheduler.clock),
                directory: files.map { "\($0)/h\(line.host)" },
                door: program.coreDevice == line.host
                    ? .coreDevice : program.coreCentral == line.host ? .coreCentral : .harald,
                program: program)
        }
    }

    /// Proof of `@unchecked`: used only on the loop of the world, whose thread is the one that created them.
    private struct UncheckedLines: @unchecked Sendable { let lines: [HostLine] }

    /// Returns an empty directory for this process.
    private static func emptyDirectory() -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("harald-simulate-\(ProcessInfo.processInfo.processIdentifier)").path
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// The octets that each file of the hosts may have, because their disk is full; nil while there is room.
    var room: Int? { didSet { simulation_limit_files(room ?? -1) } }

    /// Removes the files of the hosts.
    func removeFiles() { if let files { try? FileManager.default.removeItem(atPath: files) } }

    var now: RadioInstant { scheduler.now }

    /// Records a violation; only the first one is kept.
    func fail(_ invariant: Failure.Invariant, _ detail: String) {
        guard failure == nil else { return }
        failure = Failure(invariant: invariant, step: stepCount, time: now.nanoseconds, detail: detail)
    }

    // MARK: Running

    /// Runs the program and checks that nothing remains.
    func run() {
        defer {
            room = nil
            removeFiles()
        }
        let numbers = RandomNumbers(seed: program.seed)
        SecurityRandom.simulated.withLock { source in
            source = { numbers.bytes($0) }
        }
        scheduler.takeOver()
        Self.takeOverMailboxes()
        for host in hosts {
            begin(Step(time: 0, host: host.index, verb: .open))
            begin(Step(time: 0, host: host.index, verb: .join))
        }
        guard pass(.seconds(1)) else { return }
        let start = now
        for step in program.steps {
            guard advance(to: start + .milliseconds(step.time)) else { return }
            stepCount += 1
            for host in hosts { host.disk?.look(at: now) }
            trace.add(now.nanoseconds, Array(step.description.utf8), "step \(stepCount): \(step)")
            begin(step)
        }
        guard advance(to: start + .seconds(program.seconds)) else { return }
        guard recovers(), worksAgain() else { return }
        closeAll()
    }

    /// Advances the time. Returns false after a violation.
    func pass(_ duration: Duration) -> Bool { advance(to: now + duration) }

    func advance(to end: RadioInstant) -> Bool {
        let reached = scheduler.advance(to: end) {
            if let late = running.first(where: { $0.limit < now }) {
                fail(.time, "'\(late.step)' began at \(Trace.text(of: late.start.nanoseconds)) and has not ended")
            }
            checkProtocolNowAndThen()
            return failure == nil
        }
        if !reached { fail(.livelock, "the turn does not end") }
        return failure == nil
    }

    /// Runs a closure on the loop at once.
    func onLoop(_ body: () -> Void) {
        let done = scheduler.loop.runInline(body)
        if !done { fail(.livelock, "the loop still has work") }
    }

    /// The controller of a host, for use on the loop; nil while its adapter is not open.
    func controller(_ host: Int) -> VirtualController? { radio.controller(named: hosts[host].adapterName) }
}

/// Random numbers that several parts of the stack consume in turn.
private final class RandomNumbers: Sendable {
    private let generator: Mutex<SimulationGenerator>
    init(seed: UInt64) { generator = Mutex(SimulationGenerator(seed: seed, for: "keys")) }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
    }
}

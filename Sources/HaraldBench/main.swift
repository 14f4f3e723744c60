import Adapters
import BluetoothBackend
import BluetoothModel
import Harald

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

let usage = """
    usage: harald-bench srv ADDRESS
           harald-bench [--mode seam|async|executor|corebluetooth] [--only NAME,...]
                        cli ADDRESS LABEL READS OPERATIONS READ NOTIFY SINK CONTROL STATS
           harald-bench reports ADDRESS COUNT LABEL
           harald-bench links [LINKS ...]
           harald-bench discovery [SERVICES ...]
           harald-bench subscribers [SUBSCRIBERS ...]
           harald-bench idle ADDRESS SECONDS
           harald-bench micro [COUNT]
           harald-bench decode FILE SECONDS
           harald-bench soak cycles ADAPTER NAME COUNT SERVICE READ NOTIFY
           harald-bench soak day|scan HOURS

    srv and cli are the two ends of a measurement over two controllers that are linked with each other. ADDRESS is
    unix:PATH, seq:PATH or tcp:PORT; the five numbers are the handles that srv prints after HANDLES. The client prints
    one line per measurement: read20, notify20, notify244, wwr20, wwr244, channel65536 (65,536 octets through
    an L2CAP channel, once for each 200 operations; not with corebluetooth), or those of --only. Mode seam uses
    callbacks, async the library in a separate task, executor the library in a task on the adapter's executor,
    corebluetooth Apple's API with its delegates on a separate queue (Linux).
    With several addresses, separated by commas, cli measures that many adapters at once, each with a server of its own.
    reports receives COUNT advertising reports from the controller at ADDRESS. idle connects to srv and counts wake-ups.
    links reads over that many links at once, discovery discovers databases with that many services, subscribers sends
    values to that many subscribers, and micro runs small benchmarks: all four inside this process, on the virtual air.
    decode decodes the advertisements in FILE, one in hexadecimal on each line, again and again.
    soak is for Benchmarks/soak.py: cycles connects to the device NAME that often; day (200 devices, 20 links) and scan
    (20 devices with private addresses) simulate that many hours. All print their progress.

    """

/// Opens the adapter at `address`.
func open(_ address: String) async throws -> AdapterLease {
    let digits = address.hasPrefix("tcp:") ? address.dropFirst(4) : ""
    let uri = UInt16(digits) == nil ? address : "tcp:127.0.0.1:\(digits)"
    return try await AdapterRegistry.shared.open(.uri(uri), options: AdapterOptions(storage: .none))
}

/// Returns the numbers after the command; `usual` if there are none.
func sizes(_ arguments: [String], or usual: [Int]) throws -> [Int] {
    let sizes = arguments.dropFirst().map { Int($0) ?? 0 }
    guard sizes.allSatisfy({ $0 > 0 }) else {
        throw BenchFailure("the arguments of \(arguments[0]) must be numbers above 0", status: 64)
    }
    return sizes.isEmpty ? usual : sizes
}

/// Runs a long run.
func soak(_ arguments: [String]) async throws {
    func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw BenchFailure("'\(text)' must be a number above 0", status: 64)
        }
        return number
    }
    switch (arguments[0], arguments.count) {
    case ("cycles", 7):
        try await Soak.cycles(
            address: arguments[1], name: arguments[2], count: try number(arguments[3]), path: Array(arguments[4...]))
    case ("day", 2): try await Soak.day(hours: try number(arguments[1]))
    case ("scan", 2): try await Soak.scan(hours: try number(arguments[1]))
    default: throw BenchFailure(usage, status: 64)
    }
}

/// Runs the client of a measurement on one adapter.
func measure(_ address: String, _ plan: ClientPlan, mode: String) async throws {
    switch mode {
    case "seam": try await BenchRun.clientOnSeam(try await open(address), plan)
    case "corebluetooth": try await BenchRun.clientOnCoreBluetooth(address, plan)
    default: try await BenchRun.clientOnFrontDoor(address, plan, onExecutor: mode == "executor")
    }
}

/// Runs the command of the arguments. Returns the exit status.
@concurrent
func run(_ all: [String]) async -> Int32 {
    var arguments = all
    var mode = "seam"
    var measurements = ClientPlan.Measurement.all
    do {
        while arguments.count > 1, let option = arguments.first, option.hasPrefix("--") {
            if option == "--mode" {
                mode = arguments[1]
            } else if option == "--only" {
                let names = arguments[1].split(separator: ",").map(String.init)
                measurements = ClientPlan.Measurement.all.filter { names.contains($0.name) }
            } else {
                throw BenchFailure("unknown option \(option)", status: 64)
            }
            arguments.removeFirst(2)
        }
        guard ["seam", "async", "executor", "corebluetooth"].contains(mode) else {
            throw BenchFailure("--mode must be seam, async, executor or corebluetooth, not '\(mode)'", status: 64)
        }
        switch (arguments.first, arguments.count) {
        case ("srv", 2): try await BenchRun.serve(try await open(arguments[1]))
        case ("cli", 10):
            let numbers = arguments[3...].compactMap { UInt32($0) }
            guard numbers.count == 7 else {
                throw BenchFailure("READS, OPERATIONS and the handles must be numbers", status: 64)
            }
            let handles = numbers[2...].map { AttributeID(rawValue: $0) }
            let plan = ClientPlan(
                measurements: measurements, label: arguments[2], reads: Int(numbers[0]), operations: Int(numbers[1]),
                read: handles[0],
                notify: handles[1], sink: handles[2], control: handles[3], stats: handles[4])
            try await withThrowingTaskGroup(of: Void.self) { [mode] group in
                for address in arguments[1].split(separator: ",").map(String.init) {
                    group.addTask { try await measure(address, plan, mode: mode) }
                }
                try await group.waitForAll()
            }
        case ("reports", 4):
            guard let count = Int(arguments[2]), count > 0 else {
                throw BenchFailure("COUNT must be a number above 0", status: 64)
            }
            try await ReportsBench.run(address: arguments[1], count: count, label: arguments[3])
        case ("links", _): try await LinksBench.run(try sizes(arguments, or: [1, 10, 100, 1000]))
        case ("subscribers", _): try await SubscribersBench.run(try sizes(arguments, or: [1, 10, 100]))
        case ("idle", 3):
            guard let seconds = Int(arguments[2]), (1...3600).contains(seconds) else {
                throw BenchFailure("SECONDS must be a number from 1 to 3600", status: 64)
            }
            try await IdleBench.run(address: arguments[1], seconds: seconds)
        case ("discovery", _): try await DiscoveryBench.run(try sizes(arguments, or: [1, 10, 100, 1000]))
        case ("soak", 3...): try await soak(Array(arguments.dropFirst()))
        case ("decode", 3):
            guard let seconds = Int(arguments[2]), (1...3600).contains(seconds) else {
                throw BenchFailure("SECONDS must be a number from 1 to 3600", status: 64)
            }
            try DecodeBench.run(path: arguments[1], seconds: seconds)
        case ("micro", 1): try await MicroBenchmarks.run(count: 20_000)
        case ("micro", 2):
            guard let count = Int(arguments[1]), count > 0 else {
                throw BenchFailure("COUNT must be a number above 0", status: 64)
            }
            try await MicroBenchmarks.run(count: count)
        default:
            complain(usage)
            return 64
        }
        return 0
    } catch {
        complain("harald-bench: \(error)\n")
        return (error as? BenchFailure)?.status ?? 1
    }
}

// The main thread only waits and does not affect the measurements.
let arguments = Array(CommandLine.arguments.dropFirst())
Task.detached { exit(await run(arguments)) }
while true { pause() }

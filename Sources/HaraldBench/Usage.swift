import BluetoothModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The processor time of this process, in microseconds, and the number of its voluntary context switches.
struct Usage {
    var user: UInt64
    var system: UInt64
    var switches: UInt32

    static var now: Usage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func microseconds(_ time: timeval) -> UInt64 { UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_usec) }
        return Usage(
            user: microseconds(usage.ru_utime), system: microseconds(usage.ru_stime), switches: UInt32(usage.ru_nvcsw))
    }

    static func - (left: Usage, right: Usage) -> Usage {
        Usage(
            user: left.user - right.user, system: left.system - right.system, switches: left.switches - right.switches)
    }
}

/// The statistics of one side of a measurement: 32 bytes, least significant first.
struct Statistics {
    var usage = Usage(user: 0, system: 0, switches: 0)
    var sinkBytes: UInt64 = 0
    var sinkCount: UInt32 = 0

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.uint64(usage.user)
        writer.uint64(usage.system)
        writer.uint64(sinkBytes)
        writer.uint32(sinkCount)
        writer.uint32(usage.switches)
        return writer.bytes
    }

    init() {}

    init?(_ view: ByteView) {
        var reader = ByteReader(view)
        guard let user = reader.uint64(), let system = reader.uint64(), let bytes = reader.uint64(),
            let count = reader.uint32(), let switches = reader.uint32()
        else { return nil }
        usage = Usage(user: user, system: system, switches: switches)
        sinkBytes = bytes
        sinkCount = count
    }
}

/// Prints one result in the form that the comparison parses.
func printResult(
    _ label: String, _ name: String, count: Int, seconds: Double, client: Statistics, server: Statistics, bytes: UInt64
) {
    func per(_ value: UInt64) -> String { fixed(Double(value) / Double(count)) }
    func cpu(_ statistics: Statistics) -> String {
        let usage = statistics.usage
        return "\(per(usage.user + usage.system)) (u\(per(usage.user)) s\(per(usage.system)))"
    }
    print(
        "\(label) \(name) n=\(count) rate=\(Int(Double(count) / seconds))/s us=\(fixed(seconds / Double(count) * 1e6))",
        "cli_cpu_us=\(cpu(client)) srv_cpu_us=\(cpu(server)) MBps=\(fixed(Double(bytes) / seconds / 1e6))",
        "cli_csw=\(fixed(Double(client.usage.switches) / Double(count)))",
        "srv_csw=\(fixed(Double(server.usage.switches) / Double(count)))")
    fflush(nil)
}

/// Formats a number with two decimals.
func fixed(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

/// Flushes the output, so that a waiting reader receives it.
func flushOutput() { fflush(nil) }

/// Prints an error to standard error.
func complain(_ text: String) { text.withCString { _ = write(2, $0, strlen($0)) } }

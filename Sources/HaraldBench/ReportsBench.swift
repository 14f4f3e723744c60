import Harald

/// Measures advertising reports from the controller at an address to one consumer on another executor than the
/// adapter's.
enum ReportsBench {
    static func run(address: String, count: Int, label: String) async throws {
        let central = try await Central(adapter: Adapter(address), options: AdapterOptions(storage: .none))
        try await central.waitUntilPoweredOn()
        // The buffer holds all reports, so that none is dropped, however late the consumer starts.
        let scan = central.scan(duplicates: true, active: false, buffering: .oldest(count))
        var (mark, start) = (Usage.now, ContinuousClock.now)
        var left = count
        var devices: Set<PeripheralID> = []
        for try await discovery in scan {
            if left == count { (mark, start) = (Usage.now, ContinuousClock.now) }
            if left > count - 20_000 { devices.insert(discovery.id) }
            left -= 1
            if left == 0 { break }
        }
        let seconds = (ContinuousClock.now - start).seconds
        let usage = Usage.now - mark
        print(
            "\(label) n=\(count) devices=\(devices.count) rate=\(Int(Double(count) / seconds))",
            "cpu_us=\(fixed(Double(usage.user + usage.system) / Double(count))) dropped=\(scan.droppedCount)")
        flushOutput()
        await central.close()
    }
}

#if Programs
import Explorer
import Harald
import Synchronization

/// What a scan hears, a device as it is found and once: for pipes and files.
final class ScanLines: Sendable {
    /// How often devices are looked for that have said all they will.
    private static let pause = Duration.milliseconds(250)

    private let devices: Mutex<FoundDevices>
    private let show: @Sendable (DeviceRow) -> Void

    /// - Parameters:
    ///   - waits: whether devices are asked for their scan response, which comes a little later.
    ///   - show: takes each device; never two at a time.
    init(waits: Bool, show: @escaping @Sendable (DeviceRow) -> Void) {
        devices = Mutex(FoundDevices(waits: waits))
        self.show = show
    }

    /// How many devices were heard.
    var count: Int { devices.withLock { $0.count } }

    /// Consumes a scan.
    func run(_ scan: Scan) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await found in scan { self.tell { $0.note(DeviceRow(found), at: .now) } }
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.pause)
                    self.tell { $0.due(at: .now) }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
            tell { $0.rest() }
        }
    }

    /// Under the lock, so that lines come in the order in which devices are found.
    private func tell(_ take: (inout FoundDevices) -> [DeviceRow]) {
        devices.withLock { devices in for row in take(&devices) { show(row) } }
    }
}
#endif

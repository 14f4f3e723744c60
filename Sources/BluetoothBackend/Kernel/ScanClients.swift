import BluetoothModel
import BluetoothRuntime

/// One scan of a user, on the adapter's single scan. Confined to the loop.
package final class ScanClient: BackendOperation {
    /// Limit of the devices that a scan remembers as reported.
    private static let capacity = 16384

    /// The request.
    package let request: ScanRequest
    /// The properties of the request that every report needs.
    package let (allowsDuplicates, wantsAll): (Bool, Bool)
    /// The reports that are held back until the scan response may have arrived; used by backends that receive the
    /// report in parts.
    package var held: [PeripheralID: ScanReport] = [:]
    /// True once the scan was cancelled or ended: no further report is delivered.
    package private(set) var isOver = false
    private let discovered: (ScanReport) -> Void
    private let ended: (RadioError) -> Void
    private var reported: Set<PeripheralID> = []
    private var mode: ScanMode?
    fileprivate weak var clients: ScanClients?

    fileprivate init(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void,
        clients: ScanClients
    ) {
        self.request = request
        allowsDuplicates = request.allowsDuplicates
        wantsAll = request.wantsAllServices && request.condition == nil
        self.discovered = discovered
        self.ended = ended
        self.clients = clients
    }

    /// Ends the scan, without a further call.
    package func cancel() {
        guard !isOver else { return }
        isOver = true
        clients?.cancelled(self)
    }

    fileprivate func tell(_ mode: ScanMode) {
        guard !isOver, mode != self.mode else { return }
        self.mode = mode
        request.modeChanged?(mode)
    }

    fileprivate func end(_ error: RadioError) {
        guard !isOver else { return }
        isOver = true
        ended(error)
    }

    /// Returns true if the device was reported to this scan, which reports each device once.
    package func hasReported(_ peripheral: PeripheralID) -> Bool { reported.contains(peripheral) }

    /// Delivers a report that the request selects. A scan that reports each device once receives the first of these,
    /// which need not be the first advertisement: a device may advertise different names and services in turn.
    package func report(_ report: ScanReport) {
        guard !isOver, allowsDuplicates || !reported.contains(report.peripheral), wantsAll || request.matches(report)
        else { return }
        if !allowsDuplicates {
            if reported.count >= Self.capacity { reported = [] }
            reported.insert(report.peripheral)
        }
        discovered(report)
    }
}

/// The scans of an adapter's users: one scan of the radio serves them, and each receives what it requested. Confined to
/// the loop.
package final class ScanClients {
    /// The scans, oldest first. Replaced as a whole, never mutated in place, so each report reads it without an
    /// exclusivity check.
    package private(set) var all: [ScanClient] = []
    /// Called when a scan was cancelled: the radio's scan may have to change.
    package var onCancel: (() -> Void)?

    /// Creates an empty list.
    package init() {}

    /// True if nothing is scanned for.
    package var isEmpty: Bool { all.isEmpty }
    /// True if one of the scans requests scan responses.
    package var isActive: Bool { all.contains(where: \.request.isActive) }
    /// True if the radio has to report every advertisement: for a scan that reports all of them, or that selects by
    /// their data.
    package var needsEveryReport: Bool { all.contains { $0.allowsDuplicates || !$0.wantsAll } }

    /// The patterns that the scans need; empty if one of them needs every advertisement, or scan responses.
    package var patterns: [AdvertisementPattern] {
        guard all.allSatisfy({ !$0.request.isActive && !$0.request.patterns.isEmpty }) else { return [] }
        return all.flatMap(\.request.patterns).minimal
    }

    /// Tells the scans how the radio scans.
    package func tell(_ mode: ScanMode) { for client in all { client.tell(mode) } }

    /// Adds a scan.
    package func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> ScanClient {
        let client = ScanClient(request, discovered: discovered, ended: ended, clients: self)
        all = all + [client]
        return client
    }

    fileprivate func cancelled(_ client: ScanClient) {
        all = all.filter { $0 !== client }
        onCancel?()
    }

    /// Ends one scan with an error.
    package func end(_ client: ScanClient, _ error: RadioError) {
        all = all.filter { $0 !== client }
        client.end(error)
    }

    /// Ends all scans with an error. `body` runs when the list is empty, before the scans receive the error.
    package func endAll(_ error: RadioError, _ body: () -> Void = {}) {
        let ended = all
        all = []
        body()
        for client in ended { client.end(error) }
    }
}

import BluetoothHCI
import BluetoothModel

/// Starts and stops scanning for the user and the initiator, and stops it for a change of address.
final class Scanner {
    /// The scan parameters of the controller.
    private struct Parameters: Equatable {
        var isActive: Bool
        var interval: UInt16
        var window: UInt16
        var filtersDuplicates: Bool
        var phys: Set<PHY>
        var ownAddressType: UInt8
    }

    private enum State {
        case off
        case starting(Parameters)
        case on(Parameters)
        case stopping
    }

    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    private var state = State.off
    private var user: ScanConfiguration? {
        didSet {
            isWanted = user != nil
            isFiltering = user?.filtersDuplicates ?? false
        }
    }
    private var isFiltering = false
    private var completion: ((Result<Void, RadioError>) -> Void)?
    private var filter = DuplicateFilter()
    private var assembler = ExtendedReportAssembler()
    /// True if the initiator needs every report.
    private var isWatching = false

    init(host: LEHost) { self.host = host }

    /// True if the user has requested a scan.
    private(set) var isWanted = false

    /// True if the controller does not scan and no start or stop is outstanding.
    var isOff: Bool { if case .off = state { true } else { false } }

    // MARK: Requests

    func start(_ configuration: ScanConfiguration, completion: ((Result<Void, RadioError>) -> Void)?) {
        let superseded = self.completion
        user = configuration
        self.completion = completion
        filter.removeAll()
        superseded?(.failure(.cancelled))
        host.settle()
    }

    func stop() {
        guard user != nil else { return }
        user = nil
        let superseded = completion
        completion = nil
        filter.removeAll()
        superseded?(.failure(.cancelled))
        host.settle()
    }

    /// Ends the scan when the controller becomes unavailable.
    func close(_ error: RadioError) {
        state = .off
        let (wasWanted, ended) = (user != nil, completion)
        user = nil
        completion = nil
        filter.removeAll()
        assembler.removeAll()
        if let ended {
            ended(.failure(error))
        } else if wasWanted {
            host.delegate?.host(host, scanFailed: error)
        }
    }

    // MARK: Steps

    private var wanted: Parameters? {
        // Nothing changes before the initiator has stopped, and some controllers take seconds to end an initiation.
        let isSettled = host.addresses.isSettled && host.resolvingList.isSettled
        guard isSettled || !host.initiator.isOff, !host.initiator.holdsScanner else { return nil }
        let isWatching = host.initiator.isWatching
        guard user != nil || isWatching else { return nil }
        // Watching for pending devices needs every report, but no scan responses.
        let configuration = user ?? ScanConfiguration(isActive: false)
        var phys = configuration.phys.intersection([.le1M])
        if host.controller?.features.contains(.leCoded) == true, isExtended {
            phys.formUnion(configuration.phys.intersection([.leCoded]))
        }
        return Parameters(
            isActive: configuration.isActive, interval: configuration.interval, window: configuration.window,
            filtersDuplicates: configuration.filtersDuplicates && !isWatching, phys: phys.isEmpty ? [.le1M] : phys,
            ownAddressType: host.addresses.initiatingAddressType)
    }

    private var isExtended: Bool { host.controller?.usesExtendedAdvertising ?? false }

    /// Runs the next command towards the wanted scan.
    func step() {
        isWatching = host.initiator.isWatching
        switch (state, wanted) {
        case (.off, let wanted?): begin(wanted)
        case (.on(let parameters), let wanted) where parameters != wanted: end()
        case (.on, _): succeeded()
        case (.off, nil), (.starting, _), (.stopping, _): break
        }
    }

    private func begin(_ parameters: Parameters) {
        state = .starting(parameters)
        let opcode: HCIOpcode = isExtended ? .leSetExtendedScanParameters : .leSetScanParameters
        host.commands.run(opcode, write: { self.write(parameters, to: &$0) }) { [self] result in
            guard case .starting = state else { return }
            switch result {
            case .success: enable(parameters)
            case .failure(let error): failed(error)
            }
        }
    }

    private func write(_ parameters: Parameters, to writer: inout ByteWriter) {
        let type: UInt8 = parameters.isActive ? 1 : 0
        guard isExtended else {
            writer.uint8(type)
            writer.uint16(parameters.interval)
            writer.uint16(parameters.window)
            writer.uint8(parameters.ownAddressType)
            writer.uint8(0)
            return
        }
        writer.uint8(parameters.ownAddressType)
        writer.uint8(0)
        writer.uint8(parameters.phys.bits)
        for _ in parameters.phys {
            writer.uint8(type)
            writer.uint16(parameters.interval)
            writer.uint16(parameters.window)
        }
    }

    private func enable(_ parameters: Parameters) {
        runEnable(true, filtersDuplicates: parameters.filtersDuplicates) { [self] result in
            guard case .starting = state else { return }
            switch result {
            case .success:
                state = .on(parameters)
                host.settle()
            case .failure(let error): failed(error)
            }
        }
    }

    private func end() {
        state = .stopping
        runEnable(false, filtersDuplicates: false) { [self] _ in
            // Even if the controller refuses the command, it does not scan.
            guard case .stopping = state else { return }
            state = .off
            assembler.removeAll()
            host.settle()
        }
    }

    private func runEnable(
        _ isOn: Bool, filtersDuplicates: Bool, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) {
        host.commands.run(
            isExtended ? .leSetExtendedScanEnable : .leSetScanEnable,
            write: {
                $0.uint8(isOn ? 1 : 0)
                $0.uint8(filtersDuplicates ? 1 : 0)
                if self.isExtended { $0.uint32(0) }
            }, completion: completion)
    }

    private func succeeded() {
        guard let ended = completion else { return }
        completion = nil
        ended(.success(()))
    }

    private func failed(_ error: RadioError) {
        // The host was closed and has already reported the error.
        guard case .starting = state else { return }
        state = .off
        if case .controller(.commandDisallowed) = error, host.initiator.scanWasRefused() { return host.settle() }
        let wasWanted = user != nil
        let ended = completion
        user = nil
        completion = nil
        host.initiator.watchFailed(error)
        if let ended {
            ended(.failure(error))
        } else if wasWanted {
            host.delegate?.host(host, scanFailed: error)
        }
        host.settle()
    }

    // MARK: Reports

    /// Handles an LE Advertising Report event (7.7.65.2). Returns false if it is truncated.
    func receiveLegacy(_ parameters: ByteView) -> Bool {
        guard !parameters.isEmpty else { return false }
        var rest = parameters.dropFirst(1)
        for _ in 0..<parameters[0] {
            guard let report = AdvertisingReport.legacy(&rest) else { return dropped() }
            deliver(report)
        }
        return true
    }

    /// Handles an LE Extended Advertising Report event (7.7.65.13). Returns false if it is truncated.
    func receiveExtended(_ parameters: ByteView) -> Bool {
        guard !parameters.isEmpty else { return false }
        var rest = parameters.dropFirst(1)
        for _ in 0..<parameters[0] {
            guard let (parsed, status) = AdvertisingReport.extended(&rest) else { return dropped() }
            // A report of an anonymous advertisement is dropped.
            guard var report = parsed else {
                host.note(.droppedReport)
                continue
            }
            switch assembler.add(report, status) {
            case .asIs: deliver(report)
            case .waiting: continue
            case .dropped: host.note(.droppedReport)
            case .assembled(let data):
                data.withByteView {
                    report.data = $0
                    deliver(report)
                }
            }
        }
        return true
    }

    /// Handles an LE Directed Advertising Report event (7.7.65.11). Returns false if it is truncated.
    func receiveDirected(_ parameters: ByteView) -> Bool {
        guard !parameters.isEmpty else { return false }
        var rest = parameters.dropFirst(1)
        for _ in 0..<parameters[0] {
            guard let report = AdvertisingReport.directed(&rest) else { return dropped() }
            deliver(report)
        }
        return true
    }

    private func dropped() -> Bool {
        host.note(.droppedReport)
        return false
    }

    private func deliver(_ report: AdvertisingReport) {
        let host = host
        if isWatching { host.initiator.saw(report) }
        guard isWanted else { return }
        if isFiltering, !filter.isNew(report) { return host.counts.duplicateReports += 1 }
        if host.resolvingList.isResolving, report.address.randomKind == .resolvablePrivate {
            host.resolvingList.heard(report.address)
        }
        host.delegate?.host(host, discovered: report)
    }
}

import BluetoothBackend

/// Counters of an adapter since it was opened, and its open links.
///
///     print(await central.diagnostics)
///
/// The counters of the adapter are those of all its users in this program. A counter that the platform does not report
/// is nil: BlueZ and Apple's systems show no packets and no controller.
public struct Diagnostics: Hashable, Sendable {
    /// The adapter.
    public let adapter: AdapterInfo
    /// The state of the adapter.
    public let state: RadioState
    let radio: RadioDiagnostics
    let usage: UsageCounters

    /// The number of attempts to connect; callers that wait for the same device share one.
    public var connectionAttempts: Int { radio.connections.attempts }
    /// The number of attempts that led to a usable link.
    public var establishedConnections: Int { radio.connections.established }
    /// The number of retries after a link failed to be established (0x3E).
    public var connectionRetries: Int { radio.connections.retries }
    /// The number of attempts that failed or were cancelled, by reason: `timeout` for a device that did not answer.
    public var connectionFailures: [BluetoothError.Code: Int] { radio.connections.failures.byCode }
    /// The number of links that ended, by reason, in both roles.
    public var endedLinks: [BluetoothError.Code: Int] { radio.endedLinks.byCode }
    /// The number of completed pairings.
    public var pairings: Int { radio.pairings }
    /// The number of failed pairings, by reason.
    public var pairingFailures: [BluetoothError.Code: Int] { radio.pairingFailures.byCode }
    /// The number of links on which a bonded device no longer had the key of its bond.
    public var lostBonds: Int { radio.lostBonds }
    /// The number of times that the adapter restarted.
    public var adapterRestarts: Int { radio.restarts }
    /// The number of scans that were restarted because no advertisement was received for some time.
    public var scanRestarts: Int { radio.scanRestarts }
    /// The number of received advertisements.
    public var advertisements: Int? { radio.advertisements }
    /// The packet counters of all links, ended and open.
    public var packets: PacketCounters? { radio.packets }
    /// The number of packets that were dropped or ignored, by kind, such as `malformedPacket` or `unhandledValue`.
    public var droppedPackets: [String: Int]? { radio.anomalies }
    /// The number of commands that the controller refused, by command and status.
    public var refusedCommands: [String: Int]? { radio.refusedCommands }
    /// The number of failed operations on devices of this central, by reason.
    public var failedOperations: [BluetoothError.Code: Int] { usage.failedOperations }
    /// The number of values that full streams of this central dropped, because the program read them too slowly.
    public var droppedValues: Int { usage.droppedValues }
    /// The number of scan results that full streams of this central dropped.
    public var droppedScanResults: Int { usage.droppedScanResults }
    /// The open links.
    public var links: [LinkDiagnostics] { radio.openLinks }
}

extension Central {
    /// The counters of the adapter since it was opened, its open links, and the failures of this central.
    public var diagnostics: Diagnostics {
        get async { await radio.diagnostics }
    }
}

extension LocalPeripheral {
    /// The counters of the adapter since it was opened, and its open links, those of this peripheral's centrals among
    /// them.
    public var diagnostics: Diagnostics {
        get async { await core.radio.diagnostics }
    }
}

extension AdapterSession {
    /// The counters of the adapter, and of this user of it.
    var diagnostics: Diagnostics {
        get async {
            let backend = backend
            let counters = await loop.run { backend.value.diagnostics }
            return Diagnostics(adapter: info, state: state, radio: counters, usage: usage.counters)
        }
    }
}

extension [RadioError: Int] {
    /// The sums by the code of the public error.
    fileprivate var byCode: [BluetoothError.Code: Int] {
        [BluetoothError.Code: Int](map { (BluetoothError($0.key, "").code, $0.value) }, uniquingKeysWith: +)
    }
}

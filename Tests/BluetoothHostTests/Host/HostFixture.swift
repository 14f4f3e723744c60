import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost

/// A host on a scripted controller, with the events that its delegate received.
final class HostFixture: LEHostDelegate {
    struct Report: Equatable {
        var address: BluetoothAddress
        var properties: AdvertisingReport.Properties
        var rssi: Int8?
        var data: [UInt8]
        var isTruncated: Bool
    }

    let controller: ScriptedController
    let host: LEHost
    var states: [HostState] = []
    var reports: [Report] = []
    var links: [LELink] = []
    var endings: [(link: LELink, reason: HCIStatus)] = []
    var changes: [LinkChange] = []
    var scanFailures: [RadioError] = []
    var onReport: (() -> Void)?

    init(_ controller: ScriptedController = ScriptedController(), _ configuration: HostConfiguration = .init()) {
        self.controller = controller
        host = LEHost(configuration: configuration) { controller.receive($0) }
        host.delegate = self
    }

    deinit { host.delegate = nil }

    /// A fixture whose host is ready, with an empty record.
    static func ready(
        _ controller: ScriptedController = ScriptedController(), _ configuration: HostConfiguration = .init()
    ) -> HostFixture {
        let fixture = HostFixture(controller, configuration)
        fixture.host.start(now: .start)
        fixture.settle()
        controller.forget()
        return fixture
    }

    /// Gives the host every answer, until there is none.
    func settle() {
        while true {
            let answers = controller.takeAnswers()
            if answers.isEmpty { return }
            for answer in answers { answer.withByteView { host.receive($0, now: host.now) } }
        }
    }

    /// The controller sends a packet, in hexadecimal digits.
    func receive(_ hex: String) { receive(bytes(hex)) }

    func receive(_ packet: [UInt8]) {
        packet.withByteView { host.receive($0, now: host.now) }
        settle()
    }

    /// An event with its parameters.
    func event(_ code: HCIEventCode, _ parameters: [UInt8]) {
        receive([4, code.rawValue, UInt8(parameters.count)] + parameters)
    }

    func leEvent(_ code: LEEventCode, _ parameters: [UInt8]) { event(.leMeta, [code.rawValue] + parameters) }

    func advance(by duration: Duration) {
        let target = host.now + duration
        while let next = host.nextDeadline, next <= target {
            host.advance(to: max(next, host.now))
            settle()
        }
        host.advance(to: target)
        settle()
    }

    /// LE Connection Complete for a peer whose address ends in `peer`.
    func connected(handle: UInt16, role: UInt8, peer: UInt8, status: UInt8 = 0, kind: UInt8 = 0) {
        leEvent(
            .connectionComplete,
            [status, UInt8(handle & 0xFF), UInt8(handle >> 8), role, kind, peer, 0, 0, 0, 0, 0xC0]
                + [24, 0, 0, 0, 0xF4, 1, 0])
    }

    func disconnected(handle: UInt16, reason: UInt8) {
        event(.disconnectionComplete, [0, UInt8(handle & 0xFF), UInt8(handle >> 8), reason])
    }

    /// A link as central, made the usual way.
    func makeLink(handle: UInt16, peer: UInt8) -> LELink? {
        var made: LELink?
        host.connect(to: address(peer)) { made = try? $0.get() }
        settle()
        connected(handle: handle, role: 0, peer: peer)
        return made
    }

    func completed(_ counts: (handle: UInt16, count: UInt16)...) {
        var parameters = [UInt8(counts.count)]
        for (handle, count) in counts {
            parameters += [UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(count & 0xFF), UInt8(count >> 8)]
        }
        event(.numberOfCompletedPackets, parameters)
    }

    func host(_ host: LEHost, changed state: HostState) { states.append(state) }

    func host(_ host: LEHost, discovered report: AdvertisingReport) {
        reports.append(
            Report(
                address: report.address, properties: report.properties, rssi: report.rssi, data: report.data.array,
                isTruncated: report.isTruncated))
        onReport?()
    }

    func host(_ host: LEHost, connected link: LELink) { links.append(link) }

    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) { endings.append((link, reason)) }

    func host(_ host: LEHost, link: LELink, changed change: LinkChange) { changes.append(change) }

    func host(_ host: LEHost, scanFailed error: RadioError) { scanFailures.append(error) }
}

/// The public address C0:00:00:00:00:`last`.
func address(_ last: UInt8, kind: BluetoothAddress.Kind = .public) -> BluetoothAddress {
    BluetoothAddress(value: 0xC000_0000_0000 | UInt64(last), kind: kind)
}

/// The bytes of hexadecimal digits; anything else separates.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Records the packets of the security manager channel, and sends when there is room.
final class ChannelProbe: SecurityChannel {
    var received: [[UInt8]] = []
    var ended: [RadioError] = []
    var onRoom: (() -> Void)?

    func receive(_ packet: ByteView) { received.append(packet.array) }
    func roomAvailable() { onRoom?() }
    func linkClosed(_ error: RadioError) { ended.append(error) }
}

import BluetoothModel
import BluetoothRuntime
import Harald

package struct CheckOptions: Sendable {
    /// The permissions and resources of the check.
    package var allowed: CheckRule.Needs = []
    /// The time to wait for an answer of the device.
    package var patience = Duration.seconds(5)
    /// The time to wait for a connection.
    package var connectTimeout = Duration.seconds(10)
    /// The time limit of all rules; nil for none. A rule that has not begun by then is not run.
    package var limit: Duration? = .seconds(110)
    /// The observation time for values after a subscription.
    package var observation = Duration.seconds(3)
    /// The time to wait, in total, for a device that refuses a pairing because an earlier one failed.
    package var pairingWait = Duration.seconds(127)
    /// The transaction timeout of the attribute protocol (Core 5.4, Vol 3, Part F, 3.3.3).
    package var transactionTimeout = Duration.seconds(30)
    /// Sets the pairing delegate of the adapter; nil restores Just Works.
    package var setPairing: (@Sendable ((any PairingDelegate)?) async -> Void)?
    /// The delegate that asks a person to enter passkeys and compare numbers; nil if nobody can answer.
    package var person: (any PairingDelegate)?
    /// Returns true if the device still advertises with its address after the longest lifetime of a private address;
    /// nil if the caller cannot scan again.
    package var isHeardLater: (@Sendable () async throws -> Bool)?
    /// The rules to run, by identifier; nil for all.
    package var only: Set<String>?
    package init() {}
}

/// A check of one device: its advertising, its database, and the link to it.
package final class CheckRun {
    package let peripheral: Peripheral
    package let options: CheckOptions
    package let advertising: CheckAdvertising
    /// The device as seen by the second adapter; nil without a second adapter.
    package let second: Peripheral?
    package internal(set) var database = CheckDatabase()
    /// The reason why the database was not discovered; nil if it was.
    var databaseProblem: String?
    private(set) var link: RawLink?
    private(set) var mtu = 23
    /// True after an Exchange MTU Request on this link.
    private(set) var hasExchangedMTU = false
    /// The requests and answers of all links.
    private(set) var exchanges: [(answer: CheckAnswer, mtu: Int)] = []
    /// The requests after which the link ended, with the reasons.
    private(set) var losses: [(request: [UInt8], reason: String)] = []
    /// Responses to no pending request.
    private(set) var strays: [CheckAnswer] = []
    /// Received values: notifications and indications.
    private(set) var values: [ReceivedValue] = []
    /// Received signalling packets.
    private(set) var signals: [RawLink.Frame] = []
    /// The requests that the device sent as a client.
    private(set) var foreignRequests: [[UInt8]] = []
    /// Received packets of the security manager protocol.
    private(set) var securityPackets: [[UInt8]] = []
    /// The handles of the Client Characteristic Configurations that are enabled. `wasSubscribed` also has those that
    /// were enabled earlier on this link.
    private(set) var subscribed: Set<UInt16> = []
    private var wasSubscribed: Set<UInt16> = []
    /// True once the client was paired: its configurations may last, also on links that are not encrypted.
    private var wasPaired = false
    /// True to confirm indications.
    var confirms = true
    private(set) var linkCount = 0
    /// The number of consecutive failed connections.
    var failedConnections = 0
    /// The number of consecutive failed connections after which rules no longer try to connect.
    private static let mostFailedConnections = 2
    /// The result of pairing with Just Works; nil before an attempt.
    var pairing: CheckPairing? {
        didSet { if pairing != nil { wasPaired = true } }
    }
    /// The Pairing Responses so far, by the fields of the request.
    var responses: [[UInt8]: CheckAnswer] = [:]
    /// True if the device refused pairings for longer than ``CheckOptions/pairingWait``, and still does.
    var refusesPairing = false
    /// The results of ``writeProtected()`` and ``keeping()``; nil before the first call.
    var knownProtected: [CheckDatabase.Characteristic]?
    var knownKeeping: [CheckDatabase.ReadValue]?

    /// A notification or an indication.
    struct ReceivedValue: Sendable {
        var handle: UInt16
        var isIndication: Bool
        var octets: [UInt8]
        var time: RadioInstant
        var mtu: Int
        /// True if this client has subscribed on this link, even if it has unsubscribed since.
        var isSubscribed: Bool
        var link: Int
        var isUnconfirmed: Bool
    }

    package init(
        _ peripheral: Peripheral, advertising: CheckAdvertising, options: CheckOptions, second: Peripheral? = nil
    ) {
        self.peripheral = peripheral
        self.advertising = advertising
        self.options = options
        self.second = second
    }

    /// The clock of the adapter, on which the check waits.
    var clock: AdapterClock { peripheral.clock }

    // MARK: The link

    /// Ends the link.
    package func close() async {
        link = nil
        subscribed = []
        await peripheral.disconnect()
    }

    /// Disconnects and connects again without sending a request.
    func fresh(attempts: Int = 3) async throws {
        await close()
        try await connect(attempts: attempts)
    }

    /// Connects if there is no link.
    func connect(attempts: Int = 3) async throws {
        if let link, link.isOpen { return }
        await close()
        if failedConnections >= Self.mostFailedConnections {
            throw CheckStop("the device could not be connected again")
        }
        var problem = ""
        for attempt in 0..<attempts {
            // A device may need some time until it advertises again.
            if attempt > 0 { try await clock.sleep(for: .milliseconds(300)) }
            do throws(BluetoothError) {
                link = try await peripheral.connectRaw(timeout: options.connectTimeout)
                linkCount += 1
                failedConnections = 0
                mtu = 23
                hasExchangedMTU = false
                confirms = true
                subscribed = []
                wasSubscribed = []
                return
            } catch {
                if error.code == .cancelled { throw error }
                if error.code == .bondLost {
                    // It concerns the pairing, not the connection: the next link is one without a bond.
                    await forgetPairing()
                    throw error
                }
                problem = error.reason
                // A timeout used the whole time for connecting.
                if error.code == .timeout { break }
            }
        }
        failedConnections += 1
        throw CheckStop("no connection: \(problem)")
    }

    /// Runs `body`, and returns nil if the link ended in it. The loss is not reported as a finding.
    func permittingLoss<Result>(_ body: () async throws -> Result) async throws -> Result? {
        let count = losses.count
        do {
            return try await body()
        } catch let stop as CheckStop where stop.isLoss {
            losses.removeSubrange(count...)
            return nil
        }
    }

    /// Connects if there is no link, and exchanges the MTU once per link.
    func ready() async throws {
        try await connect()
        if !hasExchangedMTU { _ = try await exchangeMTU(517) }
    }

    @discardableResult
    func exchangeMTU(_ size: UInt16) async throws -> CheckAnswer {
        let answer = try await raw(.exchangeMTU(size))
        hasExchangedMTU = true
        if let body = answer.body, let server = body.u16(0) { mtu = max(23, Int(min(size, server))) }
        return answer
    }

    // MARK: Requests

    /// Sends a request after the MTU exchange, and returns the answer.
    func request(_ pdu: [UInt8]) async throws -> CheckAnswer {
        try await ready()
        return try await raw(pdu)
    }

    /// Sends a request without exchanging the MTU first, and returns the answer.
    func raw(_ pdu: [UInt8]) async throws -> CheckAnswer {
        try await connect()
        let answer: CheckAnswer
        var other: [UInt8]?
        var isOver = false
        // Frames that arrived earlier do not answer this request.
        while let frame = try await receive(until: clock.now, after: []) { noteStray(frame) }
        let (before, earlier) = (subscribed, wasSubscribed)
        try await send(pdu)
        let deadline = clock.now + options.patience
        while true {
            guard let frame = try await receive(until: deadline, after: pdu) else {
                answer = CheckAnswer(request: pdu, bytes: other)
                isOver = true
                break
            }
            guard frame.channel == RawLink.attribute else { continue }
            guard frame.bytes.first == 0x01 || frame.bytes.first == (pdu.first ?? 0) &+ 1 else {
                // The frame may answer an earlier request, so the response to this one may follow.
                other = other ?? frame.bytes
                noteStray(frame)
                continue
            }
            answer = CheckAnswer(request: pdu, bytes: frame.bytes)
            // A subscription that was refused does not permit values.
            if pdu.first == 0x12, frame.bytes.first == 0x01 { (subscribed, wasSubscribed) = (before, earlier) }
            break
        }
        exchanges.append((answer, mtu))
        // Without a response no further request may follow on this link (Core 5.4, Vol 3, Part F, 3.3.3).
        if isOver { await close() }
        return answer
    }

    func noteStray(_ frame: RawLink.Frame) {
        guard frame.channel == RawLink.attribute, strays.count < 256 else { return }
        strays.append(CheckAnswer(request: [], bytes: frame.bytes))
    }

    /// Sends a packet on a channel without waiting for an answer. Records writes to Client Characteristic
    /// Configurations.
    func send(_ pdu: [UInt8], on channel: UInt16 = RawLink.attribute) async throws {
        try await connect()
        if pdu.first == 0x12 || pdu.first == 0x52, let handle = pdu.u16(1), pdu.count == 5,
            database.type(of: handle) == 0x2902
        {
            if pdu[3] & 3 == 0 {
                subscribed.remove(handle)
            } else {
                subscribed.insert(handle)
                wasSubscribed.insert(handle)
            }
        }
        guard let link, await link.send(pdu, on: channel) else {
            throw CheckStop("the link ended", isLoss: true)
        }
    }

    func receiveAnswer(until deadline: RadioInstant, after pdu: [UInt8]) async throws -> [UInt8]? {
        while let frame = try await receive(until: deadline, after: pdu) {
            if frame.channel == RawLink.attribute { return frame.bytes }
        }
        return nil
    }

    /// Returns the next frame that may be an answer; nil at the deadline. Records values, and answers requests of the
    /// device.
    func receive(
        until deadline: RadioInstant, after pdu: [UInt8], stopsAtValues: Bool = false
    ) async throws -> RawLink.Frame? {
        guard let link else { throw CheckStop("the link ended", isLoss: true) }
        while true {
            switch await link.next(until: deadline) {
            case .nothing:
                try Task.checkCancellation()
                return nil
            case .ended(let reason):
                losses.append((pdu, reason))
                self.link = nil
                let what = pdu.isEmpty ? "" : " after \(pdu.prefix(24).hexText(separator: " "))"
                throw CheckStop("the link ended\(what): \(reason)", isLoss: true)
            case .frame(let frame):
                if frame.channel == RawLink.signalling { signals.append(frame) }
                if frame.channel == RawLink.security { securityPackets.append(frame.bytes) }
                guard frame.channel == RawLink.attribute, let opcode = frame.bytes.first else { return frame }
                switch opcode {
                case 0x1B, 0x1D, 0x23:
                    await note(frame, opcode)
                    if stopsAtValues { return frame }
                case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20:
                    foreignRequests.append(frame.bytes)
                    let handle = opcode == 0x18 ? [0, 0] : Array((frame.bytes.dropFirst() + [0, 0]).prefix(2))
                    let isRange = [0x04, 0x06, 0x08, 0x10].contains(opcode)
                    let answer: [UInt8] =
                        opcode == 0x02 ? [0x03] + le(517) : [0x01, opcode] + handle + [isRange ? 0x0A : 0x06]
                    _ = await link.send(answer)
                case 0x52, 0xD2, 0x1E: foreignRequests.append(frame.bytes)
                default: return frame
                }
            }
        }
    }

    private func note(_ frame: RawLink.Frame, _ opcode: UInt8) async {
        let handle = frame.bytes.u16(1) ?? 0
        let item = database.characteristics.first { $0.handle == handle }
        let configuration = item.flatMap { database.configuration(of: $0) }
        values.append(
            ReceivedValue(
                handle: handle, isIndication: opcode == 0x1D, octets: frame.bytes, time: frame.time, mtu: mtu,
                isSubscribed: wasPaired || configuration.map { wasSubscribed.contains($0) } ?? false,
                link: linkCount,
                isUnconfirmed: !confirms))
        if opcode == 0x1D, confirms { _ = await link?.send([0x1E]) }
    }
}

import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost

/// Time that a test moves.
final class SteppedTime {
    let host = HostTime()
    var now: RadioInstant { host.now }
    var timers: TimerQueue { host.timers }

    /// Advances the time, with a stop at each deadline.
    func advance(by duration: Duration) {
        let target = now + duration
        while let next = timers.nextDeadline, next <= target {
            host.current = max(now, next)
            timers.fire(upTo: now)
        }
        host.current = target
    }
}

/// A link that records the sent frames.
final class FakeLink: LinkTransmitter {
    struct Frame: Equatable {
        var cid: UInt16
        var bytes: [UInt8]
    }

    let handle: UInt16 = 0x0040
    let role: LinkRole
    let time: SteppedTime
    var security = LinkSecurity()
    /// The number of frames that the link takes before it is full.
    var room = Int.max
    var frames: [Frame] = []
    /// The total number of sent frames.
    private(set) var frameCount = 0
    private(set) var disconnection: HCIStatus?
    var acceptsParameters = true
    private(set) var requestedParameters: [ConnectionParametersRequest] = []

    init(role: LinkRole = .central, time: SteppedTime = SteppedTime()) {
        self.role = role
        self.time = time
    }

    var hostTime: HostTime { time.host }
    var hasRoom: Bool { room > 0 }

    func send(cid: UInt16, _ payload: ByteView) {
        frames.append(Frame(cid: cid, bytes: payload.array))
        frameCount += 1
        if room != .max { room = max(0, room - 1) }
    }

    func disconnect(reason: HCIStatus) { disconnection = reason }

    func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool {
        requestedParameters.append(request)
        return acceptsParameters
    }

    /// Returns and removes the frames sent on a channel, in hexadecimal.
    func take(_ cid: UInt16 = 4) -> [String] {
        defer { frames.removeAll { $0.cid == cid } }
        return frames.filter { $0.cid == cid }.map { $0.bytes.hexText() }
    }
}

/// Octets from their hexadecimal digits; blanks are for the reader.
func octets(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension L2CAPLink {
    /// Takes a frame in hexadecimal.
    func receive(_ text: String, cid: UInt16 = 4) { octets(text).withByteView { receive(cid: cid, $0) } }
}

/// One side under test, and a test that plays the other.
struct OneSide {
    let fake: FakeLink
    let link: L2CAPLink

    init(
        role: LinkRole = .central, server: GATTServer? = nil,
        configuration: L2CAPLinkConfiguration = L2CAPLinkConfiguration()
    ) {
        fake = FakeLink(role: role)
        link = L2CAPLink(transmitter: fake, server: server, configuration: configuration)
    }

    var client: GATTClient { link.gatt }
    var time: SteppedTime { fake.time }

    /// Returns the answer to a request, both in hexadecimal.
    func answer(to request: String) -> String {
        link.receive(request)
        let answers = fake.take()
        return answers.count == 1 ? answers[0] : "\(answers)"
    }

    /// Agrees on an MTU as the other side's client.
    func agree(mtu: UInt16) {
        var writer = ByteWriter()
        writer.uint8(2)
        writer.uint16(mtu)
        link.receive(writer.bytes.hexText())
        _ = fake.take()
    }
}

/// A central and a peripheral, back to back.
final class TwoSides {
    let time = SteppedTime()
    let central: FakeLink
    let peripheral: FakeLink
    let centralLink: L2CAPLink
    let peripheralLink: L2CAPLink
    /// Every frame that went over, with the role of its sender.
    private(set) var traffic: [(sender: LinkRole, frame: FakeLink.Frame)] = []

    init(
        server: GATTServer = GATTServer(), centralConfiguration: L2CAPLinkConfiguration = L2CAPLinkConfiguration(),
        peripheralConfiguration: L2CAPLinkConfiguration = L2CAPLinkConfiguration()
    ) {
        central = FakeLink(role: .central, time: time)
        peripheral = FakeLink(role: .peripheral, time: time)
        centralLink = L2CAPLink(transmitter: central, configuration: centralConfiguration)
        peripheralLink = L2CAPLink(transmitter: peripheral, server: server, configuration: peripheralConfiguration)
    }

    var client: GATTClient { centralLink.gatt }
    var session: GATTServerSession { peripheralLink.serverSession }

    /// Carries frames until none is left.
    func run() {
        while !central.frames.isEmpty || !peripheral.frames.isEmpty {
            let fromCentral = central.frames
            central.frames = []
            for frame in fromCentral {
                traffic.append((.central, frame))
                frame.bytes.withByteView { peripheralLink.receive(cid: frame.cid, $0) }
            }
            let fromPeripheral = peripheral.frames
            peripheral.frames = []
            for frame in fromPeripheral {
                traffic.append((.peripheral, frame))
                frame.bytes.withByteView { centralLink.receive(cid: frame.cid, $0) }
            }
        }
    }

    func forgetTraffic() { traffic = [] }

    /// The requests of the central on the attribute channel, in hexadecimal.
    var requests: [String] {
        traffic.filter { $0.sender == .central && $0.frame.cid == 4 }.map { $0.frame.bytes.hexText() }
    }

    /// Ends the link on both sides.
    func disconnect() {
        centralLink.linkClosed(.disconnected(.localHostTerminated))
        peripheralLink.linkClosed(.disconnected(.remoteUserTerminated))
    }
}

/// The results with which an operation completed.
final class Outcome<Value> {
    private(set) var results: [Result<Value, RadioError>] = []

    func callAsFunction(_ result: Result<Value, RadioError>) { results.append(result) }

    var value: Value? { if results.count == 1, case .success(let value) = results[0] { value } else { nil } }
    var error: RadioError? { if results.count == 1, case .failure(let error) = results[0] { error } else { nil } }
    var count: Int { results.count }
}

extension Outcome where Value == [UInt8] {
    /// For completions with a view.
    func view(_ result: Result<ByteView, RadioError>) { self(result.map(\.array)) }
    var hex: String? { value?.hexText() }
}

extension Outcome where Value == Void {
    var isSuccess: Bool { value != nil }
}

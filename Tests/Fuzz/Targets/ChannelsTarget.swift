import BluetoothHost
import BluetoothModel
import BluetoothRuntime

extension FuzzTarget {
    /// LE signalling and credit-based channels. The input determines the packets of the peer and the local requests.
    ///
    /// Invariants: every operation ends once, the peer receives no more frames than it granted credits for, messages
    /// are within the MTU, and there is no response without a request.
    static let channels = FuzzTarget(
        "channels", "LE signalling, and channels with credits", maximumLength: 512,
        seeds: {
            let request: [UInt8] = [0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 0x40, 0, 0x17, 0, 4, 0]
            let opened: [UInt8] = [0x15, 1, 10, 0, 0x41, 0, 0x40, 0, 0x17, 0, 2, 0, 0, 0]
            return [
                [0, 0, 14] + request + [1, 0x40, 5, 3, 0, 1, 2, 3, 4, 0, 2, 3, 9, 9, 9],
                [0, 3, 0, 0, 14] + opened + [4, 0, 30, 7] + Array(1...30) + [0, 8, 0x16, 9, 4, 0, 0x41, 0, 9, 0],
                [0, 0, 14] + request + [0, 8, 0x06, 2, 4, 0, 0x40, 0, 0x40, 0],
                [1, 0, 12, 0x12, 5, 8, 0, 6, 0, 12, 0, 0, 0, 0xC8, 0], [2, 3, 5, 6, 31], [3, 9, 1, 8, 0, 7, 2],
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = try ChannelRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class ChannelRun {
    let fake: FuzzLink
    let link: L2CAPLink
    let endings = Endings()
    var channels: [CreditBasedChannel] = []
    var openings: [LinkOperationID] = []
    /// The received messages of each channel, and the number of consumed ones.
    var delivered: [ObjectIdentifier: Int] = [:]
    var closings: [ObjectIdentifier: Int] = [:]
    var fault: String?
    /// The credits that the peer granted to each channel, and the frames that it received.
    var credits: [UInt16: Int] = [:]

    init(_ input: inout FuzzInput) throws(Finding) {
        let setup = input.uint8()
        fake = FuzzLink(role: setup & 1 == 0 ? .central : .peripheral)
        fake.acceptsParameters = setup & 2 == 0
        let services = L2CAPServiceRegistry()
        link = L2CAPLink(transmitter: fake, configuration: L2CAPLinkConfiguration(services: services))
        let small = CreditBasedChannelConfiguration(mtu: 40, mps: 23, window: 2)
        do throws(RadioError) {
            _ = try services.publish(psm: 0x80, configuration: small) { [unowned self] in opened($0) }
            _ = try services.publish(psm: 0x81, requires: .encrypted) { [unowned self] in opened($0) }
        } catch {
            throw Finding("\(error)")
        }
    }

    private func opened(_ channel: CreditBasedChannel) {
        let id = ObjectIdentifier(channel)
        channels.append(channel)
        channel.attach(
            receive: { [unowned self] message in
                if message.count > channel.mtu { fault = "a message of \(message.count) octets" }
                if closings[id] != nil { fault = "a message after the end" }
                delivered[id, default: 0] += 1
            },
            closed: { [unowned self] _ in closings[id, default: 0] += 1 })
    }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(10) {
        case 0: receive(cid: 5, input.counted())
        case 1: receive(cid: UInt16(0x40 + input.below(10)), input.counted())
        case 2: ask(input.below(2) == 0 ? .seconds(2) : nil)
        case 3: channel(&input)?.consumed()
        case 4: write(&input)
        case 5: try fake.advance(by: .seconds(input.below(40)))
        case 6: fake.room = input.below(4)
        case 7:
            fake.room = .max
            link.roomAvailable()
        case 8: channel(&input)?.close()
        default: other(&input)
        }
        try check()
    }

    private func receive(cid: UInt16, _ bytes: [UInt8]) { bytes.withByteView { link.receive(cid: cid, $0) } }

    private func channel(_ input: inout FuzzInput) -> CreditBasedChannel? {
        channels.isEmpty ? nil : input.element(of: channels)
    }

    private func ask(_ timeout: Duration?) {
        guard openings.count < 40 else { return }
        let ended = endings.begin()
        openings.append(
            link.openChannel(psm: 0x90, timeout: timeout) { [unowned self] result in
                ended()
                if case .success(let channel) = result { opened(channel) }
            })
    }

    private func write(_ input: inout FuzzInput) {
        guard let channel = channel(&input) else { return }
        let ended = endings.begin()
        channel.write(input.counted()) { _ in ended() }
    }

    private func other(_ input: inout FuzzInput) {
        switch input.below(3) {
        case 0: if !openings.isEmpty { link.cancel(input.element(of: openings)) }
        case 1: fake.security = LinkSecurity(level: .encrypted, keySize: 16)
        default:
            let ended = endings.begin()
            let wish = ConnectionParametersRequest(intervalUnits: 24...40, latency: 0, timeoutUnits: 200)
            link.signalling.requestConnectionParameters(wish) { _ in ended() }
        }
    }

    private func check() throws(Finding) {
        let frames = fake.take()
        // Each step of the peer leads to a bounded number of packets: its credits are 16 bits wide, our messages few.
        try require(frames.count < 3000, "\(frames.count) frames at once")
        for frame in frames where frame.cid == 5 {
            let length = frame.bytes.count > 3 ? Int(frame.bytes[2]) + Int(frame.bytes[3]) << 8 : -1
            try require(length == frame.bytes.count - 4, "a signal with a wrong length: \(frame.bytes.hexText())")
            try require(frame.bytes[1] != 0, "a signal with the identifier 0")
        }
        if let fault { throw Finding(fault) }
        try require(link.channels.count <= 64, "\(link.channels.count) channels")
        try require(closings.values.allSatisfy { $0 == 1 }, "a channel ended twice")
        try endings.check(all: false)
    }

    func end() throws(Finding) {
        link.linkClosed(.disconnected(.connectionTimeout))
        try check()
        try endings.check(all: true)
        try require(closings.count == channels.count, "\(closings.count) of \(channels.count) channels ended")
        try require(link.channels.isEmpty, "channels outlive their link")
        try require(fake.timers.nextDeadline == nil, "a timer outlives its link")
    }
}

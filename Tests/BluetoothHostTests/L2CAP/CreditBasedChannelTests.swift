import BluetoothModel
import Testing

@testable import BluetoothHost

/// Channels with credits.
@Suite struct CreditBasedChannelTests {
    /// One open channel between two sides.
    final class Connection {
        let sides: TwoSides
        var here: CreditBasedChannel?
        var there: CreditBasedChannel?
        var heard: [[UInt8]] = []
        var closedHere: [RadioError?] = [], closedThere: [RadioError?] = []
        var consumesAtOnce = true

        init(_ configuration: CreditBasedChannelConfiguration = CreditBasedChannelConfiguration()) throws {
            let services = L2CAPServiceRegistry()
            sides = TwoSides(peripheralConfiguration: L2CAPLinkConfiguration(services: services))
            _ = try services.publish(psm: 0x80, configuration: configuration) { [unowned self] channel in
                there = channel
                channel.attach(
                    receive: { [unowned self] in
                        heard.append($0.array)
                        if consumesAtOnce { there?.consumed() }
                    }, closed: { [unowned self] in closedThere.append($0) })
            }
            let outcome = Outcome<CreditBasedChannel>()
            sides.centralLink.openChannel(psm: 0x80, completion: outcome.callAsFunction)
            sides.run()
            let channel = try #require(outcome.value)
            here = channel
            channel.attach(
                receive: { [unowned self] _ in here?.consumed() },
                closed: { [unowned self] in closedHere.append($0) })
        }

        func write(_ count: Int) -> Outcome<Void> {
            let outcome = Outcome<Void>()
            here?.write((0..<count).map { UInt8(truncatingIfNeeded: $0) }, completion: outcome.callAsFunction)
            return outcome
        }
    }

    @Test(arguments: [0, 1, 245, 246, 247, 248, 491, 492, 493, 2048])
    func messagesOfEveryLengthArriveComplete(_ length: Int) throws {
        let connection = try Connection()
        let outcome = connection.write(length)
        connection.sides.run()
        #expect(outcome.isSuccess)
        #expect(connection.heard == [(0..<length).map { UInt8(truncatingIfNeeded: $0) }])
    }

    @Test func openingTakesTwoPackets() throws {
        let side = OneSide()
        let outcome = Outcome<CreditBasedChannel>()
        let small = CreditBasedChannelConfiguration(mtu: 100, mps: 50, window: 2)
        side.link.openChannel(psm: 0x81, configuration: small, completion: outcome.callAsFunction)
        #expect(side.fake.take(5) == ["14010A008100400064003200" + "0600"])
        side.link.receive("15 01 0A00 4500 1700 1700 0200 0000", cid: 5)
        let channel = try #require(outcome.value)
        #expect(channel.isOpen && channel.peerMTU == 23 && channel.psm == 0x81)
        // 23 octets with their length need two frames of 23.
        let write = Outcome<Void>(), waits = Outcome<Void>()
        channel.write([UInt8](repeating: 7, count: 23), completion: write.callAsFunction)
        channel.write([8], completion: waits.callAsFunction)
        let seven = { String(repeating: "07", count: $0) }
        #expect(side.fake.take(0x45) == ["1700" + seven(21), seven(2)])
        #expect(write.isSuccess && waits.count == 0)
        side.link.receive("16 05 0400 4500 0100", cid: 5)
        #expect(side.fake.take(0x45) == ["010008"] && waits.isSuccess)
    }

    @Test func refusedAndMalformedResponsesAreErrors() {
        let side = OneSide()
        let refused = Outcome<CreditBasedChannel>(), short = Outcome<CreditBasedChannel>()
        let badCID = Outcome<CreditBasedChannel>(), rejected = Outcome<CreditBasedChannel>()
        side.link.openChannel(psm: 0x81, completion: refused.callAsFunction)
        side.link.receive("15 01 0A00 0000 0000 0000 0000 0200", cid: 5)
        #expect(refused.error == .channelRefused(2))
        side.link.openChannel(psm: 0x81, completion: short.callAsFunction)
        side.link.receive("15 02 0800 4500 1700 1700 0200", cid: 5)
        side.link.openChannel(psm: 0x81, completion: badCID.callAsFunction)
        side.link.receive("15 03 0A00 0400 1700 1700 0200 0000", cid: 5)
        guard case .invalidResponse = short.error, case .invalidResponse = badCID.error else {
            Issue.record("\(short.results) \(badCID.results)")
            return
        }
        side.link.openChannel(psm: 0x81, completion: rejected.callAsFunction)
        side.link.receive("01 04 0200 0000", cid: 5)
        #expect(rejected.count == 1 && rejected.value == nil)
        let wrong = Outcome<CreditBasedChannel>()
        side.link.openChannel(psm: 0x100, completion: wrong.callAsFunction)
        guard case .invalidArgument = wrong.error else {
            Issue.record("\(wrong.results)")
            return
        }
        #expect(side.link.channels.isEmpty)
    }

    @Test func aChannelOpenedAfterTheTimeoutIsClosed() {
        let side = OneSide()
        let cancelled = Outcome<CreditBasedChannel>(), late = Outcome<CreditBasedChannel>()
        side.link.cancel(side.link.openChannel(psm: 0x81, completion: cancelled.callAsFunction))
        #expect(cancelled.error == .cancelled)
        side.link.openChannel(psm: 0x82, timeout: .seconds(1), completion: late.callAsFunction)
        side.time.advance(by: .seconds(1))
        #expect(late.error == .timeout)
        _ = side.fake.take(5)
        side.link.receive("15 01 0A00 4500 1700 1700 0200 0000", cid: 5)
        #expect(side.fake.take(5) == ["0603040045004000"])
        side.link.receive("07 03 0400 4500 4000", cid: 5)
        side.link.receive("15 02 0A00 0000 0000 0000 0000 0200", cid: 5)
        #expect(side.link.channels.isEmpty && cancelled.count == 1 && late.count == 1)
    }

    @Test func requestsOfThePeerAreValidated() throws {
        let services = L2CAPServiceRegistry()
        var accepted: [CreditBasedChannel] = []
        _ = try services.publish(psm: 0x80) { accepted.append($0) }
        _ = try services.publish(psm: 0x81, requires: .encrypted) { accepted.append($0) }
        let side = OneSide(configuration: L2CAPLinkConfiguration(services: services))
        func result(_ request: String) -> String {
            side.link.receive(request, cid: 5)
            return side.fake.take(5).first.map { String($0.suffix(4)) } ?? "none"
        }
        #expect(result("14 01 0A00 9900 4000 6400 3200 0100") == "0200")
        #expect(result("14 02 0A00 8000 3F00 6400 3200 0100") == "0900")
        #expect(result("14 03 0A00 8000 4000 1600 3200 0100") == "0B00")
        #expect(result("14 04 0A00 8000 4000 6400 1600 0100") == "0B00")
        #expect(result("14 05 0A00 8100 4000 6400 3200 0100") == "0500")
        side.fake.security = LinkSecurity(isBonded: true)
        #expect(result("14 06 0A00 8100 4000 6400 3200 0100") == "0800")
        #expect(accepted.isEmpty)
        #expect(result("14 07 0A00 8000 4000 6400 3200 0100") == "0000")
        #expect(result("14 08 0A00 8000 4000 6400 3200 0100") == "0A00")
        #expect(result("14 09 0800 8000 4000 6400 3200") == "0000" && accepted.count == 1)
        for cid in UInt8(0x41)...0x7F {
            side.link.receive("14 0A 0A00 8000 \([cid].hexText())00 6400 3200 0100", cid: 5)
        }
        #expect(accepted.count == 64)
        let none = Outcome<CreditBasedChannel>()
        side.link.openChannel(psm: 0x80, completion: none.callAsFunction)
        guard case .limit = none.error else {
            Issue.record("\(none.results)")
            return
        }
        services.unpublish(psm: 0x80)
        _ = side.fake.take(5)
        #expect(result("14 0B 0A00 8000 4000 6400 3200 0100") == "0200")
    }

    @Test func aPSMIsPublishedOnce() throws {
        let services = L2CAPServiceRegistry()
        let first = try services.publish(psm: nil) { _ in }
        let second = try services.publish(psm: nil) { _ in }
        #expect(first == 0x80 && second == 0x81)
        #expect(throws: RadioError.self) { try services.publish(psm: 0x80) { _ in } }
        #expect(throws: RadioError.self) { try services.publish(psm: 0) { _ in } }
        #expect(throws: RadioError.self) { try services.publish(psm: 0x100) { _ in } }
    }

    // MARK: Credits

    @Test func aSlowReaderSlowsTheWriter() throws {
        let connection = try Connection(CreditBasedChannelConfiguration(mtu: 200, mps: 100, window: 2))
        connection.consumesAtOnce = false
        // The window is two messages of three frames; each of these takes one frame.
        let outcomes = (0..<10).map { _ in connection.write(50) }
        connection.sides.run()
        #expect(outcomes.filter(\.isSuccess).count == 6 && connection.heard.count == 6)
        connection.there?.consumed()
        connection.sides.run()
        #expect(connection.heard.count == 7)
        for _ in 0..<9 {
            connection.there?.consumed()
            connection.sides.run()
        }
        #expect(outcomes.allSatisfy(\.isSuccess) && connection.heard.count == 10)
        connection.there?.consumed()
        connection.there?.consumed()
        connection.sides.run()
        #expect(connection.closedHere.isEmpty && connection.closedThere.isEmpty)
    }

    @Test func aSlowLinkSlowsTheWriter() throws {
        let connection = try Connection()
        connection.sides.central.room = 1
        let first = connection.write(100), second = connection.write(100)
        #expect(first.isSuccess && second.count == 0)
        connection.sides.run()
        #expect(connection.heard.count == 1)
        connection.sides.central.room = .max
        connection.sides.centralLink.roomAvailable()
        connection.sides.run()
        #expect(second.isSuccess && connection.heard.count == 2)
    }

    @Test func channelsAreServedRoundRobin() throws {
        let connection = try Connection()
        let first = try #require(connection.here)
        let outcome = Outcome<CreditBasedChannel>()
        connection.sides.centralLink.openChannel(psm: 0x80, completion: outcome.callAsFunction)
        connection.sides.run()
        let second = try #require(outcome.value)
        connection.sides.central.room = 0
        for _ in 0..<3 { first.write([1]) { _ in } }
        for _ in 0..<3 { second.write([2]) { _ in } }
        connection.sides.central.room = .max
        connection.sides.centralLink.roomAvailable()
        #expect(
            connection.sides.central.frames.map { $0.bytes[2] } == [1, 2, 1, 2, 1, 2]
                || connection.sides.central.frames.map { $0.bytes[2] } == [2, 1, 2, 1, 2, 1])
    }

    @Test func smallFramesDoNotStarveALongMessage() throws {
        let services = L2CAPServiceRegistry()
        var heard: [[UInt8]] = []
        let configuration = CreditBasedChannelConfiguration(mtu: 200, mps: 100, window: 1)
        _ = try services.publish(psm: 0x80, configuration: configuration) { channel in
            channel.attach(
                receive: {
                    heard.append($0.array)
                    channel.consumed()
                }, closed: { _ in })
        }
        let side = OneSide(configuration: L2CAPLinkConfiguration(services: services))
        side.link.receive("14 01 0A00 8000 4000 6400 3200 0100", cid: 5)
        #expect(side.fake.take(5) == ["15010A004000C800640003000000"])
        var credits = 3
        side.link.receive("C800", cid: 0x40)
        credits -= 1
        for _ in 0..<200 {
            #expect(credits > 0)
            side.link.receive("07", cid: 0x40)
            credits -= 1
            for frame in side.fake.frames { credits += Int(frame.bytes[6]) | Int(frame.bytes[7]) << 8 }
            side.fake.frames = []
        }
        #expect(heard == [[UInt8](repeating: 7, count: 200)] && credits == 3)
    }

    // MARK: Violations

    /// Frames on a channel with an MTU of 100, an MPS of 50 and six credits, of which the last is too much.
    @Test(arguments: [
        ["6500"], ["01"], [""], ["0100 0102"], ["0A00 01", "01020304050607080910"],
        ["0A00" + String(repeating: "01", count: 49)],
        ["0000", "0000", "0000", "0000", "0000", "0000", "0000"],
    ])
    func violationsCloseOnlyTheChannel(_ frames: [String]) throws {
        let services = L2CAPServiceRegistry()
        var closed: [RadioError?] = []
        let configuration = CreditBasedChannelConfiguration(mtu: 100, mps: 50, window: 2)
        _ = try services.publish(psm: 0x80, configuration: configuration) { channel in
            channel.attach(receive: { _ in }, closed: { closed.append($0) })
        }
        let side = OneSide(configuration: L2CAPLinkConfiguration(services: services))
        side.link.receive("14 01 0A00 8000 4000 6400 3200 0100", cid: 5)
        _ = side.fake.take(5)
        for frame in frames { side.link.receive(frame, cid: 0x40) }
        #expect(side.fake.take(5) == ["0601040040004000"])
        side.link.receive("0100 01", cid: 0x40)
        #expect(closed.isEmpty)
        side.link.receive("07 01 0400 4000 4000", cid: 5)
        guard closed.count == 1, case .invalidResponse = closed[0] else {
            Issue.record("\(closed)")
            return
        }
        #expect(side.link.channels.isEmpty && side.fake.disconnection == nil)
    }

    @Test func anExcessOfCreditsClosesTheChannel() throws {
        let connection = try Connection()
        connection.sides.centralLink.receive("16 09 0400 4000 FFFF", cid: 5)
        connection.sides.run()
        guard connection.closedHere.count == 1, case .invalidResponse = connection.closedHere[0] else {
            Issue.record("\(connection.closedHere)")
            return
        }
        #expect(connection.closedThere == [nil])
        connection.sides.centralLink.receive("16 0A 0400 4000 0100", cid: 5)
        connection.sides.centralLink.receive("16 0B 0400 4000 0000", cid: 5)
        #expect(connection.sides.centralLink.faults.total == 2)
    }

    @Test func messagesAboveTheMTUAreRefusedLocally() throws {
        let connection = try Connection(CreditBasedChannelConfiguration(mtu: 30))
        let outcome = connection.write(31)
        guard case .invalidArgument = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
    }

    // MARK: The end

    @Test func eitherSideCanCloseTheChannel() throws {
        let first = try Connection(), second = try Connection()
        first.here?.close()
        first.here?.close()
        first.sides.run()
        #expect(first.closedHere == [nil] && first.closedThere == [nil])
        let late = first.write(1)
        #expect(late.error == .notConnected)
        second.there?.close()
        second.sides.run()
        #expect(second.closedThere == [nil] && second.closedHere == [nil])
        #expect(first.sides.centralLink.channels.isEmpty && second.sides.peripheralLink.channels.isEmpty)
    }

    @Test func bothSidesMayCloseSimultaneously() throws {
        let connection = try Connection()
        connection.here?.close()
        connection.there?.close()
        connection.sides.run()
        #expect(connection.closedHere == [nil] && connection.closedThere == [nil])
        #expect(connection.sides.centralLink.channels.isEmpty && connection.sides.peripheralLink.channels.isEmpty)
    }

    @Test func queuedWritesFailWhenTheChannelCloses() throws {
        let closing = try Connection(), lost = try Connection()
        for connection in [closing, lost] { connection.sides.central.room = 0 }
        let first = closing.write(10), second = lost.write(10)
        closing.here?.close()
        #expect(first.error == .disconnected(.localHostTerminated))
        lost.sides.centralLink.linkClosed(.disconnected(.connectionTimeout))
        #expect(second.error == .disconnected(.connectionTimeout))
        #expect(lost.closedHere == [.disconnected(.connectionTimeout)])
        closing.sides.time.advance(by: .seconds(30))
        #expect(closing.closedHere == [nil] && closing.sides.centralLink.channels.isEmpty)
    }

    @Test func disconnectionsOfUnknownChannelsAreRejected() throws {
        let connection = try Connection()
        connection.sides.centralLink.receive("06 09 0400 7000 4000", cid: 5)
        #expect(connection.sides.central.take(5) == ["0109060002007000" + "4000"])
        // The right channel with the wrong counterpart is ignored.
        connection.sides.centralLink.receive("06 0A 0400 4000 7000", cid: 5)
        #expect(connection.sides.central.take(5).isEmpty && connection.closedHere.isEmpty)
    }

    @Test func thePeerCannotCloseAChannelThatIsNotOpen() {
        let side = OneSide()
        let outcome = Outcome<CreditBasedChannel>()
        side.link.openChannel(psm: 0x81, completion: outcome.callAsFunction)
        _ = side.fake.take(5)
        side.link.receive("06 09 0400 4000 0000", cid: 5)
        #expect(side.fake.take(5) == ["0109060002004000" + "0000"] && outcome.count == 0)
        side.link.receive("15 01 0A00 4500 1700 1700 0200 0000", cid: 5)
        #expect(outcome.value?.isOpen == true)
    }

    @Test func messagesBeforeTheFirstReaderAreBuffered() throws {
        let services = L2CAPServiceRegistry()
        var accepted: CreditBasedChannel?
        let sides = TwoSides(peripheralConfiguration: L2CAPLinkConfiguration(services: services))
        _ = try services.publish(psm: 0x80) { accepted = $0 }
        let outcome = Outcome<CreditBasedChannel>()
        sides.centralLink.openChannel(psm: 0x80, completion: outcome.callAsFunction)
        sides.run()
        outcome.value?.write([1, 2]) { _ in }
        outcome.value?.write([3]) { _ in }
        sides.run()
        outcome.value?.close()
        sides.run()
        var heard: [[UInt8]] = []
        var closed: [RadioError?] = []
        accepted?.attach(receive: { heard.append($0.array) }, closed: { closed.append($0) })
        #expect(heard == [[1, 2], [3]] && closed == [nil])
    }
}

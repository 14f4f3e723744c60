import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct ACLTests {
    private func send(_ link: LELink?, _ payload: [UInt8]) {
        payload.withByteView { link?.send(cid: 6, $0) }
    }

    @Test func aFrameThatFitsIsSentImmediately() throws {
        let fixture = HostFixture.ready()
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        send(link, [1, 2, 3])
        #expect(fixture.controller.data == [bytes("02 4000 0700 0300 0600 010203")])
        #expect(fixture.host.acl.free == 3)
    }

    @Test func aLongFrameIsFragmented() throws {
        let fixture = HostFixture.ready()
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        let payload = (0..<60).map { UInt8($0) }
        send(link, payload)
        let data = fixture.controller.data
        #expect(
            data.map { Array($0[..<5]) } == [
                bytes("02 4000 1B00"), bytes("02 4010 1B00"), bytes("02 4010 0A00"),
            ])
        #expect(data.flatMap { $0[5...] } == bytes("3C00 0600") + payload)
    }

    @Test func creditsAreConsumedAndReturned() throws {
        let fixture = HostFixture.ready()
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        for index in 0..<6 { send(link, [UInt8(index)]) }
        #expect(fixture.controller.data.count == 4)
        #expect(!link.hasRoom)
        fixture.completed((0x40, 1))
        #expect(fixture.controller.data.count == 5)
        fixture.completed((0x40, 2))
        #expect(fixture.controller.data.map { $0[9] } == [0, 1, 2, 3, 4, 5])
        fixture.completed((0x40, 200), (0x99, 7))
        #expect(fixture.host.acl.free == 4)
        #expect(fixture.host.counters.excessCredits == 197)
    }

    @Test func creditsOfADisconnectedLinkAreReturned() throws {
        let fixture = HostFixture.ready()
        let first = try #require(fixture.makeLink(handle: 1, peer: 1))
        for _ in 0..<8 { send(first, [1]) }
        let second = try #require(fixture.makeLink(handle: 2, peer: 2))
        for _ in 0..<3 { send(second, [2]) }
        #expect(fixture.controller.data.count == 4)
        fixture.disconnected(handle: 1, reason: 8)
        #expect(fixture.controller.data.suffix(3).allSatisfy { $0[1] == 2 })
        #expect(fixture.host.acl.free == 1)
        // Further events of the controller about the dead link have no effect.
        fixture.completed((1, 4))
        #expect(fixture.host.acl.free == 1)
        #expect(fixture.endings.map(\.reason) == [.connectionTimeout])
    }

    @Test func creditsAreSharedRoundRobin() throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 6))
        let links = try (1...3).map { try #require(fixture.makeLink(handle: UInt16($0), peer: UInt8($0))) }
        // Two thirds divided by the number of links, plus one: no link takes everything.
        for _ in 0..<20 { send(links[0], [0]) }
        #expect(fixture.controller.data.count == 3)
        for _ in 0..<20 { send(links[1], [0]) }
        for _ in 0..<20 { send(links[2], [0]) }
        #expect(fixture.host.acl.free == 0)
        fixture.controller.forget()
        for _ in 0..<10 {
            let inFlight = links.map(\.flow.inFlight)
            fixture.completed((1, UInt16(inFlight[0])), (2, UInt16(inFlight[1])), (3, UInt16(inFlight[2])))
        }
        let counts = (1...3).map { handle in fixture.controller.data.count { $0[1] == UInt8(handle) } }
        // Each round all but the reserve, which a link with packets under way leaves alone.
        #expect(counts.reduce(0, +) >= 9 * (6 - fixture.host.acl.reserve))
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 4)
    }

    @Test func bulkSendersAreServedRoundRobin() throws {
        let fixture = HostFixture.ready()
        var sent = [0, 0]
        let links = try (0..<2).map { try #require(fixture.makeLink(handle: UInt16($0 + 1), peer: UInt8($0 + 1))) }
        for (index, link) in links.enumerated() {
            let probe = ChannelProbe()
            link.l2cap.securityChannel = probe
            probe.onRoom = { [unowned link] in
                while sent[index] < 50, link.hasRoom {
                    sent[index] += 1
                    [7].withByteView { link.send(cid: 6, $0) }
                }
            }
            probe.onRoom?()
        }
        while sent != [50, 50] {
            let before = sent
            let inFlight = links.map { UInt16($0.flow.inFlight) }
            fixture.completed((1, inFlight[0]), (2, inFlight[1]))
            #expect(abs(sent[0] - sent[1]) <= 4)
            try #require(before != sent)
        }
        // No link received more than its share.
        #expect(links.allSatisfy { $0.flow.queuedBytes == 0 })
    }

    @Test func aLinkWithoutCompletedPacketsIsDisconnected() throws {
        var configuration = HostConfiguration()
        configuration.linkQueueLimit = 100
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        let link = try #require(fixture.makeLink(handle: 1, peer: 1))
        for _ in 0..<40 { send(link, [UInt8](repeating: 0, count: 10)) }
        #expect(fixture.controller.commands(.disconnect) == [[1, 0, 0x14]])
        #expect(link.flow.queuedBytes <= 100)
    }

    @Test func framesAreReassembledFromAnyFragments() throws {
        let fixture = HostFixture.ready()
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        let probe = ChannelProbe()
        link.l2cap.securityChannel = probe
        let frame = bytes("0500 0600 A1A2A3A4A5")
        for size in 1...frame.count {
            for (index, start) in stride(from: 0, to: frame.count, by: size).enumerated() {
                let piece = frame[start..<min(start + size, frame.count)]
                fixture.receive([2, 0x40, index == 0 ? 0x20 : 0x10, UInt8(piece.count), 0] + piece)
            }
        }
        #expect(probe.received == Array(repeating: bytes("A1A2A3A4A5"), count: frame.count))
        #expect(fixture.host.counters.brokenFrames == 0)
    }

    @Test func invalidFragmentsAreDroppedAndCounted() throws {
        let fixture = HostFixture.ready()
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        let probe = ChannelProbe()
        link.l2cap.securityChannel = probe
        // A continuation of nothing.
        fixture.receive("02 4010 0300 010203")
        #expect(fixture.host.counters.brokenFrames == 1)
        // More data than the frame's length, in one packet and in two; the rest is skipped.
        fixture.receive("02 4020 0700 0200 0600 010203")
        #expect(fixture.host.counters.brokenFrames == 2)
        fixture.receive("02 4020 0600 0300 0600 0102")
        fixture.receive("02 4010 0200 0304")
        fixture.receive("02 4010 0200 0506")
        #expect(fixture.host.counters.brokenFrames == 3)
        // A frame that is cut off by the next one.
        fixture.receive("02 4020 0600 0900 0600 0102")
        fixture.receive("02 4020 0500 0100 0600 55")
        #expect(fixture.host.counters.brokenFrames == 4)
        #expect(probe.received == [[0x55]])
        // An empty packet, an unknown handle, wrong lengths, packets without a header.
        fixture.receive("02 4020 0000")
        fixture.receive("02 4120 0500 0100 0600 55")
        #expect(fixture.host.counters.strayPackets == 1)
        fixture.receive("02 4020 0600 0100 0600 55")
        fixture.receive("02 4020")
        fixture.receive("02")
        fixture.receive("04 3E 05 02")
        #expect(fixture.host.counters.malformedPackets == 4)
        fixture.receive("05 0000 0000")
        #expect(fixture.host.counters.ignoredPackets == 1)
        #expect(probe.received == [[0x55]] && link.isOpen)
    }

    @Test func aFrameAboveTheMaximumLengthIsSkipped() throws {
        var configuration = HostConfiguration()
        configuration.maximumFrameLength = 64
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        let probe = ChannelProbe()
        link.l2cap.securityChannel = probe
        fixture.receive("02 4020 0600 FFFF 0600 0102")
        for _ in 0..<100 { fixture.receive("02 4010 0800 0102030405060708") }
        #expect(fixture.host.counters.brokenFrames == 1)
        fixture.receive("02 4020 0500 0100 0600 55")
        #expect(probe.received == [[0x55]])
    }
}

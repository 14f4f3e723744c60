import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

/// Buffers of the controller that values leave to requests, responses, pairing and signalling.
@Suite struct ACLReserveTests {
    private func fillWithValues(_ link: LELink, length: Int = 3) {
        while link.hasRoom { [UInt8](repeating: 7, count: length).withByteView { link.sendValue(cid: 4, $0) } }
    }

    private func respond(_ link: LELink) { [0x0B].withByteView { link.send(cid: 4, $0) } }

    @Test(arguments: [(16, 14), (8, 7), (4, 3), (2, 1), (1, 1), (40, 35)])
    func notificationsOfOneLinkLeaveTheReserve(_ total: Int, _ forValues: Int) throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: UInt8(total)))
        let link = try #require(fixture.makeLink(handle: 1, peer: 1))
        fillWithValues(link)
        #expect(fixture.controller.data.count == forValues)
        #expect(fixture.host.acl.free == total - forValues)
    }

    @Test func sixteenVanishedSubscribersLeaveBuffersForAResponse() throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 16))
        let dead = try (1...16).map { try #require(fixture.makeLink(handle: UInt16($0), peer: UInt8($0))) }
        for link in dead { fillWithValues(link) }
        // Late responses behind values take no reserved buffer: each link is at its cap.
        for link in dead where link.flow.inFlight > 0 { respond(link) }
        #expect(fixture.host.acl.free == 2)
        let new = try #require(fixture.makeLink(handle: 17, peer: 17))
        fixture.controller.forget()
        for _ in 0..<20 {
            respond(new)
            #expect(fixture.controller.data.map { $0[1] } == [17])
            fixture.controller.forget()
            fixture.completed((17, 1))
        }
    }

    /// Peers that send requests without end, and vanish before the responses are acknowledged.
    @Test(arguments: [1, 2]) func responsesToVanishedPeersLeaveBuffersForAnotherLink(_ count: Int) throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 16))
        let dead = try (1...count).map { try #require(fixture.makeLink(handle: UInt16($0), peer: UInt8($0))) }
        for link in dead { for _ in 0..<40 { respond(link) } }
        let new = try #require(fixture.makeLink(handle: 3, peer: 3))
        fixture.controller.forget()
        respond(new)
        #expect(fixture.controller.data.map { $0[1] } == [3])
        fixture.completed((3, 1))
        // Waiting packets are sent when those of the same link complete.
        for _ in 0..<80 {
            for (index, link) in dead.enumerated() {
                fixture.completed((UInt16(index + 1), UInt16(link.flow.inFlight)))
            }
        }
        #expect(dead.allSatisfy { $0.flow.queuedBytes == 0 } && fixture.host.acl.free == 16)
    }

    @Test func theRestOfALongValueDoesNotUseTheReserve() throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 8))
        let link = try #require(fixture.makeLink(handle: 1, peer: 1))
        #expect(link.hasRoom)
        [UInt8](repeating: 1, count: 400).withByteView { link.sendValue(cid: 4, $0) }
        #expect(fixture.controller.data.count == 7)
        let other = try #require(fixture.makeLink(handle: 2, peer: 2))
        respond(other)
        #expect(fixture.controller.data.count == 8)
        // All packets are sent in the end.
        for _ in 0..<20 { fixture.completed((1, UInt16(link.flow.inFlight)), (2, UInt16(other.flow.inFlight))) }
        #expect(link.flow.queuedBytes == 0 && fixture.host.acl.free == 8)
        #expect(fixture.controller.data.filter { $0[1] == 1 }.reduce(0) { $0 + $1.count - 5 } == 404)
    }

    @Test func aLinkWithQueuedValuesIsServed() throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 4))
        let first = try #require(fixture.makeLink(handle: 1, peer: 1))
        fillWithValues(first)
        let second = try #require(fixture.makeLink(handle: 2, peer: 2))
        let probe = ChannelProbe()
        second.l2cap.securityChannel = probe
        var offers = 0
        probe.onRoom = { offers += 1 }
        #expect(!second.hasRoom)
        fixture.completed((1, 1))
        #expect(offers == 1 && second.hasRoom)
    }

    /// A connection event carries some packets of those that the controller has.
    @Test(arguments: [1, 6, 14]) func oneLinkAloneKeepsItsRate(_ packetsPerEvent: Int) throws {
        let fixture = HostFixture.ready(ScriptedController(aclCount: 16))
        let link = try #require(fixture.makeLink(handle: 1, peer: 1))
        let probe = ChannelProbe()
        link.l2cap.securityChannel = probe
        probe.onRoom = { [unowned link] in fillWithValues(link) }
        fillWithValues(link)
        var sent = 0
        for _ in 0..<500 {
            let count = min(packetsPerEvent, link.flow.inFlight)
            sent += count
            fixture.completed((1, UInt16(count)))
        }
        #expect(sent == 500 * packetsPerEvent)
    }
}

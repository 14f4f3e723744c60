import BluetoothHCI
import BluetoothModel
import Testing

@testable import BluetoothHost

/// A truncated event of a link is malformed. Some events may omit trailing fields if their status is an error or the
/// link is unknown.
@Suite struct LinkEventTests {
    struct Event: CustomTestStringConvertible {
        var code: HCIEventCode = .leMeta
        var subevent: LEEventCode?
        /// With a status of 0 and the handle 0x0040.
        var parameters: String
        /// True if the event begins with a status.
        var hasStatus = true
        /// True if the event may omit the fields after status and handle when the status is not 0 or the link is
        /// unknown.
        var endsEarly = true

        var testDescription: String { "\(subevent.map { "\($0)" } ?? "\(code)")" }

        func packet(_ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
            var parameters = bytes(parameters)
            change(&parameters)
            if let subevent { parameters.insert(subevent.rawValue, at: 0) }
            return [4, code.rawValue, UInt8(parameters.count)] + parameters
        }
    }

    private static let events = [
        Event(subevent: .readRemoteFeaturesComplete, parameters: "00 4000 0100000000000000"),
        Event(code: .readRemoteVersionComplete, parameters: "00 4000 0D 0F00 0100"),
        Event(subevent: .phyUpdateComplete, parameters: "00 4000 02 02"),
        Event(subevent: .dataLengthChange, parameters: "4000 FB00 4808 FB00 4808", hasStatus: false, endsEarly: false),
        Event(code: .encryptionChange, parameters: "00 4000 01", endsEarly: false),
        Event(code: .encryptionChangeV2, parameters: "00 4000 01 10", endsEarly: false),
        Event(code: .encryptionKeyRefreshComplete, parameters: "00 4000", endsEarly: false),
        Event(
            subevent: .longTermKeyRequest, parameters: "4000 0000000000000000 0000", hasStatus: false,
            endsEarly: false),
        Event(subevent: .connectionUpdateComplete, parameters: "00 4000 2800 0000 2C01", endsEarly: false),
    ]

    @Test(arguments: events) func anEventIsCompleteOrMalformed(_ event: Event) throws {
        let fixture = HostFixture.ready(ScriptedController(features: [.encryption]))
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        let handle = event.hasStatus ? 1 : 0
        var malformed: UInt64 { UInt64(fixture.host.counters.malformedEvents) }
        fixture.receive(event.packet())
        fixture.receive(event.packet { $0[handle] = 0x41 })
        #expect(malformed == 0)
        if event.hasStatus { fixture.receive(event.packet { $0[0] = 0x3E }) }
        #expect(malformed == 0)
        let whole = bytes(event.parameters).count
        for length in 0..<whole { fixture.receive(event.packet { $0.removeSubrange(length...) }) }
        #expect(malformed == UInt64(whole))
        if event.hasStatus, event.endsEarly {
            fixture.receive(event.packet { $0 = [0x3E, 0x40, 0] })
            fixture.receive(event.packet { $0 = [0, 0x41, 0] })
            #expect(malformed == UInt64(whole))
        }
        #expect(link.isUp)
    }

    /// An error status completes the pending read of this event, and no other.
    @Test func aStatusThatIsNotSuccessIsTheResult() throws {
        let fixture = HostFixture.ready(ScriptedController(features: [.encryption]))
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        var features: [Result<LEFeatures, RadioError>] = []
        var versions: [Result<RemoteVersion, RadioError>] = []
        link.readRemoteFeatures { features.append($0) }
        link.readRemoteVersion { versions.append($0) }
        fixture.settle()
        fixture.leEvent(.readRemoteFeaturesComplete, bytes("1A 4000 0000000000000000"))
        #expect(features == [.failure(.controller(HCIStatus(rawValue: 0x1A)))] && versions.isEmpty)
        fixture.event(.readRemoteVersionComplete, bytes("3E 4000 00 0000 0000"))
        #expect(versions == [.failure(.controller(HCIStatus(rawValue: 0x3E)))] && features.count == 1)
    }
}

import BluetoothBackend
import BluetoothRuntime
import Harald
import Testing

@testable import BluetoothHost
@testable import HostBackend

/// The open links of an adapter, without a controller.
@Suite(.timeLimit(.minutes(1))) struct HostLinksTests {
    /// The owner of the links. Confined to a loop.
    private final class Bench {
        static let one = PeripheralID(high: 0, low: 1), other = PeripheralID(high: 0, low: 2)
        private let host = LEHost { _ in }
        private let radio: HostRadio
        /// The links to look up.
        var links = HostLinks()

        init(on loop: RadioLoop) {
            radio = HostRadio(
                absent: .unsupported, reason: "a test", info: AdapterInfo(uri: "test:", summary: "test"), loop: loop)
        }

        /// Returns a link that was not added.
        func link(_ handle: UInt16, to id: PeripheralID = Bench.one) -> HostLink {
            let (own, peer): (BluetoothAddress, BluetoothAddress) = ("00:00:00:00:00:01", "00:00:00:00:00:02")
            let connection = LEConnection(
                handle: handle, role: .central, peerAddress: peer,
                parameters: ConnectionParameters(intervalUnits: 24, timeoutUnits: 100))
            let link = LELink(connection, ownAddress: own, ownAirAddress: own, identity: nil, host: host)
            return HostLink(link, id: id, radio: radio)
        }

        /// Opens a link.
        func open(_ handle: UInt16, to id: PeripheralID = Bench.one) -> HostLink {
            let hostLink = link(handle, to: id)
            links.add(hostLink)
            return hostLink
        }

        /// The handle of the newest link to a device.
        func handle(_ id: PeripheralID = Bench.one) -> UInt16? { links[id]?.link.handle }
        /// The handle of a link of the host that is found.
        func handle(of hostLink: HostLink) -> UInt16? { links[hostLink.link]?.link.handle }
        /// The handles of the newest links to all devices.
        var newest: [UInt16] { links.newest.map(\.link.handle).sorted() }
    }

    /// Runs `body` on a loop, to which the links are confined, and returns its result.
    private func run<Result: Sendable>(_ body: @escaping @Sendable (Bench) -> Result) async -> Result {
        let loop = RadioLoop()
        return await loop.run { body(Bench(on: loop)) }
    }

    @Test func linksAreFoundByDeviceAndByLink() async {
        let found = await run { bench -> [UInt16?] in
            let (one, other, absent) = (bench.open(1), bench.open(2, to: Bench.other), bench.link(3))
            return [bench.handle(), bench.handle(Bench.other)]
                + [one, other, absent].map { bench.handle(of: $0) } + bench.newest.map(Optional.some)
        }
        #expect(found == [1, 2, 1, 2, nil, 1, 2])
    }

    /// The link of the host is the key, and not its handle, which the controller uses again.
    @Test func anotherLinkWithTheSameHandleIsNotFound() async {
        let found = await run { bench -> [UInt16?] in
            let (old, new) = (bench.open(1), bench.link(1))
            let wasRemoved = bench.links.remove(new.link) != nil
            return [bench.handle(of: new), wasRemoved ? 1 : nil, bench.handle(of: old), bench.handle()]
        }
        #expect(found == [nil, nil, 1, 1])
    }

    @Test func aRemovedLinkIsReturnedOnceAndNotFound() async {
        let found = await run { bench -> [UInt16?] in
            let (one, _) = (bench.open(1), bench.open(2, to: Bench.other))
            let first = bench.links.remove(one.link)?.link.handle
            let second = bench.links.remove(one.link)?.link.handle
            return [first, second, bench.handle(), bench.handle(of: one), bench.handle(Bench.other)]
                + bench.newest.map(Optional.some)
        }
        #expect(found == [1, nil, nil, nil, 2, 2])
    }

    @Test func aNewerLinkReplacesTheOlderForItsDevice() async {
        let found = await run { bench -> [UInt16?] in
            let (old, new) = (bench.open(7), bench.open(3))
            return [bench.handle(), bench.handle(of: old), bench.handle(of: new)] + bench.newest.map(Optional.some)
        }
        #expect(found == [3, 7, 3, 3])
    }

    @Test func theEndOfTheOlderLinkLeavesTheNewer() async {
        let found = await run { bench -> [UInt16?] in
            let (old, new) = (bench.open(7), bench.open(3))
            _ = bench.links.remove(old.link)
            return [bench.handle(), bench.handle(of: old), bench.handle(of: new)]
        }
        #expect(found == [3, nil, 3])
    }

    @Test func anEarlierLinkTakesThePlaceOfTheNewest() async {
        let found = await run { bench -> [UInt16?] in
            let (old, new) = (bench.open(3), bench.open(7))
            // Links to other devices are no substitute.
            _ = bench.open(9, to: Bench.other)
            _ = bench.links.remove(new.link)
            let handle = bench.handle()
            _ = bench.links.remove(old.link)
            return [handle, bench.handle(), bench.handle(Bench.other)]
        }
        #expect(found == [3, nil, 9])
    }

    /// Controllers use the handles of ended links again, so that a newer link may have a lower handle.
    @Test func theNewestOfTheEarlierLinksTakesThePlaceOfTheNewest() async {
        let found = await run { bench -> UInt16? in
            let (_, _, newest) = (bench.open(5), bench.open(3), bench.open(1))
            _ = bench.links.remove(newest.link)
            return bench.handle()
        }
        #expect(found == 3)
    }
}

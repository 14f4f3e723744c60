import BackendConformance
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// The users of one link; the test decides when the device acknowledges.
@Suite struct LinkUseTests {
    private final class SharedLink: KernelLink {
        let pending: PendingOperations
        let shares = LinkShares()
        let isUp = true
        var acknowledge: [(Result<Void, RadioError>) -> Void] = []
        private(set) lazy var subscriptions = SubscriptionRegistry { [weak self] _, completion in
            self?.acknowledge.append(completion)
        }

        init(_ loop: RadioLoop) { pending = PendingOperations(loop: loop) }

        var isShared: Bool { shares.isShared }
        func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
            _ = shares.remove(share)
            completion()
        }
    }

    private final class Share: KernelShare, RefusingLink {
        let use: LinkUse<SharedLink>

        init(_ link: SharedLink) { use = LinkUse(of: link, by: nil) }

        deinit { use.dropped(ObjectIdentifier(self)) }

        var peripheral: PeripheralID { fakeDevice }
        var security: LinkSecurity { LinkSecurity() }
        var canWriteWithoutResponse: Bool { false }

        func maximumWriteLength(withResponse: Bool) -> Int { 20 }
        func refusal<Value>(_ completion: @escaping (Result<Value, RadioError>) -> Void) -> OperationID {
            use.begin(nil, completion) { $0.complete(.failure(.unsupported("a fake link"))) }
        }
    }

    private final class Channel: BackendChannel {
        let psm: UInt16 = 0x80
        let peerMTU = 23
        let peer = fakeDevice
        var endings: [RadioError] = []

        func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {}
        func consumed() {}
        func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {}
        func close() {}
        func end(_ error: RadioError) { endings.append(error) }
    }

    private let loop = KernelLoop()
    private let link: SharedLink

    init() { link = SharedLink(loop.loop) }

    private func acknowledge() { loop.run { link.acknowledge.removeFirst()(.success(())) } }

    @Test func theEndOfASubscriptionHasATimeout() {
        let share = link.shares.add(Share(link))
        let (begun, ended) = (Outcome<Void>(), Outcome<Void>())
        loop.run {
            let id = share.use.begin(nil, begun.completion) { operation in
                link.subscriptions.subscribe(operation, to: AttributeID(rawValue: 3)) { _ in }
            }
            link.acknowledge.removeFirst()(.success(()))
            share.unsubscribe(id, timeout: .seconds(1), completion: ended.completion)
        }
        #expect(begun.errors == [nil])
        #expect(ended.errors == [])
        loop.advance(.seconds(1))
        #expect(ended.errors == [.timeout])
        // A late acknowledgement has no effect.
        acknowledge()
        #expect(ended.errors == [.timeout])
        loop.run { share.release {} }
    }

    @Test func aRefusedSubscriptionThatEndsIsNotBegunAgain() {
        let share = link.shares.add(Share(link))
        let (begun, ended) = (Outcome<Void>(), Outcome<Void>())
        var again: [() -> Void] = []
        loop.run {
            link.subscriptions.onRefusal = { _, _, repeated in
                again.append(repeated)
                return true
            }
            let id = share.use.begin(nil, begun.completion) { operation in
                link.subscriptions.subscribe(operation, to: AttributeID(rawValue: 3)) { _ in }
            }
            link.acknowledge.removeFirst()(.failure(.att(.insufficientAuthentication, handle: 3)))
            share.unsubscribe(id, timeout: nil, completion: ended.completion)
            again.removeFirst()()
        }
        #expect(begun.errors == [.cancelled] && ended.errors == [nil] && link.acknowledge.isEmpty)
        loop.run { share.release {} }
    }

    @Test func aReleasedShareEndsItsOperationsAndChannelsAlone() {
        let shares = [link.shares.add(Share(link)), link.shares.add(Share(link))]
        let channels = [Channel(), Channel()]
        let reads = [Outcome<Void>(), Outcome<Void>()]
        loop.run {
            for index in 0..<2 {
                _ = shares[index].use.beginChannel(nil) { _ in
                } _: {
                    $0.complete(.success(channels[index]))
                }
                _ = shares[index].use.begin(nil, reads[index].completion) { _ in }
            }
            shares[0].release {}
        }
        #expect(reads.map(\.errors) == [[.disconnected(.localHostTerminated)], []])
        #expect(channels.map(\.endings) == [[.disconnected(.localHostTerminated)], []])
        // The channels of the last user end with the link.
        loop.run { shares[1].release {} }
        #expect(reads[1].errors == [.disconnected(.localHostTerminated)])
        #expect(channels[1].endings == [])
    }
}

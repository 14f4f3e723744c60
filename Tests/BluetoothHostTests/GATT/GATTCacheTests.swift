import BluetoothModel
import Testing

@testable import BluetoothHost

/// The cache between links, and the conditions of its validity.
@Suite struct GATTCacheTests {
    private let peer = PeripheralID(high: 1, low: 2)

    private func makeServer() throws -> GATTServer {
        let server = GATTServer()
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "180F",
                characteristics: [GATTCharacteristicDefinition(uuid: "2A19", properties: .read, value: .kept([90]))]))
        return server
    }

    private func start(_ sides: TwoSides, _ store: any GATTCacheStore, follows: Bool = false) {
        let outcome = Outcome<Void>()
        sides.client.start(
            GATTClientSetup(cache: store, peer: peer, followsServiceChanges: follows),
            completion: outcome.callAsFunction)
        sides.run()
        #expect(outcome.isSuccess)
    }

    private func discover(_ sides: TwoSides) throws -> [GATTCharacteristic] {
        let services = Outcome<[GATTService]>(), characteristics = Outcome<[GATTCharacteristic]>()
        sides.client.discoverServices(completion: services.callAsFunction)
        sides.run()
        let battery = try #require(services.value?.first { $0.uuid == "180F" })
        sides.client.discoverCharacteristics(of: battery, completion: characteristics.callAsFunction)
        sides.run()
        return try #require(characteristics.value)
    }

    @Test func anUnchangedHashSkipsTheDiscovery() throws {
        let server = try makeServer(), store = InMemoryGATTCacheStore()
        let first = TwoSides(server: server)
        start(first, store)
        #expect(first.requests == ["020502", "080100FFFF2A2B"])
        #expect(first.client.mtu == 517)
        let found = try discover(first)
        first.disconnect()

        let second = TwoSides(server: server)
        start(second, store)
        second.forgetTraffic()
        #expect(try discover(second) == found)
        #expect(second.requests.isEmpty)
        second.disconnect()

        _ = try server.add(GATTServiceDefinition(uuid: "FFF0", characteristics: []))
        let third = TwoSides(server: server)
        start(third, store)
        third.forgetTraffic()
        #expect(try discover(third) == found)
        #expect(!third.requests.isEmpty)
        third.client.forgetCache()
        #expect(store.entry(for: peer) == nil)
        third.forgetTraffic()
        _ = try discover(third)
        #expect(!third.requests.isEmpty && store.entry(for: peer)?.hash?.count == 16)
    }

    @Test func withoutAHashTheCacheRequiresABondAndServiceChanged() {
        let store = InMemoryGATTCacheStore()
        var entry = GATTCacheEntry()
        entry.services = [GATTService(uuid: "1801", range: 1...4)]
        store.store(entry, for: peer)
        func usesCache(bonded: Bool) -> Bool {
            let side = OneSide()
            let outcome = Outcome<Void>(), services = Outcome<[GATTService]>()
            side.client.start(
                GATTClientSetup(
                    exchangesMTU: false, cache: store, peer: peer, isBonded: bonded, followsServiceChanges: false),
                completion: outcome.callAsFunction)
            #expect(side.fake.take() == ["080100FFFF2A2B"])
            side.link.receive("01 08 0100 0A")
            #expect(outcome.isSuccess)
            side.client.discoverServices(completion: services.callAsFunction)
            return services.value != nil
        }
        #expect(!usesCache(bonded: true))
        entry.characteristics[1] = [
            GATTCharacteristic(
                uuid: "2A05", declarationHandle: 2, valueHandle: 3, endHandle: 4, properties: .indicate)
        ]
        store.store(entry, for: peer)
        #expect(usesCache(bonded: true))
        #expect(!usesCache(bonded: false))
        #expect(store.entry(for: peer) == nil)
    }

    @Test func changesAreRediscoveredInTheBackground() throws {
        let server = try makeServer(), store = InMemoryGATTCacheStore()
        let sides = TwoSides(server: server)
        var changes: [GATTDatabaseChange] = []
        sides.client.onDatabaseChange = { changes.append($0) }
        start(sides, store, follows: true)
        // The client subscribed to Service Changed, and the server knows its supported features.
        #expect(sides.session.subscription(to: server.serviceChangedHandle) == .indications)
        #expect(sides.session.clientFeatures == 5)
        let found = try discover(sides)
        #expect(store.entry(for: peer)?.services?.count == 3)
        let placed = try server.add(GATTServiceDefinition(uuid: "FFF0", characteristics: []))
        sides.run()
        #expect(changes == [.servicesChanged(placed.range)])
        #expect(store.entry(for: peer) == nil)
        sides.forgetTraffic()
        #expect(try discover(sides) == found)
        #expect(store.entry(for: peer)?.services?.count == 4)
        #expect(store.entry(for: peer)?.hash == server.databaseHash.reversed())
    }

    @Test(arguments: [[], ["03 0002"]]) func theStartEndsWithTheLink(_ answers: [String]) {
        let side = OneSide()
        let outcome = Outcome<Void>()
        side.client.start(
            GATTClientSetup(cache: InMemoryGATTCacheStore(), peer: peer), completion: outcome.callAsFunction)
        for answer in answers { side.link.receive(answer) }
        #expect(side.fake.take().last == (answers.isEmpty ? "020502" : "080100FFFF2A2B"))
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(outcome.error == .disconnected(.connectionTimeout) && outcome.count == 1)
    }

    @Test func rediscoveryContinuesOnceTheLinkIsEncrypted() {
        let side = OneSide()
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        answerDiscovery(side)
        side.link.receive("05 01 0400 0229")
        #expect(side.fake.take().last == "1204000200")
        side.link.receive("01 12 0400 05")
        #expect(side.fake.take().isEmpty)
        side.fake.security = LinkSecurity(level: .encrypted, keySize: 16)
        side.link.securityChanged()
        // The service is searched again, its contents come from the cache.
        side.link.receive("07 0100 0900")
        side.link.receive("01 06 0A00 0A")
        side.link.receive("13")
        #expect(side.fake.take().suffix(2) == ["1204000200", "12060005"])
        side.link.receive("13")
        side.link.securityChanged()
        #expect(side.fake.take().isEmpty)
    }

    /// Answers the discovery of a GATT service with Service Changed at 0x0003.
    private func answerDiscovery(_ side: OneSide) {
        side.link.receive("07 0100 0900")
        answerRestOfDiscovery(side)
    }

    /// Answers what follows the service itself.
    private func answerRestOfDiscovery(_ side: OneSide) {
        side.link.receive("01 06 0A00 0A")
        side.link.receive("09 07 0200 20 0300 052A 0500 0A 0600 292B")
        side.link.receive("01 08 0700 0A")
    }

    /// Answers the discovery, the subscription and the write of the client's features.
    private func answerFollower(_ side: OneSide) {
        answerDiscovery(side)
        side.link.receive("05 01 0400 0229")
        for _ in 0..<2 { side.link.receive("13") }
    }

    @Test func theSubscriptionToServiceChangedFollowsItsCharacteristic() {
        let side = OneSide()
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        answerFollower(side)
        // The service now lies at other handles.
        side.link.receive("1D 0300 0100 FFFF")
        side.link.receive("01 08 0100 0A")
        side.link.receive("07 1100 1900")
        side.link.receive("01 06 1A00 0A")
        side.link.receive("09 07 1200 20 1300 052A 1500 0A 1600 292B")
        side.link.receive("01 08 1700 0A")
        side.link.receive("05 01 1400 0229")
        #expect(side.fake.take().last == "1214000200")
        for _ in 0..<2 { side.link.receive("13") }
        _ = side.fake.take()
        // An indication of the old handle is confirmed and ignored.
        side.link.receive("1D 0300 0100 FFFF")
        #expect(side.fake.take() == ["1E"])
        side.link.receive("1D 1300 0100 FFFF")
        #expect(side.fake.take() == ["080100FFFF2A2B", "1E"])
    }

    @Test func internalRequestsHaveTheLowestPriority() {
        let side = OneSide()
        let reads = (0..<3).map { _ in Outcome<[UInt8]>() }
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        for (index, read) in reads.enumerated() { side.client.read(UInt16(index + 3), completion: read.view) }
        side.link.receive("07 0100 0900")
        for _ in 0..<3 { side.link.receive("0B 01") }
        #expect(
            side.fake.take() == [
                "060100FFFF00280118", "0A0300", "0A0400", "0A0500", "060A00FFFF00280118",
            ])
    }

    @Test func outOfSyncCausesAnErrorAnEventAndANewHash() throws {
        let side = OneSide()
        let store = InMemoryGATTCacheStore()
        store.store(GATTCacheEntry(hash: [UInt8](repeating: 1, count: 16)), for: peer)
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(
            GATTClientSetup(exchangesMTU: false, cache: store, peer: peer, followsServiceChanges: false)
        ) { _ in }
        side.link.receive("09 12 0F00" + String(repeating: "01", count: 16))
        #expect(store.entry(for: peer) != nil)
        let read = Outcome<[UInt8]>(), next = Outcome<[UInt8]>()
        side.client.read(3, completion: read.view)
        side.client.read(5, completion: next.view)
        _ = side.fake.take()
        side.link.receive("01 0A 0300 12")
        #expect(read.error == .att(.databaseOutOfSync, handle: 3))
        #expect(changes == [.outOfSync] && store.entry(for: peer) == nil)
        side.link.receive("0B 01")
        // The hash is read when no other request waits.
        #expect(side.fake.take() == ["0A0500", "080100FFFF2A2B"])
        // It arrives during a discovery, whose results it covers.
        let services = Outcome<[GATTService]>()
        side.client.discoverServices(completion: services.callAsFunction)
        side.link.receive("09 12 0F00" + String(repeating: "02", count: 16))
        side.link.receive("01 10 0100 0A")
        #expect(store.entry(for: peer)?.hash == [UInt8](repeating: 2, count: 16))
    }

    @Test func outOfSyncCountsAfterItsRequestWasAbandoned() {
        let side = OneSide()
        let store = InMemoryGATTCacheStore()
        store.store(GATTCacheEntry(hash: [UInt8](repeating: 1, count: 16)), for: peer)
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(
            GATTClientSetup(exchangesMTU: false, cache: store, peer: peer, followsServiceChanges: false)
        ) { _ in }
        side.link.receive("09 12 0F00" + String(repeating: "01", count: 16))
        let read = Outcome<[UInt8]>()
        side.client.read(3, timeout: .seconds(1), completion: read.view)
        side.time.advance(by: .seconds(1))
        #expect(read.error == .timeout)
        _ = side.fake.take()
        side.link.receive("01 0A 0300 12")
        #expect(changes == [.outOfSync] && store.entry(for: peer) == nil)
        #expect(side.fake.take() == ["080100FFFF2A2B"])
    }

    @Test func outOfSyncAfterAnAnnouncedChangeVoidsNothingElse() {
        let side = OneSide()
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        answerFollower(side)
        let read = Outcome<[UInt8]>(), next = Outcome<[UInt8]>()
        side.client.read(0x14, completion: read.view)
        side.link.receive("1D 0300 2500 2700")
        side.link.receive("01 0A 1400 12")
        #expect(read.error == .att(.databaseOutOfSync, handle: 0x14) && changes == [.servicesChanged(0x25...0x27)])
        side.link.receive("09 12 0F00" + String(repeating: "02", count: 16))
        // Another change is announced after the error, and a third one is not.
        for isAnnounced in [true, false] {
            side.client.read(0x14, completion: next.view)
            side.link.receive("01 0A 1400 12")
            #expect(changes.last == .servicesChanged(0x25...0x27))
            if isAnnounced { side.link.receive("1D 0300 2500 2700") }
            side.link.receive("09 12 0F00" + String(repeating: "03", count: 16))
            #expect(changes.count == (isAnnounced ? 2 : 3))
        }
        #expect(changes.last == .outOfSync)
    }

    @Test func outOfSyncOfAnAbandonedRequestAfterAnAnnouncedChangeVoidsNothingElse() {
        let side = OneSide()
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        answerFollower(side)
        let read = Outcome<[UInt8]>()
        side.client.read(0x14, timeout: .seconds(1), completion: read.view)
        side.time.advance(by: .seconds(1))
        #expect(read.error == .timeout)
        side.link.receive("1D 0300 2500 2700")
        side.link.receive("01 0A 1400 12")
        side.link.receive("09 12 0F00" + String(repeating: "02", count: 16))
        #expect(changes == [.servicesChanged(0x25...0x27)])
    }

    @Test func aChangeThatIsAnnouncedBeforeTheSubscriptionIsFollowed() {
        let side = OneSide()
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        // A bonded server remembers the subscription.
        side.link.receive("1D 0300 2500 2700")
        #expect(side.fake.take().last == "1E" && changes.isEmpty)
        answerDiscovery(side)
        #expect(changes == [.servicesChanged(0x25...0x27)])
    }

    @Test func aChangeDuringTheSubscriptionToServiceChangedRestartsIt() {
        let side = OneSide()
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        answerDiscovery(side)
        side.link.receive("05 01 0400 0229")
        #expect(side.fake.take().last == "1204000200")
        side.link.receive("1D 0300 2500 2700")
        side.link.receive("01 12 0400 12")
        side.link.receive("09 12 0F00" + String(repeating: "02", count: 16))
        answerFollower(side)
        #expect(side.fake.take().suffix(2) == ["1204000200", "12060005"])
        side.link.receive("1D 0300 2500 2700")
        #expect(changes == [.servicesChanged(0x25...0x27), .servicesChanged(0x25...0x27)])
    }

    @Test func aServerThatIsNeverInSyncIsNotFollowedForever() {
        let side = OneSide()
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        var requests = 0
        while let request = side.fake.take().last, requests < 1000 {
            requests += 1
            side.link.receive("01 \(request.prefix(2)) 0100 12")
        }
        #expect(requests < 50)
        #expect(side.client.follower?.isFollowing == false)
    }

    private let hashRequest = "080100FFFF2A2B"

    private func hashAnswer(_ octet: String) -> String { "09 12 0F00" + String(repeating: octet, count: 16) }

    private func sideThatKnowsAHash(_ store: InMemoryGATTCacheStore) -> OneSide {
        let side = OneSide()
        side.client.start(
            GATTClientSetup(exchangesMTU: false, cache: store, peer: peer, followsServiceChanges: false)
        ) { _ in }
        side.link.receive(hashAnswer("01"))
        #expect(side.fake.take() == [hashRequest])
        return side
    }

    @Test func theHashIsReadAgainBeforeALaterDiscovery() {
        let store = InMemoryGATTCacheStore(), side = sideThatKnowsAHash(store)
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.fake.time.advance(by: .seconds(6))
        let services = Outcome<[GATTService]>()
        side.client.discoverServices(completion: services.callAsFunction)
        side.link.receive(hashAnswer("02"))
        // The server has not announced this change, and accepts old handles from now on.
        #expect(changes == [.outOfSync])
        side.link.receive("11 06 0100 0900 0118")
        side.link.receive("01 10 0A00 0A")
        #expect(services.value?.count == 1)
        #expect(store.entry(for: peer)?.hash == [UInt8](repeating: 2, count: 16))
        #expect(side.fake.take() == [hashRequest, "100100FFFF0028", "100A00FFFF0028"])
        // A discovery that follows closely needs no other hash. One after the cache was forgotten does.
        let found = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "1801", range: 1...9), completion: found.callAsFunction)
        #expect(side.fake.take() == ["0801000900" + "0328"])
        side.link.receive("01 08 0100 0A")
        side.client.forgetCache()
        side.client.discoverServices(completion: services.callAsFunction)
        #expect(side.fake.take() == [hashRequest] && store.entry(for: peer) == nil)
    }

    /// The change is not announced, because the server waits for the confirmation of an earlier indication.
    @Test func theHashIsReadAgainAfterADiscoveryOfTheDatabase() {
        let store = InMemoryGATTCacheStore(), side = sideThatKnowsAHash(store)
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        let outcome = Outcome<Void>(), read = Outcome<[UInt8]>()
        side.client.discoverDatabase { result in
            outcome(result)
            side.client.read(3, completion: read.view)
        }
        side.link.receive("11 06 0100 FFFF 0D18")
        side.link.receive("09 07 0200 02 0300 372A")
        side.link.receive("01 08 0400 0A")
        side.link.receive("01 04 0400 0A")
        #expect(outcome.isSuccess && store.entry(for: peer)?.characteristics.isEmpty == false)
        // It does not delay the first request after the discovery.
        #expect(side.fake.take().last == "0A0300")
        side.link.receive("0B 05")
        #expect(read.value == [5])
        #expect(side.fake.take() == [hashRequest])
        side.link.receive(hashAnswer("02"))
        #expect(changes == [.outOfSync])
        #expect(side.client.cache.entry == GATTCacheEntry(hash: [UInt8](repeating: 2, count: 16)))
    }

    /// The link of a client that is about to subscribe to Service Changed, and has discovered the services.
    private func sideThatDiscoversBeforeItFollows(_ store: InMemoryGATTCacheStore) -> OneSide {
        let side = OneSide()
        side.client.start(GATTClientSetup(exchangesMTU: false, cache: store, peer: peer)) { _ in }
        side.link.receive(hashAnswer("01"))
        let services = Outcome<[GATTService]>()
        side.client.discoverServices(completion: services.callAsFunction)
        side.link.receive("07 0100 0900")
        side.link.receive("11 06 0100 0900 0118")
        side.link.receive("01 10 0A00 0A")
        #expect(services.value?.count == 1 && store.entry(for: peer) == nil)
        answerRestOfDiscovery(side)
        return side
    }

    @Test(arguments: ["01", "02"]) func attributesFromBeforeChangesAreReportedWaitForTheHash(_ octet: String) {
        let store = InMemoryGATTCacheStore(), side = sideThatDiscoversBeforeItFollows(store)
        var changes: [GATTDatabaseChange] = []
        side.client.onDatabaseChange = { changes.append($0) }
        side.link.receive("05 01 0400 0229")
        for _ in 0..<2 { side.link.receive("13") }
        #expect(store.entry(for: peer) == nil)
        #expect(side.fake.take().last == hashRequest)
        side.link.receive(hashAnswer(octet))
        #expect(store.entry(for: peer)?.services?.count == (octet == "01" ? 1 : nil))
        #expect(changes == (octet == "01" ? [] : [.outOfSync]))
        #expect(side.fake.take().isEmpty)
        guard octet == "01" else { return }
        // From now on the server reports changes.
        let characteristics = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180F", range: 10...20), completion: characteristics.callAsFunction)
        side.link.receive("01 08 0A00 0A")
        #expect(store.entry(for: peer)?.characteristics[10] == [])
        #expect(side.fake.take().count == 1)
    }

    @Test func attributesOfALinkThatEndsBeforeChangesAreReportedAreNotStored() {
        let store = InMemoryGATTCacheStore(), side = sideThatDiscoversBeforeItFollows(store)
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(store.entry(for: peer) == nil)
    }

    @Test func aServerThatReportsNoChangesIsAskedForTheHashAfterEachDiscovery() {
        let store = InMemoryGATTCacheStore(), side = sideThatDiscoversBeforeItFollows(store)
        side.link.receive("05 01 0400 0229")
        // The subscription requires encryption.
        side.link.receive("01 12 0400 05")
        #expect(side.fake.take().last == hashRequest)
        // Another discovery ends before the answer, so the hash may be from before it.
        let characteristics = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180F", range: 10...20), completion: characteristics.callAsFunction)
        side.link.receive(hashAnswer("01"))
        #expect(store.entry(for: peer)?.services?.count == 1)
        side.link.receive("01 08 0A00 0A")
        #expect(characteristics.value == [] && store.entry(for: peer)?.characteristics[10] == nil)
        #expect(side.fake.take().last == hashRequest)
        side.link.receive(hashAnswer("01"))
        #expect(store.entry(for: peer)?.characteristics[10] == [])
        #expect(side.fake.take().isEmpty)
    }

    @Test func theSubscriptionToServiceChangedStays() throws {
        let server = try makeServer()
        let sides = TwoSides(server: server)
        start(sides, InMemoryGATTCacheStore(), follows: true)
        let handle = server.serviceChangedHandle
        #expect(sides.session.subscription(to: handle) == .indications)
        let changed = GATTCharacteristic(
            uuid: "2A05", declarationHandle: handle - 1, valueHandle: handle, endHandle: handle + 1,
            properties: .indicate)
        let outcome = Outcome<Void>()
        // A program that subscribed to it too unsubscribes.
        sides.client.configure(changed, [], completion: outcome.callAsFunction)
        sides.run()
        #expect(outcome.isSuccess && sides.session.subscription(to: handle) == .indications)
    }

    @Test func aCacheEntryRoundTrips() {
        var entry = GATTCacheEntry(hash: [UInt8](0..<16))
        entry.services = [
            GATTService(uuid: "180D", range: 1...9),
            GATTService(uuid: "12345678-9ABC-DEF0-1122-334455667788", range: 10...0xFFFF, isPrimary: false),
        ]
        entry.includedServices[1] = [
            GATTIncludedService(handle: 2, service: GATTService(uuid: "180F", range: 20...30))
        ]
        entry.characteristics[1] = [
            GATTCharacteristic(
                uuid: "2A37", declarationHandle: 3, valueHandle: 4, endHandle: 9, properties: [.notify, .read])
        ]
        entry.descriptors[4] = [GATTDescriptor(uuid: "2902", handle: 5)]
        let bytes = entry.encoded
        #expect(bytes.withByteView { GATTCacheEntry(encoded: $0) } == entry)
        for length in 0..<bytes.count {
            #expect(bytes.withByteView { GATTCacheEntry(encoded: $0.prefix(length)) } == nil, "\(length)")
        }
        let empty = GATTCacheEntry()
        #expect(empty.encoded.withByteView { GATTCacheEntry(encoded: $0) } == empty)
    }

    @Test func anEntryIsEmptyIfNothingButTheHashIsKnown() {
        let changes: [(inout GATTCacheEntry) -> Void] = [
            { $0.services = [] }, { $0.secondaryServices = [] }, { $0.includedServices[1] = [] },
            { $0.characteristics[1] = [] }, { $0.descriptors[3] = [] },
            { $0.add([GATTDiscoveryProblem(.characteristic, at: 4, .valueOutsideService)]) },
        ]
        let empty = GATTCacheEntry(hash: [UInt8](repeating: 1, count: 16))
        #expect(empty.isEmpty)
        for (index, change) in changes.enumerated() {
            var entry = empty
            change(&entry)
            #expect(!entry.isEmpty, "change \(index)")
        }
    }

    @Test func theStoreInMemoryIsBounded() {
        let store = InMemoryGATTCacheStore(capacity: 2)
        let peers = (0..<3).map { PeripheralID(high: 0, low: UInt64($0)) }
        store.store(GATTCacheEntry(), for: peers[0])
        store.store(GATTCacheEntry(), for: peers[1])
        store.store(GATTCacheEntry(), for: peers[0])
        store.store(GATTCacheEntry(), for: peers[2])
        #expect(peers.map { store.entry(for: $0) != nil } == [true, false, true])
    }
}

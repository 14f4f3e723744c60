import Harald
import Testing

@Suite(.timeLimit(.minutes(3))) struct ExploreAndInteractTests {
    @Test func scanShowsTheDeviceOnceWithItsScanResponse() async throws {
        let rig = try await Rig()
        var seen: [Discovery] = []
        for try await found in rig.central.scan(duration: .milliseconds(600)) { seen.append(found) }
        #expect(seen.count == 1)
        let found = try #require(seen.first)
        #expect(found.name == "Bench")
        #expect(found.services.contains("180F"))
        #expect(found.services.contains(Rig.service))
        #expect(found.isConnectable)
        #expect(found.rssi != nil)
        await rig.close()
    }

    @Test func aFilteredScanCountsWhatItHid() async throws {
        let rig = try await Rig()
        let scan = rig.central.scan(for: ["1810"], duration: .milliseconds(500))
        for try await found in scan { Issue.record("\(found) has no such service") }
        #expect(scan.hiddenCount == 1)
        await rig.close()
    }

    @Test func discoversEverything() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        #expect(peripheral.mtu > 100)
        let services = try await peripheral.discoverAll()
        #expect(services.map(\.uuid) == ["1800", "1801", Rig.service, "180F"])
        let bench = try #require(peripheral[AttributeKey(Rig.service)])
        #expect(bench.characteristics.count == 9)
        #expect(bench[AttributeKey(Rig.stored)]?["2901"] != nil)
        #expect(peripheral["battery service"]?["battery level"]?.uuid == "2A19")
        await rig.close()
    }

    @Test func readsAndWrites() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let key = AttributeKey(Rig.service)
        let fixed = try await peripheral.characteristic(key, AttributeKey(Rig.fixed))
        #expect(try await fixed.read() == Array(0..<20))
        let stored = try await peripheral.characteristic(key, AttributeKey(Rig.stored))
        try await stored.write([0xAA, 0xBB])
        #expect(try await stored.read() == [0xAA, 0xBB])
        let long = try await peripheral.characteristic(key, AttributeKey(Rig.long))
        #expect(try await long.read() == Rig.longValue)
        let reversed = Array(Rig.longValue.reversed())
        try await long.write(reversed)
        #expect(try await long.read() == reversed)
        let computed = try await peripheral.characteristic(key, AttributeKey(Rig.computed))
        #expect(try await computed.read() == [42])
        await rig.close()
    }

    @Test func writesWithoutResponseArriveInOrderAndWhole() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let sink = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.sink))
        for number in 0..<500 { try await sink.write([UInt8(number & 255), UInt8(number >> 8)]) }
        // A read is answered after the writes before it.
        let fixed = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.computed))
        _ = try await fixed.read()
        #expect(rig.sunk.value == (0..<500).map { [UInt8($0 & 255), UInt8($0 >> 8)] })
        #expect(rig.device.droppedWrites == 0)
        await rig.close()
    }

    @Test func aWriteTypeThatIsNotOfferedNamesThoseThatAre() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let stored = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.stored))
        let error = await #expect(throws: BluetoothError.self) {
            try await stored.write([1], type: .withoutResponse)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("read, write") == true)
        await rig.close()
    }

    @Test func errorsOfTheUsersCodeReachTheCentral() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let refusing = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.refusing))
        let read = await #expect(throws: BluetoothError.self) { _ = try await refusing.read() }
        #expect(read?.code == .att(.insufficientAuthorization))
        let write = await #expect(throws: BluetoothError.self) { try await refusing.write([1]) }
        #expect(write?.code == .att(.valueNotAllowed))
        await rig.close()
    }

    @Test func notificationsAndIndications() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let events = rig.device.events
        for uuid in [Rig.notifying, Rig.indicating] {
            let characteristic = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(uuid))
            let values = characteristic.notifications()
            _ = try await events.first { if case .subscribed = $0 { true } else { false } }
            let source = try #require(rig.published[uuid])
            for number in UInt8(0)..<5 { try await source.update([number]) }
            var received: [[UInt8]] = []
            for try await value in values {
                received.append(value)
                if received.count == 5 { break }
            }
            #expect(received == (UInt8(0)..<5).map { [$0] })
        }
        await rig.close()
    }

    @Test func aServiceMergesTheValuesOfItsCharacteristics() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let service = try await peripheral.service(AttributeKey(Rig.service))
        let events = rig.device.events
        let values = try await service.notifications()
        for _ in 0..<2 { _ = try await events.first { if case .subscribed = $0 { true } else { false } } }
        try await rig.published[Rig.notifying]?.update([1])
        try await rig.published[Rig.indicating]?.update([2])
        var heard: [BluetoothUUID: [UInt8]] = [:]
        for try await notification in values {
            heard[notification.characteristic.uuid] = notification.value
            if heard.count == 2 { break }
        }
        #expect(heard == [Rig.notifying: [1], Rig.indicating: [2]])
        await rig.close()
    }

    @Test func aSlowConsumersLossIsCounted() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let events = rig.device.events
        let values = notifying.notifications(buffering: .newest(2))
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        for number in UInt8(0)..<10 { try await rig.published[Rig.notifying]?.update([number]) }
        // A read is answered after the notifications before it.
        _ = try await notifying.read()
        #expect(values.droppedCount == 8)
        #expect(try await values.first { _ in true } == [8])
        await rig.close()
    }

    @Test func aDisconnectionEndsStreamsAndOperations() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        let events = rig.device.events
        let values = notifying.notifications()
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        let reading = Task { try await never.read() }
        for await _ in rig.asked { break }
        let central = try #require(await rig.device.centrals.first)
        await rig.device.disconnect(central)
        await #expect(throws: BluetoothError.self) { for try await _ in values {} }
        await #expect(throws: BluetoothError.self) { _ = try await reading.value }
        #expect(peripheral.state == .disconnected(nil) || !peripheral.isConnected)
        await rig.close()
    }

    @Test func aStreamSurvivesAReconnection() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected(reconnect: .always)
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let events = rig.device.events
        let values = notifying.notifications()
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        let central = try #require(await rig.device.centrals.first)
        await rig.device.disconnect(central)
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        try await rig.published[Rig.notifying]?.update([7])
        #expect(try await values.first { _ in true } == [7])
        #expect(peripheral.isConnected)
        await rig.close()
    }
}

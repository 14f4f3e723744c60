import Harald
import Testing

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct ExploreAndInteractTests {
    @Test(arguments: RigStack.all) func aScanReportsADeviceOnceWithItsScanResponse(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        var seen: [ScanResult] = []
        for try await found in rig.central.scan(duration: .seconds(stack == .host ? 0.6 : 2)) { seen.append(found) }
        #expect(seen.count == 1)
        let found = try #require(seen.first)
        #expect(found.name == "Bench")
        #expect(found.services.contains("180F"))
        #expect(found.services.contains(Rig.service))
        #expect(found.isConnectable)
        #expect(found.rssi != nil)
    }

    @Test(arguments: RigStack.all) func aFilteredScanCountsHiddenDevices(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let scan = rig.central.scan(for: ["1810"], duration: .seconds(stack == .host ? 0.5 : 2))
        for try await found in scan { Issue.record("\(found) has no such service") }
        #expect(scan.hiddenCount == 1)
    }

    @Test(arguments: RigStack.all) func discoversEverything(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let services = try await peripheral.discoverAll()
        #expect(peripheral.mtu > 100)
        let system: [BluetoothUUID] = stack.showsEverything ? ["1800", "1801"] : []
        #expect(services.map(\.uuid) == system + [Rig.service, "180F"])
        let bench = try #require(peripheral[AttributeKey(Rig.service)])
        #expect(bench.characteristics.count == 9)
        #expect(bench[AttributeKey(Rig.stored)]?["2901"] != nil)
        #expect(peripheral["battery service"]?["battery level"]?.uuid == "2A19")
    }

    @Test(arguments: RigStack.all) func readsAndWrites(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
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
    }

    @Test(arguments: RigStack.all) func writesWithoutResponseArriveCompleteAndInOrder(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let sink = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.sink))
        for number in 0..<500 { try await sink.write([UInt8(number & 255), UInt8(number >> 8)]) }
        // A read is answered after the writes before it.
        let fixed = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.computed))
        _ = try await fixed.read()
        #expect(rig.sunk.value == (0..<500).map { [UInt8($0 & 255), UInt8($0 >> 8)] })
        #expect(rig.device.droppedWrites == 0)
    }

    @Test(arguments: RigStack.all) func theErrorOfAnUnsupportedWriteTypeListsTheProperties(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let stored = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.stored))
        let error = await #expect(throws: BluetoothError.self) {
            try await stored.write([1], type: .withoutResponse)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("read, write") == true)
    }

    @Test(arguments: RigStack.all) func errorsOfTheDelegateReachTheCentral(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let refusing = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.refusing))
        let read = await #expect(throws: BluetoothError.self) { _ = try await refusing.read() }
        #expect(read?.code == .att(.insufficientAuthorization))
        let write = await #expect(throws: BluetoothError.self) { try await refusing.write([1]) }
        // The code is also preserved by CoreBluetooth, which has no name for it.
        #expect(write?.code == .att(.valueNotAllowed))
    }

    @Test(arguments: RigStack.all) func notificationsAndIndications(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
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
    }

    @Test(arguments: RigStack.all, [false, true])
    func aServiceMergesTheValuesOfItsCharacteristics(_ stack: RigStack, isKnownInPart: Bool) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        if isKnownInPart { _ = try await peripheral.characteristic(AttributeKey(Rig.indicating)) }
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
    }

    @Test(arguments: RigStack.all) func valuesDroppedByASlowConsumerAreCounted(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let events = rig.device.events
        let values = notifying.notifications(buffering: .newest(2))
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        for number in UInt8(0)..<10 { try await rig.published[Rig.notifying]?.update([number]) }
        // A read is answered after the notifications before it.
        _ = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.fixed)).read()
        #expect(values.droppedCount == 8)
        #expect(try await values.first { _ in true } == [8])
    }

    @Test(arguments: RigStack.centrals) func aDisconnectionEndsStreamsAndOperations(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        let events = rig.device.events
        let values = notifying.notifications()
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        // A caller that receives the error finds the link down.
        let reading = Task {
            await #expect(throws: BluetoothError.self) { _ = try await never.read() }
            return peripheral.isConnected
        }
        for await _ in rig.asked { break }
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        await #expect(throws: BluetoothError.self) { for try await _ in values {} }
        #expect(await !reading.value)
    }

    /// The peer receives the end of each subscription before the end of the link.
    @Test(arguments: RigStack.centrals) func subscriptionsEndBeforeADeliberateDisconnection(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        var events = rig.device.events.makeAsyncIterator()
        let values = notifying.notifications()
        while let event = try await events.next() { if case .subscribed = event { break } }
        await peripheral.disconnect()
        let first = try await events.next(), second = try await events.next()
        guard case .unsubscribed = first, case .disconnected = second else {
            Issue.record("\(String(describing: first)), \(String(describing: second))")
            return
        }
        // A deliberate end is no error.
        for try await _ in values {}
    }

    @Test(arguments: RigStack.centrals) func aStreamSurvivesAReconnection(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected(reconnect: .always)
        let notifying = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let events = rig.device.events
        let values = notifying.notifications()
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        _ = try await events.first { if case .subscribed = $0 { true } else { false } }
        try await rig.published[Rig.notifying]?.update([7])
        #expect(try await values.first { _ in true } == [7])
        #expect(peripheral.isConnected)
    }
}

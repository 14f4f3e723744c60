import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// Several scans on one adapter, and the lists of the seam's kernel.
@Suite struct ScanClientsTests {
    private final class Heard {
        var reports = 0
        var errors: [RadioError] = []
    }

    private func add(_ clients: ScanClients, _ request: ScanRequest = .init()) -> (ScanClient, Heard) {
        let heard = Heard()
        let client = clients.add(request, discovered: { _ in heard.reports += 1 }, ended: { heard.errors.append($0) })
        return (client, heard)
    }

    private var report: ScanReport {
        ScanReport(
            peripheral: fakeDevice, address: nil, knownName: nil, advertisement: AdvertisingData(), rssi: -40,
            isConnectable: true, time: .start)
    }

    @Test func theRadioScansForAllOfThem() {
        let clients = ScanClients()
        var changes = 0
        clients.onCancel = { changes += 1 }
        let (plain, _) = add(clients, ScanRequest(isActive: false))
        #expect(!clients.isActive && !clients.needsEveryReport)
        let (greedy, _) = add(clients, ScanRequest(allowsDuplicates: true, isActive: true))
        #expect(clients.isActive && clients.needsEveryReport)
        greedy.cancel()
        greedy.cancel()
        #expect(changes == 1)
        #expect(!clients.isActive && !clients.needsEveryReport)
        plain.cancel()
        #expect(clients.isEmpty)
    }

    @Test func aScanThatEndedHearsNothingMore() {
        let clients = ScanClients()
        let (first, heardByFirst) = add(clients)
        let (second, heardBySecond) = add(clients)
        first.report(report)
        first.cancel()
        first.report(report)
        clients.endAll(.cancelled) { #expect(clients.isEmpty) }
        second.report(report)
        second.cancel()
        #expect(heardByFirst.reports == 1 && heardByFirst.errors == [])
        #expect(heardBySecond.reports == 0 && heardBySecond.errors == [.cancelled])
    }

    @Test func oneThatIsCancelledByAnothersEndIsNotTold() {
        let clients = ScanClients()
        var second: ScanClient?
        _ = clients.add(.init(), discovered: { _ in }, ended: { _ in second?.cancel() })
        let (client, heard) = add(clients)
        second = client
        clients.endAll(.timeout)
        #expect(heard.errors == [])
    }

    @Test func aDeviceIsReportedOnce() {
        let (client, heard) = add(ScanClients())
        client.report(report)
        client.report(report)
        #expect(client.hasReported(fakeDevice) && heard.reports == 1)
        // The memory is bounded: beyond its limit devices may be reported again.
        for number in 2...20_000 {
            var other = report
            other.peripheral = PeripheralID(high: 1, low: UInt64(number))
            client.report(other)
        }
        #expect(!client.hasReported(fakeDevice))
    }

    /// A device that matches later than at its first advertisement.
    @Test func aDeviceIsReportedWhenItMatches() {
        let clients = ScanClients()
        let byService = ScanRequest(services: ["180F"])
        var byCondition = ScanRequest()
        byCondition.condition = { $0.rssi ?? -127 > -50 }
        for request in [byService, byCondition] {
            let (client, heard) = add(clients, request)
            #expect(clients.needsEveryReport)
            var report = report
            report.rssi = -60
            client.report(report)
            #expect(heard.reports == 0 && !client.hasReported(fakeDevice))
            report.rssi = -40
            report.advertisement.serviceUUIDs = ["180F"]
            client.report(report)
            client.report(report)
            #expect(heard.reports == 1)
            client.cancel()
        }
    }
}

/// The lists of users and observers.
@Suite struct KernelListTests {
    private final class Observer: RadioObserver, LinkObserver {
        var events = 0
        var onEvent: () -> Void = {}
        private func event() {
            events += 1
            onEvent()
        }

        func radioStateChanged(_ backend: any RadioBackend) {}
        func peripheralConnected(_ peripheral: PeripheralID) { event() }
        func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
        func linkDisconnected(_ error: RadioError) { event() }
        func linkMTUChanged(_ mtu: Int) {}
        func linkParametersChanged(_ parameters: ConnectionParameters) {}
        func linkSecurityChanged(_ security: LinkSecurity) {}
        func linkServicesChanged(_ services: [AttributeID]) {}
        func linkIsReadyToWriteWithoutResponse() {}
        func linkNameChanged(_ name: String) {}
    }

    @Test func observersAreToldInTheirOrderWhileTheyObserve() {
        let observers = RadioObservers()
        let (first, second, third) = (Observer(), Observer(), Observer())
        var order: [Int] = []
        first.onEvent = {
            order.append(1)
            observers.remove(second)
        }
        third.onEvent = { order.append(3) }
        for observer in [first, second, third, first] { observers.add(observer) }
        do {
            let released = Observer()
            observers.add(released)
        }
        observers.tell { $0.peripheralConnected(fakeDevice) }
        #expect(order == [1, 3])
        #expect(second.events == 0)
        observers.removeAll()
        observers.tell { $0.peripheralConnected(fakeDevice) }
        #expect(first.events == 1)
    }

    @Test func sharesAreCountedAndOneMayReleaseAnother() {
        let shares = LinkShares()
        let (one, two) = (shares.add(FakeLink()), shares.add(FakeLink(RadioUser())))
        let (first, second) = (Observer(), Observer())
        (one.observer, two.observer) = (first, second)
        first.onEvent = { _ = shares.remove(ObjectIdentifier(two)) }
        #expect(shares.users.count == 2)
        shares.tell { $0.linkDisconnected(.timeout) }
        #expect((first.events, second.events) == (1, 0))
        #expect(shares.isInUse)
        let isLast = shares.remove(ObjectIdentifier(one))
        #expect(isLast && !shares.isInUse)
    }

    @Test func callersWaitForOneEvent() {
        let callers = WaitingCallers<Int>()
        var heard: [Int] = []
        callers.add { value in
            heard.append(value)
            callers.add { heard.append(10 * $0) }
        }
        callers.add { heard.append($0 + 1) }
        callers.resume(1)
        #expect(heard == [1, 2])
        callers.resume(2)
        #expect(heard == [1, 2, 20])
        #expect(callers.isEmpty)
    }

    @Test func pendingOperationsFailInTheirOrder() {
        let loop = KernelLoop()
        let pending = PendingOperations(loop: loop.loop, after: 1 << 63)
        var order: [UInt64] = []
        loop.run {
            for _ in 0..<20 {
                let operation: LinkOperation<Void> = pending.begin(timeout: nil) { _ in }
                operation.onAbandon = { order.append(operation.id.rawValue) }
            }
            pending.failAll(.cancelled)
        }
        #expect(order == (1...20).map { (1 << 63) + $0 })
    }
}

import BluetoothBackend
import BluetoothModel
import Synchronization
import Testing

@testable import CoreBluetooth

/// A program whose queue is blocked costs bounded memory, whatever peers send.
@Suite(.timeLimit(.minutes(2))) struct MailboxTests {
    @Test func eventsOfPeersAreBoundedAndCounted() async {
        let queue = DispatchQueue(label: "blocked")
        queue.suspend()
        let mailbox = Mailbox(queue: queue)
        let delivered = Mutex(0)
        for _ in 0..<Mailbox.limit { mailbox.postWithinLimit(.call { delivered.withLock { $0 += 1 } }) }
        // Read first, here and below: an expectation that fails would reflect the mailbox.
        var dropped = [mailbox.droppedCount]
        let posted = (0..<10).map { _ in mailbox.postWithinLimit(.call { Issue.record("it was dropped") }) }
        dropped.append(mailbox.droppedCount)
        #expect(posted == Array(repeating: false, count: 10))
        #expect(dropped == [0, 10])
        await withCheckedContinuation { continuation in
            // Answers to the program are not dropped.
            mailbox.post { continuation.resume() }
            queue.resume()
        }
        #expect(delivered.withLock { $0 } == Mailbox.limit)
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        let left = mailbox.droppedCount
        #expect(left == 0)
        // There is room again.
        await withCheckedContinuation { continuation in mailbox.postWithinLimit(.call { continuation.resume() }) }
    }

    /// Dropped requests are answered, and nothing is reported in part.
    @Test func requestsForWhichThereIsNoRoomAreRefused() async {
        let bench = await Bench()
        await bench.explore()
        bench.deviceManager.mailbox.setLimit(0)
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        #expect(await bench.central.log.next("value FFF2") == "value FFF2 CBATTError.insufficientResources nil")
        bench.peripheral.writeValue(Data([1]), for: bench.characteristic(Bench.dynamic), type: .withResponse)
        #expect(await bench.central.log.next("written") == "written FFF2 CBATTError.insufficientResources")
        let notifying = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(true, for: notifying)
        await bench.central.log.next("notifying FFF4 ok true")
        let dropped = bench.deviceManager.mailbox.droppedCount
        #expect(dropped == 3)
        bench.deviceManager.mailbox.setLimit(Mailbox.limit)
        // Neither the subscription nor its end is reported; the next one is.
        bench.peripheral.setNotifyValue(false, for: notifying)
        await bench.central.log.next("notifying FFF4 ok false")
        bench.peripheral.setNotifyValue(true, for: notifying)
        await bench.device.log.next("subscribed FFF4")
        #expect(bench.device.log.count("unsubscribed") == 0)
    }

    /// An advertisement for which there is no room does not count as reported.
    @Test func aDeviceForWhichThereWasNoRoomIsReportedLater() async {
        let bench = await Bench()
        let mailbox = bench.centralManager.mailbox
        mailbox.setLimit(0)
        bench.centralManager.scanForPeripherals(withServices: [Bench.service])
        let patience = ContinuousClock.now + .seconds(30)
        while mailbox.droppedCount == 0, ContinuousClock.now < patience { await Task.yield() }
        let dropped = mailbox.droppedCount
        #expect(dropped > 0)
        mailbox.setLimit(Mailbox.limit)
        await bench.central.log.next("discover Bench")
    }

    @Test func addressesThatRotateAreForgotten() {
        var devices = RecentDevices<Int>(capacity: 100)
        let known = PeripheralID(high: 1, low: 0)
        devices.change(known, initial: 7) { _ in }
        for number in 1...UInt64(100_000) {
            devices.change(PeripheralID(high: 0, low: number), initial: 0) { $0 += 1 }
            // A device that is heard again and again is remembered.
            devices.change(known, initial: 0) { _ in }
        }
        #expect(devices.count <= 200)
        #expect(devices[known] == 7)
        #expect(devices[PeripheralID(high: 0, low: 1)] == nil)
    }

    @Test func servicesThatRotateAreForgotten() {
        var services = AdvertisedServices()
        for number in 0..<UInt32(10_000) { services.add([BluetoothUUID(number)]) }
        #expect(services.all.count <= 256)
        #expect(services.all.contains(BluetoothUUID(UInt32(9999))))
    }

    @Test func anEventThatDoesNotComeIsAnIssue() async {
        let log = EventLog()
        log.add("something else")
        await withKnownIssue {
            #expect(await log.next("never", within: .milliseconds(1)) == "")
        } matching: { issue in
            "\(issue)".contains("no event \"never\" came") && "\(issue)".contains("something else")
        }
    }
}

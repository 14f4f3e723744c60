import Harald
import TestSupport
import Testing

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct ChannelTests {
    @Test(arguments: RigStack.all) func messagesArriveCompleteAndInOrderInBothDirections(_ stack: RigStack) async throws
    {
        let rig = try await Rig(stack)
        let (psm, channels) = try await rig.device.publishL2CAPChannel()
        let echo = Task {
            for try await channel in channels {
                for try await message in channel.messages { try await channel.send(message) }
            }
        }
        let peripheral = try await rig.connected()
        let channel = try await peripheral.openL2CAPChannel(psm: psm)
        let messages = (0..<100).map { number in [UInt8](repeating: UInt8(number), count: 1 + number * 20) }
        let sending = Task { for message in messages { try await channel.send(message) } }
        var received: [[UInt8]] = []
        for try await message in channel.messages {
            received.append(message)
            if received.joined().count == messages.joined().count { break }
        }
        try await sending.value
        #expect(Array(received.joined()) == Array(messages.joined()))
        // A stream of CoreBluetooth's may divide a message.
        if stack == .host { #expect(received == messages) }
        await channel.close()
        await rig.close()
        try await echo.value
    }

    @Test(arguments: RigStack.centrals) func aSlowReaderSlowsTheSender(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let (psm, channels) = try await rig.device.publishL2CAPChannel()
        let peripheral = try await rig.connected()
        let channel = try await peripheral.openL2CAPChannel(psm: psm)
        let other = try #require(try await channels.first { _ in true })
        let sent = Locked(0)
        let sending = Task {
            for _ in 0..<200 {
                try await channel.send([UInt8](repeating: 1, count: 1000))
                sent.with { $0 += 1 }
            }
        }
        // A round trip on the link: every message with credits has been sent.
        for _ in 0..<20 { _ = try await peripheral.readRSSI() }
        #expect(sent.value < 200)
        var count = 0
        for try await message in other.messages {
            // A stream of CoreBluetooth's may divide a message.
            if stack == .host { #expect(message.count == 1000) }
            count += message.count
            if count == 200_000 { break }
        }
        try await sending.value
    }

    @Test(arguments: RigStack.centrals) func aSenderThatWaitsForCreditsCanBeCancelled(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let (psm, channels) = try await rig.device.publishL2CAPChannel()
        let peripheral = try await rig.connected()
        let channel = try await peripheral.openL2CAPChannel(psm: psm)
        let other = try #require(try await channels.first { _ in true })
        let sent = Locked(0)
        let sending = Task {
            while true {
                try await channel.send([UInt8](repeating: 1, count: 1000))
                sent.with { $0 += 1 }
            }
        }
        // The sender is blocked when round trips on the link bring no further message.
        var before = -1
        while sent.value == 0 || sent.value != before {
            before = sent.value
            for _ in 0..<20 { _ = try await peripheral.readRSSI() }
        }
        sending.cancel()
        let error = await #expect(throws: BluetoothError.self) { try await sending.value }
        #expect(error?.code == .cancelled)

        // The message stays in the queue unless the task was cancelled before it, and the channel can be used.
        let last = Task { try await channel.send([0xFF]) }
        var received: [UInt8] = []
        for try await message in other.messages {
            received += message
            if received.last == 0xFF { break }
        }
        try await last.value
        #expect([sent.value, sent.value + 1].contains(received.count / 1000))
    }

    @Test(arguments: RigStack.centrals) func anUnpublishedPSMIsRefused(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let error = await #expect(throws: BluetoothError.self) { _ = try await peripheral.openL2CAPChannel(psm: 0x85) }
        // CoreBluetooth does not report the reason.
        #expect(error?.code == .channelRefused(stack.showsEverything ? 2 : .max))
    }

    @Test(arguments: RigStack.centrals) func theEndOfTheLinkEndsTheChannel(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let (psm, channels) = try await rig.device.publishL2CAPChannel(psm: 0x90)
        #expect(psm == 0x90)
        let peripheral = try await rig.connected()
        let channel = try await peripheral.openL2CAPChannel(psm: psm)
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        await #expect(throws: BluetoothError.self) { for try await _ in channel.messages {} }
        withExtendedLifetime(channels) {}
    }
}

import Foundation
import Harald

/// A local device on any adapter, for other centrals; it ends when one writes to the last characteristic.
@MainActor enum PeripheralPart {
    static func run() async {
        await Checks.step("the device advertises until a visitor ends it") {
            let device = try await LocalPeripheral(
                name: "HaraldLinux", pairing: .justWorks, options: .init(storage: .none))
            let (goodbyes, goodbye) = AsyncStream<Void>.makeStream()
            let (commands, command) = AsyncStream<[UInt8]>.makeStream()
            let (psm, channels) = try await device.publishL2CAPChannel()
            let service = try await device.publish(
                ServiceDefinition(
                    TestService.service,
                    [
                        CharacteristicDefinition(
                            TestService.kept, [.read, .write], value: [7], description: "kept"),
                        CharacteristicDefinition(
                            TestService.long, [.read], onRead: { _ in [UInt8](repeating: 5, count: 300) }),
                        CharacteristicDefinition(
                            TestService.command, [.writeWithoutResponse], onWrite: { command.yield($0.value) }),
                        CharacteristicDefinition(TestService.echo, [.read, .notify]),
                        CharacteristicDefinition(
                            TestService.secret, [.read], value: Array("secret".utf8),
                            permissions: [.readable, .readEncryptionRequired]),
                        CharacteristicDefinition(
                            TestService.broken, [.read], onRead: { _ in throw ATTErrorCode(rawValue: 0x80) }),
                        CharacteristicDefinition(TestService.channel, [.read], value: [UInt8(psm)]),
                        CharacteristicDefinition(
                            TestService.trigger, [.write], onWrite: { _ in goodbye.yield() }),
                    ]))
            let echo = service[TestService.echo]
            let answers = Task { for await value in commands { try await echo?.update(value) } }
            let messages = Task {
                for try await channel in channels {
                    for try await message in channel.messages { try await channel.send(message) }
                    say("     an L2CAP channel was closed")
                }
            }
            let events = Task { for try await event in device.events { say("     \(event)") } }
            try await device.advertise()
            let address = await device.address
            say("     on the air as \(address?.text ?? "?") through \(device.adapter.summary)")
            try await Checks.within(300) { for await _ in goodbyes { return } }
            // The central has the response to the last write when it disconnects.
            let leaving = device.events
            if await !device.centrals.isEmpty {
                try await Checks.within(60) {
                    for try await event in leaving { if case .disconnected = event { return } }
                }
            }
            answers.cancel()
            messages.cancel()
            events.cancel()
            await device.close()
        }
    }
}

import Foundation
import Harald

/// The central connects to a local device on another adapter of the same machine, and disconnects.
@MainActor enum VisitChecks {
    static func run() async {
        guard let central = await CentralChecks.open() else { return }
        say("     \(central.adapter.summary)")
        await Checks.step("scan, connect, discover") {
            let peer = try await CentralChecks.find(central)
            try await peer.connect(timeout: CentralChecks.patience)
            _ = try await peer.discoverAll(timeout: CentralChecks.patience)
            let kept = try CentralChecks.characteristic(peer, TestService.kept)
            await Checks.step("read, write, read") {
                let first = try await kept.read(timeout: CentralChecks.patience)
                try await kept.write([8, 8], timeout: CentralChecks.patience)
                let second = try await kept.read(timeout: CentralChecks.patience)
                try Checks.require(first == [7] && second == [8, 8], "\(first) \(second)")
            }
            await Checks.step("a long value, and an error of the device") {
                let long = try await CentralChecks.characteristic(peer, TestService.long).read(
                    timeout: CentralChecks.patience)
                try Checks.require(long == [UInt8](repeating: 5, count: 300), "\(long.count) bytes")
                let broken = try CentralChecks.characteristic(peer, TestService.broken)
                let error = try await Checks.error { _ = try await broken.read(timeout: CentralChecks.patience) }
                try Checks.require(error.code == .att(ATTErrorCode(rawValue: 0x80)), "\(error)")
            }
            await Checks.step("commands are echoed as notifications") {
                let echo = try CentralChecks.characteristic(peer, TestService.echo)
                let command = try CentralChecks.characteristic(peer, TestService.command)
                let stream = echo.notifications()
                let values = Task { () throws -> [[UInt8]] in
                    var values: [[UInt8]] = []
                    for try await value in stream {
                        values.append(value)
                        if values.count == 5 { break }
                    }
                    return values
                }
                _ = try await kept.read(timeout: CentralChecks.patience)
                _ = try await kept.read(timeout: CentralChecks.patience)
                for number in 0..<5 { try await command.write([UInt8(number)], timeout: CentralChecks.patience) }
                let got = try await Checks.within(60) { try await values.value }
                try Checks.require(got == (0..<5).map { [UInt8($0)] }, "\(got)")
            }
            await channels(peer)
            await Checks.step("the signal strength of the link") {
                do {
                    let strength = try await peer.readRSSI(timeout: CentralChecks.patience)
                    try Checks.require((-127...20).contains(strength), "\(strength)")
                    say("     \(strength) dBm")
                } catch let error as BluetoothError
                    where [.controller(.unknownCommand), .unsupported].contains(error.code)
                {
                    say("     not supported by Bumble's controller")
                }
            }
            try await CentralChecks.characteristic(peer, TestService.trigger).write(
                [1], timeout: CentralChecks.patience)
            await peer.disconnect()
        }
        await central.close()
    }

    private static func channels(_ peer: Peripheral) async {
        await Checks.step("an L2CAP channel: messages are echoed completely and in order, and it is closed") {
            let value = try await CentralChecks.characteristic(peer, TestService.channel).read(
                timeout: CentralChecks.patience)
            let psm = UInt16(value.first ?? 0)
            let channel = try await peer.openL2CAPChannel(psm: psm, timeout: CentralChecks.patience)
            let sizes = [1, 20, 600, min(channel.maximumMessageLength, 2048)]
            for (index, size) in sizes.enumerated() {
                let message = [UInt8](repeating: UInt8(index), count: size)
                try await channel.send(message)
                let answer = try await Checks.within(60) { try await channel.messages.next() }
                try Checks.require(answer == message, "\(size): \(String(describing: answer?.count))")
            }
            await channel.close()
        }
        await Checks.step("an unpublished PSM is refused") {
            let error = try await Checks.error {
                _ = try await peer.openL2CAPChannel(psm: 0xF1, timeout: CentralChecks.patience)
            }
            say("     \(error)")
            try Checks.require(error.code != .timeout && error.code != .unsupported, "\(error)")
        }
    }
}

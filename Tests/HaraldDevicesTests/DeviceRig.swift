import BluetoothRuntime
import HaraldDevices
import Testing

@testable import VirtualDevices

/// A twin on an air of its own, with a central beside it.
struct DeviceRig {
    let radio: VirtualRadio
    let twin: VirtualDevice
    let central: Central
    let peripheral: Peripheral

    init(_ name: String, clock: RadioClock = .faster(by: 3)) async throws {
        try await self.init(#require(Twins.all[name]), clock: clock)
    }

    init(_ file: DeviceFile, clock: RadioClock = .faster(by: 3)) async throws {
        radio = VirtualRadio(clock: clock)
        twin = try await VirtualDevice(file, on: radio.adapter(named: "twin"), loop: radio.loop)
        central = try await Central(adapter: radio.adapter(named: "central"), pairing: .justWorks)
        var found: Peripheral?
        for try await discovery in central.scan() where discovery.name == file.name {
            found = discovery.peripheral
            break
        }
        peripheral = try #require(found)
    }

    func close() async {
        await central.close()
        await twin.close()
    }
}

extension AsyncSequence where Failure == BluetoothError {
    /// The first `count` elements.
    func first(_ count: Int) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

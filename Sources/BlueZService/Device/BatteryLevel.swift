import BluetoothBackend
import BluetoothModel
import SystemBus

/// The level of a device's battery (`org.bluez.Battery1`), read from its battery service and followed by
/// notifications. Confined to the loop.
final class BatteryLevel {
    private(set) var percentage: UInt8?
    private weak var device: DeviceObject?

    init(of device: DeviceObject) { self.device = device }

    /// Reads the level of a connected device, and subscribes to it where the device notifies it.
    func follow(_ services: [FoundService], over link: any PeripheralLink) {
        let service = services.first { $0.uuid == 0x180F }
        guard let level = service?.characteristics.first(where: { $0.uuid == 0x2A19 }) else { return }
        link.read(level.id, timeout: nil) { [weak self] result in
            if case .success(let view) = result { self?.received(view) }
        }
        if level.properties.contains(.notify) {
            link.subscribe(level.id, kind: .any, timeout: nil) { [weak self] in
                self?.received($0)
            } completion: { _ in
            }
        }
    }

    private func received(_ view: ByteView) {
        guard let device, !view.isEmpty, view[0] <= 100, view[0] != percentage else { return }
        let isNew = percentage == nil
        percentage = view[0]
        if isNew { device.tree?.added([.battery], of: device) } else { device.changed(.battery, ["Percentage"]) }
    }

    /// Forgets the level of a device whose link ended.
    func linkEnded() {
        guard percentage != nil else { return }
        percentage = nil
        if let device { device.tree?.removed([.battery], of: device) }
    }
}

extension Interface {
    /// `org.bluez.Battery1`.
    static let battery: Interface = Interface(
        name: "org.bluez.Battery1",
        properties: [
            Property("Percentage", "y") { (device: DeviceObject) in device.battery.percentage.map { .byte($0) } },
            Property("Source", "s") { (_: DeviceObject) in .string("GATT Battery Service") },
        ])
}

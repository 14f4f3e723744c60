import BluetoothBackend
import BluetoothModel
import SystemBus

/// The level of a device's battery (`org.bluez.Battery1`), from its battery service or from the provider that was
/// first. Confined to the loop.
final class BatteryLevel {
    private(set) var percentage: UInt8?
    fileprivate var source = BatteryLevel.service
    /// The object of the provider; nil for the battery service.
    private var provider: String?

    private static let service = "GATT Battery Service"

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
        if provider == nil, !view.isEmpty, view[0] <= 100 { set(view[0]) }
    }

    /// Sets the level that an object of a provider has. Returns false if the level is from elsewhere.
    func provide(_ percentage: UInt8, source: String, from path: String) -> Bool {
        if provider != path {
            guard self.percentage == nil else { return false }
            (provider, self.source) = (path, source)
        }
        set(percentage)
        return true
    }

    /// Forgets the level that an object of a provider had.
    func withdraw(from path: String) {
        if provider == path { remove() }
    }

    /// Forgets the level of a device whose link ended.
    func linkEnded() {
        if provider == nil { remove() }
    }

    private func set(_ value: UInt8) {
        guard let device, value != percentage else { return }
        let isNew = percentage == nil
        percentage = value
        if isNew { device.tree?.added([.battery], of: device) } else { device.changed(.battery, ["Percentage"]) }
    }

    private func remove() {
        (provider, source) = (nil, Self.service)
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
            Property("Source", "s") { (device: DeviceObject) in
                device.battery.source.isEmpty ? nil : .string(device.battery.source)
            },
        ])
}

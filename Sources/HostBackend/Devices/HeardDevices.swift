import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// The recently received advertising data of each device: advertisement and scan response combined.
final class HeardDevices {
    final class Device {
        /// The identifier; that of the identity address where the address is a private one of a bonded device.
        fileprivate(set) var id: PeripheralID
        let address: BluetoothAddress
        fileprivate var advertisement: [UInt8] = []
        fileprivate var scanResponse: [UInt8]?
        fileprivate(set) var data = AdvertisingData()
        fileprivate(set) var isConnectable = false
        /// True if a scan response may follow.
        fileprivate(set) var isScannable = false
        fileprivate(set) var rssi: Int?
        fileprivate(set) var time: RadioInstant

        /// True if the last packet was a scan response.
        fileprivate(set) var isScanResponse = false

        var hasScanResponse: Bool { scanResponse != nil }
        /// The last packet.
        var packet: [UInt8] { isScanResponse ? scanResponse ?? [] : advertisement }

        fileprivate init(id: PeripheralID, address: BluetoothAddress, time: RadioInstant) {
            self.id = id
            self.address = address
            self.time = time
        }
    }

    /// Limit of devices; beyond it, those received least recently are removed.
    private static let limit = 8192
    /// Proof of `@exclusivity(unchecked)`: no access to the table spans a call that leads back to this object. The
    /// check would cost time on every report.
    @exclusivity(unchecked) private var devices = DeviceTable<BluetoothAddress, Device>()

    private let identity: (BluetoothAddress) -> BluetoothAddress

    /// - Parameter identity: returns the identity address behind a private address, if it is known.
    init(identity: @escaping (BluetoothAddress) -> BluetoothAddress) { self.identity = identity }

    /// Resolves the private addresses again after the bonds changed.
    func identitiesChanged() {
        for device in devices.all where device.address.randomKind == .resolvablePrivate {
            device.id = PeripheralID(identity(device.address))
        }
    }

    /// Records a report; the bytes are copied only where they changed.
    func note(_ report: AdvertisingReport, at time: RadioInstant) -> Device {
        let device = self.device(report.address, time)
        device.time = time
        device.rssi = report.rssi.map(Int.init)
        device.isScanResponse = report.isScanResponse
        if report.isScanResponse {
            guard device.scanResponse.map({ !report.data.equals($0) }) ?? true else { return device }
            device.scanResponse = report.data.array
        } else {
            device.isConnectable = report.isConnectable
            device.isScannable = report.properties.contains(.scannable)
            if report.data.equals(device.advertisement) { return device }
            device.advertisement = report.data.array
        }
        let advertisement = AdvertisingData(parsing: device.advertisement)
        device.data =
            device.scanResponse.map { advertisement.merging(scanResponse: AdvertisingData(parsing: $0)) }
            ?? advertisement
        return device
    }

    private func device(_ address: BluetoothAddress, _ time: RadioInstant) -> Device {
        if let device = devices[address] { return device }
        if devices.count >= Self.limit { forgetOldest() }
        let device = Device(id: PeripheralID(identity(address)), address: address, time: time)
        devices.insert(device, for: address)
        return device
    }

    private func forgetOldest() {
        let times = devices.all.map(\.time).sorted()
        let middle = times[times.count / 2]
        devices.keep { $0.time > middle }
    }

    /// The device with this address, or this identity address; nil if it was not received.
    subscript(address: BluetoothAddress) -> Device? {
        if let device = devices[address] { return device }
        let id = PeripheralID(address)
        return devices.all.first { $0.id == id }
    }

    /// Returns the devices received since `time`.
    func heard(since time: RadioInstant) -> [Device] { devices.all.filter { $0.time >= time } }
}

import BluetoothBackend
import BluetoothModel
import CoreBluetooth

extension AdvertisingRequest {
    /// The reason why CoreBluetooth cannot advertise this; nil if it can. It chooses the flags and the interval itself.
    var coreBluetoothProblem: String? {
        if !isConnectable { return "CoreBluetooth supports only connectable advertising" }
        let known: Set<ADType> = [
            .flags, .completeLocalName, .shortenedLocalName,
            .completeServiceUUIDs16, .incompleteServiceUUIDs16, .completeServiceUUIDs32, .incompleteServiceUUIDs32,
            .completeServiceUUIDs128, .incompleteServiceUUIDs128,
        ]
        let others = (data.structures + (scanResponse?.structures ?? [])).map(\.type).filter { !known.contains($0) }
        return others.first.map { "CoreBluetooth advertises a name and services, not \($0)" }
    }

    /// The dictionary for CoreBluetooth, which divides it between the advertisement and the scan response.
    var coreBluetooth: [String: Any] {
        var dictionary: [String: Any] = [:]
        let name = data.localName ?? scanResponse?.localName
        let services = data.serviceUUIDs + (scanResponse?.serviceUUIDs ?? [])
        if let name { dictionary[CBAdvertisementDataLocalNameKey] = name }
        if !services.isEmpty { dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map(\.coreBluetooth) }
        return dictionary
    }
}

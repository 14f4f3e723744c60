import BluetoothHCI
import BluetoothModel

@testable import VirtualBluetooth

/// Two hosts with each other's keys, and a third one without any.
extension Stage {
    static let keys = ["9B7D390AA6101034 05ADC857A33402EC".without, "00112233445566778899AABBCCDDEEFF"]

    /// The first two hosts put each other into their resolving lists.
    func introduce(resolving: Bool = true) {
        for index in 0..<2 {
            let (host, peer) = (hosts[index], hosts[1 - index])
            let entry = "00 \(peer.address)" + Self.keys[1 - index] + Self.keys[index]
            host.command(.leAddDeviceToResolvingList, entry)
            if resolving { host.command(.leSetAddressResolutionEnable, "01") }
        }
    }
}

extension Theatre {
    static func introduced(hosts: Int = 3, resolving: Bool = true) async -> Theatre {
        let theatre = Theatre(hosts: hosts)
        await theatre.run { $0.introduce(resolving: resolving) }
        return theatre
    }
}

extension TestHost {
    /// Legacy connectable advertising every 100 ms with this type of own address.
    func advertise(own: String, to peer: TestHost, policy: String = "00") {
        let parameters = "A000 A000 00 \(own) 00 \(peer.address) 07 \(policy)"
        command(.leSetAdvertisingEnable, "00")
        command(.leSetAdvertisingParameters, parameters)
        command(.leSetAdvertisingData, "03020106" + String(repeating: "00", count: 28))
        command(.leSetAdvertisingEnable, "01")
    }

    /// Scans passively, or actively.
    func scan(own: String = "00", policy: String = "00", active: Bool = false) {
        command(.leSetScanEnable, "0000")
        command(.leSetScanParameters, (active ? "01" : "00") + "1000 1000 \(own) \(policy)")
        command(.leSetScanEnable, "0100")
    }

    /// Connects with this type of own address, to the identity of a peer or to whom the accept list names.
    @discardableResult
    func connect(own: String, to peer: TestHost?) -> String {
        let target = peer.map { "00 00 \($0.address)" } ?? "01 00 000000000000"
        return command(.leCreateConnection, "6000 3000 \(target) \(own) 1800 1800 0000 F401 0000 0000")
    }

    /// Types and addresses of the advertisers in LE Advertising Report events, each once, in order.
    func takeAdvertisers() -> [String] {
        var result: [String] = []
        for event in takeEvents() where event.hasPrefix("3E02") {
            let advertiser = String(event.dropFirst(8).prefix(14))
            if !result.contains(advertiser) { result.append(advertiser) }
        }
        return result
    }
}
